"""Keeps the store of a folder in step with its files, reading only new and changed ones."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path, PurePosixPath

from investigator.documents.chunks import ChunkSettings
from investigator.documents.exchange import ReadRequest
from investigator.documents.readers.base import ReaderSettings
from investigator.documents.reading_pool import FileReading, ReadingPool
from investigator.documents.scanning import FolderListing, FolderSettings, FoundFile, check_folder, scan
from investigator.records import FileRead, FileRecord, FileStatus, Record, SplitDocument
from investigator.store.corpus import Corpus

__all__ = ["FolderSettings", "Recheck", "check_folder", "refresh", "scan"]


class Recheck(Record):
    """Selects the files to open even if their stamps are unchanged.

    `verify` opens every file, which detects changes that left a file's size and time unchanged; `retry` retries files
    that could not be read; the files in `reread` are always read again, or forgotten if they are gone.
    """

    verify: bool = False
    retry: bool = False
    reread: frozenset[str] = frozenset()


STAMPS_ONLY = Recheck()


def refresh(
    root: Path,
    manifest: Mapping[str, FileRecord],
    store: Corpus,
    folder: FolderSettings,
    reader: ReaderSettings,
    chunks: ChunkSettings,
    recheck: Recheck = STAMPS_ONLY,
    listing: FolderListing | None = None,
) -> Iterator[FileRead]:
    """Update the store from the folder, file by file; stopping at any moment loses only the files in progress.

    `manifest` maps paths to the stored records. A file whose size, mtime and inode match its record is not opened, and
    one that was renamed keeps its stored data. A file with a new stamp but the same sha256 is not read again, even if
    it failed before. `listing` is the list of files, if the folder was already scanned. Yields an event after each file
    that was renamed or had to be opened; `total` counts these. Raises FolderError if the folder cannot be listed, or
    vanishes, and ReaderError if nothing can be read.
    """
    listing = listing or scan(root, folder)
    store.keep_left_out(listing.left_out)
    return _Refresh(root, dict(manifest), store, reader, chunks, recheck).events(listing.files)


def changes(
    root: Path, manifest: Mapping[str, FileRecord], folder: FolderSettings
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the paths of new, changed and deleted files; no file is opened."""
    listed = {file.id: file for file in scan(root, folder).files}
    new = tuple(sorted(listed.keys() - manifest.keys()))
    gone = tuple(sorted(manifest.keys() - listed.keys()))
    both = sorted(listed.keys() & manifest.keys())
    return new, tuple(path for path in both if not same_stamp(listed[path], manifest[path])), gone


