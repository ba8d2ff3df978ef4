"""Defines HogwildWorld: copies of a world that run concurrently in threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Lock
from typing import ClassVar

from investigator.dialogue.agents import Shared
from investigator.dialogue.metrics.values import Report
from investigator.dialogue.worlds.base import World
from investigator.dialogue.worlds.batch import WorldOfCopies
from investigator.errors import DialogueError, DialogueUnsupportedError, InvestigatorError, WorkerError


class _Worker:
    """A copy of the world, and the one thread that runs its turns."""

    def __init__(self, place: int, world: World) -> None:
        self.place = place
        self.world = world
        self.thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"investigator-world-{place}")
        self.turn: Future[None] | None = None

    def busy(self) -> bool:
        return self.turn is not None and not self.turn.done()

    def settle(self) -> None:
        """Raise WorkerError if the last turn failed; each failure is reported only once."""
        ended, self.turn = self.turn, None
        error = ended.exception() if ended is not None else None
        if error is not None:
            hint = error.hint if isinstance(error, InvestigatorError) else ""
            told = f"copy {self.place} of the world failed: {type(error).__name__}: {error}"
            raise WorkerError(told, hint=hint) from error


class HogwildWorld(WorldOfCopies):
    """Runs `numthreads` copies of a world, each in its own thread. A parley starts a turn in one copy and does not wait
    for it. Each copy runs at most one turn at a time; if all are busy, a parley waits for one of them. N parleys
    therefore run N turns in total. A copy is idle after the end of its data; if all are idle, a parley does nothing and
    is not counted. If a turn fails, the next call that notices it raises a WorkerError, with the error as its cause.
    The copies' agents act concurrently, so their shared state must be thread-safe. Threads save time if agents wait for
    models or servers.
    """

    count_option: ClassVar[str] = "numthreads"
    place_option: ClassVar[str] = "threadindex"

    def __init__(
        self, opt: Mapping[str, object] | None, world: World | None = None, shared: Shared | None = None
    ) -> None:
        super().__init__(opt, world, shared)
        self._lock = Lock()
        self._workers = deque(_Worker(place, copy) for place, copy in enumerate(self.worlds))
        self._open = True

    def parley(self) -> None:
        """Start a turn in one copy. Raises WorkerError if an earlier turn failed, and DialogueError after shutdown."""
        with self._lock:
            if not self._open:
                raise DialogueError("this world was shut down", hint="Create another one from the same root.")
            worker = self._free()
            if worker is not None:
                worker.turn = worker.thread.submit(worker.world.parley)
                self.total_parleys += 1
            self._count_examples()

    def join(self) -> None:
        """Wait until all started turns have ended. Raises WorkerError if one of them failed."""
        with self._lock:
            wait([worker.turn for worker in self._workers if worker.turn is not None])
            self._count_examples()
            for worker in self._workers:
                worker.settle()

    def epoch_done(self) -> bool:
        """Return True if no turn is in progress and the data of all copies has ended."""
        return all(not worker.busy() and worker.world.epoch_done() for worker in self._workers)

    def episode_done(self) -> bool:
        """Raise DialogueError: each copy has its own episode."""
        raise DialogueError(
            "a HogwildWorld is in several episodes at once", hint="After join(), use its copies, which are in `worlds`."
        )

    def display(self) -> str:
        """Raise DialogueUnsupportedError: the acts change while they are displayed."""
        raise DialogueUnsupportedError(
            "a HogwildWorld cannot display acts while its copies make them", hint="Set numthreads to 1 to display acts."
        )

    def report(self) -> Report:
        self.join()
        return super().report()

    def reset(self) -> None:
        self.join()
        super().reset()

    def shutdown(self) -> None:
        """Wait for the turns in progress, end the threads, and release the agents' resources; safe to call again. Then
        raise WorkerError if a turn failed and the failure has not been reported yet.
        """
        with self._lock:
            was_open, self._open = self._open, False
            for worker in self._workers:
                worker.thread.shutdown()
        if was_open:
            super().shutdown()
        for worker in self._workers:
            worker.settle()

    def __exit__(self, *error: object) -> None:
        try:
            self.shutdown()
        except WorkerError:
            if error[0] is None:  # the earlier error takes precedence
                raise

    def _free(self) -> _Worker | None:
        """Return a copy that can take a turn, waiting for one if needed; None if all are idle. The copies are tried in
        rotation.
        """
        while True:
            for _ in range(len(self._workers)):
                worker = self._workers[0]
                self._workers.rotate(-1)
                if worker.busy():
                    continue
                worker.settle()
                if not worker.world.epoch_done():
                    return worker
            under_way = [worker.turn for worker in self._workers if worker.turn is not None]
            if not under_way:
                return None
            wait(under_way, return_when=FIRST_COMPLETED)

    def _count_examples(self) -> None:
        self.total_exs = sum(copy.total_exs for copy in self.worlds)
