"""Defines the pages of a search server that a chat reads, quotes from them, and the part of a page that is read."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence

from investigator.bb3.exchange import SearchDocument
from investigator.language.relevance import overlap, word_weights
from investigator.language.terms import spaced, words
from investigator.records import Quote

CHUNK_CHARACTERS = 500
WHOLE_CHARACTERS = 2_000
"""The maximum length of text that is read as a whole."""
_STRETCH = re.compile(rf"(?s)\S.{{0,{CHUNK_CHARACTERS - 1}}}(?!\S)|\S.{{0,{CHUNK_CHARACTERS - 1}}}")


class ServedQuote(Quote):
    """A quote from text that a search server sent; it proves what the server sent, not what the folder contains."""

    server: str

    @property
    def place(self) -> str:
        """Return the place that the server sent, and the server's name."""
        return f"{super().place}, from {self.server}"


class ServedDocument(SearchDocument):
    """The part of a served page that is read. It begins at `begins` in `whole`, the page as the server sent it, in
    which quotes are checked. `passage` is the place that the page's address names, if any.
    """

    whole: str
    begins: int

    def placed(self, quote: Quote) -> Quote:
        """Return a quote from the page at the place that the server sent. Nothing is known of the source's file, so
        offsets and hash are those of the quote itself.
        """
        digest = hashlib.sha256(quote.text.encode("utf-8", "replace")).hexdigest()
        own = quote.changed(start=0, end=len(quote.text), source_hash=digest)
        if self.passage is None:
            return own
        line = (self.passage.line or 1) + quote.line - 1 - self.whole.count("\n", 0, self.begins)
        return own.changed(page=self.passage.page, own_lines=self.passage.own_lines, line=line)


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
