"""Lists the files in a folder, opening only `.investigatorignore`."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from investigator.documents.beneath import opened_folder, status_of
from investigator.documents.document_ids import document_id
from investigator.documents.ignoring import IGNORE_FILE, FolderSettings, LeavingOut
from investigator.documents.readers.base import ReadFailure
from investigator.errors import FolderError, in_words
from investigator.records import FileStatus, LeftOut

__all__ = ["IGNORE_FILE", "FolderListing", "FolderSettings", "FoundFile", "check_folder", "scan"]

_LONGEST_FOLDER = 3_800  # about the longest path on most systems, in characters; bounds ids and pattern matching
_DEEPEST = 1_000  # maximum depth, because opening a folder opens each of its parents


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file as the file system lists it: path, size in bytes, mtime in nanoseconds, inode (0 if unknown).

    `path` is the file's real path below the folder, without links, with forward slashes, spelled as in the file system;
    `id` is the file's name in this program. If the file cannot be read, `problem` is the reason, and `status` is the
    status to record.
    """

    id: str
    path: str
    size: int = 0
    mtime_ns: int = 0
    inode: int = 0
    problem: str = ""
    status: FileStatus = FileStatus.FAILED


@dataclass(frozen=True)
class FolderListing:
    """The files in a folder, sorted by id, and the excluded files."""

    files: tuple[FoundFile, ...]
    left_out: tuple[LeftOut, ...] = ()


def check_folder(root: Path) -> None:
    """Raise FolderError if the folder is missing, is not a folder, or may not be listed."""
    try:
        with os.scandir(root):
            return
    except FileNotFoundError as error:
        raise FolderError(f"folder not found: {root}") from error
    except NotADirectoryError as error:
        raise FolderError(f"{root} is a file, not a folder", hint=f"Give its folder instead: {root.parent}") from error
    except PermissionError as error:
        raise FolderError(f"no permission to list {root}", hint="Ask for permission to read the folder.") from error
    except (OSError, ValueError) as error:
        raise FolderError(f"the folder {root} cannot be listed ({in_words(error)})") from error


def scan(root: Path, settings: FolderSettings) -> FolderListing:
    """List the files below a folder.

    Hidden and excluded files are skipped, and counted. Links to files inside the folder are followed unless the files
    are also found without them; links out of it, links to a parent folder, pipes and devices are listed with a problem.
    Raises the same errors as `check_folder`, and FolderError if the ignore file cannot be used.
    """
    check_folder(root)
    walk = _Walk(str(root), settings)
    files = sorted(walk.files(), key=lambda file: file.id)
    return FolderListing(tuple(files), walk.leaving_out.total())


