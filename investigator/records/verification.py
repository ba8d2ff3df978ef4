"""The results of verifying a report by looking up its quotes in the files of a folder."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.records.base import Record
from investigator.records.documents import Quote


class QuoteState(StrEnum):
    """The state of a quote in the files.

    stands: the file is unchanged, and the words are in their place; file_changed: the file has changed, but the words
    are in their place; moved: the words are in another place; changed: the file has changed and does not contain them;
    not_in_file: the file is unchanged and does not contain them; unreadable: the file exists, but no text can be
    extracted; missing: the file does not exist.
    """

    STANDS = "stands"
    FILE_CHANGED = "file_changed"
    MOVED = "moved"
    CHANGED = "changed"
    NOT_IN_FILE = "not_in_file"
    UNREADABLE = "unreadable"
    MISSING = "missing"


class CheckedQuote(Record):
    """A quote in a report, and its state in the files."""

    quote: Quote
    state: QuoteState
    now: Quote | None = Field(default=None, description="the quote with its current place in the files")
    nearest: str = Field(default="", description="for a changed quote, the nearest text in the document")
    reason: str = Field(default="", description="the reason why a file cannot be read")


class VerifiedReport(Record):
    """The quotes in a report without duplicates, in the report's order."""

    quotes: tuple[CheckedQuote, ...]

    @property
    def standing(self) -> int:
        """Return the number of quotes that are in their place, including those in another version of their file."""
        return sum(quote.state in (QuoteState.STANDS, QuoteState.FILE_CHANGED) for quote in self.quotes)

    @property
    def all_stand(self) -> bool:
        """Return True if every quote is in its place."""
        return self.standing == len(self.quotes)
