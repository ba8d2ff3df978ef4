"""Private files that belong to one user. The files are created for that user alone, and opened without following links
or blocking.

Permissions do not depend on the umask. If a plain file is expected, a link, a pipe, a device, a file with a second hard
link and a file of another user are rejected, because whoever put them there could redirect the output.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from investigator.errors import ForeignFileError

_BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_CAREFUL = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | _BINARY
_OF_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_OWNERS_ALONE = 0o077


def make_private_folder(path: Path) -> None:
    """Create a folder that only its owner may enter, and any missing parents; an existing folder is not changed. Raises
    OSError.
    """
    if os.path.lexists(path):
        return
    make_private_folder(path.parent)
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:  # another process created the folder first
        return
    path.chmod(0o700)


def check_private_folder(path: Path) -> None:
    """Raise ForeignFileError unless a path is a folder that belongs to this user and that others cannot write to. If
    the folder is empty, remove other users' permissions instead.
    """
    status = os.lstat(path)
    if not stat.S_ISDIR(status.st_mode):
        raise ForeignFileError(f"{path} is {_kind(status)}, not a folder")
    _check_owner(path, status)
    if status.st_mode & _OF_OTHERS and os.name != "nt":
        if any(path.iterdir()):
            raise ForeignFileError(
                f"other users can write to {path}",
                hint=f"If only you use it: chmod -R go-w {path}. Or choose another folder: --workspace DIR",
            )
        path.chmod(0o700)


def check_private_file(path: Path) -> None:
    """Raise ForeignFileError if a path exists and is not a plain file that belongs to this user. If other users can
    read the file but not write to it, remove their permission.
    """
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return
    _check_file(path, status)
    if status.st_mode & _OWNERS_ALONE and os.name != "nt":
        descriptor = os.open(path, os.O_RDONLY | _CAREFUL)
        try:
            os.fchmod(descriptor, 0o600)
        finally:
            os.close(descriptor)


def open_private(path: Path, flags: int) -> int:
    """Open a plain file that belongs to this user, creating it if needed, and return its descriptor.

    Raises ForeignFileError and OSError.
    """
    wanted = flags & ~os.O_TRUNC
    try:
        descriptor = os.open(path, wanted | _CAREFUL, 0o600)
    except OSError:
        check_private_file(path)  # raises ForeignFileError if it is a link or a pipe
        raise
    try:
        status = os.fstat(descriptor)
        _check_file(path, status)
        if stat.S_IMODE(status.st_mode) != 0o600 and hasattr(os, "fchmod"):
            os.fchmod(descriptor, 0o600)
        if flags & os.O_TRUNC:
            os.ftruncate(descriptor, 0)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


@contextmanager
def same_file(path: Path) -> Iterator[None]:
    """Raise ForeignFileError at the end of the context if a path no longer names the same file as at its beginning.

    Use this context manager with libraries that must open a file by its path. If the system supports `O_PATH`, a handle
    is kept open until then, so that no other file can get the inode number. The file itself is not opened, because
    closing it would release this process's locks on it. Raises OSError.
    """
    held = os.open(path, os.O_PATH | os.O_NOFOLLOW) if hasattr(os, "O_PATH") else None
    try:
        before = os.lstat(path) if held is None else os.fstat(held)
        yield
        there = os.lstat(path)
    finally:
        if held is not None:
            os.close(held)
    if (there.st_dev, there.st_ino) != (before.st_dev, before.st_ino):
        raise ForeignFileError(f"{path} was replaced while it was opened")


def read_private(path: Path, most: int = 1_000_000) -> bytes:
    """Return the first bytes of a plain file that belongs to this user. Raises ForeignFileError and OSError."""
    with open(open_private(path, os.O_RDONLY), "rb") as file:
        return file.read(most)


def write_private(path: Path, data: bytes) -> None:
    """Write a file completely or not at all, readable only by its owner; a link in its place is replaced. Raises
    OSError.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        with open(open_private(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def for_owner(path: str, flags: int) -> int:
    """Open a file that the user named; for use as the `opener` argument of `open`. A new file is readable only by its
    owner.
    """
    return os.open(path, flags, 0o600)


def is_plain_file(path: Path) -> bool:
    """Return True if a path is a plain file and not a link to a file."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def _check_file(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise ForeignFileError(f"{path} is {_kind(status)}, not a file")
    _check_owner(path, status)
    if status.st_nlink > 1:
        raise ForeignFileError(f"{path} is a file that also has another name (a hard link)")
    if status.st_mode & _OF_OTHERS and os.name != "nt":
        raise ForeignFileError(f"other users can write to {path}", hint=f"If only you use it: chmod go-w {path}")


def _check_owner(path: Path, status: os.stat_result) -> None:
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        raise ForeignFileError(f"{path} belongs to another user")


def _kind(status: os.stat_result) -> str:
    if stat.S_ISLNK(status.st_mode):
        return "a link"
    if stat.S_ISFIFO(status.st_mode):
        return "a pipe"
    if stat.S_ISDIR(status.st_mode):
        return "a folder"
    return "a file" if stat.S_ISREG(status.st_mode) else "a device or a socket"
