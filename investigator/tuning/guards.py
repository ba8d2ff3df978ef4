"""Checks guards, which are measures that must not get worse. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pydantic import Field

from investigator.evaluation.measures import Measure
from investigator.records import Record
from investigator.tuning.records import GuardResult, TuningGuard
from investigator.tuning.trials import Cost, QuestionTrial

_LESS_PARSED = 0.01
_DEARER = 1.1
_SAME = 1e-9
_MEASURED: Mapping[TuningGuard, Measure | Cost] = {
    TuningGuard.QUOTES: Measure.PROVEN,
    TuningGuard.PARSED: Measure.PARSED,
    TuningGuard.FALSE_ANSWERS: Measure.FALSE_ANSWER,
    TuningGuard.CALLS: Cost.CALLS,
}


class Tolerance(Record):
    """The losses accepted for a winner, fixed before a run so that they cannot be fitted to its result."""

    more_calls: float = Field(default=2.0, ge=0, description="highest number of calls, as a multiple of the baseline's")
    more_false_answers: float = Field(
        default=0.05, ge=0, le=1, description="largest increase in the share of false answers"
    )


def guarded(
    baseline: Mapping[str, QuestionTrial], candidate: Mapping[str, QuestionTrial], tolerance: Tolerance
) -> tuple[GuardResult, ...]:
    """Return the result of each measurable guard from the trials of both candidates on the same questions. A guard
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


def _results(
    baseline: list[QuestionTrial], candidate: list[QuestionTrial], tolerance: Tolerance
) -> Iterator[GuardResult]:
    values = {guard: (_mean(baseline, measure), _mean(candidate, measure)) for guard, measure in _MEASURED.items()}
    failures = [float(sum(bool(one.failure) for one in trials)) for trials in (baseline, candidate)]
    for guard, (old, new) in (values | {TuningGuard.FAILURES: (failures[0], failures[1])}).items():
        if old is not None and new is not None:
            yield GuardResult(guard=guard, baseline=old, candidate=new, holds=_holds(guard, old, new, tolerance))


def _holds(guard: TuningGuard, old: float, new: float, tolerance: Tolerance) -> bool:
    match guard:
        case TuningGuard.QUOTES:
            return new >= old
        case TuningGuard.PARSED:
            return new >= old - _LESS_PARSED
        case TuningGuard.FALSE_ANSWERS:
            return new <= old + tolerance.more_false_answers + _SAME
        case TuningGuard.CALLS:
            return new <= old * tolerance.more_calls + _SAME
        case TuningGuard.FAILURES:
            return new <= old


def _mean(trials: list[QuestionTrial], measure: Measure | Cost) -> float | None:
    known = [value for one in trials if not one.failure and (value := one.value(measure)) is not None]
    return sum(known) / len(known) if known else None