class _Walk:
    """Walks a folder once: real folders first, then links.

    Each folder or file has two paths: `path`, its real location, and `shown`, which may go through links.
    """

    def __init__(self, root: str, settings: FolderSettings) -> None:
        self.leaving_out = LeavingOut(root, settings)
        self._root = root
        self._real_root = os.path.realpath(root)
        self._folders: set[tuple[int, int]] = set()  # (device, inode) of the folders that were listed
        self._found: set[str] = set()  # paths of the files that were listed
        self._links: list[tuple[str, str]] = []

    def files(self) -> Iterator[FoundFile]:
        """Yield every file, in no particular order."""
        yield from self._below("", "")
        while self._links:
            links, self._links = sorted(self._links, key=lambda link: link[1]), []
            for path, shown in links:
                yield from self._linked(path, shown)

    def _below(self, top: str, top_shown: str) -> Iterator[FoundFile]:
        waiting = [(top, top_shown)]
        while waiting:
            path, shown = waiting.pop()
            try:
                with opened_folder(self._root, path) as folder:
                    if self._is_new(os.stat(folder)):
                        yield from self._listed(folder, path, shown, waiting)
            except ReadFailure as failure:
                yield _refused(shown, path, failure.reason, failure.status)
            except OSError as error:
                if not shown:
                    raise FolderError(f"the folder {self._root} cannot be listed ({error.strerror})") from error
                reason = f"the folder cannot be listed ({error.strerror})"
                yield _refused(shown, path, reason, FileStatus.FAILED)

    def _listed(self, folder: int | str, path: str, shown: str, waiting: list[tuple[str, str]]) -> Iterator[FoundFile]:
        """Yield the files in an open folder, queue its subfolders in `waiting`, and collect its links."""
        with os.scandir(folder) as listing:
            for entry in listing:
                own, own_shown = _joined(path, entry.name), _joined(shown, entry.name)
                status = _looked(partial(entry.stat, follow_symlinks=False))
                mode = status.st_mode if status is not None else 0
                if stat.S_ISLNK(mode) or getattr(entry, "is_junction", bool)():
                    self._links.append((own, own_shown))
                elif self.leaving_out.leaves_out(own_shown, is_folder=stat.S_ISDIR(mode)):
                    continue
                elif stat.S_ISDIR(mode) and (len(own_shown) > _LONGEST_FOLDER or own.count("/") >= _DEEPEST):
                    reason = (
                        f"a folder more than {_DEEPEST:,} levels deep, or with a path of more than "
                        f"{_LONGEST_FOLDER:,} characters"
                    )
                    yield _refused(own_shown, own, reason)
                elif stat.S_ISDIR(mode):
                    waiting.append((own, own_shown))
                elif own not in self._found:
                    self._found.add(own)
                    yield _file(own, own_shown, status)

    def _linked(self, path: str, shown: str) -> Iterator[FoundFile]:
        """Yield the target of a link, if it is in the folder and was not found without the link."""
        link = os.path.join(self._real_root, path)
        try:
            target = os.path.realpath(link)
        except OSError:  # part of the path was replaced while it was resolved
            yield _refused(shown, path, "the target of the link does not exist", FileStatus.FAILED)
            return
        if not _contains(self._real_root, target):
            if not self.leaving_out.leaves_out(shown, is_folder=False):
                yield _refused(shown, path, "a link that points outside the folder is not followed")
            return
        real = os.path.relpath(target, self._real_root).replace(os.sep, "/")
        status = _looked(partial(status_of, self._root, real)) if real != "." else None
        is_folder = real == "." or (status is not None and stat.S_ISDIR(status.st_mode))
        if self.leaving_out.leaves_out(shown, is_folder=is_folder):
            return
        if is_folder and _contains(target, os.path.dirname(link)):
            yield _refused(shown, path, "a link to a parent folder is not followed")
        elif is_folder:
            yield from self._below(real, shown)
        elif real not in self._found:
            self._found.add(real)
            yield _file(real, shown, status, linked=True)

    def _is_new(self, folder: os.stat_result) -> bool:
        """Return True if a folder was not listed before, and record it as listed."""
        identity = (folder.st_dev, folder.st_ino)
        known = identity in self._folders and folder.st_ino != 0
        self._folders.add(identity)
        return not known


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _looked(look: Callable[[], os.stat_result]) -> os.stat_result | None:
    """Return the status of an entry; None if it is gone, or access to it is denied."""
    try:
        return look()
    except (OSError, ReadFailure):
        return None


def _file(path: str, shown: str, status: os.stat_result | None, *, linked: bool = False) -> FoundFile:
    if status is None or stat.S_ISLNK(status.st_mode):
        gone = "the target of the link does not exist" if linked else "the file is gone, or access to it is denied"
        return _refused(shown, path, gone, FileStatus.FAILED)
    if not stat.S_ISREG(status.st_mode):
        kind = "a pipe" if stat.S_ISFIFO(status.st_mode) else "a device or socket"
        return _refused(shown, path, f"{kind}, not a file")
    return FoundFile(document_id(shown), path, status.st_size, status.st_mtime_ns, status.st_ino)


def _refused(shown: str, path: str, problem: str, status: FileStatus = FileStatus.UNSUPPORTED) -> FoundFile:
    return FoundFile(document_id(shown), path, problem=problem, status=status)


def _contains(folder: str, path: str) -> bool:
    try:
        return os.path.commonpath([folder, path]) == folder
    except ValueError:  # it is on another drive
        return False
