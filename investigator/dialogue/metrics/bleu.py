"""BLEU of one reply (Papineni et al. 2002), smoothed by method 1 of Chen and Cherry (2014)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import exp, fsum, log

from investigator.dialogue.metrics.matching import normalize_answer
from investigator.dialogue.metrics.values import AverageMetric

_EPSILON = 1e-12  # the count of an n-gram order without any match, so that the geometric mean is not 0 for it alone


def bleu(guess: str, answers: Sequence[str], order: int = 4) -> AverageMetric:
    """BLEU-`order` of the guess against all answers, from 0 to 1; 0 where there are no answers, or no word is right.

    The n-grams of lengths 1 to `order` weigh the same; tokens are the words of the normalised texts, and a text without
    words has one empty token. A text of fewer words than `order` has next to no BLEU, even where it is right.
    """
    words = normalize_answer(guess).split(" ")
    references = [normalize_answer(answer).split(" ") for answer in answers]
    matches = [_matches(words, references, length) for length in range(1, order + 1)]
    if not references or not matches[0]:
        return AverageMetric(0.0)
    totals = [max(1, len(words) - length + 1) for length in range(1, order + 1)]
    mean = fsum(log((same or _EPSILON) / total) for same, total in zip(matches, totals, strict=True)) / order
    return AverageMetric(_brevity(len(words), [len(reference) for reference in references]) * exp(mean))


def _matches(words: Sequence[str], references: Sequence[Sequence[str]], length: int) -> int:
    """How many n-grams of the guess stand in an answer, each as often as in the answer that has it most often."""
    allowed: Counter[tuple[str, ...]] = Counter()
    for reference in references:
        allowed |= _ngrams(reference, length)
    return (_ngrams(words, length) & allowed).total()


def _ngrams(words: Sequence[str], length: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[start : start + length]) for start in range(len(words) - length + 1))


def _brevity(length: int, references: Sequence[int]) -> float:
    """The penalty of a guess that is shorter than the answer whose length is nearest; of two the shorter counts."""
    nearest = min(references, key=lambda reference: (abs(reference - length), reference))
    return 1.0 if length > nearest else exp(1 - nearest / length)
