"""Splits a quote into its statements: the sentences, and the rows of tables. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from investigator.evidence.quotes import quote_at
from investigator.language.sentences import statement_spans
from investigator.records import Document, Finding, Quote
from investigator.tables.binding import Binding
from investigator.tables.cells import TableView
from investigator.tables.document_tables import tables_of
from investigator.tables.listing import says_yes_or_no
from investigator.tables.times import header_time


@dataclass(frozen=True)
class Row:
    """A table row, identified by its number."""

    view: TableView
    number: int

    @property
    def said(self) -> str:
        """Return each value of the row with its header, such as "Name: Ann Cole; Role: chair", without values that mean
        no. Return "" if a header is a time, or if the table does not have exactly one header row.
        """
        cells = [
            (" ".join(self.view.column_headers(cell)), self.view.words(cell)) for cell in self.view.rows[self.number]
        ]
        if self.view.table.header_rows != 1 or any(header_time(header) is not None for header, _ in cells):
            return ""
        held = ((header, value) for header, value in cells if value and says_yes_or_no(value) is not False)
        return "; ".join(f"{header}: {value}" if header else value for header, value in held)


def statements_of(quote: Quote, document: Document) -> Iterator[tuple[int, int]]:
    """Return the spans of the sentences in a quote; each row of a table is a separate statement."""
    begins = {
        quote.text.rfind("\n", 0, start - quote.start) + 1
        for view in tables_of(document).views
        for start in view.rows_between(quote.start, quote.end).values()
    }
    cuts = sorted(begins)
    for start, end in statement_spans(quote.text):
        inner = [start, *cuts[bisect_right(cuts, start) : bisect_right(cuts, end - 1)], end]
        for first, last in pairwise(inner):
            text = quote.text[first:last]
            if text.strip():
                yield first + len(text) - len(text.lstrip()), last - len(text) + len(text.rstrip())


def row_at(document: Document, start: int, end: int) -> Row | None:
    """Return the table row at a span of a document; None if it covers no row, several rows, or a header row."""
    for view in tables_of(document).views:
        rows = view.rows_between(start, end)
        if len(rows) == 1 and (row := next(iter(rows))) >= view.table.header_rows:
            return Row(view, row)
    return None


def has_rows(document: Document, start: int, end: int) -> bool:
    """Return True if a span of a document contains table cells."""
    return any(view.rows_between(start, end) for view in tables_of(document).views)


def with_asked_rows(finding: Finding, question: str, document: Document) -> Finding:
    """Reduce each quote in the finding that spans several table rows to the rows that the question is about."""
    quotes = (row for quote in finding.quotes for row in asked_rows(quote, question, document))
    return finding.changed(quotes=tuple(dict.fromkeys(quotes)))


def asked_rows(quote: Quote, question: str, document: Document) -> tuple[Quote, ...]:
    """Return the rows of a quote that contain the values that the question names. Return the quote itself if it has
    fewer than two rows, or if all or none of its rows contain these values.
    """
    if quote.cell is not None or not document.tables:
        return (quote,)
    spans = [(quote.start + start, quote.start + end) for start, end in statements_of(quote, document)]
    rows = [(span, row) for span in spans if (row := row_at(document, *span)) is not None]
    bindings = {row.view.table: Binding(question, tables_of(document), row.view) for _, row in rows}
    fit = [span for span, row in rows if bindings[row.view.table].fits(row.number)]
    return tuple(quote_at(document, *span) for span in fit) if 0 < len(fit) < len(rows) else (quote,)
