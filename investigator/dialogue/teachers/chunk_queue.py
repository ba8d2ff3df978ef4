"""ChunkQueue: samples that a thread loads ahead, so many and no more."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from threading import Condition, Thread
from typing import Generic, TypeVar

from investigator.errors import DialogueError, DialogueValueError, InvestigatorError

Sample = TypeVar("Sample")


class ChunkQueue(Generic[Sample]):
    """Takes samples from `load` on a thread of its own, `size` at most ahead of who takes them.

    Several threads may take. The thread starts with the first `take`.
    """

    def __init__(self, load: Callable[[], Iterable[Sample]], size: int) -> None:
        if size < 1:
            raise DialogueValueError(f"the buffer of a ChunkTeacher must hold 1 sample or more, not {size}")
        self._load = load
        self._size = size
        self._changed = Condition()
        self._samples: deque[Sample] = deque()
        self._thread: Thread | None = None
        self._run = 0
        self._ended = False
        self._error: BaseException | None = None

    def take(self) -> Sample | None:
        """The next sample; None after the last one.

        Raises the error of the loading, as a DialogueError where it is none of ours, when all before it are taken.
        """
        with self._changed:
            if self._thread is None and not self._ended:
                self._thread = Thread(target=self._fill, args=(self._run,), name="chunk-loader", daemon=True)
                self._thread.start()
            self._changed.wait_for(lambda: self._samples or self._ended)
            if self._samples:
                self._changed.notify_all()
                return self._samples.popleft()
            if isinstance(self._error, InvestigatorError):
                raise self._error
            if self._error is not None:
                raise DialogueError(f"a chunk could not be loaded: {self._error!r}") from self._error
            return None

    def close(self) -> None:
        """Stop loading, end the thread and let go of what was loaded; nothing can be taken until `restart`."""
        with self._changed:
            self._run += 1
            self._ended, self._error = True, None
            self._samples.clear()
            self._changed.notify_all()
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()

    def restart(self) -> None:
        """Begin with the first sample again."""
        self.close()
        with self._changed:
            self._ended = False

    def _fill(self, run: int) -> None:
        error: BaseException | None = None
        try:
            for sample in self._load():
                if not self._put(sample, run):
                    return
        except BaseException as problem:  # noqa: BLE001 - it is raised where the samples are taken
            error = problem
        with self._changed:
            if run == self._run:
                self._ended, self._error = True, error
                self._changed.notify_all()

    def _put(self, sample: Sample, run: int) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: len(self._samples) < self._size or run != self._run)
            if run != self._run:
                return False
            self._samples.append(sample)
            self._changed.notify_all()
            return True
