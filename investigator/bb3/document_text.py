"""Documents of a search as BB3 reads them: in pieces, the best of them, each on a line with its title."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import fsum, log, sqrt

from investigator.bb3.exchange import SearchDocument

CHUNK_CHARACTERS = 500
_WORD = re.compile(r"\w\w+")


def titled(document: SearchDocument) -> str:
    """A document for a prompt: `title | text`."""
    return f"{document.title} | {document.text}"


def passage(document: SearchDocument, *, open_end: bool = True) -> str:
    """A document for the encoder of the 3B model: `title / text`, and ` // ` where the conversation follows."""
    return f"{document.title.strip()} / {document.text.strip()}" + (" // " if open_end else "")


def described(document: SearchDocument) -> str:
    """A document for a reader, a line for each of address, title and text."""
    return f"ID: {document.url}\nTitle: {document.title}\nText: {document.text}"


def chunked(text: str, size: int = CHUNK_CHARACTERS) -> list[str]:
    """A text in pieces that end at the first blank after so many characters; only these blanks are left out."""
    chunks, start = [], 0
    while (end := text.find(" ", start + size)) >= 0:
        chunks.append(text[start:end])
        start = end + 1
    return [*chunks, text[start:]] if text[start:] else chunks


def nearest_chunks(chunks: Sequence[str], query: str, count: int) -> list[str]:
    """The chunks nearest to a query by TF-IDF and cosine, best first; of equals the earlier one."""
    bags = [Counter(_WORD.findall(text.lower())) for text in (*chunks, query)]
    held = Counter(word for bag in bags for word in bag)
    vectors = [_unit({word: n * (log((1 + len(bags)) / (1 + held[word])) + 1) for word, n in b.items()}) for b in bags]
    *others, asked = vectors
    near = [fsum(weight * vector.get(word, 0.0) for word, weight in asked.items()) for vector in others]
    best = sorted(range(len(chunks)), key=lambda i: (-near[i], i))
    return [chunks[i] for i in best[:count]]


def _unit(vector: dict[str, float]) -> dict[str, float]:
    length = sqrt(fsum(weight * weight for weight in vector.values()))
    return {word: weight / length for word, weight in vector.items()} if length else {}
