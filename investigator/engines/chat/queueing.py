"""A queue of the calls to one endpoint, oldest first, with limited concurrency and without calls during requested
pauses.
"""

from __future__ import annotations

import itertools
import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto
from threading import Condition, Lock
from weakref import WeakValueDictionary

from investigator.errors import EngineTimeoutError, RateLimitError

_SPREAD = 1.0  # seconds over which calls that wait for the same moment are spread


@dataclass(frozen=True)
class CallPace:
    """The number of concurrent calls that an endpoint accepts, and the time until which it accepts none.

    Additive increase, multiplicative decrease, as in TCP (Chiu and Jain 1989): the limit grows by about one after as
    many successes as it permits calls, and is halved after a refusal. Refusals of calls that began before the last cut
    do not cause another cut. All times are in seconds on the same clock.
    """

    limit: float
    opens_at: float = -math.inf
    cut_at: float = -math.inf

    @property
    def slots(self) -> int:
        """Return the number of calls that may run concurrently; at least 1."""
        return max(1, int(self.limit))

    def hold(self, now: float) -> float:
        """Return the seconds until a call may begin."""
        return max(0.0, self.opens_at - now)

    def after_success(self, most: int) -> CallPace:
        """Return the pace after a successful call: slightly faster, up to `most` concurrent calls."""
        return self if self.limit >= most else replace(self, limit=min(float(most), self.limit + 1 / self.limit))

    def after_refusal(self, *, began: float, now: float, running: int, asked: float | None) -> CallPace:
        """Return the pace after the refusal of a call that began at `began`; `asked` is the requested wait in seconds.

        The new limit is half of the old one, or half of the `running` calls if they are fewer.
        """
        opens_at = self.opens_at if asked is None else max(self.opens_at, now + asked)
        if began < self.cut_at:
            return replace(self, opens_at=opens_at)
        return CallPace(limit=max(1.0, min(self.limit, running) / 2), opens_at=opens_at, cut_at=now)


@dataclass(frozen=True)
class Ticket:
    """One prompt's place in the queue for all its attempts: lower numbers go first.

    Its call begins only while fewer than `most` calls are running. It accepts pauses of up to `longest` seconds, and
    gives up at `until`.
    """

    number: int
    most: int
    longest: float
    until: float


class Ended(Enum):
    """The outcome of a call, used to judge how many calls the endpoint can handle."""

    WELL = auto()
    REFUSED = auto()
    OTHERWISE = auto()


class CallQueue:
    """Starts the calls to one endpoint at the pace that its responses allow.

    `clock` returns seconds, `sleep` waits for a number of seconds, `jitter` returns a random number from 0 to 1.
    Thread-safe, and meant to be shared by all callers of the endpoint: see `queue_at`.
    """

    def __init__(
        self,
        endpoint: str,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.endpoint = endpoint
        self._clock = clock
        self._sleep = sleep
        self._jitter = jitter
        self._numbers = itertools.count()
        self._pace: CallPace | None = None
        self._running = 0
        self._waiting: set[int] = set()
        self._changed = Condition()

    def ticket(self, *, most: int, longest: float, patience: float) -> Ticket:
        """Return a place at the end of the queue. `patience` is the maximum wait in seconds, starting now."""
        return Ticket(next(self._numbers), most, longest, self._clock() + patience)

    def begin(self, ticket: Ticket) -> float:
        """Wait until the call may begin, and return the current time; the caller must call `end` afterwards.

        Raises RateLimitError if the endpoint asks for a longer pause than the ticket allows, and
        EngineTimeoutError if its patience has run out.
        """
        while True:
            began, hold = self._slot(ticket)
            if began is not None:
                return began
            self.pause(hold)

    def end(self, ticket: Ticket, began: float, ended: Ended, asked: float | None = None) -> None:
        """End a call; if it was temporarily refused, the endpoint may have `asked` for a wait, in seconds."""
        with self._changed:
            pace = self._pace or CallPace(ticket.most)
            if ended is Ended.REFUSED:
                now, running = self._clock(), self._running
                self._pace = pace.after_refusal(began=began, now=now, running=running, asked=asked)
            elif ended is Ended.WELL:
                self._pace = pace.after_success(ticket.most)
            self._running -= 1
            self._changed.notify_all()

    def pause(self, seconds: float) -> None:
        """Sleep for the given seconds and a little more, so that waiting calls do not all start at once."""
        self._sleep(seconds + self._jitter() * min(seconds, _SPREAD))

    def _slot(self, ticket: Ticket) -> tuple[float | None, float]:
        """Return the time at which the call may begin, or None and the seconds to sleep before it tries again."""
        with self._changed:
            self._waiting.add(ticket.number)
            try:
                while True:
                    now = self._clock()
                    pace = self._pace = self._pace or CallPace(ticket.most)
                    if hold := pace.hold(now):
                        self._check(ticket, now, hold)
                        return None, hold
                    if ticket.number == min(self._waiting) and self._running < min(pace.slots, ticket.most):
                        self._running += 1
                        return now, 0.0
                    self._check(ticket, now, 0.0)
                    self._changed.wait(ticket.until - now)
            finally:
                self._waiting.discard(ticket.number)
                self._changed.notify_all()

    def _check(self, ticket: Ticket, now: float, hold: float) -> None:
        if hold > ticket.longest:
            hint = f"Run the same command again in {hold:.0f} seconds: it resumes where it stopped."
            message = f"{self.endpoint} requests a wait of {hold:.0f} seconds"
            raise RateLimitError(message, retry_after=hold, hint=hint)
        if now + hold >= ticket.until:
            raise EngineTimeoutError(f"{self.endpoint} has not accepted another call for too long")


_SHARED: WeakValueDictionary[str, CallQueue] = WeakValueDictionary()
_SHARED_LOCK = Lock()


def queue_at(endpoint: str) -> CallQueue:
    """Return the queue for an endpoint. The whole process shares this queue for as long as anything uses it."""
    with _SHARED_LOCK:
        queue = _SHARED.get(endpoint)
        if queue is None:
            queue = _SHARED[endpoint] = CallQueue(endpoint)
        return queue
