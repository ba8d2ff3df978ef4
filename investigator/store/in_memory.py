"""A journal in memory, for forecasts and for parts of the method that are used separately."""

from __future__ import annotations

import threading
from collections.abc import Callable

from investigator.records import Prompt, Reply, Usage, together, usage_of
from investigator.scoring.prices import Price, priced


class InMemoryJournal:
    """Keeps calls only as long as the object exists. Thread-safe."""

    def __init__(self, price_of: Callable[[str], Price | None] = lambda _: None) -> None:
        self._price_of = price_of
        self._replies: dict[str, Reply] = {}
        self._paid = Usage()
        self._too_long: dict[str, int] = {}
        self._begun: dict[str, tuple[str, int]] = {}
        self._writing = threading.Lock()

    def find(self, key: str) -> Reply | None:
        """Return the reply stored under a key."""
        return self._replies.get(key)

    def begin(self, key: str, engine: str, tokens: int) -> None:
        """Remember that a call has begun."""
        with self._writing:
            self._begun[key] = (engine, tokens)

    def withdraw(self, key: str, *, sent: bool) -> None:
        """Forget a call that got no reply, unless it was `sent`: such a call counts."""
        with self._writing:
            engine, tokens = self._begun.pop(key, ("", 0))
            if sent:
                lost = Usage(calls=1, input_tokens=tokens, unanswered=1)
                self._paid = together(self._paid, priced(lost, self._price_of(engine)))

    def keep(self, key: str, prompt: Prompt, engine: str, reply: Reply) -> None:
        """Store a reply."""
        with self._writing:
            if key not in self._replies:
                self._replies[key] = reply
                self._paid = together(self._paid, priced(usage_of(reply), self._price_of(engine)))

    def too_long(self, key: str) -> int | None:
        """Return the number of tokens in a prompt that did not fit, 0 if unknown; None for any other prompt."""
        return self._too_long.get(key)

    def keep_too_long(self, key: str, tokens: int) -> None:
        """Record that a prompt did not fit."""
        with self._writing:
            self._too_long.setdefault(key, tokens)

    def usage(self) -> Usage:
        """Return the cost of the recorded calls."""
        return self._paid

    def elapsed(self) -> float:
        """Return 0.0, because a journal without a run has no time limit."""
        return 0.0


class JointLedger:
    """The combined usage of several runs, including their earlier processes. Thread-safe. The journals of the
    runs store the calls; this class only counts them. `clock` returns seconds.
    """

    def __init__(self, clock: Callable[[], float], price_of: Callable[[str], Price | None] = lambda _: None) -> None:
        self._clock = clock
        self._price_of = price_of
        self._began = clock()
        self._paid = Usage()
        self._took_before = 0.0
        self._adding = threading.Lock()
        self._sent: dict[str, int] = {}

    def spent_before(self, usage: Usage, seconds: float = 0.0) -> None:
        """Add the cost and the duration of runs in earlier processes."""
        with self._adding:
            self._paid = together(self._paid, usage)
            self._took_before += seconds

    def begin(self, key: str, engine: str, tokens: int) -> None:
        """Remember the number of tokens in a prompt that is about to be sent."""
        with self._adding:
            self._sent[key] = tokens

    def withdraw(self, key: str, *, sent: bool) -> None:
        """Count a call that got no reply, if it was `sent`."""
        if sent:
            self.spent_before(Usage(calls=1, input_tokens=self._sent.get(key, 0), unanswered=1))

    def keep(self, key: str, prompt: Prompt, engine: str, reply: Reply) -> None:
        """Count a reply."""
        self.spent_before(priced(usage_of(reply), self._price_of(engine)))

    def usage(self) -> Usage:
        """Return the total cost of all runs."""
        return self._paid

    def elapsed(self) -> float:
        """Return the seconds since this object was created, plus the time taken by earlier processes."""
        return self._took_before + self._clock() - self._began
