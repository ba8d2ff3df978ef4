"""Defines the pages of a search server that a chat reads, and quotes from them."""

from __future__ import annotations

import hashlib

from investigator.bb3.exchange import SearchDocument
from investigator.records import Quote


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
        lines = quote.line - 1 - self.whole.count("\n", 0, self.begins)
        line = (self.passage.line or 1) + lines
        return own.changed(page=self.passage.page, own_lines=self.passage.own_lines, line=line)
