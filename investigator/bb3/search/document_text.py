"""Reduces long search results to the part that is nearest to the query."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import fsum, log, sqrt

from investigator.language.terms import spaced

CHUNK_CHARACTERS = 500
WHOLE_CHARACTERS = 2_000
"""The maximum length of text that is read as a whole."""
_STRETCH = re.compile(rf"(?s)\S.{{0,{CHUNK_CHARACTERS - 1}}}(?!\S)|\S.{{0,{CHUNK_CHARACTERS - 1}}}")
_WORD = re.compile(r"\w\w+")


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
    """Return the indices of the texts, sorted by the cosine similarity of their TF-IDF vectors to that of the query,
    most similar first; ties keep their order.
    """
    bags = [Counter(_WORD.findall(text.lower())) for text in (*texts, query)]
    held = Counter(word for bag in bags for word in bag)
    vectors = [_unit({word: n * (log((1 + len(bags)) / (1 + held[word])) + 1) for word, n in b.items()}) for b in bags]
    *others, wanted = vectors
    near = [fsum(weight * vector.get(word, 0.0) for word, weight in wanted.items()) for vector in others]
    return sorted(range(len(texts)), key=lambda i: (-near[i], i))


def _unit(vector: dict[str, float]) -> dict[str, float]:
    length = sqrt(fsum(weight * weight for weight in vector.values()))
    return {word: weight / length for word, weight in vector.items()} if length else {}
