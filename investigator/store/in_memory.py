"""The cost of calls, counted in memory, and a journal in memory for parts of the method that are used separately."""

from __future__ import annotations

import threading
from collections.abc import Callable

from investigator.records import Prompt, Reply, Usage, together, usage_of
from investigator.scoring.prices import Price, priced


class JointLedger:
    """The combined usage of all calls, including those of earlier processes. Thread-safe. `clock` returns seconds, and
    `price_of` the price of an engine, given its name.
    """

    def __init__(self, clock: Callable[[], float], price_of: Callable[[str], Price | None] = lambda _: None) -> None:
        self._clock = clock
        self._price_of = price_of
        self._began = clock()
        self._paid = Usage()
        self._took_before = 0.0
        self._changing = threading.Lock()
        self._sent: dict[str, tuple[str, int]] = {}

    def spent_before(self, usage: Usage, seconds: float = 0.0) -> None:
        """Add the cost and the duration of runs in earlier processes."""
        with self._changing:
            self._paid = together(self._paid, usage)
            self._took_before += seconds

    def begin(self, key: str, engine: str, tokens: int) -> None:
        """Remember a prompt that is about to be sent."""
        self._sent[key] = (engine, tokens)

    def withdraw(self, key: str, *, sent: bool) -> None:
        """Count a call that got no reply, if it was `sent`."""
        if sent:
            engine, tokens = self._sent[key]
            self.spent_before(priced(Usage(calls=1, input_tokens=tokens, unanswered=1), self._price_of(engine)))

    def keep(self, key: str, prompt: Prompt, engine: str, reply: Reply) -> None:
        """Count a reply."""
        self.spent_before(priced(usage_of(reply), self._price_of(engine)))

    def usage(self) -> Usage:
        """Return the total cost."""
        return self._paid

    def elapsed(self) -> float:
        """Return the seconds since this object was created, plus the time taken by earlier processes."""
        return self._took_before + self._clock() - self._began


class InMemoryJournal(JointLedger):
    """Keeps calls only as long as the object exists. Thread-safe. Without a `clock`, no time passes."""

    def __init__(
        self, price_of: Callable[[str], Price | None] = lambda _: None, clock: Callable[[], float] = lambda: 0.0
    ) -> None:
        super().__init__(clock, price_of)
        self._replies: dict[str, Reply] = {}
        self._too_long: dict[str, int] = {}

    def find(self, key: str) -> Reply | None:
        return self._replies.get(key)

    def keep(self, key: str, prompt: Prompt, engine: str, reply: Reply) -> None:
        """Store a reply, and count it if it is the first one under this key."""
        with self._changing:
            is_first = key not in self._replies
            self._replies.setdefault(key, reply)
        if is_first:
            super().keep(key, prompt, engine, reply)

    def too_long(self, key: str) -> int | None:
        """Return the number of tokens in a prompt that did not fit, or 0 if nobody counted them; otherwise None."""
        return self._too_long.get(key)

    def keep_too_long(self, key: str, tokens: int) -> None:
        self._too_long.setdefault(key, tokens)
