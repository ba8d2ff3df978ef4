"""A sentence, row or cell of a statement, together with its context and what its document says about itself. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from investigator.documents.pages import heading_at
from investigator.language.labels import LabelLine, label_line
from investigator.language.late_patterns import late
from investigator.language.sentences import statement_spans
from investigator.questions.spans import moments
from investigator.questions.surroundings import Surroundings
from investigator.records import Claim, Document, Quote
from investigator.research.rows import Row, row_at

_AROUND = 250  # number of characters before and after a quote that are also read
_ABOUT = 600  # number of characters at the beginning of a document that describe it
_LISTS = 2  # index of the third column, which a table of labels and values does not have
_LONGEST_TITLE = 120  # maximum number of characters
_MINUTES = late(r"\bminutes\b", re.IGNORECASE)


@dataclass(frozen=True)
class QuotedText:
    """A sentence, row or cell of a statement, with its document. `span` is its position in the quote, or None for a
    cell, a computed figure or a model's own statement.
    """

    claim: Claim
    quote: Quote
    text: str
    document: Document
    span: tuple[int, int] | None = None

    @property
    def place(self) -> tuple[int, int]:
        """Return the span of this text in the document."""
        start, end = self.span or (0, len(self.quote.text))
        return self.quote.start + start, self.quote.start + end

    @cached_property
    def row(self) -> Row | None:
        """Return the table row, if this text is one."""
        return row_at(self.document, *self.place) if self.span else None

    @cached_property
    def labelled(self) -> LabelLine | None:
        """Return the label and the value, if this text is a label line."""
        return label_line(self.text) if self.span and self.row is None else None

    @property
    def before(self) -> tuple[tuple[int, int], ...]:
        """Return the spans of the sentences before this one in the quote."""
        return tuple(statement_spans(self.quote.text[: self.span[0]])) if self.span else ()

    @property
    def last_before(self) -> str:
        """Return the sentence before this one in the quote; "" if this is the first."""
        return "".join(self.quote.text[start:end] for start, end in self.before[-1:])

    @property
    def surroundings(self) -> Surroundings:
        """Return this sentence with the surrounding text and what its document says about itself."""
        return surroundings(self.quote, self.text, self.document)


def names_of(document: Document) -> str:
    """Return the names of a document, and its first line unless a table begins there; after "minutes", add
    "meeting".
    """
    first = document.text.strip().partition("\n")[0][:_LONGEST_TITLE]
    if any(table.start <= len(first) for table in document.tables):
        first = ""
    names = f"{document.title} {document.id.replace('_', ' ').replace('/', ' ')} {first}"
    return f"{names} {_MINUTES.sub('meeting', names)}" if _MINUTES.search(names) else names


def surroundings(quote: Quote, sentence: str, document: Document) -> Surroundings:
    """Return a quoted sentence with the surrounding text, its heading, and what its document says about itself."""
    imprint = document.imprint
    above = _beside_lists(document, max(0, quote.start - _AROUND), quote.start, quote)
    below = _beside_lists(document, quote.end, quote.end + _AROUND, quote)
    own = " ".join((imprint.issuer, *imprint.symbols, imprint.kind))
    names = names_of(document)
    about = f"{names} {own} {_beside_lists(document, 0, _ABOUT, quote)}"
    heading = heading_at(document.headings, quote.start)
    before = f"{heading} {above} {quote.text[: max(0, quote.text.find(sentence))]}"
    day = _day_over(document, quote.start, heading)
    return Surroundings(sentence, f"{quote.text} {above} {below} {heading}", about, before, names, imprint, day)


def _day_over(document: Document, start: int, heading: str) -> str:
    """Return the day with which a paragraph begins or, failing that, with which its heading begins; "" if neither
    begins with a full date.
    """
    begin = document.text.rfind("\n\n", 0, start + 1) + 1
    for line in (document.text[begin : begin + _LONGEST_TITLE].lstrip("\n#*- "), heading):
        for day in moments(line)[:1]:
            if day.day and day.year and line.startswith(day.text):
                return day.text
    return ""


def _beside_lists(document: Document, start: int, end: int, quote: Quote) -> str:
    """Return part of a document without the tables that list several things, because their rows say nothing about the
    sentences next to them. If the quote itself is in a table, that table is kept, but not the text below it.
    """
    tables = sorted(document.tables, key=lambda one: one.start)
    for one in tables:
        if one.start <= quote.start < one.end:
            return document.text[start : min(end, one.end)]
    kept, at = list[str](), start
    for one in tables:
        if one.start < end and at < one.end and any(cell.column >= _LISTS for cell in one.cells):
            kept.append(document.text[at : max(at, one.start)])
            at = one.end
    return " ".join((*kept, document.text[at:end]))
