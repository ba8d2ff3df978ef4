"""The process that reads files for the process that started it; to start it by hand, run `python -m
investigator.documents.reading_process`.

A file that hangs, crashes or fills the memory takes down only this process. The process reads requests until standard
input ends, and answers each with the opened file and its contents.
"""

from __future__ import annotations

import faulthandler
import hashlib
import os
import sys
from collections.abc import Callable

from investigator.documents.beneath import open_file
from investigator.documents.chunks import split
from investigator.documents.exchange import Contents, Opened, ReadAnswer, ReadRequest, receive, send
from investigator.documents.readers.base import ReadFailure, SourceFile
from investigator.documents.readers.members import file_of
from investigator.documents.readers.pdf.page_drawing import drawn_pages
from investigator.documents.readers.registry import read
from investigator.records import FileStatus, SplitDocument

_GRACE_SECONDS = 10.0
_ATTEMPTS = 3


def main() -> None:
    """Answer requests until standard input ends."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print goes to standard error
    send(answers, ReadAnswer())
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        while (data := receive(requests)) is not None:
            request = ReadRequest.model_validate_json(data)
            _limit_memory(request.reader.max_memory)
            # the parent process stops slow files; if it is gone, this process stops itself
            faulthandler.dump_traceback_later(request.reader.max_seconds + _GRACE_SECONDS, exit=True, file=nowhere)
            contents = read_contents(request, lambda opened: send(answers, ReadAnswer(opened=opened)))
            faulthandler.cancel_dump_traceback_later()
            send(answers, ReadAnswer(contents=contents.changed(peak_memory=_peak_memory())))


def read_contents(request: ReadRequest, on_opened: Callable[[Opened], None]) -> Contents:
    """Open, hash, read and split a file, or render its pages. Every failure becomes a status with a reason."""
    try:
        opened, data = _stable_contents(request)
        on_opened(opened)
        if opened.content_hash == request.known_hash:
            return Contents(status=FileStatus.UNCHANGED, known=True)
        source = SourceFile(data, request.id.rpartition("/")[2])
        if request.drawing is not None:
            data = file_of(source, opened.content_hash, request.drawing.content_hash, request.reader)
            return Contents(status=FileStatus.UNCHANGED, drawn=drawn_pages(data, request.drawing.pages, request.reader))
        unpacked = read(source, request.id, opened.content_hash, request.reader)
        documents = tuple(SplitDocument(document=d, chunks=split(d, request.chunks)) for d in unpacked.documents)
        return Contents(status=FileStatus.INDEXED, documents=documents, unreadable=unpacked.unreadable)
    except ReadFailure as failure:
        return Contents(status=failure.status, reason=failure.reason)
    except MemoryError:
        limit = f"reading it takes more than {request.reader.max_memory:,} bytes of memory (reader.max_memory)"
        return Contents(status=FileStatus.TOO_LARGE, reason=limit)


def _stable_contents(request: ReadRequest) -> tuple[Opened, bytes]:
    """Read a file, retrying if it changes in the meantime; return its stamp and its bytes. Raises ReadFailure."""
    first: os.stat_result | None = None
    try:
        for _ in range(_ATTEMPTS):
            before, data, after = _bytes(request)
            first = first or before
            if (before.st_size, before.st_mtime_ns, len(data)) == (after.st_size, after.st_mtime_ns, after.st_size):
                return _opened(after, data), data
        if first is not None and after.st_size > first.st_size and len(data) >= before.st_size:
            data = data[: before.st_size]  # a growing log: keep the part read first
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


def _limit_memory(most: int) -> None:
    """Limit the memory of the process, if the system supports it (Linux)."""
    if sys.platform == "linux":
        import resource

        with open("/proc/self/statm", encoding="ascii") as status:
            mapped = int(status.read().split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        allowed = mapped + most if hard == resource.RLIM_INFINITY else min(mapped + most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))


def _peak_memory() -> int:
    """Return the peak memory of the process in bytes; 0 if unknown. On Linux, getrusage may mean the parent."""
    if sys.platform == "linux":
        with open("/proc/self/status", encoding="ascii") as status:
            return next((int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM")), 0)
    elif sys.platform == "win32":
        return 0
    else:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main()
