"""Turns table cells into quotes, which contain a row of the text with the quoted cell and its labels. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from investigator.evidence.quotes import quote_at, verify
from investigator.records import Document, Quote, TableCell
from investigator.tables.cells import TableView, views


def cell_quote(document: Document, view: TableView, cell: TableCell) -> Quote:
    """Return a cell as a quote, whose text is the row."""
    return quote_at(document, *view.row_span(cell)).changed(cell=view.quoted(cell))


def cell_standing(quote: Quote, document: Document) -> Quote | None:
    """Return the quote of a cell as found in a document, with the document's name; None if the cell is missing.

    Value, labels, headers, caption and unit must all match: a figure under another header means something else. If
    several cells match, the cell nearest to the old place is used.
    """
    found = sorted(_same_cells(quote, document), key=lambda one: abs(one.start - quote.start))
    if found and verify(quote, document) and found[0].cell != quote.cell:
        return None
    return found[0] if found else None


def _same_cells(quote: Quote, document: Document) -> Iterator[Quote]:
    wanted = quote.cell
    if wanted is None:
        return
    for view in views(document):
        for cell in view.table.cells:
            if view.words(cell) == wanted.value:
                named = view.quoted(cell)
                if named == wanted.changed(start=named.start, end=named.end):
                    yield cell_quote(document, view, cell)
