"""How much an investigation may cost, and whether the next call may still be made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Condition

from pydantic import Field

from investigator.records import Record, StopReason, Usage, together
from investigator.scoring.prices import Price

CEILINGS = frozenset({StopReason.CALLS, StopReason.TOKENS, StopReason.MONEY, StopReason.TIME})
"""The reasons to stop that a higher ceiling would lift."""

_FIRST_REPLY = 200  # tokens that a reply is expected to have before any was seen


class BudgetSettings(Record):
    """Hard ceilings; None sets none. They hold over all processes of a run: a resumed run gets no second budget."""

    calls: int | None = Field(default=200, ge=1, description="engine calls")
    tokens: int | None = Field(default=None, ge=1, description="input and output tokens together")
    money: float | None = Field(default=None, gt=0, description="US dollars; every model needs a known price for it")
    seconds: float | None = Field(default=None, gt=0, description="seconds from the start of the run")
    prices: Path | None = Field(default=None, description="a table of prices of one's own, like data/prices.json")

    def beyond_one_question(self) -> BudgetSettings:
        """For many conversations: the usual ceiling of calls, meant for one question, goes; one that was set stays."""
        return self if "calls" in self.model_fields_set else self.changed(calls=None)


class BudgetSpent(Exception):
    """A signal, not an error: the next call would go over a ceiling."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason)
        self.reason = reason


def ceiling_reached(settings: BudgetSettings, usage: Usage, elapsed: float) -> StopReason | None:
    """The first ceiling that leaves no room for what is in `usage`, or None. `elapsed` is in seconds."""
    if settings.calls is not None and usage.calls >= settings.calls:
        return StopReason.CALLS
    if settings.tokens is not None and usage.tokens >= settings.tokens:
        return StopReason.TOKENS
    if settings.money is not None and usage.money >= settings.money:
        return StopReason.MONEY
    if settings.seconds is not None and elapsed >= settings.seconds:
        return StopReason.TIME
    return None


Enter = Callable[[Callable[[], None]], None]
"""Runs what writes a call down, and takes the call from those under way in the same step."""


class Ledger:
    """Lets a call begin only where it fits under every ceiling together with the calls that are under way.

    What a call will cost is foreseen from its prompt and the longest reply so far, so tokens and money can be passed
    by no more than what the replies under way are longer than all before them. `spent` and `elapsed` (seconds) tell
    what the run has used up, in earlier processes too. Safe to use from several threads.
    """

    def __init__(self, settings: BudgetSettings, spent: Callable[[], Usage], elapsed: Callable[[], float]) -> None:
        self._settings = settings
        self._spent = spent
        self._elapsed = elapsed
        self._longest = _FIRST_REPLY
        self._under_way: list[Usage] = []
        self._changed = Condition()

    @contextmanager
    def call(self, input_tokens: int, price: Price | None) -> Iterator[Enter]:
        """Around one call; what it yields writes the call down, after which it is no longer under way.

        A call whose tokens or money fit alone, but not beside what those under way are foreseen to take, waits until
        they are written down. Raises BudgetSpent where the call may not begin.
        """
        foreseen = self._begun(input_tokens, price)
        under_way = [foreseen]

        def enter(write: Callable[[], None]) -> None:
            with self._changed:
                write()
                self._under_way.remove(under_way.pop())
                self._changed.notify_all()

        try:
            yield enter
        finally:
            with self._changed:
                for left in under_way:
                    self._under_way.remove(left)
                self._changed.notify_all()

    def _begun(self, input_tokens: int, price: Price | None) -> Usage:
        with self._changed:
            while True:
                foreseen = self._foreseen(input_tokens, price)
                spent = self._spent()
                counted = together(spent, Usage(calls=len(self._under_way)))
                reason = ceiling_reached(self._settings, counted, self._elapsed())
                reason = reason or self._too_dear(together(spent, foreseen))
                if reason is not None:
                    raise BudgetSpent(reason)
                if not self._too_dear(together(spent, *self._under_way, foreseen)):
                    self._under_way.append(foreseen)
                    return foreseen
                self._changed.wait()

    def learn(self, output_tokens: int) -> None:
        """Take note of how long a reply was."""
        with self._changed:
            self._longest = max(self._longest, output_tokens)

    def _foreseen(self, input_tokens: int, price: Price | None) -> Usage:
        money = price.of(input_tokens, self._longest) if price is not None else 0.0
        return Usage(calls=1, input_tokens=input_tokens, output_tokens=self._longest, money=money)

    def _too_dear(self, total: Usage) -> StopReason | None:
        if self._settings.tokens is not None and total.tokens > self._settings.tokens:
            return StopReason.TOKENS
        if self._settings.money is not None and total.money > self._settings.money:
            return StopReason.MONEY
        return None
