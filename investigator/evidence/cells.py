"""Turns table cells into quotes. A quote contains the row as text, the cell, and the labels of the cell. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from investigator.evidence.quotes import quote_at, verify
from investigator.records import Document, Quote, TableCell
from investigator.tables.cells import TableView
from investigator.tables.document_tables import tables_of


def cell_quote(document: Document, view: TableView, cell: TableCell) -> Quote:
    """Return a cell as a quote; the text of the quote is the row."""
    return quote_at(document, *view.row_span(cell)).changed(cell=view.quoted(cell))


def cell_standing(quote: Quote, document: Document) -> Quote | None:
    """Return the quoted cell as the document now contains it; None if the cell is missing.

    Value, labels, headers, caption and unit must all match, because a figure under another header means something else.
    If several cells match, the cell nearest to the old place is used.
    """
    found = next(_same_cells(quote, document), None)
    return None if found is not None and verify(quote, document) and found.cell != quote.cell else found


def _same_cells(quote: Quote, document: Document) -> Iterator[Quote]:
    """Yield quotes of the cells that equal the quoted cell, nearest first. Cells are looked up by value, because a list
    may quote thousands of them.
    """
    wanted = quote.cell
    if wanted is None:
        return
    equal = [(view, cell) for view in tables_of(document).views for cell in view.by_words.get(wanted.value, ())]
    for view, cell in sorted(equal, key=lambda one: abs(one[0].row_span(one[1])[0] - quote.start)):
        named = view.quoted(cell)
        if named == wanted.changed(start=named.start, end=named.end):
            yield cell_quote(document, view, cell)
