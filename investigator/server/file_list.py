"""The files of a folder as its page lists them: with title, date and its source, sorted, and searched by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import Any

from investigator.investigator import Investigator
from investigator.language.dates import dates
from investigator.language.terms import folded
from investigator.records import Document, DocumentCard, FileRecord, FileStatus, FolderStatus
from investigator.reports.folder import READ
from investigator.reports.wording import plural
from investigator.store.workspace import DATABASE_NAME

MOST_ROWS = 200
"""Maximum number of files in one part of the list."""
MOST_COMPARED = 2_000
"""Maximum number of files of a folder that are compared with the index whenever their list is shown."""
_STATING = (".eml", ".msg", ".mbox", ".md", ".xml", ".nxml", ".html", ".htm", ".json", ".jsonl")
"""Endings of files whose text itself has fields for the date; others have properties beside their text."""
NO_PROBLEM = frozenset({*READ, FileStatus.HIDDEN, FileStatus.EMPTY})


class DateSource(StrEnum):
    """The source of the date of a document."""

    STATED = "stated in the document"
    NAME = "file name"
    PROPERTY = "file property"
    MODIFIED = "last modified"


class FileOrder(StrEnum):
    """The orders of the list; `problems` puts the files that could not be read first."""

    PROBLEMS = "problems"
    NAME = "name"
    SIZE = "size"
    DATE = "date"


@dataclass(frozen=True)
class FileRow:
    """A file as its list shows it; `searched` is its name and title in a form for comparison."""

    file: FileRecord
    title: str
    authors: tuple[str, ...]
    date: str
    source: DateSource | None
    searched: str

    @property
    def has_problem(self) -> bool:
        """Return True if the file should be a document, but could not be read."""
        return self.file.status not in NO_PROBLEM


_KEYS: Mapping[FileOrder, Callable[[FileRow], Any]] = {
    FileOrder.PROBLEMS: lambda row: not row.has_problem,
    FileOrder.NAME: lambda row: row.file.path.casefold(),
    FileOrder.SIZE: lambda row: row.file.size,
    FileOrder.DATE: lambda row: row.date,
}


@dataclass(frozen=True)
class FilePart:
    """A part of a list: its rows, the number of rows that match, and the position of the first one shown."""

    rows: Sequence[FileRow]
    total: int
    first: int

    @property
    def later(self) -> int | None:
        """Return the position of the next part; None at the end."""
        end = self.first + len(self.rows)
        return end if end < self.total else None


@dataclass(frozen=True)
class FileList:
    """The files of a folder, sorted by path, and the status of its index."""

    status: FolderStatus
    rows: Sequence[FileRow]

    @property
    def problems(self) -> int:
        """Return the number of files that could not be read."""
        return sum(row.has_problem for row in self.rows)

    def part(self, query: str, order: FileOrder, *, down: bool, first: int) -> FilePart:
        """Return the rows from a position on whose names or titles contain all words of a query, in an order."""
        wanted = folded(query).split()
        rows = [row for row in self.rows if all(word in row.searched for word in wanted)]
        rows.sort(key=_KEYS[order], reverse=down)
        return FilePart(rows[max(0, first) : max(0, first) + MOST_ROWS], len(rows), max(0, first))


class FileLists:
    """Returns the lists of files, each of which is kept until the index of its folder changes. Thread-safe."""

    def __init__(self) -> None:
        self._kept: dict[Path, tuple[object, FileList]] = {}
        self._making = Lock()

    def of(self, investigator: Investigator) -> FileList:
        """Return the files of a folder. Raises FolderError if it has no index, and StoreError."""
        with self._making:
            stamp = _stamp(investigator.workspace)
            kept_at, kept = self._kept.get(investigator.workspace, (None, None))
            if kept is None or stamp != kept_at or not stamp:
                status, cards = investigator.status(compare=False), investigator.cards()
                rows = [_row(file, cards.get(file.path)) for file in status.files]
                kept = FileList(status, rows)
                self._kept[investigator.workspace] = stamp, kept
            return kept


def date_of(card: DocumentCard | Document | None, path: str, mtime_ns: int = 0) -> tuple[str, DateSource | None]:
    """Return the date of a document, and where it comes from: its own text before its name, and its file's properties
    before the time of the last change.
    """
    if card is not None and card.imprint.dated:
        return card.imprint.dated, DateSource.STATED
    if card is not None and card.date and path.lower().endswith(_STATING):
        return card.date, DateSource.STATED
    if day := _day_in(PurePosixPath(path).stem):
        return day, DateSource.NAME
    if card is not None and card.date:
        return card.date, DateSource.PROPERTY
    if mtime_ns:
        return datetime.fromtimestamp(mtime_ns / 1e9, UTC).astimezone().date().isoformat(), DateSource.MODIFIED
    return "", None


def update_line(before: FolderStatus | None, after: FolderStatus) -> str:
    """Return in one sentence what an update of an index changed."""
    old = {file.path: file for file in before.files} if before is not None else {}
    new = {file.path: file for file in after.files}
    added = sum(path not in old for path in new)
    changed = sum(path in old and old[path].content_hash != file.content_hash for path, file in new.items())
    gone, failed = sum(path not in new for path in old), sum(file.status not in NO_PROBLEM for file in after.files)
    counts = ((added, "added"), (changed, "changed"), (gone, "removed"))
    parts = [f"{plural(count, 'file')} {what}" for count, what in counts if count] or ["Nothing has changed"]
    return ", ".join([*parts, *([f"{plural(failed, 'file')} could not be read"] if failed else [])]) + "."


def _row(file: FileRecord, card: DocumentCard | None) -> FileRow:
    date, source = date_of(card, file.path, file.mtime_ns)
    name = PurePosixPath(file.path)
    title = card.title if card is not None and card.title not in (name.name, name.stem) else ""
    authors = card.authors if card is not None else ()
    return FileRow(file, title, authors, date, source, folded(f"{file.path} {title}"))


def _day_in(name: str) -> str:
    """Return the only date in the name of a file, if it has a year."""
    days = {day for date in dates(name.replace("_", " ")) for day in date.readings if day.year is not None}
    if len(days) != 1:
        return ""
    (day,) = days
    return f"{day.year}-{day.month:02d}" + (f"-{day.day:02d}" if day.day else "")


def _stamp(workspace: Path) -> object:
    """Return a value that changes whenever the index of a workspace does; () if its files are inaccessible."""
    seen = []
    for name in (DATABASE_NAME, f"{DATABASE_NAME}-wal"):
        with suppress(OSError):
            status = os.stat(workspace / name)
            seen.append((name, status.st_mtime_ns, status.st_size, status.st_ino))
    return tuple(seen)
