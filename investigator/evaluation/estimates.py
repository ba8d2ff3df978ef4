"""Computes a mean or another statistic of a sample, with its confidence interval (percentile bootstrap). Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from pydantic import Field

from investigator.records import Record

_RESAMPLES = 1000
_PERCENTILES = (2.5, 97.5)
_BLOCK = 50  # number of resamples drawn at once; small, so that a large sample needs little memory

Numbers = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


class Estimate(Record):
    """A statistic, its 95 % interval, and the number of questions."""

    value: float
    low: float
    high: float
    questions: int = Field(ge=1)


def mean_of(values: Sequence[float], seed: int = 0) -> Estimate | None:
    """Return the mean with its interval; None if there are no values.

    If the values are the differences between two systems on the same questions, this is the paired bootstrap.
    """
    if not values:
        return None
    sample = np.asarray(values, dtype=np.float64)
    draw = np.random.default_rng(seed)
    blocks = range(_RESAMPLES // _BLOCK)
    means = [sample[draw.integers(len(sample), size=(_BLOCK, len(sample)))].mean(axis=1) for _ in blocks]
    return _estimate(float(sample.mean()), np.concatenate(means), len(sample))


def statistic_of(statistic: Callable[[Rows], float | None], questions: int) -> Estimate | None:
    """Return the given statistic for a sample of `questions` rows, with its confidence interval; None if it is
    undefined for the sample. `statistic` receives the indices of the rows to use, which may repeat, and returns None if
    it is undefined for them; such resamples are ignored.
    """
    value = statistic(np.arange(questions)) if questions else None
    if value is None:
        return None
    draw = np.random.default_rng(0)
    resampled = (statistic(draw.integers(questions, size=questions)) for _ in range(_RESAMPLES))
    return _estimate(value, np.asarray([one for one in resampled if one is not None], dtype=np.float64), questions)


def roc_area(confidence: npt.ArrayLike, positive: npt.ArrayLike) -> float | None:
    """Return the area under the ROC curve: the probability that a positive has a higher confidence than a negative
    (Mann-Whitney U); None unless both exist. Equal confidences count as half.
    """
    scores, is_positive = np.asarray(confidence, dtype=np.float64), np.asarray(positive, dtype=bool)
    positives = int(is_positive.sum())
    negatives = len(is_positive) - positives
    if not positives or not negatives:
        return None
    _, place, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(sizes) - (sizes - 1) / 2)[place]
    above = ranks[is_positive].sum() - positives * (positives + 1) / 2
    return float(above / (positives * negatives))


def _estimate(value: float, resampled: Numbers, questions: int) -> Estimate:
    low, high = np.percentile(resampled, _PERCENTILES) if len(resampled) else (value, value)
    return Estimate(value=value, low=float(low), high=float(high), questions=questions)
