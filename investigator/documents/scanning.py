"""Lists the files of a folder, and opens none of them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from pydantic import Field

from investigator.errors import FolderError
from investigator.records import SUMMARY, Record

_DATABASE = "investigator.db"


class FolderSettings(Record):
    """Which files of the folder are documents."""

    include: tuple[str, ...] = Field(default=(), description="patterns of names or paths to read; none means all")
    exclude: tuple[str, ...] = Field(
        default=("~$*", "Thumbs.db", "desktop.ini", "__MACOSX", "node_modules", "__pycache__"),
        description="patterns of names or paths, of files or folders, to leave out",
    )


@dataclass(frozen=True)
class FoundFile:
    """A file as the file system lists it: where, size in bytes, mtime in nanoseconds.

    `id` is its path below the folder with forward slashes; what cannot be printed is replaced in it. `problem` says
    why it could not even be looked at; then size and mtime are 0.
    """

    id: str
    path: Path
    size: int = 0
    mtime_ns: int = 0
    problem: str = ""


def check_folder(root: Path) -> None:
    """Raises FolderError when the folder is missing, is no folder, or may not be listed."""
    try:
        with os.scandir(root):
            return
    except FileNotFoundError as error:
        raise FolderError(f"there is no folder {root}") from error
    except NotADirectoryError as error:
        raise FolderError(f"{root} is a file, not a folder", hint=f"Name its folder: {root.parent}") from error
    except PermissionError as error:
        raise FolderError(f"no permission to list {root}", hint="Ask for the right to read the folder.") from error
    except (OSError, ValueError) as error:
        raise FolderError(f"the folder {root} cannot be listed ({error})") from error


def scan(root: Path, settings: FolderSettings) -> list[FoundFile]:
    """The regular files below a folder, sorted by id.

    Hidden files and folders, workspaces of this package, devices and pipes are left out. Links are followed only to
    what lies inside the folder and was not found without them. Raises FolderError as `check_folder` does.
    """
    check_folder(root)
    found = _Scan(root, settings).files()
    unique: dict[str, FoundFile] = {}
    for file in found:
        identity, count = file.id, 1
        while identity in unique:  # two names that differ only in what cannot be printed
            count += 1
            identity = f"{file.id}~{count}"
        unique[identity] = file if identity == file.id else FoundFile(identity, *_stamp(file))
    return [unique[identity] for identity in sorted(unique)]


def _stamp(file: FoundFile) -> tuple[Path, int, int, str]:
    return file.path, file.size, file.mtime_ns, file.problem


def matches(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether a path, or one of the names on it, fits one of the patterns (`*`, `?`, `[...]`)."""
    names = path.split("/")
    wanted = [pattern.rstrip("/") for pattern in patterns]
    return any(fnmatchcase(path, p) or any(fnmatchcase(name, p) for name in names) for p in wanted)


class _Scan:
    """One walk over a folder: real folders first, links last."""

    def __init__(self, root: Path, settings: FolderSettings) -> None:
        self._root = root
        self._real_root = os.path.realpath(root)
        self._settings = settings
        self._seen: set[str] = set()
        self._links: list[os.DirEntry[str]] = []

    def files(self) -> Iterator[FoundFile]:
        """Every file, in no certain order."""
        yield from self._below(str(self._root))
        while self._links:
            yield from self._linked(self._links.pop(0))

    def _below(self, folder: str) -> Iterator[FoundFile]:
        waiting = [folder]
        while waiting:
            current = waiting.pop()
            self._seen.add(os.path.realpath(current))
            try:
                with os.scandir(current) as listing:
                    entries = sorted(listing, key=lambda entry: entry.name)
            except OSError:
                yield FoundFile(self._id(current), Path(current), problem="the folder cannot be opened")
                continue
            if current != str(self._root) and any(entry.name == _DATABASE for entry in entries):
                continue
            for entry in entries:
                if self._left_out(entry):
                    continue
                if entry.is_symlink():
                    self._links.append(entry)
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    yield from self._file(entry.path)

    def _linked(self, link: os.DirEntry[str]) -> Iterator[FoundFile]:
        target = os.path.realpath(link.path)
        inside = os.path.commonpath([self._real_root, target]) == self._real_root
        if not inside or target in self._seen:
            return
        if os.path.isdir(target):
            yield from self._below(link.path)
        elif os.path.lexists(target):
            yield from self._file(link.path)
        else:
            yield FoundFile(self._id(link.path), Path(link.path), problem="the link leads nowhere")

    def _file(self, path: str) -> Iterator[FoundFile]:
        identity = self._id(path)
        if self._settings.include and not matches(identity, self._settings.include):
            return
        self._seen.add(os.path.realpath(path))
        try:
            status = os.stat(path)
        except OSError:
            yield FoundFile(identity, Path(path), problem="the file vanished or may not be looked at")
            return
        if stat.S_ISREG(status.st_mode):
            yield FoundFile(identity, Path(path), status.st_size, status.st_mtime_ns)

    def _left_out(self, entry: os.DirEntry[str]) -> bool:
        return entry.name.startswith(".") or matches(self._id(entry.path), self._settings.exclude)

    def _id(self, path: str) -> str:
        relative = os.path.relpath(path, self._root).replace(os.sep, "/")
        readable = relative.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        printable = "".join(character if character.isprintable() else "\ufffd" for character in readable)
        return f"./{printable}" if printable == SUMMARY else printable
