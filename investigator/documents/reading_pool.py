"""Processes that read files, so that a file that hangs, crashes or fills the memory costs that file only."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import LifoQueue
from types import TracebackType
from typing import Self

from investigator.documents.reader_process import ReaderProcess
from investigator.documents.reading import Contents, Opened, ReadRequest

_AHEAD = 8  # requests under way for each process: results come in order, and one slow file must not stop the others


@dataclass(frozen=True)
class FileReading:
    """What a process said of one file: how it was opened (None where it was not), what it holds, how long it took."""

    request: ReadRequest
    opened: Opened | None
    contents: Contents
    seconds: float


class ReadingPool:
    """A number of reading processes, each started when there is work for it.

    Use it as a context manager; at its end the processes are stopped, whatever they do. `clock` gives seconds.
    """

    def __init__(self, processes: int, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._all = tuple(ReaderProcess() for _ in range(processes))
        self._idle: LifoQueue[ReaderProcess] = LifoQueue()
        for process in self._all:
            self._idle.put(process)
        self._threads = ThreadPoolExecutor(processes, thread_name_prefix="reading")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for process in self._all:
            process.close()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def read(self, requests: Iterable[ReadRequest]) -> Iterator[FileReading]:
        """Reads files side by side; results come in the order of the requests.

        Raises ReaderError where no process can be started.
        """
        waiting: deque[Future[FileReading]] = deque()
        for request in requests:
            waiting.append(self._threads.submit(self._one, request))
            if len(waiting) >= len(self._all) * _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def _one(self, request: ReadRequest) -> FileReading:
        process = self._idle.get()
        began = self._clock()
        try:
            opened, contents = process.read(request)
        finally:
            self._idle.put(process)
        return FileReading(request, opened, contents, self._clock() - began)