@dataclass
class _Refresh:
    """Compares a folder with its store once; `known` contains the stored records."""

    root: Path
    known: dict[str, FileRecord]
    store: Corpus
    reader: ReaderSettings
    chunks: ChunkSettings
    recheck: Recheck

    def events(self, listed: Sequence[FoundFile]) -> Iterator[FileRead]:
        renamed = tuple(self._renamed(listed))
        opened = [file for file in listed if not file.problem and not self._unchanged(file)]
        problems = (file for file in listed if file.problem)
        refused = [FileRecord(path=file.id, status=file.status, reason=file.problem) for file in problems]
        refused = [record for record in refused if record != self.known.get(record.path)]
        total = len(renamed) + len(refused) + len(opened)
        for record in refused:
            self.store.put((record,), ())
        kept = chain(((record,) for record in (*renamed, *refused)), self._read(opened))
        for done, files in enumerate(kept, start=1):
            yield FileRead(done=done, total=total, files=files)

    def _renamed(self, listed: Sequence[FoundFile]) -> Iterator[FileRecord]:
        """Drop deleted files, and store the new paths of renamed ones, which keep their stamps; yield their records."""
        ids = {file.id for file in listed}
        gone = {path: record for path, record in self.known.items() if path not in ids}
        by_stamp = {
            _stamp(path, record): record
            for path, record in gone.items()
            if record.inode and record.content_hash and path not in self.recheck.reread
        }
        new = (file for file in listed if file.id not in self.known and not file.problem)
        renamed = [(file, before) for file in new if (before := by_stamp.pop(_stamp(file.id, file), None)) is not None]
        dropped = {*gone, *(self.recheck.reread - ids)} - {before.path for _, before in renamed}
        if dropped:
            check_folder(self.root)
        for path in sorted(dropped):
            self.store.drop(path)
        for file, before in renamed:
            record = before.changed(path=file.id)
            if self.store.rename(before.path, record):
                self.known[file.id] = record
                yield _unchanged_record(record, f"renamed from {before.path}")

    def _unchanged(self, file: FoundFile) -> bool:
        """Return True if the record is current; a file that could not be opened is always retried."""
        record, recheck = self.known.get(file.id), self.recheck
        if record is None or recheck.verify or file.id in recheck.reread or (recheck.retry and not was_read(record)):
            return False
        if record.status is FileStatus.FAILED and not record.content_hash:
            return False
        return same_stamp(file, record)

    def _read(self, opened: Sequence[FoundFile]) -> Iterator[tuple[FileRecord, ...]]:
        if not opened:
            return
        files = {file.id: file for file in opened}
        processes = min(self.reader.workers or cpus(), len(opened))
        with ReadingPool(processes) as pool:
            for reading in pool.read(map(self._request, opened)):
                yield self._keep(files[reading.request.id], reading)

    def _request(self, file: FoundFile) -> ReadRequest:
        before = self.known.get(file.id)
        is_reread = file.id in self.recheck.reread or (self.recheck.retry and before and not was_read(before))
        known_hash = "" if before is None or is_reread else before.content_hash
        return request_for(self.root, file, known_hash, self.reader, self.chunks)

    def _keep(self, file: FoundFile, reading: FileReading) -> tuple[FileRecord, ...]:
        """Update the store from one reading; return the records to report."""
        contents, before = reading.contents, self.known.get(file.id)
        own = _record_of(file, reading)
        if contents.known and before is not None:
            record = before.changed(size=own.size, mtime_ns=own.mtime_ns, inode=own.inode)
            if record != before:
                self.store.touch(record)
            return (_unchanged_record(record),)
        if reading.opened is None and contents.status is FileStatus.FAILED:
            check_folder(self.root)
        if before is not None and not was_read(own) and own.changed(seconds=before.seconds) == before:
            return (before,)  # reading it failed in the same way as before
        files = _records_of(own, reading)
        self.store.put(files, contents.documents)
        return files


def was_read(record: FileRecord) -> bool:
    """Return True if the file yielded text."""
    return record.status is FileStatus.INDEXED


def same_stamp(file: FoundFile, record: FileRecord) -> bool:
    """Return True if a file's size, modification time and inode match its record."""
    moved = bool(record.inode and file.inode and record.inode != file.inode)
    return not moved and (record.size, record.mtime_ns) == (file.size, file.mtime_ns)


def _stamp(path: str, file: FoundFile | FileRecord) -> tuple[int, int, int, str]:
    """Return what a file keeps if it is renamed without being converted."""
    return file.size, file.mtime_ns, file.inode, PurePosixPath(path).suffix


def _record_of(file: FoundFile, reading: FileReading) -> FileRecord:
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


def _records_of(own: FileRecord, reading: FileReading) -> tuple[FileRecord, ...]:
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


def _unchanged_record(record: FileRecord, reason: str = "") -> FileRecord:
    """Return the record, with the status `unchanged` if its file was read before."""
    if not was_read(record):
        return record
    return record.changed(status=FileStatus.UNCHANGED, reason=reason)


def request_for(
    root: Path, file: FoundFile, known_hash: str, reader: ReaderSettings, chunks: ChunkSettings
) -> ReadRequest:
    """Return the request to read a file in the folder `root`; contents with the known sha256 are not read again."""
    return ReadRequest(
        id=file.id,
        root=os.fsencode(root),
        path=os.fsencode(file.path),
        known_hash=known_hash,
        reader=reader,
        chunks=chunks,
    )


def cpus() -> int:
    """Return the number of CPUs that this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1
