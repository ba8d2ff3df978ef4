"""Defines the pages of a search server that a chat reads, and quotes from them."""

from __future__ import annotations

import hashlib

from investigator.bb3.exchange import SearchDocument
from investigator.proof.quotes import Source
from investigator.records import Document, Quote

UNKNOWN_TYPE = "application/octet-stream"
"""The media type of a document if only its text is known."""


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

    def quote(self, text: str, source: str) -> Quote | None:
        """Return the text as a quote of whole sentences from this part, under the name `source`; None if this part does
        not contain it. Nothing is known of the source's file, so offsets and hash are those of the quote itself.
        """
        page = Document(id=source, title=self.title, media_type=UNKNOWN_TYPE, content_hash="", text=self.whole)
        start, end = span = self.begins, self.begins + len(self.text)
        pages = Source(page)
        words, quote = pages.find(text, near=(span,)), pages.quote(text, near=(span,))
        if words is None or quote is None or words.start < start or words.end > end:
            return None
        digest = hashlib.sha256(quote.text.encode("utf-8", "replace")).hexdigest()
        place: dict[str, object] = {"start": 0, "end": len(quote.text), "source_hash": digest}
        if self.passage is not None:
            lines = quote.line - 1 - self.whole.count("\n", 0, start)
            place |= {"page": self.passage.page, "own_lines": self.passage.own_lines}
            place |= {"line": (self.passage.line or 1) + lines}
        return quote.changed(**place)
