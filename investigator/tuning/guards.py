"""Guards against getting worse in other respects. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from investigator.evaluation.measures import Measure
from investigator.tuning.records import GuardResult, TuningGuard
from investigator.tuning.trials import Cost, QuestionTrial

MORE_CALLS = 1.1
"""Limit on a candidate's calls, as a multiple of the baseline's."""
_LESS_PARSED = 0.01
_MEASURED: Mapping[TuningGuard, Measure | Cost] = {
    TuningGuard.QUOTES: Measure.PROVEN,
    TuningGuard.PARSED: Measure.PARSED,
    TuningGuard.FALSE_ANSWERS: Measure.FALSE_ANSWER,
    TuningGuard.CALLS: Cost.CALLS,
}


def guarded(
    baseline: Mapping[str, QuestionTrial], candidate: Mapping[str, QuestionTrial], more_calls: float = MORE_CALLS
) -> tuple[GuardResult, ...]:
    """Return each measurable guard from the trials of both, on the same questions. A guard falls if there are fewer
    proven quotes, one more false answer or failed question, more than 1 % fewer parsed replies, or more calls than
    `more_calls` times the baseline's.
    """
    return tuple(_results(list(baseline.values()), list(candidate.values()), more_calls))


def fallen(results: Iterable[GuardResult]) -> str:
    """Return the fallen guards in words; "" if all hold."""
    down = (f"{one.guard.value} {one.baseline:.3g} to {one.candidate:.3g}" for one in results if not one.holds)
    return ", ".join(down)


def _results(baseline: list[QuestionTrial], candidate: list[QuestionTrial], more_calls: float) -> Iterator[GuardResult]:
    for guard, measure in _MEASURED.items():
        old, new = _mean(baseline, measure), _mean(candidate, measure)
        if old is not None and new is not None:
            most = old * more_calls if guard is TuningGuard.CALLS else old
            yield GuardResult(guard=guard, baseline=old, candidate=new, holds=_holds(guard, most, new))
    old, new = (float(sum(bool(one.failure) for one in trials)) for trials in (baseline, candidate))
    yield GuardResult(
        guard=TuningGuard.FAILURES, baseline=old, candidate=new, holds=_holds(TuningGuard.FAILURES, old, new)
    )


def _holds(guard: TuningGuard, old: float, new: float) -> bool:
    match guard:
        case TuningGuard.QUOTES:
            return new >= old
        case TuningGuard.PARSED:
            return new >= old - _LESS_PARSED
        case _:
            return new <= old


def _mean(trials: list[QuestionTrial], measure: Measure | Cost) -> float | None:
    known = [value for one in trials if not one.failure and (value := one.value(measure)) is not None]
    return sum(known) / len(known) if known else None
