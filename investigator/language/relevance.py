"""Measures what share of a question's words occurs in text. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from investigator.language.remembered import remembered
from investigator.language.terms import content_words, stem, words

_K1, _B = 1.2, 0.75
_USUAL_WORDS = 120  # typical number of words in a chunk


def word_weights(question: str, document_shares: Mapping[str, float]) -> dict[str, float]:
    """Return the stems of the question's content words with their weights: rare words weigh more (smoothed inverse
    frequency).
    """
    weights: dict[str, float] = {}
    for word in content_words(question):
        weight = rarity(document_shares.get(word, 0.0))
        weights[stem(word)] = max(weights.get(stem(word), 0.0), weight)
    return weights


def rarity(share: float) -> float:
    """Return the weight of a word that occurs in this fraction (0..1) of the documents; the weight of a common word
    is low, but never 0.
    """
    return math.log(1.0 + 1.0 / (share + 0.05))


def share_of_weight(weights: Mapping[str, float], present: Iterable[str]) -> float:
    """Return the share (0..1) of the total weight that the given words contribute."""
    total = math.fsum(weights.values())
    return math.fsum(weights[word] for word in present) / total if total else 0.0


def overlap(weights: Mapping[str, float], text: str) -> float:
    """Return the BM25 score of the text as a share (0..1) of the maximum that repeating the words could reach. Unlike a
    raw BM25 score, it is comparable between questions and folders.
    """
    total = math.fsum(weights.values())
    if not total:
        return 0.0
    counts = _stem_counts(text)
    norm = _K1 * (1 - _B + _B * counts.total() / _USUAL_WORDS)
    weighted = ((weights[word], count) for word, count in counts.items() if word in weights)
    return math.fsum(weight * count / (count + norm) for weight, count in weighted) / total


@remembered(longest=4_000, most=2_048)
def _stem_counts(text: str) -> Counter[str]:
    """Return how often each stem occurs in the text; every search of a document reads the same chunks."""
    return Counter(stem(word) for word in words(text))


def stems(texts: Iterable[str]) -> frozenset[str]:
    """Return the stems of the given folded words."""
    return frozenset(stem(word) for word in texts)


def best_stretch(text: str, spans: Sequence[tuple[int, int]], wanted: frozenset[str], most: float) -> tuple[int, int]:
    """Return the stretch of a text with the span that contains most of the wanted stems and, as long as it has at most
    `most` characters, its neighbours.
    """
    held = [len(wanted & stems(words(text[start:end]))) for start, end in spans]
    first = last = held.index(max(held))
    while True:
        if last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= most:
            last += 1
        elif first > 0 and spans[last][1] - spans[first - 1][0] <= most:
            first -= 1
        else:
            return spans[first][0], spans[last][1]
