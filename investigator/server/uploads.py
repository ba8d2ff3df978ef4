"""The folders that the server makes, and the files that people put into them. A file is streamed to disk under another
name, and gets its own name when it is complete. No other folder is ever written to.
"""

from __future__ import annotations

import asyncio
import filecmp
import os
import re
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from enum import StrEnum
from http import HTTPStatus
from itertools import chain, count
from pathlib import Path
from threading import Lock

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from investigator.files import check_private_folder, make_private_folder, open_private
from investigator.server.problems import ServerError
from investigator.store.database import translated

FIRST_FOLDER = "documents"
"""The name of a new folder if nobody names one."""
_DRAFTS = ".incoming"
_OLD = 86_400.0  # seconds after which an unfinished file belongs to no server any more
_LONGEST_NAME, _LONGEST_PATH, _MOST_PARTS = 200, 1_000, 20
"""Limits in bytes of UTF-8, in characters and in parts; a file system accepts 255 bytes, some go to a number."""
_SLOWEST = 30.0  # seconds until the next bytes of a file must have arrived
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
_UNSAFE = re.compile(r'[\x00-\x1f\x7f\\/]|[<>:"|?*]|[ .]$' if os.name == "nt" else r"[\x00-\x1f\x7f\\/]")
_DRIVE = re.compile(r"[A-Za-z]:")


class Existing(StrEnum):
    """How to treat a file whose name exists: keep both, under another name, or replace the earlier one."""

    BOTH = "both"
    REPLACE = "replace"


