"""Limits the cost of an investigation and decides whether the next call may be made."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Condition

from pydantic import Field

from investigator.asking.call import Call, Ledger
from investigator.errors import EngineTimeoutError, StoreError
from investigator.records import Record, Reply, StopReason, Usage, together
from investigator.scoring.prices import Price

CEILINGS = frozenset({StopReason.CALLS, StopReason.TOKENS, StopReason.MONEY, StopReason.TIME})
"""The stop reasons that a higher ceiling would have avoided."""

_FIRST_REPLY = 200  # number of tokens assumed for the first reply


class BudgetSettings(Record):
    """Hard ceilings; None means no limit. They apply to the whole run; a resumed run keeps its original budget."""

    calls: int | None = Field(default=200, ge=1, description="engine calls")
    tokens: int | None = Field(default=None, ge=1, description="input and output tokens together")
    money: float | None = Field(default=None, gt=0, description="US dollars; needs a known price for every model")
    seconds: float | None = Field(default=None, gt=0, description="seconds from the start of the run")
    prices: Path | None = Field(default=None, description="your own table of prices, in the format of data/prices.json")

    def beyond_one_question(self) -> BudgetSettings:
        """Return these settings without the default call limit, which is meant for a single question. A limit that was
        set explicitly is kept.
        """
        return self if "calls" in self.model_fields_set else self.changed(calls=None)


class BudgetSpent(Exception):
    """A signal, not an error: the next call would exceed a ceiling."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason)
        self.reason = reason


def ceiling_reached(settings: BudgetSettings, usage: Usage, elapsed: float) -> StopReason | None:
    """Return the first ceiling that the `usage` or the `elapsed` seconds have reached, or None."""
    spent = {
        StopReason.CALLS: (settings.calls, usage.calls),
        StopReason.TOKENS: (settings.tokens, usage.tokens),
        StopReason.MONEY: (settings.money, usage.money),
        StopReason.TIME: (settings.seconds, elapsed),
    }
    return next((reason for reason, (most, used) in spent.items() if most is not None and used >= most), None)


class Budget:
    """Compares the usage that a ledger reports with the ceilings for one run, or for several runs that share them.

    The cost of a call is estimated from its prompt and the longest reply so far, so tokens and money can exceed a
    ceiling only if replies in progress exceed the estimate. `refused` is the last ceiling that prevented a call.
    Thread-safe.
    """

    def __init__(
        self, ledger: Ledger, settings: BudgetSettings, price_of: Callable[[str], Price | None] = lambda _: None
    ) -> None:
        self._ledger = ledger
        self._settings = settings
        self._price_of = price_of
        self._longest = _FIRST_REPLY
        self._under_way: list[Usage] = []
        self._changed = Condition()
        self.refused: StopReason | None = None

    def share(self, share: float) -> Budget:
        """Return a budget with a share of these ceilings and the same ledger; the rest is left for later calls."""
        names = ("calls", "tokens", "money", "seconds")
        most = {name: own for name in names if (own := getattr(self._settings, name)) is not None}
        less = {name: math.ceil(own * share) if isinstance(own, int) else own * share for name, own in most.items()}
        return Budget(self._ledger, self._settings.changed(**less), self._price_of)

    @contextmanager
    def charged(self, call: Call) -> Iterator[Callable[[Reply], None]]:
        """Record a call, which is made inside the context; the context yields a function that takes its reply.

        A call that would exceed a ceiling only because of calls in progress waits for them. Raises BudgetSpent if it
        would exceed a ceiling, and StoreError.
        """
        foreseen, problem = self._begun(call), None
        replies: list[Reply] = []
        try:
            yield replies.append
        except BaseException as error:
            problem = error
            raise
        finally:
            with self._changed:  # done in a single step, so that a call is counted only once
                self._under_way.remove(foreseen)
                self._changed.notify_all()
                if problem is None:
                    self._ledger.keep(call.key, call.prompt, call.engine.name, *replies)
                    self.reused(*replies)
                elif isinstance(problem, Exception):  # after an interruption, the call counts, because it was paid for
                    with suppress(StoreError):
                        self._ledger.withdraw(call.key, sent=isinstance(problem, EngineTimeoutError))

    def _begun(self, call: Call) -> Usage:
        """Record the start of a call, and return its expected cost."""
        price = self._price_of(call.engine.name)
        with self._changed:
            while True:
                money = price.of(call.tokens, self._longest) if price is not None else 0.0
                foreseen = Usage(calls=1, input_tokens=call.tokens, output_tokens=self._longest, money=money)
                spent = self._ledger.usage()
                begun = together(spent, Usage(calls=len(self._under_way)))
                reason = ceiling_reached(self._settings, begun, self._ledger.elapsed())
                reason = reason or self._exceeded(together(spent, foreseen))
                if reason is not None:
                    self.refused = reason
                    raise BudgetSpent(reason)
                if not self._exceeded(together(spent, *self._under_way, foreseen)):
                    self._ledger.begin(call.key, call.engine.name, call.tokens)
                    self._under_way.append(foreseen)
                    return foreseen
                self._changed.wait()

    def reused(self, reply: Reply) -> None:
        """Expect later replies to be as long as this one, even if an earlier run paid for it."""
        with self._changed:
            self._longest = max(self._longest, reply.output_tokens)

    def _exceeded(self, total: Usage) -> StopReason | None:
        if self._settings.tokens is not None and total.tokens > self._settings.tokens:
            return StopReason.TOKENS
        if self._settings.money is not None and total.money > self._settings.money:
            return StopReason.MONEY
        return None
