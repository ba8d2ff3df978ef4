"""Does the work of a reading process: reads one file and splits it into chunks, or renders pages of it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable

from investigator.documents.beneath import open_file
from investigator.documents.chunks import split
from investigator.documents.exchange import Contents, Opened, ReadRequest
from investigator.documents.readers.base import ReadFailure, SourceFile
from investigator.documents.readers.members import file_of
from investigator.documents.readers.pdf.page_drawing import drawn_pages
from investigator.documents.readers.registry import read
from investigator.records import FileStatus, SplitDocument

_ATTEMPTS = 2


def read_contents(request: ReadRequest, on_opened: Callable[[Opened], None]) -> Contents:
    """Open, hash, read and split a file, or render its pages. Every failure becomes a status with a reason."""
    try:
        opened, data = _stable_contents(request)
        on_opened(opened)
        if opened.content_hash in request.known_hashes:
            return Contents(status=FileStatus.UNCHANGED, known=True)
        source = SourceFile(data, request.id.rpartition("/")[2])
        if request.drawing is not None:
            data = file_of(source, opened.content_hash, request.drawing.content_hash, request.reader)
            return Contents(status=FileStatus.UNCHANGED, drawn=drawn_pages(data, request.drawing.pages, request.reader))
        found = read(source, request.id, opened.content_hash, request.reader)
        documents = tuple(SplitDocument(document=d, chunks=split(d, request.chunks)) for d in found.documents)
        return Contents(status=FileStatus.INDEXED, documents=documents, unreadable=found.unreadable)
    except ReadFailure as failure:
        return Contents(status=failure.status, reason=failure.reason)
    except MemoryError:
        limit = f"reading it takes more than {request.reader.max_memory:,} bytes of memory (reader.max_memory)"
        return Contents(status=FileStatus.TOO_LARGE, reason=limit)


def _stable_contents(request: ReadRequest) -> tuple[Opened, bytes]:
    """Read a file, retrying if it changes in the meantime; return its stamp and its bytes. Raises ReadFailure."""
    try:
        first, data, after = _bytes(request)
        before = first
        for _ in range(_ATTEMPTS):
            if (before.st_size, before.st_mtime_ns, len(data)) == (after.st_size, after.st_mtime_ns, after.st_size):
                return _opened(after, data), data
            before, data, after = _bytes(request)
        if after.st_size > first.st_size and len(data) >= before.st_size:  # a growing log: keep the part read first
            data = data[: before.st_size]
            return _opened(before, data), data
    except PermissionError as error:
        raise ReadFailure(FileStatus.FAILED, "no permission to read the file") from error
    except FileNotFoundError as error:
        raise ReadFailure(FileStatus.FAILED, "the file vanished while the folder was being read") from error
    except OSError as error:
        reason = f"the file cannot be read ({error.strerror or 'input/output error'})"
        raise ReadFailure(FileStatus.FAILED, reason) from error
    raise ReadFailure(FileStatus.FAILED, "the file was changing while it was read; it is retried next time")


def _opened(status: os.stat_result, data: bytes) -> Opened:
    digest = hashlib.sha256(data).hexdigest()
    return Opened(content_hash=digest, size=status.st_size, mtime_ns=status.st_mtime_ns, inode=status.st_ino)


def _bytes(request: ReadRequest) -> tuple[os.stat_result, bytes, os.stat_result]:
    """Return the bytes, and the file's `stat` result from before and after reading."""
    with open_file(os.fsdecode(request.root), os.fsdecode(request.path)) as file:
        before = os.fstat(file.fileno())
        most = request.reader.max_bytes
        if before.st_size > most:
            raise ReadFailure(
                FileStatus.TOO_LARGE, f"{before.st_size:,} bytes, more than the limit of {most:,} (reader.max_bytes)"
            )
        return before, file.read(most + 1), os.fstat(file.fileno())
