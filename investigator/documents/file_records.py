"""Builds file records from the results of scanning and reading. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath

from investigator.documents.reading_pool import FileReading
from investigator.documents.scanning import FoundFile
from investigator.records import FileRecord, FileStatus, SplitDocument


class GoneFiles:
    """The records of deleted files. A renamed file is recognised by its bytes and its file extension."""

    def __init__(self, records: Iterable[FileRecord]) -> None:
        self._left = {record.path: record for record in records}
        self._hashes: defaultdict[tuple[int, str], set[str]] = defaultdict(set)
        self._paths: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        self._above = {str(folder) for path in self._left for folder in PurePosixPath(path).parents}
        for record in self._left.values():
            ending = PurePosixPath(record.path).suffix
            if record.content_hash:
                self._hashes[record.size, ending].add(record.content_hash)
                self._paths[record.content_hash, ending].append(record.path)

    def hashes_of(self, path: str, size: int) -> set[str]:
        """Return the content hashes of deleted files that may have been renamed to this path with this size."""
        return set(self._hashes.get((size, PurePosixPath(path).suffix), ()))

    def take(self, path: str, content_hash: str) -> FileRecord | None:
        """Remove and return the record of a deleted file that had this content and may have been renamed to `path`;
        None if no such file is left.
        """
        paths = self._paths.get((content_hash, PurePosixPath(path).suffix))
        while paths:
            if (record := self._left.pop(paths.pop(0), None)) is not None:
                return record
        return None

    def take_below(self, path: str) -> list[str]:
        """Return the deleted paths below a folder that a file has replaced, and stop treating them as deleted."""
        if path not in self._above:
            return []
        below = [gone for gone in self._left if gone.startswith(f"{path}/")]
        for gone in below:
            del self._left[gone]
        return below

    def left(self) -> list[str]:
        """Return the sorted paths of deleted files that were not replaced."""
        return sorted(self._left)


def was_read(record: FileRecord) -> bool:
    """Return True if the file yielded text."""
    return record.status is FileStatus.INDEXED


def same_stamp(file: FoundFile, record: FileRecord) -> bool:
    """Return True if a file's size, modification time and inode match its record."""
    moved = bool(record.inode and file.inode and record.inode != file.inode)
    return not moved and (record.size, record.mtime_ns) == (file.size, file.mtime_ns)


def refusal(file: FoundFile) -> FileRecord:
    """Return the record for a file that must not be opened."""
    return FileRecord(path=file.id, status=file.status, reason=file.problem)


def record_of(file: FoundFile, reading: FileReading) -> FileRecord:
    """Return the record for a file after an attempt to read it."""
    opened, contents = reading.opened, reading.contents
    seen = opened or file
    own = next((part for part in contents.documents if part.document.id == file.id), None)
    return FileRecord(
        path=file.id,
        size=seen.size,
        mtime_ns=seen.mtime_ns,
        inode=seen.inode,
        content_hash=opened.content_hash if opened else "",
        status=contents.status,
        reason=contents.reason,
        seconds=round(reading.seconds, 4),
        **_extent(own),
    )


def records_of(own: FileRecord, reading: FileReading) -> tuple[FileRecord, ...]:
    """Return the records of a file and of the files inside it."""
    inside = [
        FileRecord(
            path=part.document.id,
            content_hash=part.document.content_hash,
            status=FileStatus.INDEXED,
            inside=own.path,
            **_extent(part),
        )
        for part in reading.contents.documents
        if part.document.id != own.path
    ]
    unread = [
        FileRecord(path=item.path, status=item.status, reason=item.reason, inside=own.path)
        for item in reading.contents.unreadable
    ]
    return (own, *sorted([*inside, *unread], key=lambda record: record.path))


def _extent(part: SplitDocument | None) -> dict[str, int | None]:
    if part is None:
        return {}
    document = part.document
    return {"pages": len(document.pages) or None, "characters": len(document.text), "chunks": len(part.chunks)}


def restamped(record: FileRecord, fresh: FileRecord) -> FileRecord:
    """Return a record with the path and the stamp of another record."""
    return record.changed(path=fresh.path, size=fresh.size, mtime_ns=fresh.mtime_ns, inode=fresh.inode)


def told_unchanged(record: FileRecord, reason: str = "") -> FileRecord:
    """Return the record, with the status `unchanged` if its file was read before."""
    if not was_read(record):
        return record
    return record.changed(status=FileStatus.UNCHANGED, reason=reason)
