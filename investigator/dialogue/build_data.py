"""Data built once, from archives and files on this machine (seed: parlai_core_concepts, "build.py").

Nothing is downloaded. A folder of built data holds a file `.built` with its version. It is made beside its place and
moved there when it is whole, so that a build that was stopped leaves nothing that looks finished.
"""

from __future__ import annotations

import gzip
import os
import shutil
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, NamedTuple, cast

from filelock import FileLock

from investigator.errors import DialogueError, DialogueFormatError

BUILT = ".built"
LIMIT = 50 * 1024**3
"""Bytes that an archive may unpack to, where no other limit is given."""

_BLOCK = 1024 * 1024


def built(folder: Path, version: str) -> bool:
    """Whether the folder holds data of this version, whole."""
    try:
        return (folder / BUILT).read_text(encoding="utf-8").strip() == version
    except (OSError, UnicodeDecodeError):
        return False


def mark_done(folder: Path, version: str) -> None:
    """Write down that the folder holds data of this version, whole. Raises DialogueError where it cannot be written."""
    draft = folder / f"{BUILT}.{os.getpid()}.tmp"
    try:
        draft.write_text(f"{version}\n", encoding="utf-8")
        draft.replace(folder / BUILT)
    except OSError as error:
        raise _unwritable(folder, error) from error


def remove(folder: Path) -> None:
    """Remove built data; a folder that is not there is none.

    Raises DialogueError for a folder that was not built here, so that nobody's own files are lost.
    """
    _check_ours(folder)
    try:
        if folder.is_dir():
            shutil.rmtree(folder)
    except OSError as error:
        raise _unwritable(folder, error) from error


def build(folder: Path, version: str, make: Callable[[Path], None]) -> bool:
    """Have `make` fill the folder, unless it holds data of this version; whether that was done now.

    `make` is given an empty folder to fill. Older data stay until the new ones are whole. A second process waits until
    the first is done. Raises DialogueError where the folder holds files that were not built here.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(f".{folder.name}.lock")):
            if built(folder, version):
                return False
            _check_ours(folder)
            with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as beside:
                _build_beside(Path(beside), folder, version, make)
    except OSError as error:
        raise _unwritable(folder, error) from error
    return True


def unpack(archive: Path, folder: Path, limit: int = LIMIT) -> tuple[Path, ...]:
    """Unpack a zip, a tar (plain, gz, bz2, xz) or one gz file into the folder; its files, in the archive's order.

    Raises DialogueFormatError for an archive that is damaged, unpacks to more than `limit` bytes, or holds anything
    but files and folders inside it: links, devices, and paths that lead outside are refused before anything is
    written.
    """
    try:
        if zipfile.is_zipfile(archive):
            return _unpack_zip(archive, folder, limit)
        if tarfile.is_tarfile(archive):
            return _unpack_tar(archive, folder, limit)
        if archive.suffix == ".gz":
            return _unpack_gz(archive, folder, limit)
    except _DAMAGE as error:
        raise _unusable(archive, f"it cannot be unpacked: {error}") from error
    except OSError as error:
        raise _unusable(archive, f"it cannot be unpacked: {error.strerror or error}") from error
    raise _unusable(archive, "it is no zip, tar or gz file")


_DAMAGE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    EOFError,
    gzip.BadGzipFile,
    NotImplementedError,
    RuntimeError,
)
"""What the standard library raises for damaged, encrypted and strangely packed archives."""


class _Member(NamedTuple):
    name: str
    size: int
    open: Callable[[], IO[bytes] | None]


def _build_beside(beside: Path, folder: Path, version: str, make: Callable[[Path], None]) -> None:
    fresh, old = beside / "new", beside / "old"
    fresh.mkdir()
    make(fresh)
    mark_done(fresh, version)
    if folder.is_dir():
        folder.rename(old)
    fresh.rename(folder)


def _check_ours(folder: Path) -> None:
    if folder.is_dir() and not (folder / BUILT).is_file() and any(folder.iterdir()):
        hint = "Name another folder, or empty this one yourself."
        raise DialogueError(f"the folder {folder} holds files that were not built here", hint=hint)


def _unwritable(folder: Path, error: OSError) -> DialogueError:
    hint = "Name a folder that you may write to."
    return DialogueError(f"the data cannot be built in {folder}: {error.strerror or error}", hint=hint)


def _unusable(archive: Path, reason: str) -> DialogueFormatError:
    return DialogueFormatError(f"the archive {archive} is not used: {reason}", hint="Fetch the archive again.")


def _unpack_zip(archive: Path, folder: Path, limit: int) -> tuple[Path, ...]:
    with zipfile.ZipFile(archive) as packed:
        members = []
        for info in packed.infolist():
            kind = stat.S_IFMT(info.external_attr >> 16)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise _unusable(archive, f"{info.filename!r} in it is no file")
            if not info.is_dir():
                members.append(_Member(info.filename, info.file_size, lambda info=info: packed.open(info)))  # type: ignore[misc]
        return _written(archive, members, folder, limit)


def _unpack_tar(archive: Path, folder: Path, limit: int) -> tuple[Path, ...]:
    with tarfile.open(archive) as packed:
        members = []
        for info in packed:
            if not (info.isfile() or info.isdir()):
                raise _unusable(archive, f"{info.name!r} in it is no file")
            if info.isfile():
                members.append(_Member(info.name, info.size, lambda info=info: packed.extractfile(info)))  # type: ignore[misc]
        return _written(archive, members, folder, limit)


def _unpack_gz(archive: Path, folder: Path, limit: int) -> tuple[Path, ...]:
    return _written(archive, [_Member(archive.stem, 0, lambda: cast("IO[bytes]", gzip.open(archive)))], folder, limit)


def _written(archive: Path, members: list[_Member], folder: Path, limit: int) -> tuple[Path, ...]:
    targets = [_target(archive, member.name, folder) for member in members]
    if sum(member.size for member in members) > limit:
        raise _unusable(archive, f"it unpacks to more than {limit:,} bytes")
    left = limit
    for member, target in zip(members, targets, strict=True):
        target.parent.mkdir(parents=True, exist_ok=True)
        source = member.open()
        if source is None:
            raise _unusable(archive, f"{member.name!r} in it cannot be read")
        with source, target.open("wb") as out:
            for block in _blocks(source):
                left -= len(block)
                if left < 0:
                    raise _unusable(archive, f"it unpacks to more than {limit:,} bytes")
                out.write(block)
    return tuple(targets)


def _blocks(source: IO[bytes]) -> Iterator[bytes]:
    while block := source.read(_BLOCK):
        yield block


def _target(archive: Path, name: str, folder: Path) -> Path:
    target = (folder / name.replace("\\", "/")).resolve()
    if not target.is_relative_to(folder.resolve()) or target == folder.resolve():
        raise _unusable(archive, f"the path {name!r} in it leads outside")
    return target
