"""Successive halving with paired tests: decides which candidates advance to more questions. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from investigator.tuning.statistics import exact_p

_FIRST = 12  # minimum number of questions in the first rung
_WORSE = 0.1  # significance level below which a candidate counts as worse than the leader


def rungs(questions: int) -> tuple[int, ...]:
    """Return the cumulative number of questions at each rung: a quarter, half, all."""
    return tuple(sorted({min(questions, max(_FIRST, questions // share)) for share in (4, 2)} | {questions}))


def race_trials(candidates: int, questions: int) -> int:
    """Return the number of trials in a race between the given number of candidates and the baseline, if each rung drops
    half of them.
    """
    total, before, alive = 0, 0, candidates
    for size in rungs(questions):
        total += (size - before) * (alive + 1)
        before, alive = size, max(1, math.ceil(alive / 2))
    return total


def affordable(questions: int, trials: int) -> int:
    """Return the maximum number of candidates whose race fits into the given number of trials."""
    count = 0
    while race_trials(count + 1, questions) <= trials:
        count += 1
    return count


def survivors(scores: Mapping[str, Sequence[float]], baseline: Sequence[float], seed: int) -> dict[str, str]:
    """Return the reason for dropping each candidate after a rung; "" for survivors.

    All scores are for the same questions. The better half continues, except candidates that a paired test finds worse
    than the leader, which may be the baseline; ties are broken by order.
    """
    ranked = sorted(scores, key=lambda key: -_mean(scores[key]))
    leader = max((scores[ranked[0]], baseline), key=_mean) if ranked else baseline
    kept = ranked[: max(1, math.ceil(len(ranked) / 2))]
    reasons = {key: "" if key in kept else "not in the better half" for key in ranked}
    for key in kept:
        apart = np.asarray(scores[key], dtype=np.float64) - np.asarray(leader, dtype=np.float64)
        if apart.sum() < 0 and (p := exact_p(apart, seed)) <= _WORSE:
            reasons[key] = f"worse than the leader (p = {p:.2g})"
    return reasons


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
