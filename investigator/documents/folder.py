"""Keeps what is stored of a folder in step with its files, reading only what is new or has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

from investigator.documents.chunks import ChunkSettings, split
from investigator.documents.readers.base import ReaderSettings, ReadFailure
from investigator.documents.readers.registry import read_file
from investigator.documents.scanning import FolderSettings, FoundFile, check_folder, scan
from investigator.records import Chunk, Document, FileRead, FileRecord, FileStatus

__all__ = ["CorpusWriter", "FolderSettings", "FoundFile", "check_folder", "refresh", "scan"]


class CorpusWriter(Protocol):
    """Where documents are kept. Each call is complete, and durable, when it returns."""

    def put(self, file: FileRecord, document: Document, chunks: tuple[Chunk, ...]) -> None:
        """Keeps a document in place of what was kept under its path."""
        ...

    def put_unreadable(self, file: FileRecord) -> None:
        """Keeps that a file gave no text, in place of what was kept under its path."""
        ...

    def touch(self, file: FileRecord) -> None:
        """Keeps a new stamp of a file whose content is the same."""
        ...

    def drop(self, path: str) -> None:
        """Forgets a file that is gone."""
        ...


def refresh(
    root: Path,
    manifest: Mapping[str, FileRecord],
    store: CorpusWriter,
    folder: FolderSettings,
    reader: ReaderSettings,
    chunks: ChunkSettings,
) -> Iterator[FileRead]:
    """Brings the store up to date with the folder, file by file; a stop at any moment loses at most one file's work.

    `manifest` maps paths to what the store holds. A file whose size and mtime are those of its record is not opened.
    One with another stamp but the same sha256 is not read again, also not when it failed before. Yields an event after
    each file that had to be opened; `total` counts these. Raises FolderError when the folder cannot be listed.
    """
    found = {file.id: file for file in scan(root, folder)}
    known = dict(manifest)
    for path in sorted(known.keys() - found.keys()):
        store.drop(path)
    opened = [file for file in found.values() if not _unchanged(file, known.get(file.id))]
    for done, file in enumerate(opened, start=1):
        record = _update(file, known.get(file.id), store, reader, chunks)
        yield FileRead(done=done, total=len(opened), path=file.id, status=record.status, reason=record.reason)


def _unchanged(file: FoundFile, record: FileRecord | None) -> bool:
    """Whether the record still tells what the file is; one without a hash was never opened, and is tried again."""
    if record is None or not record.content_hash:
        return False
    return not file.problem and (record.size, record.mtime_ns) == (file.size, file.mtime_ns)


def _update(
    file: FoundFile, before: FileRecord | None, store: CorpusWriter, reader: ReaderSettings, chunks: ChunkSettings
) -> FileRecord:
    try:
        content_hash = _content_hash(file, reader)
        if before is not None and before.content_hash == content_hash:
            record = _record(file, content_hash, before.status, before.reason)
            store.touch(record)
            return record
    except ReadFailure as failure:
        return _put_unreadable(_record(file, "", failure.status, failure.reason), before, store)
    try:
        document = read_file(file.path, file.id, content_hash, reader)
    except ReadFailure as failure:
        return _put_unreadable(_record(file, content_hash, failure.status, failure.reason), before, store)
    record = _record(file, content_hash, FileStatus.INDEXED)
    store.put(record, document, split(document, chunks))
    return record


def _put_unreadable(record: FileRecord, before: FileRecord | None, store: CorpusWriter) -> FileRecord:
    if record != before:
        store.put_unreadable(record)
    return record


def _record(file: FoundFile, content_hash: str, status: FileStatus, reason: str = "") -> FileRecord:
    return FileRecord(
        path=file.id,
        size=file.size,
        mtime_ns=file.mtime_ns,
        content_hash=content_hash,
        status=status,
        reason=reason,
    )


def _content_hash(file: FoundFile, reader: ReaderSettings) -> str:
    """The sha256 of a file's bytes. Raises ReadFailure when it cannot be opened, or is too large to be."""
    if file.problem:
        raise ReadFailure(FileStatus.FAILED, file.problem)
    if file.size > reader.max_bytes:
        raise ReadFailure(FileStatus.TOO_LARGE, f"{file.size} bytes, more than the limit of {reader.max_bytes}")
    try:
        with file.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except PermissionError as error:
        raise ReadFailure(FileStatus.FAILED, "no permission to read the file") from error
    except FileNotFoundError as error:
        raise ReadFailure(FileStatus.FAILED, "the file vanished while the folder was being read") from error
    except OSError as error:
        reason = f"the file cannot be read ({error.strerror or 'input/output error'})"
        raise ReadFailure(FileStatus.FAILED, reason) from error
