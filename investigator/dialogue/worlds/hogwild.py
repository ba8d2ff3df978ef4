"""Defines HogwildWorld: copies of a world that run concurrently in threads."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Lock
from typing import ClassVar

from investigator.dialogue.agents import Shared
from investigator.dialogue.metrics.values import Report
from investigator.dialogue.worlds.base import World
from investigator.dialogue.worlds.batch import WorldOfCopies
from investigator.errors import DialogueError, DialogueUnsupportedError, InvestigatorError, WorkerError


class HogwildWorld(WorldOfCopies):
    """Runs `numthreads` copies of a world in as many threads. A parley starts a turn in one copy and does not wait for
    it. Each copy runs at most one turn at a time; if all are busy, a parley waits for one of them. N parleys therefore
    run N turns in total. A copy is idle after the end of its data; if all are idle, a parley does nothing and is not
    counted. If a turn fails, the next call that notices it raises a WorkerError, with the error as its cause. The
    copies' agents act concurrently, so their shared state must be thread-safe. Threads save time if agents wait for
    models or servers.
    """

    count_option: ClassVar[str] = "numthreads"
    place_option: ClassVar[str] = "threadindex"

    def __init__(
        self, opt: Mapping[str, object] | None, world: World | None = None, shared: Shared | None = None
    ) -> None:
        super().__init__(opt, world, shared)
        self._lock = Lock()
        self._threads = ThreadPoolExecutor(len(self.worlds), thread_name_prefix="investigator-world")
        self._turns: dict[int, Future[None]] = {}  # the turn of each copy whose outcome was not reported yet
        self._next = 0
        self._open = True

    def parley(self) -> None:
        """Start a turn in one copy. Raises WorkerError if an earlier turn failed, and DialogueError after shutdown."""
        with self._lock:
            if not self._open:
                raise DialogueError("this world was shut down", hint="Create another one from the same root.")
            place = self._free()
            if place is not None:
                self._turns[place] = self._threads.submit(self.worlds[place].parley)
                self._next = place + 1
                self.total_parleys += 1
            self._count_examples()

    def join(self) -> None:
        """Wait until all started turns have ended. Raises WorkerError if one of them failed."""
        with self._lock:
            wait(self._turns.values())
            self._count_examples()
            self._report_failures()

    def epoch_done(self) -> bool:
        """Return True if no turn is in progress and the data of all copies has ended."""
        return not self._busy() and all(copy.epoch_done() for copy in self.worlds)

    def episode_done(self) -> bool:
        """Raise DialogueError: each copy has its own episode."""
        hint = "After join(), use its copies, which are in `worlds`."
        raise DialogueError("a HogwildWorld is in several episodes at once", hint=hint)

    def display(self) -> str:
        """Raise DialogueUnsupportedError: the acts change while they are displayed."""
        problem = "a HogwildWorld cannot display acts while its copies make them"
        raise DialogueUnsupportedError(problem, hint="Set numthreads to 1 to display acts.")

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
            self._threads.shutdown()
        if was_open:
            super().shutdown()
        self._report_failures()

    def __exit__(self, *error: object) -> None:
        try:
            self.shutdown()
        except WorkerError:
            if error[0] is None:  # the earlier error takes precedence
                raise

    def _free(self) -> int | None:
        """Return a copy that can take a turn, waiting for one if needed; None if all are idle."""
        while True:
            for step in range(len(self.worlds)):
                place = (self._next + step) % len(self.worlds)
                if place in self._busy():
                    continue
                self._report_failure(place)
                if not self.worlds[place].epoch_done():
                    return place
            if not self._turns:
                return None
            wait(self._turns.values(), return_when=FIRST_COMPLETED)

    def _busy(self) -> list[int]:
        return [place for place, turn in list(self._turns.items()) if not turn.done()]

    def _report_failures(self) -> None:
        for place in list(self._turns):
            self._report_failure(place)

    def _report_failure(self, place: int) -> None:
        """Raise WorkerError if the last turn of a copy failed; each failure is reported only once."""
        ended = self._turns.pop(place, None)
        error = ended.exception() if ended is not None else None
        if error is not None:
            hint = error.hint if isinstance(error, InvestigatorError) else ""
            problem = f"copy {place} of the world failed: {type(error).__name__}: {error}"
            raise WorkerError(problem, hint=hint) from error

    def _count_examples(self) -> None:
        self.total_exs = sum(copy.total_exs for copy in self.worlds)
