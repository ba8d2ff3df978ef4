"""Computes BLEU, ROUGE and distinct n-grams of replies, with ParlAI's definition of words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, fsum, log
from typing import Self, TypeAlias

from investigator.dialogue.metrics.values import AverageMetric, Metric
from investigator.evaluation.answer_text import Overlap, normalize_answer
from investigator.language.terms import porter_stem

NgramCounts: TypeAlias = Counter[str]
"""The number of occurrences of each n-gram, given as words separated by spaces."""

_EPSILON = 1e-12  # the count for an n-gram order without matches, so that the geometric mean does not become 0
_NO_DISTINCT = 1e-12
_NO_NGRAMS = 1e-5
_LONGEST_TEXT = 665
_LONGEST_UNSTEMMED = 3
_NO_WORD = re.compile("[^a-z0-9]+")
_SPLIT_BY_TREEBANK = {
    "gimme": ("gim", "me"),
    "gonna": ("gon", "na"),
    "gotta": ("got", "ta"),
    "lemme": ("lem", "me"),
    "wanna": ("wan", "na"),
}


def bleu(guess: str, answers: Sequence[str], order: int = 4) -> AverageMetric:
    """Return BLEU-`order` against all answers, from 0 to 1; 0 if there are no answers or no word matches.

    Source: Papineni et al. 2002, smoothed by method 1 of Chen and Cherry (2014). N-grams of every length from 1 to
    `order` have equal weight; a text without words counts as one empty word. A text with fewer words than `order`
    scores almost 0, even if it is right.
    """
    words = normalize_answer(guess).split(" ")
    references = [normalize_answer(answer).split(" ") for answer in answers]
    matches = [_matches(words, references, length) for length in range(1, order + 1)]
    if not references or not matches[0]:
        return AverageMetric(0.0)
    totals = [max(1, len(words) - length + 1) for length in range(1, order + 1)]
    mean = fsum(log((same or _EPSILON) / total) for same, total in zip(matches, totals, strict=True)) / order
    return AverageMetric(_brevity(len(words), [len(reference) for reference in references]) * exp(mean))


@dataclass(frozen=True)
class Rouge:
    """Precision, recall and F1 of each measure; plain ROUGE is the recall."""

    one: Overlap
    two: Overlap
    longest: Overlap


def rouge(guess: str, answers: Iterable[str]) -> Rouge:
    """Return ROUGE-1, ROUGE-2 and ROUGE-L of the guess, each against the answer that gives the highest score.

    Source: Lin 2004, as in its Perl script: words consist of ASCII letters and digits, are stemmed by Porter's original
    algorithm, and only the first 665 characters count. Unlike the script, this function does not look up irregular
    forms ("went", "children") in WordNet, so such a form and its base form count as different words.
    """
    words = _stems(guess)
    references = [_stems(answer) for answer in answers]
    one, two = (
        Overlap.best([Overlap.of_bags(_ngrams(words, n), _ngrams(reference, n)) for reference in references])
        for n in (1, 2)
    )
    shared = [(_longest_common(words, reference), len(words), len(reference)) for reference in references]
    return Rouge(one, two, Overlap.best([Overlap.of(*counts) for counts in shared]))


@dataclass(frozen=True)
class InterDistinctMetric(Metric):
    """The share of distinct n-grams across all texts (Li et al. 2016); 1e-7 if there are no n-grams.

    The counts are stored in `parts`, each with more than twice as many n-grams as the next, so that adding a text does
    not copy all earlier counts.
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
    """Return the metric for the n-grams of the given length in the text; metrics of several texts can be added."""
    return InterDistinctMetric((_ngrams(normalize_answer(text).split(), length),))


def intra_distinct(text: str, length: int) -> AverageMetric:
    """Return the share of distinct n-grams among all n-grams of the text; 1e-7 if it has none."""
    return AverageMetric(_share(_ngrams(normalize_answer(text).split(), length)))


def _ngrams(words: Sequence[str], length: int) -> NgramCounts:
    return Counter(" ".join(words[start : start + length]) for start in range(len(words) - length + 1))


def _matches(words: Sequence[str], references: Sequence[Sequence[str]], length: int) -> int:
    """Return how many n-grams of the guess occur in the answers.

    A repeated n-gram counts at most as often as it occurs in the answer that contains it most often.
    """
    allowed: NgramCounts = Counter()
    for reference in references:
        allowed |= _ngrams(reference, length)
    return (_ngrams(words, length) & allowed).total()


def _brevity(length: int, references: Sequence[int]) -> float:
    """Return the penalty for a guess shorter than the answer with the nearest length; of two equally near answers, the
    shorter one counts.
    """
    nearest = min(references, key=lambda reference: (abs(reference - length), reference))
    return 1.0 if length > nearest else exp(1 - nearest / length)


def _stems(text: str) -> list[str]:
    words: list[str] = []
    for word in _NO_WORD.sub(" ", normalize_answer(text)[:_LONGEST_TEXT]).split():
        words.extend(_SPLIT_BY_TREEBANK.get(word, (word,)))
    return [porter_stem(word) if len(word) > _LONGEST_UNSTEMMED else word for word in words]


def _longest_common(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the longest common subsequence of words."""
    row = [0] * (len(second) + 1)
    for word in first:
        diagonal = 0
        for place, other in enumerate(second, start=1):
            above = row[place]
            row[place] = diagonal + 1 if word == other else max(above, row[place - 1])
            diagonal = above
    return row[-1]


def _together(parts: Iterable[NgramCounts]) -> NgramCounts:
    counts: NgramCounts = Counter()
    for part in parts:
        counts.update(part)
    return counts


def _share(counts: NgramCounts) -> float:
    return max(len(counts), _NO_DISTINCT) / max(counts.total(), _NO_NGRAMS)
