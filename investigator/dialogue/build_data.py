"""Builds data once, from archives and files on this machine (seed: parlai_core_concepts, "build.py").

Nothing is downloaded. A folder of built data contains a `.built` file with the version of the data. The data is built
next to its final place and moved there when complete, so an interrupted build never looks finished.
"""

from __future__ import annotations

import gzip
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock

from investigator.errors import DialogueError, DialogueFormatError, in_words

BUILT = ".built"

_DAMAGE = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, NotImplementedError, RuntimeError, TypeError)
"""Errors, besides OSError, that the standard library raises for damaged, encrypted and unusual archives. Before Python
3.11.4, it raises TypeError because it cannot check the members of a tar archive.
"""


def built(folder: Path, version: str) -> bool:
    """Return True if the folder contains complete data of this version."""
    try:
        return (folder / BUILT).read_text(encoding="utf-8").strip() == version
    except (OSError, UnicodeDecodeError):
        return False


def build(folder: Path, version: str, make: Callable[[Path], None]) -> bool:
    """Call `make` to build the data, unless the folder already contains data of this version; return True if it was
    called. `make` gets an empty folder to fill. Older data is kept until the new data is complete. A second process
    waits until the first is done. Raises DialogueError if the folder contains files that were not built here, or cannot
    be written.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(f".{folder.name}.lock")):
            if built(folder, version):
                return False
            if folder.is_dir() and not (folder / BUILT).is_file() and any(folder.iterdir()):
                hint = "Choose another folder, or empty this one yourself."
                raise DialogueError(f"the folder {folder} contains files that were not built here", hint=hint)
            with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as drafts:
                fresh = Path(drafts, "new")
                fresh.mkdir()
                make(fresh)
                (fresh / BUILT).write_text(f"{version}\n", encoding="utf-8")
                if folder.is_dir():
                    folder.rename(Path(drafts, "old"))
                fresh.rename(folder)
    except OSError as error:
        hint = "Choose a folder that you may write to."
        raise DialogueError(f"the data cannot be built in {folder}: {in_words(error)}", hint=hint) from error
    return True


def unpack(archive: Path, folder: Path) -> tuple[Path, ...]:
    """Unpack a zip, a tar (plain, gz, bz2, xz) or a gz file into the folder; return the sorted files in the folder.

    Nothing is written outside the folder. Raises DialogueFormatError for an archive that is damaged, or is a tar with
    links, devices or paths that lead outside.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as packed:
                packed.extractall(folder)
        elif tarfile.is_tarfile(archive):
            with tarfile.open(archive) as tar:
                tar.extractall(folder, filter="data")
        elif archive.suffix != ".gz":
            raise tarfile.ReadError("it is not a zip, tar or gz file")
        else:
            with gzip.open(archive) as source, (folder / archive.stem).open("wb") as target:
                shutil.copyfileobj(source, target)
    except (*_DAMAGE, OSError) as error:
        problem = f"the archive {archive} cannot be unpacked: {in_words(error)}"
        raise DialogueFormatError(problem, hint="Fetch the archive again.") from error
    return tuple(sorted(path for path in folder.rglob("*") if path.is_file()))
