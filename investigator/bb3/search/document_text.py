"""Prepares search results as BB3's models read them: with their titles, and long texts reduced to their most relevant
parts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import fsum, log, sqrt

from investigator.bb3.exchange import SearchDocument
from investigator.language.terms import spaced

CHUNK_CHARACTERS = 500
WHOLE_CHARACTERS = 2_000
"""The maximum length of text that is read as a whole."""
_STRETCH = re.compile(rf"(?s)\S.{{0,{CHUNK_CHARACTERS - 1}}}(?!\S)|\S.{{0,{CHUNK_CHARACTERS - 1}}}")
_WORD = re.compile(r"\w\w+")


def searched(query: str) -> str:
    """Strip slashes and spaces from both ends of a query, because users may type a slash before it."""
    return query.strip().lstrip("/").strip() or query


def titled(document: SearchDocument) -> str:
    """Return a document for a prompt: `title | text`."""
    return f"{document.title} | {document.text}"


def passage(document: SearchDocument, *, open_end: bool = True) -> str:
    """Return a document for the encoder of the 3B model: `title / text`, and ` // ` before the conversation."""
    return f"{document.title.strip()} / {document.text.strip()}" + (" // " if open_end else "")


def described(document: SearchDocument) -> str:
    """Return a document for a human reader, with separate lines for address, title and text."""
    return f"ID: {document.url}\nTitle: {document.title}\nText: {document.text}"


def chunked(text: str, size: int = CHUNK_CHARACTERS) -> list[str]:
    """Split the text into chunks that end at the first space after `size` characters; these spaces are dropped."""
    chunks, start = [], 0
    while (end := text.find(" ", start + size)) >= 0:
        chunks.append(text[start:end])
        start = end + 1
    return [*chunks, text[start:]] if text[start:] else chunks


def nearest_chunks(chunks: Sequence[str], query: str, count: int) -> list[str]:
    """Return the chunks nearest to a query by the cosine similarity of TF-IDF vectors, best first; ties keep their
    order.
    """
    return [chunks[i] for i in _nearest(chunks, query)[:count]]


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
    best, *_ = _nearest([spaced(text[start:end]) for start, end in spans], spaced(query))
    return spans[max(0, best - 1)][0], spans[min(len(spans) - 1, best + 1)][1]


def _nearest(texts: Sequence[str], query: str) -> list[int]:
    """Return the indices of the texts, sorted by similarity to the query, most similar first."""
    bags = [Counter(_WORD.findall(text.lower())) for text in (*texts, query)]
    held = Counter(word for bag in bags for word in bag)
    vectors = [_unit({word: n * (log((1 + len(bags)) / (1 + held[word])) + 1) for word, n in b.items()}) for b in bags]
    *others, wanted = vectors
    near = [fsum(weight * vector.get(word, 0.0) for word, weight in wanted.items()) for vector in others]
    return sorted(range(len(texts)), key=lambda i: (-near[i], i))


def _unit(vector: dict[str, float]) -> dict[str, float]:
    length = sqrt(fsum(weight * weight for weight in vector.values()))
    return {word: weight / length for word, weight in vector.items()} if length else {}
