"""Reduces long search results to the part that is nearest to the query."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from investigator.language.relevance import overlap, word_weights
from investigator.language.terms import spaced, words

CHUNK_CHARACTERS = 500
WHOLE_CHARACTERS = 2_000
"""The maximum length of text that is read as a whole."""
_STRETCH = re.compile(rf"(?s)\S.{{0,{CHUNK_CHARACTERS - 1}}}(?!\S)|\S.{{0,{CHUNK_CHARACTERS - 1}}}")


def searched(query: str) -> str:
    """Strip slashes and spaces from both ends of a query, because users may type a slash before it."""
    return query.strip().lstrip("/").strip() or query


def nearest_part(text: str, query: str) -> tuple[int, int]:
    """Return the span of the text to read: a short text without the spaces around it, else the part that is nearest
    to a query, at most 1,500 characters. The span begins and ends at word boundaries, unless a word is longer than a
    chunk. Scripts without spaces are compared by pairs of characters.
    """
    if len(text) <= WHOLE_CHARACTERS:
        return len(text) - len(text.lstrip()), len(text.rstrip()) or len(text)
    spans = [match.span() for match in _STRETCH.finditer(text)]
    if not spans:
        return 0, 0
    best, *_ = nearest([spaced(text[start:end]) for start, end in spans], spaced(query))
    return spans[max(0, best - 1)][0], spans[min(len(spans) - 1, best + 1)][1]


def nearest(texts: Sequence[str], query: str) -> list[int]:
    """Return the indices of the texts, sorted by their BM25 scores for the query, best first; ties keep their order."""
    held = Counter(word for text in texts for word in set(words(text)))
    weights = word_weights(query, {word: number / len(texts) for word, number in held.items()})
    scores = [overlap(weights, text) for text in texts]
    return sorted(range(len(texts)), key=lambda index: (-scores[index], index))
