"""Pulled models: GGUF files in the user's data directory, fetched from a hub with huggingface_hub, whose variables
`HF_ENDPOINT` (another hub) and `HF_TOKEN` (a key) apply.
"""

from __future__ import annotations

import errno
import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from platformdirs import user_data_path
from pydantic import Field, ValidationError

from investigator.errors import DiskFullError, ForeignFileError, RunError, SettingsError
from investigator.files import check_private_folder, is_plain_file, make_private_folder, read_private, write_private
from investigator.records import Record
from investigator.resources import data_text

OnProgress = Callable[[int, int], None]
"""Called with the bytes downloaded so far and in total, from any thread."""

_NOTE = "model.json"
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_REPO_FILE = re.compile(r"(?P<repo>[\w.-]+/[\w.-]+):(?P<file>[\w.-]+(?:/[\w.-]+)*\.gguf)", re.IGNORECASE)
_HINT = "Pull one with: investigator model pull"
_RESUMES = "Run the same command again: the download resumes where it stopped."
_TIMEOUT = 30


class LocalModel(Record):
    """A model that can be pulled: a GGUF file in a repository of a model hub. `measured` is its result in our
    benchmarks.
    """

    name: str = Field(pattern=_NAME.pattern)
    repo: str
    file: str
    licence: str = ""
    gigabytes: float | None = None
    measured: str = "not measured"


class PulledModel(Record):
    """A pulled model: its commit on the hub, and the checksum and size of its file."""

    name: str = Field(pattern=_NAME.pattern)
    repo: str
    file: str
    commit: str
    sha256: str
    size: int
    licence: str = ""
    pulled: datetime

    @property
    def folder(self) -> Path:
        """Return the model's folder."""
        return models_folder() / self.name

    @property
    def path(self) -> Path:
        """Return the path of the GGUF file."""
        return self.folder / Path(self.file).name

    @property
    def is_whole(self) -> bool:
        """Return True if the file is there and has the size and the checksum."""
        if not self.path.is_file() or self.path.stat().st_size != self.size:  # a hash of gigabytes takes a while
            return False
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == self.sha256


class ModelList(Record):
    """The pulled models, followed by the recommended models that were not pulled."""

    models: tuple[PulledModel | LocalModel, ...]


@cache
def recommended_models() -> tuple[LocalModel, ...]:
    """Return the shipped table of recommended models."""
    return tuple(LocalModel.model_validate(row) for row in json.loads(data_text("local_models.json"))["models"])


def model_named(name: str) -> LocalModel:
    """Return a model: from the table by name, or from any repository as `owner/repository:file.gguf`.

    An empty name selects the first model in the table. Raises SettingsError for any other name.
    """
    known = {model.name: model for model in recommended_models()}
    if not name:
        return recommended_models()[0]
    if name.lower() in known:
        return known[name.lower()]
    if match := _REPO_FILE.fullmatch(name):
        stem = re.sub(r"[^a-z0-9._-]+", "-", Path(match["file"]).stem.lower()).strip("-._")
        return LocalModel(name=stem, repo=match["repo"], file=match["file"])
    raise SettingsError(
        f"unknown model {name!r}",
        hint=f"Choose one of {', '.join(known)}, or a file of any repository as OWNER/REPOSITORY:FILE.gguf",
    )


def models_folder() -> Path:
    """Return the folder of pulled models in the user's data directory."""
    return user_data_path("investigator", appauthor=False) / "models"


def pulled_models() -> tuple[PulledModel, ...]:
    """Return the pulled models, latest first."""
    try:
        folders = sorted(models_folder().iterdir())
    except OSError:
        return ()
    known = [model for model in map(_noted, folders) if model is not None and is_plain_file(model.path)]
    return tuple(sorted(known, key=lambda model: model.pulled.astimezone(UTC), reverse=True))


def pulled_model(name: str) -> PulledModel:
    """Return a pulled model by name; without a name, the latest. Raises SettingsError if none is found."""
    pulled = pulled_models()
    for model in pulled:
        if not name or model.name == name.lower():
            return model
    if not pulled:
        raise SettingsError("no model was pulled", hint=_HINT)
    names = ", ".join(model.name for model in pulled)
    raise SettingsError(f"no model named {name!r} was pulled", hint=f"Pulled: {names}. {_HINT} {name}")


def remove_pulled(name: str) -> PulledModel:
    """Delete a pulled model, and return it. Raises SettingsError if no pulled model has that name."""
    if not name:
        raise SettingsError("no model name given", hint="List them with: investigator model")
    model = pulled_model(name)
    shutil.rmtree(model.folder)
    return model


def keep(model: PulledModel) -> None:
    """Record that a model was pulled, in its folder. Raises OSError."""
    write_private(model.folder / _NOTE, model.model_dump_json(indent=2).encode("utf-8"))


