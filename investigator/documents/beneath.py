"""Opens files below a folder, name by name and without following links, so nothing outside the folder is ever opened.

A folder may change while it is read: what was listed as a subfolder or a file may be a link, a pipe or a device by the
time it is opened. Each name is therefore opened relative to the descriptor of its parent folder, links are rejected,
opening never blocks, and the kind of file is determined from its descriptor. If the system cannot do this (Windows),
each entry is examined before and after it is opened; a folder that is replaced twice in between goes unnoticed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader

from investigator.documents.readers.base import ReadFailure
from investigator.records import FileStatus

BY_DESCRIPTOR = {os.open, os.stat} <= os.supports_dir_fd and os.scandir in os.supports_fd
"""True if this system can open names relative to a folder's descriptor."""

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FLAGS = ("O_BINARY", "O_CLOEXEC", "O_NOINHERIT", "O_NONBLOCK", "O_NOCTTY")
_FILE: int = os.O_RDONLY | _NO_LINK | sum(getattr(os, name, 0) for name in _FLAGS)
_FOLDER = _FILE | getattr(os, "O_DIRECTORY", 0)
_LINK_ERRORS = (errno.ELOOP, errno.EMLINK, errno.ENOTDIR)  # raised for a link, or for a file in place of a folder


@contextmanager
def opened_folder(root: str, path: str) -> Iterator[int | str]:
    """Open a folder beneath `root`; yield its descriptor or path for `os.scandir` and `os.stat`.

    `path` has forward slashes; an empty path means `root` itself, which may be a link. Raises ReadFailure if a part of
    the path is not a real folder, and OSError.
    """
    folder: int | str = os.open(root, _FOLDER & ~_NO_LINK) if BY_DESCRIPTOR else root
    try:
        for name in path.split("/") if path else ():
            below = _entered(folder, name)
            _close(folder)
            folder = below
        yield folder
    finally:
        _close(folder)


def open_file(root: str, path: str) -> BufferedReader:
    """Open a regular file beneath `root` for reading. Raises ReadFailure if the path is not a regular file, and
    OSError.
    """
    above, _, name = path.rpartition("/")
    with opened_folder(root, above) as folder:
        descriptor = _opened(folder, _checked(name))
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ReadFailure(FileStatus.UNSUPPORTED, "not a regular file")
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def status_of(root: str, path: str) -> os.stat_result:
    """Return the status of an entry beneath `root`; links are not followed. Raises ReadFailure and OSError."""
    above, _, name = path.rpartition("/")
    with opened_folder(root, above) as folder:
        return _status_in(folder, _checked(name))


def _entered(folder: int | str, name: str) -> int | str:
    if isinstance(folder, int):
        return _open_within(folder, _checked(name), _FOLDER)
    status = _status_in(folder, _checked(name))
    is_reparse_point = getattr(status, "st_reparse_tag", None)  # Windows links, including those to folders
    if not stat.S_ISDIR(status.st_mode) or is_reparse_point:
        raise _replaced()
    return os.path.join(folder, name)


def _opened(folder: int | str, name: str) -> int:
    if isinstance(folder, int):
        return _open_within(folder, name, _FILE)
    before = _status_in(folder, name)
    if not stat.S_ISREG(before.st_mode):
        raise ReadFailure(FileStatus.UNSUPPORTED, "not a regular file")
    descriptor = os.open(os.path.join(folder, name), _FILE)
    if not os.path.samestat(before, os.fstat(descriptor)):
        os.close(descriptor)
        raise _replaced()
    return descriptor


def _status_in(folder: int | str, name: str) -> os.stat_result:
    if isinstance(folder, int):
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    return os.lstat(os.path.join(folder, name))


def _checked(name: str) -> str:
    """Return a name after checking that it cannot escape its folder."""
    if name in ("", ".", "..") or (os.sep != "/" and (os.sep in name or ":" in name)):
        raise ReadFailure(FileStatus.UNSUPPORTED, "its path points outside the folder")
    return name


def _open_within(folder: int, name: str, flags: int) -> int:
    try:
        return os.open(name, flags, dir_fd=folder)
    except OSError as error:
        if error.errno in _LINK_ERRORS:
            raise _replaced() from error
        raise


def _replaced() -> ReadFailure:
    return ReadFailure(
        FileStatus.FAILED,
        "it was replaced by a link or another kind of file while the folder was read",
    )


def _close(folder: int | str) -> None:
    if isinstance(folder, int):
        os.close(folder)
