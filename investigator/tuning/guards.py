"""Checks guards: measures that must not get worse, whatever the gain. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from statistics import mean

from pydantic import Field

from investigator.evaluation.measures import Cost, Measure
from investigator.evaluation.outcomes import Outcome
from investigator.records import Record

_LESS_PARSED = 0.01
_DEARER = 1.1
_SAME = 1e-9


class TuningGuard(StrEnum):
    """A measure that must not get worse."""

    QUOTES = "quote validity"
    PARSED = "readable replies"
    FALSE_ANSWERS = "false answers"
    CALLS = "calls a question"
    FAILURES = "failed questions"


class GuardResult(Record):
    """A guard, with its values for the baseline and the candidate."""

    guard: TuningGuard
    baseline: float
    candidate: float
    holds: bool


class Tolerance(Record):
    """The losses accepted for a winner, fixed before a run so that they cannot be fitted to its result."""

    more_calls: float = Field(default=2.0, ge=0, description="highest number of calls, as a multiple of the baseline's")
    more_false_answers: float = Field(
        default=0.05, ge=0, le=1, description="largest increase in the share of false answers"
    )


def guarded(
    baseline: Mapping[str, Outcome], candidate: Mapping[str, Outcome], tolerance: Tolerance
) -> tuple[GuardResult, ...]:
    """Return the result of each measurable guard from the outcomes of both candidates on the same questions. A guard
    fails if there are fewer proven quotes, more failed questions, over 1 % fewer parsed replies, or more calls or false
    answers than are tolerated.
    """
    return tuple(_results(list(baseline.values()), list(candidate.values()), tolerance))


def fallen(results: Iterable[GuardResult]) -> str:
    """Return the failed guards in words; "" if all guards pass."""
    down = (f"{one.guard.value} {one.baseline:.3g} to {one.candidate:.3g}" for one in results if not one.holds)
    return ", ".join(down)


def dearer(results: Iterable[GuardResult]) -> str:
    """Return the additional cost of a candidate in words; "" if it costs at most a tenth more than the baseline."""
    calls = next((one for one in results if one.guard is TuningGuard.CALLS), None)
    if calls is None or calls.candidate <= calls.baseline * _DEARER:
        return ""
    return f"A question takes {calls.candidate:.3g} calls instead of {calls.baseline:.3g}."


def _results(baseline: list[Outcome], candidate: list[Outcome], tolerance: Tolerance) -> Iterator[GuardResult]:
    def values(measure: Measure | Cost) -> tuple[float | None, float | None]:
        return _mean(baseline, measure), _mean(candidate, measure)

    old, new = (float(sum(bool(one.failure) for one in some)) for some in (baseline, candidate))
    yield GuardResult(guard=TuningGuard.FAILURES, baseline=old, candidate=new, holds=new <= old)
    limits = (  # guard, measure, and the sign, factor and summand of the worst accepted value
        (TuningGuard.QUOTES, Measure.PROVEN, -1, 1.0, 0.0),
        (TuningGuard.PARSED, Measure.PARSED, -1, 1.0, -_LESS_PARSED),
        (TuningGuard.FALSE_ANSWERS, Measure.FALSE_ANSWER, 1, 1.0, tolerance.more_false_answers),
        (TuningGuard.CALLS, Cost.CALLS, 1, tolerance.more_calls, 0.0),
    )
    for guard, measure, sign, factor, more in limits:
        known = values(measure)
        if known[0] is not None and known[1] is not None:
            holds = sign * known[1] <= sign * (known[0] * factor + more) + _SAME
            yield GuardResult(guard=guard, baseline=known[0], candidate=known[1], holds=holds)


def _mean(outcomes: list[Outcome], measure: Measure | Cost) -> float | None:
    known = [value for one in outcomes if not one.failure and (value := one.value(measure)) is not None]
    return mean(known) if known else None
