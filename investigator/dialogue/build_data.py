"""Data built once, from archives and files on this machine (seed: parlai_core_concepts, "build.py").

Nothing is downloaded. A folder of built data contains a file `.built` with its version. The data is built next to its
final place and moved there when complete, so an interrupted build never looks finished.
"""

from __future__ import annotations

import gzip
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple, cast

from filelock import FileLock

from investigator.errors import DialogueError, DialogueFormatError

BUILT = ".built"
LIMIT = 50 * 1024**3
"""Default limit on the unpacked size of an archive, in bytes."""

_BLOCK = 1024 * 1024
_DAMAGE = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, NotImplementedError, RuntimeError)
"""The standard library's errors for damaged, encrypted and unusual archives, in addition to OSError."""


def built(folder: Path, version: str) -> bool:
    """Return True if the folder contains complete data of this version."""
    try:
        return (folder / BUILT).read_text(encoding="utf-8").strip() == version
    except (OSError, UnicodeDecodeError):
        return False


def build(folder: Path, version: str, make: Callable[[Path], None]) -> bool:
    """Let `make` fill the folder unless it contains data of this version; return True if it did. `make` gets an empty
    folder to fill. Older data is kept until the new data is complete. A second process waits until the first is done.
    Raises DialogueError if the folder contains files that were not built here, or cannot be written.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(f".{folder.name}.lock")):
            if built(folder, version):
                return False
            if folder.is_dir() and not (folder / BUILT).is_file() and any(folder.iterdir()):
                hint = "Name another folder, or empty this one yourself."
                raise DialogueError(f"the folder {folder} contains files that were not built here", hint=hint)
            with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as beside:
                _build_beside(Path(beside), folder, version, make)
    except OSError as error:
        hint = "Name a folder that you may write to."
        raise DialogueError(f"the data cannot be built in {folder}: {error.strerror or error}", hint=hint) from error
    return True


def unpack(archive: Path, folder: Path, limit: int = LIMIT) -> tuple[Path, ...]:
    """Unpack a zip, a tar (plain, gz, bz2, xz) or one gz file into the folder; return its files in order.

    Raises DialogueFormatError for an archive that is damaged, unpacks to more than `limit` bytes, or contains anything
    but files and folders below it: links, devices, and paths that lead outside are rejected before anything is written.
    """
    try:
        with ExitStack() as stack:
            return _written(archive, _members(archive, stack), folder, limit)
    except (*_DAMAGE, OSError) as error:
        reason = getattr(error, "strerror", None) or error
        raise _unusable(archive, f"it cannot be unpacked: {reason}") from error


class _Member(NamedTuple):
    name: str
    size: int
    is_file: bool
    open: Callable[[], IO[bytes] | None]


def _build_beside(beside: Path, folder: Path, version: str, make: Callable[[Path], None]) -> None:
    fresh = beside / "new"
    fresh.mkdir()
    make(fresh)
    (fresh / BUILT).write_text(f"{version}\n", encoding="utf-8")
    if folder.is_dir():
        folder.rename(beside / "old")
    fresh.rename(folder)


def _unusable(archive: Path, reason: str) -> DialogueFormatError:
    return DialogueFormatError(f"the archive {archive} cannot be used: {reason}", hint="Fetch the archive again.")


def _members(archive: Path, stack: ExitStack) -> list[_Member]:
    """Return the files of an archive, which stays open until the stack is closed."""
    if zipfile.is_zipfile(archive):
        packed = stack.enter_context(zipfile.ZipFile(archive))
        return [
            _Member(info.filename, info.file_size, _mode(info) in (0, stat.S_IFREG), partial(packed.open, info))
            for info in packed.infolist()
            if not info.is_dir()
        ]
    if tarfile.is_tarfile(archive):
        tar = stack.enter_context(tarfile.open(archive))  # noqa: SIM115 - the stack is the context manager
        return [
            _Member(info.name, info.size, info.isfile(), partial(tar.extractfile, info))
            for info in tar
            if not info.isdir()
        ]
    if archive.suffix == ".gz":
        return [_Member(archive.stem, 0, True, lambda: cast("IO[bytes]", gzip.open(archive)))]
    raise _unusable(archive, "it is not a zip, tar or gz file")


def _mode(info: zipfile.ZipInfo) -> int:
    return stat.S_IFMT(info.external_attr >> 16)


def _written(archive: Path, members: list[_Member], folder: Path, limit: int) -> tuple[Path, ...]:
    targets = [_target(archive, member, folder) for member in members]
    if sum(member.size for member in members) > limit:
        raise _unusable(archive, f"it would unpack to more than {limit:,} bytes")
    left = limit
    for member, target in zip(members, targets, strict=True):
        target.parent.mkdir(parents=True, exist_ok=True)
        source = member.open()
        if source is None:
            raise _unusable(archive, f"{member.name!r} in it cannot be read")
        with source, target.open("wb") as out:
            for block in iter(partial(source.read, _BLOCK), b""):
                left -= len(block)
                if left < 0:
                    raise _unusable(archive, f"it unpacks to more than {limit:,} bytes")
                out.write(block)
    return tuple(targets)


def _target(archive: Path, member: _Member, folder: Path) -> Path:
    if not member.is_file:
        raise _unusable(archive, f"{member.name!r} in it is not a file")
    target = (folder / member.name.replace("\\", "/")).resolve()
    if not target.is_relative_to(folder.resolve()) or target == folder.resolve():
        raise _unusable(archive, f"the path {member.name!r} in it leads outside")
    return target