def pull(model: LocalModel, now: datetime, on_progress: OnProgress = lambda done, total: None) -> PulledModel:
    """Download a model into the user's data directory, and return its record. An interrupted download is resumed. A
    file that does not match the hub's checksum is deleted. Raises RunError and DiskFullError.
    """
    with _translated(model):
        pulled = _described(model, now)
        make_private_folder(pulled.folder)
        check_private_folder(pulled.folder)
        if not pulled.is_whole:
            _download(pulled, on_progress)
        pulled.path.chmod(0o600)
        keep(pulled)
    return pulled


def _described(model: LocalModel, now: datetime) -> PulledModel:
    """Return the record of a model, with the hub's data about its file."""
    from huggingface_hub import HfApi

    info: Any = HfApi().model_info(model.repo, files_metadata=True, timeout=_TIMEOUT)
    file = next((sibling for sibling in info.siblings or () if sibling.rfilename == model.file), None)
    if file is None or file.lfs is None or not file.size:
        problem = f"has no file {model.file}" if file is None else f"has no checksum for {model.file}"
        raise RunError(f"{model.repo} {problem}", hint="Choose one of the files on the repository's page on the hub.")
    return PulledModel(
        name=model.name,
        repo=model.repo,
        file=model.file,
        commit=str(info.sha),
        sha256=str(file.lfs.sha256).lower(),
        size=int(file.size),
        licence=str(getattr(info.card_data, "license", None) or model.licence),
        pulled=now,
    )


def _download(model: PulledModel, on_progress: OnProgress) -> None:
    from huggingface_hub import hf_hub_download
    from tqdm import tqdm

    class Progress(tqdm):  # type: ignore[misc]
        """Reports the downloaded bytes to `on_progress` instead of drawing a progress bar."""

        def __init__(self, *words: Any, initial: int = 0, name: str = "", **options: Any) -> None:
            self._done = initial
            super().__init__(*words, **{**options, "disable": True})

        def update(self, n: float | None = 1) -> None:
            self._done += int(n or 0)
            on_progress(self._done, model.size)

    begun = sum(part.stat().st_size for part in model.folder.rglob("*.incomplete"))
    free, needed = shutil.disk_usage(model.folder).free, model.size - begun
    if free < needed:
        raise DiskFullError(
            f"the model needs {needed / 1e9:.1f} GB, but only {free / 1e9:.1f} GB is free in {model.folder}",
            hint="Free some space, choose a smaller model (investigator model), or move XDG_DATA_HOME elsewhere.",
        )
    options: dict[str, Any] = {"revision": model.commit, "local_dir": model.folder, "etag_timeout": _TIMEOUT}
    hf_hub_download(model.repo, model.file, tqdm_class=Progress, **options)
    (model.folder / model.file).replace(model.path)  # out of the folders of its repository
    shutil.rmtree(model.folder / ".cache", ignore_errors=True)
    if not model.is_whole:
        model.path.unlink()
        raise RunError(
            f"the download {model.path.name} is damaged: its sha256 is not {model.sha256}; it was deleted",
            hint="Run the same command again. If it happens again, the server or a proxy changes the file.",
        )


@contextmanager
def _translated(model: LocalModel) -> Iterator[None]:
    """Translate the errors of huggingface_hub and of the disk."""
    import httpx2
    from huggingface_hub import errors as hub

    unreachable = httpx2.HTTPError, hub.LocalEntryNotFoundError, ConnectionError
    try:
        yield
    except hub.OfflineModeIsEnabled as error:
        raise RunError("HF_HUB_OFFLINE forbids downloads", hint="Unset HF_HUB_OFFLINE.") from error
    except hub.GatedRepoError as error:
        hint = "Accept its terms on its page on the hub, and set HF_TOKEN."
        raise RunError(f"{model.repo} requires an account on the hub", hint=hint) from error
    except (hub.RepositoryNotFoundError, hub.RevisionNotFoundError) as error:
        hint = "Correct the name. A private repository needs HF_TOKEN."
        raise RunError(f"the hub has no {model.repo}", hint=hint) from error
    except (hub.HfHubHTTPError, *unreachable) as error:
        response = getattr(error, "response", None)
        reason = f"answered with status {response.status_code}" if response is not None else "could not be reached"
        message = f"the hub {reason} ({type(error).__name__}): {model.repo}"
        raise RunError(message, hint=f"Check the network, or set HF_ENDPOINT to a mirror. {_RESUMES}") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            hint = f"Free some space. {_RESUMES}"
            raise DiskFullError("no space is left on the disk for the model", hint=hint) from error
        raise RunError(f"the model could not be saved: {error.strerror or error}", hint=_RESUMES) from error


def _noted(folder: Path) -> PulledModel | None:
    """Return the metadata of a model; None if it is missing or was written by another user."""
    try:
        check_private_folder(folder)
        model = PulledModel.model_validate_json(read_private(folder / _NOTE))
    except (OSError, ForeignFileError, ValidationError):
        return None
    return model if model.name == folder.name else None
