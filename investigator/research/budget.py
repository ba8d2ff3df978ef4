"""How much an investigation may cost. Pure."""

from __future__ import annotations

from pydantic import Field

from investigator.records import Record, StopReason, Usage

CEILINGS = frozenset({StopReason.CALLS, StopReason.TOKENS, StopReason.TIME})
"""The reasons to stop that a higher ceiling would lift."""


class BudgetSettings(Record):
    """Hard ceilings; None sets none. They hold over all processes of a run: a resumed run gets no second budget."""

    calls: int | None = Field(default=200, ge=1, description="engine calls")
    tokens: int | None = Field(default=None, ge=1, description="input and output tokens together")
    seconds: float | None = Field(default=None, gt=0, description="seconds from the start of the run")


class BudgetSpent(Exception):
    """A signal, not an error: the next call would go over a ceiling."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason)
        self.reason = reason


def ceiling_reached(settings: BudgetSettings, usage: Usage, elapsed: float) -> StopReason | None:
    """The first ceiling that leaves no room for another call, or None. `elapsed` is in seconds."""
    if settings.calls is not None and usage.calls >= settings.calls:
        return StopReason.CALLS
    if settings.tokens is not None and usage.tokens >= settings.tokens:
        return StopReason.TOKENS
    if settings.seconds is not None and elapsed >= settings.seconds:
        return StopReason.TIME
    return None
