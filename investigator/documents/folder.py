"""Keeps the store of a folder in step with its files, reading only new and changed ones."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from investigator.documents.chunks import ChunkSettings
from investigator.documents.exchange import ReadRequest
from investigator.documents.file_records import (
    GoneFiles,
    record_of,
    records_of,
    refusal,
    restamped,
    same_stamp,
    told_unchanged,
    was_read,
)
from investigator.documents.readers.base import ReaderSettings
from investigator.documents.reading_pool import FileReading, ReadingPool
from investigator.documents.scanning import FolderListing, FolderSettings, FoundFile, check_folder, scan
from investigator.records import FileRead, FileRecord, FileStatus, Record
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

    `manifest` maps paths to the stored records. A file whose size, mtime and inode match its record is not opened. A
    file with a new stamp but the same sha256 is not read again, even if it failed before, and a renamed file keeps its
    stored data. `listing` is the list of files, if the folder was already scanned. Yields an event after each file that
    had to be opened; `total` counts these. Raises FolderError if the folder cannot be listed, or vanishes, and
    ReaderError if nothing can be read.
    """
    listing = listing or scan(root, folder)
    store.keep_left_out(listing.left_out)
    return _Refresh(root, manifest, store, reader, chunks, recheck).events(listing.files)


def changes(
    root: Path, manifest: Mapping[str, FileRecord], folder: FolderSettings
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the paths of new, changed and deleted files; no file is opened."""
    found = {file.id: file for file in scan(root, folder).files}
    new = tuple(sorted(found.keys() - manifest.keys()))
    gone = tuple(sorted(manifest.keys() - found.keys()))
    both = sorted(found.keys() & manifest.keys())
    return new, tuple(path for path in both if not same_stamp(found[path], manifest[path])), gone


@dataclass
class _Refresh:
    """Compares a folder with its store once; `known` contains the stored records."""

    root: Path
    known: Mapping[str, FileRecord]
    store: Corpus
    reader: ReaderSettings
    chunks: ChunkSettings
    recheck: Recheck
    gone: GoneFiles = field(default_factory=lambda: GoneFiles(()))

    def events(self, listed: Sequence[FoundFile]) -> Iterator[FileRead]:
        found = {file.id: file for file in listed}
        self.gone = GoneFiles(record for path, record in self.known.items() if path not in found)
        opened = [file for file in listed if not file.problem and not self._unchanged(file)]
        refused = [refusal(file) for file in listed if file.problem]
        refused = [record for record in refused if record != self.known.get(record.path)]
        done, total = 0, len(opened) + len(refused)
        for record in refused:
            done += 1
            self.store.put((record,), ())
            yield FileRead(done=done, total=total, files=(record,))
        for files in self._read(opened):
            done += 1
            yield FileRead(done=done, total=total, files=files)
        left = {*self.gone.left(), *(self.recheck.reread - found.keys())}
        if left:
            check_folder(self.root)
        for path in sorted(left):
            self.store.drop(path)

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
                kept = self._keep(files[reading.request.id], reading)
                if kept is None:  # the content is known, but now belongs to another file
                    again = reading.request.changed(known_hashes=())
                    kept = next(filter(None, (self._keep(files[again.id], r) for r in pool.read([again]))))
                yield kept

    def _request(self, file: FoundFile) -> ReadRequest:
        before = self.known.get(file.id)
        hashes = self.gone.hashes_of(file.id, file.size)
        if file.id in self.recheck.reread:
            hashes = set()
        elif before is not None and (was_read(before) or not self.recheck.retry):
            hashes |= {before.content_hash}
        return request_for(self.root, file, hashes, self.reader, self.chunks)

    def _keep(self, file: FoundFile, reading: FileReading) -> tuple[FileRecord, ...] | None:
        """Update the store from one reading; return the records to report, or None if the file must still be read."""
        contents, before = reading.contents, self.known.get(file.id)
        if contents.known and reading.opened is not None:
            return self._keep_known(file, reading)
        if reading.opened is None and contents.status is FileStatus.FAILED:
            check_folder(self.root)
        own = record_of(file, reading)
        if before is not None and not was_read(own) and own.changed(seconds=before.seconds) == before:
            return (before,)  # reading it failed in the same way as before
        files = records_of(own, reading)
        self._make_room(file)
        self.store.put(files, contents.documents)
        return files

    def _keep_known(self, file: FoundFile, reading: FileReading) -> tuple[FileRecord, ...] | None:
        fresh, before = record_of(file, reading), self.known.get(file.id)
        if before is not None and before.content_hash == fresh.content_hash:
            record = restamped(before, fresh)
            if record != before:
                self.store.touch(record)
            return (told_unchanged(record),)
        gone = self.gone.take(file.id, fresh.content_hash)
        if gone is None:
            return None
        record = restamped(gone, fresh)
        self._make_room(file)
        if not self.store.rename(gone.path, record):
            return None
        return (told_unchanged(record, f"renamed from {gone.path}"),)

    def _make_room(self, file: FoundFile) -> None:
        """Drop the stored files of a folder that a file has replaced, because files inside the new file may have the
        same ids.
        """
        for path in self.gone.take_below(file.id):
            self.store.drop(path)


def request_for(
    root: Path, file: FoundFile, known_hashes: Collection[str], reader: ReaderSettings, chunks: ChunkSettings
) -> ReadRequest:
    """Return the request to read a file in the folder `root`; contents with a known sha256 are not read again."""
    return ReadRequest(
        id=file.id,
        root=os.fsencode(root),
        path=os.fsencode(file.path),
        known_hashes=tuple(sorted({*known_hashes} - {""})),
        reader=reader,
        chunks=chunks,
    )


def cpus() -> int:
    """Return the number of CPUs that this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1