class Uploads:
    """The directory of the folders that the server makes; only they take files. Thread-safe."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._placing = Lock()

    def holds(self, folder: Path) -> bool:
        """Return True if the server made this folder."""
        return Path(os.path.realpath(folder)).parent == Path(os.path.realpath(self._directory))

    def made(self) -> list[Path]:
        """Return the folders that exist, sorted by name."""
        if not self._directory.is_dir():
            return []
        folders = (path for path in self._directory.iterdir() if not path.name.startswith("."))
        return sorted(path for path in folders if path.is_dir() and not path.is_symlink())

    def make(self, name: str) -> Path:
        """Make a folder. Raises ServerError if the name cannot be used or exists, and StoreError."""
        folder = self._directory / _part(name.strip())
        with self._placing, translated(folder):
            if os.path.lexists(folder):
                raise ServerError(HTTPStatus.CONFLICT, f"a folder {folder.name!r} exists", "Choose another name.")
            make_private_folder(self._directory)
            check_private_folder(self._directory)
            make_private_folder(folder)
        return folder

    async def store(
        self, folder: Path, path: str, parts: AsyncIterator[bytes], *, size: int, most: int, existing: Existing
    ) -> str:
        """Store a file that arrives in parts, and return its path below the folder. `size` is the announced number of
        bytes, `most` the largest accepted.

        Nothing is left of a file that did not arrive completely. A file that exists with the same content is not stored
        twice. Raises ServerError, DiskFullError and StoreError.
        """
        names = _parts(path)
        self._check_own(folder)
        if size > most:
            raise _too_large(path, most)
        draft = self._draft()
        try:
            with translated(folder / names[-1]):
                await _written(draft, path, parts, most)
            return await run_in_threadpool(self._place, draft, folder, names, existing)
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)

    def remove(self, folder: Path, path: str) -> None:
        """Delete a file, and the subfolders that it leaves empty. Raises ServerError and StoreError."""
        names = _parts(path)
        place = folder.joinpath(*names)
        self._check_own(folder)
        with self._placing, translated(place):
            _check_way(folder, names)
            if not place.is_file() or place.is_symlink():
                raise ServerError(HTTPStatus.NOT_FOUND, f"no file {path}")
            place.unlink()
            for parent in place.parents[: len(names) - 1]:
                with suppress(OSError):  # it holds other files
                    parent.rmdir()

    def _check_own(self, folder: Path) -> None:
        if not self.holds(folder):
            detail = "files are neither added to this folder nor removed, because the server did not make it"
            raise ServerError(HTTPStatus.FORBIDDEN, detail, "Create a folder under Folders.")

    def _draft(self) -> Path:
        """Return a path for an unfinished file, on the disk of the folders; old ones, which a killed server left, are
        deleted.
        """
        directory = self._directory / _DRAFTS
        with translated(directory):
            make_private_folder(directory)
            check_private_folder(directory)
            for left in directory.iterdir():
                with suppress(OSError):
                    if left.lstat().st_mtime < time.time() - _OLD:
                        left.unlink()
        return directory / secrets.token_hex(8)

    def _place(self, draft: Path, folder: Path, names: list[str], existing: Existing) -> str:
        with self._placing, translated(folder):
            _check_way(folder, names)
            *parents, name = names
            place = folder.joinpath(*parents)
            make_private_folder(place)
            target = place / name
            if existing is Existing.BOTH:
                target = _free(target, draft)
            elif target.is_dir() and not target.is_symlink():
                raise ServerError(
                    HTTPStatus.CONFLICT, f"{'/'.join(names)} is a folder", "Rename the file, or keep both."
                )
            os.replace(draft, target)
        return "/".join((*parents, target.name))


async def _written(draft: Path, path: str, parts: AsyncIterator[bytes], most: int) -> None:
    """Write the parts of a file. Raises ServerError if it is too large, or does not arrive, and OSError."""
    taken = 0
    with open(open_private(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
        while True:
            try:
                part = await asyncio.wait_for(anext(parts, None), _SLOWEST)
            except TimeoutError:
                detail = f"no more of {path} arrived within {_SLOWEST:g} seconds"
                raise ServerError(HTTPStatus.REQUEST_TIMEOUT, detail, "Add the file again.") from None
            except ClientDisconnect:
                raise ServerError(HTTPStatus.BAD_REQUEST, f"{path} did not arrive completely") from None
            if part is None:
                return
            taken += len(part)
            if taken > most:
                raise _too_large(path, most)
            await run_in_threadpool(file.write, part)


def _too_large(path: str, most: int) -> ServerError:
    detail = f"{path} is too large: a file may have at most {most:,} bytes ({most / 1e6:,.0f} MB)"
    hint = "Split the file, or start the server with a larger reader.max_bytes."
    return ServerError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail, hint)


def _parts(path: str) -> list[str]:
    """Return the names in a path below a folder. Raises ServerError if it could lead elsewhere, or some system cannot
    use it.
    """
    names = path.split("/")
    if len(path) > _LONGEST_PATH or len(names) > _MOST_PARTS:
        detail = f"a path may have at most {_LONGEST_PATH:,} characters and {_MOST_PARTS} parts"
        raise ServerError(HTTPStatus.UNPROCESSABLE_ENTITY, detail, "Shorten the names of its folders.")
    return [_part(name) for name in names]


def _part(name: str) -> str:
    """Return the name of a file or folder if it can be used. Raises ServerError."""
    why = ""
    if name in ("", ".", "..") or _DRIVE.match(name) or _UNSAFE.search(name):
        why = "it is not a plain name"
    elif name.startswith("."):
        why = "it begins with a dot, and hidden files are not read"
    elif _RESERVED.fullmatch(name):
        why = "some systems reserve it"
    elif len(name.encode("utf-8", "surrogatepass")) > _LONGEST_NAME:
        why = f"it is longer than {_LONGEST_NAME} bytes"
    if why:
        detail = f"{name[:60]!r} cannot be the name of a file or folder: {why}"
        raise ServerError(HTTPStatus.UNPROCESSABLE_ENTITY, detail, "Choose another name.", name=name[:60])
    return name


def _check_way(folder: Path, names: list[str]) -> None:
    """Raise ServerError if a subfolder on the way to a file is a link or a file."""
    place = folder
    for name in names[:-1]:
        place = place / name
        if os.path.lexists(place) and (place.is_symlink() or not place.is_dir()):
            detail = f"{place.relative_to(folder).as_posix()} is a link or a file, not a folder"
            raise ServerError(HTTPStatus.CONFLICT, detail, "Rename the folder of the file.")


def _free(target: Path, draft: Path) -> Path:
    """Return the path, or the first one with a number that no other content has: `a (2).pdf`."""
    others = (target.with_name(f"{target.stem} ({number}){target.suffix}") for number in count(2))
    return next(path for path in chain([target], others) if not os.path.lexists(path) or _is_same(path, draft))


def _is_same(path: Path, draft: Path) -> bool:
    return path.is_file() and not path.is_symlink() and filecmp.cmp(path, draft, shallow=False)
