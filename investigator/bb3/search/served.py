"""Defines the pages that a search server sends: the part that is read and, for a page from `investigator serve`, its
place in a document.
"""

from __future__ import annotations

from pydantic import Field

from investigator.bb3.exchange import SearchDocument
from investigator.proof.quotes import Source
from investigator.records import Document, Passage, Quote, Record

UNKNOWN_TYPE = "application/octet-stream"
"""The media type of a document if only its text is known."""


class Origin(Record):
    """The place of a page's text in a document, as sent by `investigator serve`."""

    passage: Passage
    media_type: str = Field(max_length=200)
    content_hash: str = Field(pattern="^[0-9a-f]{64}$", description="sha256 of the document's file")

    def is_of(self, text: str) -> bool:
        """Return True if this can be the place of the text: the span is as long as the text, and the line is known."""
        passage = self.passage
        is_span = passage.start >= 0 and passage.end - passage.start == len(text)
        return passage.text == text and is_span and (passage.line or 0) > 0


class FolderPage(SearchDocument):
    """A passage from a document in the folder, presented as a page to clients of the search server."""

    origin: Origin


class ServedQuote(Quote):
    """A quote from text that a search server sent; it proves what the server sent, not what the folder contains."""

    server: str

    @property
    def place(self) -> str:
        """Return the place that the server sent, and the server's name."""
        return f"{super().place}, from {self.server}"


class ServedDocument(SearchDocument):
    """The part of a served page that is read. It begins at `begins` in `whole`, the page as the server sent it, in
    which quotes are checked. `line` is the number of the page's first line in its document.
    """

    whole: str
    begins: int
    line: int = 1
    media_type: str = UNKNOWN_TYPE
    content_hash: str

    def quote(self, text: str, source: str) -> Quote | None:
        """Return the text as a quote of whole sentences from this part, under the name `source`; None if this part does
        not contain it. Offsets refer to the document if it is known, otherwise to this part.
        """
        page = Document(
            id=source, title=self.title, media_type=self.media_type, content_hash=self.content_hash, text=self.whole
        )
        start, end = span = self.begins, self.begins + len(self.text)
        pages = Source(page)
        words, quote = pages.find(text, near=(span,)), pages.quote(text, near=(span,))
        if words is None or quote is None or words.start < start or words.end > end:
            return None
        shift = (self.passage.start if self.passage else 0) - start
        place = {"line": (quote.line or 1) + self.line - 1, "page": self.passage.page if self.passage else None}
        return quote.changed(**place, start=quote.start + shift, end=quote.end + shift)
