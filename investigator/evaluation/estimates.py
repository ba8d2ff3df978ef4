"""Computes the mean of a sample, with its confidence interval (percentile bootstrap), and tests whether one of two
systems is better on the same questions. All tests are paired and two-sided. Pure; `seed` determines the random draws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from pydantic import Field

from investigator.records import Record

_RESAMPLES = 1000
_PERCENTILES = (2.5, 97.5)

LEVEL = 0.05
"""Significance level: the accepted probability of a false positive."""

_Z_LEVEL, _Z_POWER = 1.959964, 0.841621  # quantiles of the normal distribution: two-sided 5 %, and 80 %
_EXACT = 16  # maximum number of non-zero differences for which all (at most 65,536) choices of signs are tried
_DRAWS, _AT_ONCE = 20_000, 1_000
_SAME = 1e-9
_DISCORDANT = 0.2  # assumed fraction of questions on which two systems differ

Numbers = npt.NDArray[np.float64]


class Estimate(Record):
    """A mean, its 95 % interval, and the number of questions."""

    value: float
    low: float
    high: float
    questions: int = Field(ge=1)


def mean_of(values: Sequence[float], seed: int = 0) -> Estimate | None:
    """Return the mean with its interval (of differences, the paired bootstrap); None if there are no values."""
    if not values:
        return None
    sample = np.asarray(values, dtype=np.float64)
    rows = np.random.default_rng(seed).integers(len(sample), size=(_RESAMPLES, len(sample)))
    low, high = np.percentile(sample[rows].mean(axis=1), _PERCENTILES)
    return Estimate(value=float(sample.mean()), low=float(low), high=float(high), questions=len(sample))


class PairedDifference(Record):
    """The difference between two systems on the same questions: the second minus the first."""

    first: float
    second: float
    difference: Estimate = Field(description="with the interval of the paired bootstrap")
    p: float = Field(ge=0, le=1, description="exact probability of such a difference if both systems were equal")
    higher: int = Field(description="questions on which the second system's value is higher")
    lower: int
    equal: int
    needed: int | None = Field(
        default=None, description="questions that would show it in four of five samples; None if there is no difference"
    )

    @property
    def tells(self) -> bool:
        """Return True if both the test and the interval show a difference."""
        return self.p <= LEVEL and not self.difference.low <= 0 <= self.difference.high


def paired_difference(first: Sequence[float], second: Sequence[float], seed: int) -> PairedDifference | None:
    """Compare the values of two systems on the same questions, in the same order; return None if there are none."""
    apart = np.asarray([b - a for a, b in zip(first, second, strict=True)], dtype=np.float64)
    apart[np.abs(apart) < _SAME] = 0.0
    estimate = mean_of(apart.tolist(), seed)
    if estimate is None:
        return None
    higher, lower = int((apart > 0).sum()), int((apart < 0).sum())
    return PairedDifference(
        first=float(np.mean(first)),
        second=float(np.mean(second)),
        difference=estimate,
        p=exact_p(apart, seed),
        higher=higher,
        lower=lower,
        equal=len(apart) - higher - lower,
        needed=needed(estimate.value, float(np.mean(apart**2))),
    )


def exact_p(apart: Numbers, seed: int) -> float:
    """Return the probability that random signs make the sum of the differences at least as large, in either direction.
    If all differences have the same size, this is the exact McNemar test, or sign test; otherwise all signs are tried
    or, if there are too many, 20,000 samples are drawn.
    """
    moved = apart[apart != 0]
    if not len(moved):
        return 1.0
    sizes, count = np.abs(moved), len(moved)
    if float(np.ptp(sizes)) < _SAME:
        fewer = min(int((moved > 0).sum()), int((moved < 0).sum()))
        return min(1.0, float(sum(math.comb(count, k) for k in range(fewer + 1)) / 2 ** (count - 1)))
    observed = abs(float(moved.sum())) - _SAME
    if count <= _EXACT:
        choices = (np.arange(2**count)[:, None] >> np.arange(count)) & 1
        return float((np.abs((2.0 * choices - 1.0) @ sizes) >= observed).mean())
    draw = np.random.default_rng(seed)
    blocks = (draw.choice((-1.0, 1.0), size=(_AT_ONCE, count)) @ sizes for _ in range(_DRAWS // _AT_ONCE))
    hits = sum(int((np.abs(block) >= observed).sum()) for block in blocks)
    return (1 + hits) / (1 + _DRAWS)


def needed(difference: float, square: float) -> int | None:
    """Return the approximate number of questions needed to show a given mean difference at the 5 % level with a power
    of 80 %. `square` is the mean of the squared differences; for measures that are 0 or 1, it is the fraction of
    discordant questions (Connor 1987, with the correction for the exact test). Return None if there is no difference.
    """
    if abs(difference) < _SAME:
        return None
    spread = max(0.0, square - difference**2)
    plain = ((_Z_LEVEL * math.sqrt(square) + _Z_POWER * math.sqrt(spread)) / difference) ** 2
    return math.ceil(plain + 1 / abs(difference))


def detectable(questions: int, square: float = _DISCORDANT) -> float:
    """Return the smallest mean difference (0..1) that this number of questions shows with a power of 80 %."""
    steps = (step / 1000 for step in range(1, 1000))
    return next((step for step in steps if (needed(step, max(square, step)) or 0) <= questions), 1.0)
