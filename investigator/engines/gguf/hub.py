"""Downloads a GGUF file from a model hub with huggingface_hub: resumable, and verified by its sha256.

As usual with huggingface_hub, `HF_ENDPOINT` selects another hub, and `HF_TOKEN` provides a key.
"""

from __future__ import annotations

import errno
import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from investigator.engines.gguf.pulled import LocalModel, PulledModel, made_folder, note_pulled
from investigator.errors import DiskFullError, ModelDownloadError

OnProgress = Callable[[int, int], None]
"""Called with the bytes downloaded so far and in total, from any thread."""

_ROOM = 50_000_000  # number of bytes that must stay free on the disk
_RESUMES = "Run the same command again: the download resumes where it stopped."


@dataclass(frozen=True)
class HubFile:
    """The hub's data about a file: its commit, its size in bytes, its sha256, and the licence of the repository."""

    commit: str
    size: int
    sha256: str
    licence: str


def pull(model: LocalModel, now: datetime, on_progress: OnProgress = lambda done, total: None) -> PulledModel:
    """Download a model into the user's data directory, and return its record. An interrupted download is resumed. The
    file must match the hub's checksum and, if one is pinned, that checksum, too; otherwise it is deleted. Raises
    ModelDownloadError and DiskFullError.
    """
    found = described(model)
    pinned = (model.sha256 or found.sha256).lower()
    if pinned != found.sha256:
        raise ModelDownloadError(
            f"the hub's {model.file} is not the expected file: its sha256 is {found.sha256}, not {pinned}",
            hint=(
                "It was replaced on the hub: do not use it, or if you trust it, pull it as OWNER/REPOSITORY:FILE.gguf."
            ),
        )
    try:
        folder = made_folder(model.name)
        path = folder / Path(model.file).name
        if not _is_whole(path, found):
            _check_room(folder, found.size)
            _fetch(model, found, folder, on_progress)
            if path != folder / model.file:
                (folder / model.file).replace(path)
            shutil.rmtree(folder / ".cache", ignore_errors=True)
            if not _is_whole(path, found):
                path.unlink()
                raise ModelDownloadError(
                    f"the download {path.name} is damaged: its sha256 is not {found.sha256}; it was deleted",
                    hint="Run the same command again. If it happens again, the server or a proxy changes the file.",
                )
        path.chmod(0o600)
        pulled = PulledModel(
            name=model.name,
            repo=model.repo,
            file=model.file,
            commit=found.commit,
            sha256=found.sha256,
            size=found.size,
            licence=found.licence or model.licence,
            pulled=now,
        )
        note_pulled(pulled)
    except OSError as error:
        raise _disk_error(error) from error
    return pulled


def described(model: LocalModel) -> HubFile:
    """Return the hub's data about a model's file. Raises ModelDownloadError."""
    from huggingface_hub import HfApi

    info: Any = _asked(
        lambda: HfApi().model_info(model.repo, revision=model.revision, files_metadata=True, timeout=30), model
    )
    for sibling in info.siblings or ():
        if sibling.rfilename == model.file:
            if sibling.lfs is None or not sibling.size:
                raise ModelDownloadError(
                    f"the hub has no checksum for {model.file}", hint="Choose another file, or download it manually."
                )
            licence = getattr(info.card_data, "license", None) if info.card_data is not None else None
            return HubFile(str(info.sha), int(sibling.size), str(sibling.lfs.sha256).lower(), str(licence or ""))
    raise ModelDownloadError(
        f"{model.repo} has no file {model.file}", hint="See the list of files on the repository's page on the hub."
    )


def _fetch(model: LocalModel, found: HubFile, folder: Path, on_progress: OnProgress) -> None:
    from huggingface_hub import hf_hub_download
    from tqdm import tqdm

    class Told(tqdm):  # type: ignore[misc]
        """Reports the downloaded bytes to `on_progress` instead of drawing a progress bar."""

        def __init__(self, *words: Any, **options: Any) -> None:
            self._done = int(options.get("initial") or 0)
            options.pop("name", None)
            super().__init__(*words, **{**options, "disable": True})

        def update(self, n: float | None = 1) -> None:
            self._done += int(n or 0)
            on_progress(self._done, found.size)

    _asked(
        lambda: hf_hub_download(
            model.repo, model.file, revision=found.commit, local_dir=folder, tqdm_class=Told, etag_timeout=30
        ),
        model,
    )


def _is_whole(path: Path, found: HubFile) -> bool:
    if not path.is_file() or path.stat().st_size != found.size:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == found.sha256


def _check_room(folder: Path, size: int) -> None:
    begun = sum(part.stat().st_size for part in folder.rglob("*.incomplete"))
    free = shutil.disk_usage(folder).free
    if free < size - begun + _ROOM:
        raise DiskFullError(
            f"the model needs {(size - begun) / 1e9:.1f} GB, but only {free / 1e9:.1f} GB is free in {folder}",
            hint="Free some space, choose a smaller model (investigator model list), or move XDG_DATA_HOME elsewhere.",
        )


def _asked(ask: Callable[[], object], model: LocalModel) -> object:
    """Return the result of a huggingface_hub call, and translate its errors. Raises ModelDownloadError and OSError."""
    import httpx2
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    try:
        return ask()
    except OfflineModeIsEnabled as error:
        raise ModelDownloadError("HF_HUB_OFFLINE forbids downloads", hint="Unset HF_HUB_OFFLINE.") from error
    except GatedRepoError as error:
        hint = "Accept its terms on its page on the hub, and set HF_TOKEN."
        raise ModelDownloadError(f"{model.repo} requires an account on the hub", hint=hint) from error
    except (RepositoryNotFoundError, RevisionNotFoundError) as error:
        hint = "Correct the name. A private repository needs HF_TOKEN."
        raise ModelDownloadError(f"the hub has no {model.repo}", hint=hint) from error
    except HfHubHTTPError as error:
        status = error.response.status_code if error.response is not None else "no"
        raise ModelDownloadError(f"the hub answered with status {status} for {model.repo}") from error
    except (httpx2.HTTPError, LocalEntryNotFoundError, ConnectionError) as error:
        raise ModelDownloadError(
            f"the hub could not be reached, or the connection broke: {type(error).__name__}",
            hint=f"Check the network, or set HF_ENDPOINT to a mirror. {_RESUMES}",
        ) from error


def _disk_error(error: OSError) -> DiskFullError | ModelDownloadError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFullError("no space is left on the disk for the model", hint=f"Free some space. {_RESUMES}")
    return ModelDownloadError(f"the model could not be saved: {error.strerror or error}", hint=_RESUMES)
