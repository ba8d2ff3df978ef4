"""Distinct n-grams: how varied replies are, each in itself and all together (Li et al. 2016)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias

from investigator.dialogue.metrics.matching import normalize_answer
from investigator.dialogue.metrics.values import AverageMetric, Metric

_NO_DISTINCT = 1e-12
_NO_NGRAMS = 1e-5


NgramCounts: TypeAlias = Counter[tuple[str, ...]]


@dataclass(frozen=True)
class InterDistinctMetric(Metric):
    """The share of distinct n-grams among those of all texts together; 1e-7 where there are none.

    The counts are kept in `parts`, each with more than twice as many n-grams as the next, so that one more text
    does not copy those of all texts before it.
    """

    parts: tuple[NgramCounts, ...]

    def value(self) -> float:
        return _share(_together(self.parts))

    def _plus(self, other: Self) -> Self:
        parts = list(self.parts)
        for part in other.parts:
            while parts and len(parts[-1]) <= 2 * len(part):
                part = _together((parts.pop(), part))
            parts.append(part)
        return type(self)(tuple(parts))


def inter_distinct(text: str, length: int) -> InterDistinctMetric:
    """The n-grams of that length in the text, to be put together with those of other texts."""
    return InterDistinctMetric((_ngrams(normalize_answer(text).split(), length),))


def intra_distinct(text: str, length: int) -> AverageMetric:
    """The share of distinct n-grams among those of one text; 1e-7 where it has none."""
    return AverageMetric(_share(_ngrams(normalize_answer(text).split(), length)))


def _together(parts: Iterable[NgramCounts]) -> NgramCounts:
    counts: NgramCounts = Counter()
    for part in parts:
        counts.update(part)
    return counts


def _ngrams(words: Sequence[str], length: int) -> NgramCounts:
    return Counter(tuple(words[start : start + length]) for start in range(len(words) - length + 1))


def _share(counts: NgramCounts) -> float:
    return max(len(counts), _NO_DISTINCT) / max(sum(counts.values()), _NO_NGRAMS)
