"""How well a text fits a question, as one number in 0..1. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from investigator.text.terms import content_words, stem, words

_SIMILARITY_FLOOR, _SIMILARITY_CEILING = 0.1, 0.8


def relevance(similarity: float, coverage: float) -> float:
    """Cosine similarity (-1..1) and coverage of the question's words (0..1) made one number in 0..1."""
    span = _SIMILARITY_CEILING - _SIMILARITY_FLOOR
    near = min(1.0, max(0.0, (similarity - _SIMILARITY_FLOOR) / span))
    return round(0.6 * near + 0.4 * coverage, 4)


def word_weights(question: str, document_shares: Mapping[str, float]) -> dict[str, float]:
    """Stems of the question's content words with their weights: rare words weigh more (smoothed inverse frequency)."""
    weights: dict[str, float] = {}
    for word in content_words(question):
        share = document_shares.get(word, 0.0)
        weights[stem(word)] = max(weights.get(stem(word), 0.0), math.log(1.0 + 1.0 / (share + 0.05)))
    return weights


def coverage(weights: Mapping[str, float], text: str) -> float:
    """Share (0..1) of the weight of the words that stand in the text."""
    total = sum(weights.values())
    if not total:
        return 0.0
    present = stems(words(text))
    return sum(weight for word, weight in weights.items() if word in present) / total


def stems(texts: Iterable[str]) -> frozenset[str]:
    """The stems of some folded words."""
    return frozenset(stem(word) for word in texts)
