"""Records of the tables of a document: where their cells are in its text, and the labels of rows and columns.

A table has no text of its own: every span refers to the document's text, so a cell is proven like any other quote.
"""

from __future__ import annotations

from pydantic import Field

from investigator.records.base import Record


class TextSpan(Record):
    """A half-open span in the stored text of a document, in characters."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)


class TableCell(Record):
    """A cell: its position in the grid, counted from 0, the numbers of rows and columns that it spans, and its span in
    the text.

    Empty cells are omitted. A currency or per cent sign belongs to the cell of its number.
    """

    row: int = Field(ge=0)
    column: int = Field(ge=0)
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    rows: int = Field(default=1, ge=1)
    columns: int = Field(default=1, ge=1)


class Table(Record):
    """A table in a document: its span, its cells row by row, and the numbers of header rows and label columns.

    The first `header_rows` rows name the columns, and the first `label_columns` columns name the rows. A table that
    continues over several pages is one table with one header. `complete` is False if rows at the end were dropped
    because there are too many.
    """

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    page: int | None = None
    caption: TextSpan | None = None
    header_rows: int = Field(default=1, ge=0)
    label_columns: int = Field(default=1, ge=0)
    cells: tuple[TableCell, ...] = Field(default=(), repr=False)
    complete: bool = True
