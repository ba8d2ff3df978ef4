"""Reads files in separate processes, so that a file that hangs, crashes or fills the memory affects no other file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import LifoQueue
from typing import Self

from investigator.documents.exchange import Contents, Opened, ReadAnswer, ReadRequest, receive, send
from investigator.errors import ReaderError
from investigator.files.own_process import pipe, start_module
from investigator.records import FileStatus

_AHEAD = 8  # requests in progress per process; results are in order, but a slow file must not stop the other processes
_MODULE = "investigator.documents.reading_process"
_START_SECONDS = 120.0
_LARGE_SHARE = 3  # a process that has used a third of its memory limit is replaced to free the memory


@dataclass(frozen=True)
class FileReading:
    """A process's report on one file: the opened file (None if it was not opened), its contents, and the seconds it
    took.
    """

    request: ReadRequest
    opened: Opened | None
    contents: Contents
    seconds: float


class ReadingPool:
    """A fixed number of reading processes, each started when first needed.

    Use it as a context manager; on exit the processes are stopped, even if they are busy.
    """

    def __init__(self, processes: int) -> None:
        self._all = tuple(_ReadingProcess() for _ in range(processes))
        self._idle: LifoQueue[_ReadingProcess] = LifoQueue()
        for process in self._all:
            self._idle.put(process)
        self._threads = ThreadPoolExecutor(processes, thread_name_prefix="reading")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the processes, even if they are busy."""
        for process in self._all:
            process.close()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def read(self, requests: Iterable[ReadRequest]) -> Iterator[FileReading]:
        """Read files concurrently, and yield the results in order. Raises ReaderError if no process starts."""
        waiting: deque[Future[FileReading]] = deque()
        for request in requests:
            waiting.append(self._threads.submit(self._one, request))
            if len(waiting) >= len(self._all) * _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def _one(self, request: ReadRequest) -> FileReading:
        process = self._idle.get()
        began = time.monotonic()
        try:
            opened, contents = process.read(request)
        finally:
            self._idle.put(process)
        return FileReading(request, opened, contents, time.monotonic() - began)


class _ReadingProcess:
    """Reads one file at a time. Only one thread may use the pool at a time, but any thread may close it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._changing = threading.Lock()

    def read(self, request: ReadRequest) -> tuple[Opened | None, Contents]:
        """Return the opened file, or None, and its contents. Raises ReaderError if no process starts."""
        process = self._running()
        with _killed_after(request.reader.max_seconds, process) as late:
            opened, contents = _answer_from(process, request)
        if contents is None or late.is_set() or contents.peak_memory > request.reader.max_memory // _LARGE_SHARE:
            self._stop()
        return opened, contents or _lost(process.returncode, late.is_set(), request)

    def close(self) -> None:
        """Stop the process, even if it is busy; a read in progress ends."""
        with self._changing:
            self._closed = True
        self._stop()

    def _running(self) -> subprocess.Popen[bytes]:
        with self._changing:
            if self._closed:
                raise ReaderError("reading was stopped")
            if self._process is not None:
                return self._process
            try:
                self._process = process = start_module(_MODULE)
            except OSError as error:
                hint = "Close other programs or lower reader.workers, then try again."
                reason = f"no process to read files can be started ({error.strerror})"
                raise ReaderError(reason, hint=hint) from error
        with _killed_after(_START_SECONDS, process) as late:
            ready = receive(pipe(process.stdout))
        if late.is_set() or ready is None:
            self._stop()
            hint = f"See its messages: {sys.executable} -P -m {_MODULE} < {os.devnull}"
            raise ReaderError("the process that reads files does not start", hint=hint)
        return process

    def _stop(self) -> None:
        with self._changing:
            process, self._process = self._process, None
        if process is None:
            return
        _kill(process)
        process.wait()
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                pipe(stream).close()


@contextmanager
def _killed_after(seconds: float, process: subprocess.Popen[bytes]) -> Iterator[threading.Event]:
    """Kill the process and set the event if the context lasts longer than the given number of seconds."""
    reached = threading.Event()

    def end() -> None:
        reached.set()
        _kill(process)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield reached
    finally:
        timer.cancel()


def _answer_from(process: subprocess.Popen[bytes], request: ReadRequest) -> tuple[Opened | None, Contents | None]:
    """Return what a process has opened and the contents that it read; the contents are None if the process died."""
    opened: Opened | None = None
    try:
        send(pipe(process.stdin), request)
        while (data := receive(pipe(process.stdout))) is not None:
            answer = ReadAnswer.model_validate_json(data)
            opened = answer.opened or opened
            if answer.contents is not None:
                return opened, answer.contents
    except (OSError, ValueError):  # the pipe is broken or closed, or the data is not an answer
        pass
    return opened, None


def _lost(code: int | None, late: bool, request: ReadRequest) -> Contents:
    """Return the outcome for a file whose reading process died."""
    if late:
        reason = f"reading it took more than {request.reader.max_seconds:g} seconds (reader.max_seconds)"
        return Contents(status=FileStatus.TIMED_OUT, reason=reason)
    ended = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
    return Contents(status=FileStatus.FAILED, reason=f"reading it crashed the reading process ({ended})")


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
