"""Lists the files of a folder, and opens none of them but `.investigatorignore`."""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import Field

from investigator.documents.patterns import Patterns
from investigator.errors import FolderError, in_words
from investigator.records import SUMMARY, FileStatus, Record
from investigator.store.workspace import DATABASE_NAME

IGNORE_FILE = ".investigatorignore"
"""The file at the top of a folder that says, as a `.gitignore` does, what in it is no document."""

_LONGEST_IGNORE_FILE = 1_000_000


class FolderSettings(Record):
    """Which files of the folder are documents."""

    include: tuple[str, ...] = Field(default=(), description="patterns of files or folders to read; none means all")
    exclude: tuple[str, ...] = Field(
        default=("~$*", "Thumbs.db", "desktop.ini", "__MACOSX", "node_modules", "__pycache__"),
        description="patterns of files or folders to leave out; as in .gitignore",
    )


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file as the file system lists it: where, size in bytes, mtime in nanoseconds, inode (0 if there is none).

    `id` is its path below the folder with forward slashes; what cannot be printed is replaced in it. `problem` says
    why it is not read, and `status` then what it is recorded as.
    """

    id: str
    path: str
    size: int = 0
    mtime_ns: int = 0
    inode: int = 0
    linked: bool = False
    problem: str = ""
    status: FileStatus = FileStatus.FAILED


def check_folder(root: Path) -> None:
    """Raise FolderError if the folder is missing, is no folder, or may not be listed."""
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
        raise FolderError(f"the folder {root} cannot be listed ({in_words(error)})") from error


def scan(root: Path, settings: FolderSettings) -> list[FoundFile]:
    """Return the files below a folder, sorted by id.

    Hidden files, workspaces of this package and what the patterns leave out are passed over. Links are followed to
    what lies inside the folder and was not found without them; links out of it, links to a folder that they lie in,
    pipes and devices are listed with a problem. Raises FolderError as `check_folder` does.
    """
    check_folder(root)
    unique: dict[str, FoundFile] = {}
    for file in _Scan(root, settings).files():
        identity, count = file.id, 1
        while identity in unique:  # two names that differ only in what cannot be printed
            count += 1
            identity = f"{file.id}~{count}"
        unique[identity] = file if identity == file.id else replace(file, id=identity)
    return [unique[identity] for identity in sorted(unique)]


def printable(path: str) -> str:
    """Return a path with what cannot be shown in one line, or written as UTF-8, replaced."""
    if path.isascii() and path.isprintable():
        return path
    readable = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "".join(character if character.isprintable() else "\ufffd" for character in readable)


class _Scan:
    """One walk over a folder: real folders first, links last."""

    def __init__(self, root: Path, settings: FolderSettings) -> None:
        self._root = str(root)
        self._real_root = os.path.realpath(root)
        self._include = Patterns(settings.include)
        self._exclude = Patterns((*settings.exclude, *_ignored(root)))
        self._folders: set[tuple[int, int]] = set()  # (device, inode) of the folders listed
        self._found: set[str] = set()  # paths of files, only needed when there are links
        self._links: list[tuple[os.DirEntry[str], str]] = []

    def files(self) -> Iterator[FoundFile]:
        """Yield every file, in no certain order."""
        for file in self._below(self._root, ""):
            self._found.add(file.path)
            yield file
        while self._links:
            yield from self._linked(*self._links.pop(0))

    def _below(self, top: str, top_prefix: str) -> Iterator[FoundFile]:
        """Yield the files below a folder; `top_prefix` is the beginning of their ids."""
        waiting = [(top, top_prefix)]
        while waiting:
            path, prefix = waiting.pop()
            try:
                where = os.stat(path)
                with os.scandir(path) as listing:
                    entries = sorted(listing, key=lambda entry: entry.name)
            except OSError:
                yield FoundFile(printable(prefix[:-1]), path, problem="the folder cannot be opened")
                continue
            if (where.st_dev, where.st_ino) in self._folders and where.st_ino:
                continue
            self._folders.add((where.st_dev, where.st_ino))
            if prefix and any(entry.name == DATABASE_NAME for entry in entries):
                continue
            for entry in entries:
                identity = prefix + entry.name
                is_folder = entry.is_dir(follow_symlinks=False)
                if self._left_out(entry.name, identity, is_folder=is_folder):
                    continue
                if entry.is_symlink():
                    self._links.append((entry, identity))
                elif is_folder:
                    waiting.append((entry.path, identity + "/"))
                else:
                    yield from self._file(entry, identity)

    def _linked(self, link: os.DirEntry[str], identity: str) -> Iterator[FoundFile]:
        target = os.path.realpath(link.path)
        if not os.path.lexists(target) or os.path.islink(target):
            yield _refused(identity, link.path, "the link leads nowhere", FileStatus.FAILED)
        elif not _holds(self._real_root, target):
            yield _refused(identity, link.path, "a link that leads out of the folder is not followed")
        elif os.path.isdir(target):
            if _holds(target, os.path.realpath(os.path.dirname(link.path))):
                yield _refused(identity, link.path, "a link to a folder that it lies in is not followed")
            elif not self._left_out(link.name, identity, is_folder=True):
                yield from self._below(link.path, identity + "/")
        elif not self._known(target):
            yield from self._file(link, identity, linked=True)

    def _known(self, target: str) -> bool:
        """Return True if a file inside the folder was found under its own name; notes it otherwise."""
        own = os.path.join(self._root, os.path.relpath(target, self._real_root))
        seen = own in self._found or target in self._found
        self._found.add(target)
        return seen

    def _file(self, entry: os.DirEntry[str], identity: str, *, linked: bool = False) -> Iterator[FoundFile]:
        if self._include and not self._include.match_file(identity):
            return
        try:
            status = entry.stat(follow_symlinks=linked)
        except OSError:
            yield _refused(identity, entry.path, "the file vanished or may not be looked at", FileStatus.FAILED)
            return
        if not stat.S_ISREG(status.st_mode):
            kind = "a pipe" if stat.S_ISFIFO(status.st_mode) else "a device or socket"
            yield _refused(identity, entry.path, f"{kind}, not a file")
            return
        yield FoundFile(_id(identity), entry.path, status.st_size, status.st_mtime_ns, status.st_ino, linked)

    def _left_out(self, name: str, identity: str, *, is_folder: bool) -> bool:
        return name.startswith(".") or self._exclude.match(identity, is_folder=is_folder)


def _holds(folder: str, path: str) -> bool:
    """Return True if an absolute path is a folder or lies in it."""
    try:
        return os.path.commonpath([folder, path]) == folder
    except ValueError:  # another drive
        return False


def _ignored(root: Path) -> list[str]:
    """Return the patterns of the folder's ignore file, UTF-8 or UTF-16. Raises FolderError if it cannot be read."""
    try:
        with (root / IGNORE_FILE).open("rb") as file:
            data = file.read(_LONGEST_IGNORE_FILE + 1)
        wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except FileNotFoundError:
        return []
    except OSError as error:
        hint = f"Make it readable, or remove it: {root / IGNORE_FILE}"
        raise FolderError(f"{IGNORE_FILE} cannot be read ({error.strerror})", hint=hint) from error
    except UnicodeDecodeError as error:
        hint = f"Save it as UTF-8: {root / IGNORE_FILE}"
        raise FolderError(f"{IGNORE_FILE} is not UTF-8 text, so that its patterns are not known", hint=hint) from error
    if len(data) > _LONGEST_IGNORE_FILE or "\0" in text:
        hint = f"It holds one pattern a line, as a .gitignore does: {root / IGNORE_FILE}"
        raise FolderError(f"{IGNORE_FILE} holds no patterns, or too many", hint=hint)
    return text.splitlines()


def _refused(identity: str, path: str, problem: str, status: FileStatus = FileStatus.UNSUPPORTED) -> FoundFile:
    return FoundFile(_id(identity), path, problem=problem, status=status)


def _id(identity: str) -> str:
    shown = printable(identity.replace(os.sep, "/"))
    return f"./{shown}" if shown == SUMMARY else shown
