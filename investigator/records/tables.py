"""Records of the tables of a document: where their cells are in its text, and the labels of rows and columns.

A table has no text of its own: every span refers to the document's text, so a cell is proven like any other quote.
"""

from __future__ import annotations

from enum import StrEnum

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
    continues over several pages is one table with one header. `indents` contains the indentation of each row label, 0
    for the outermost; it is empty if unknown. `complete` is False if rows at the end were dropped because there are too
    many.
    """

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    page: int | None = None
    caption: TextSpan | None = None
    unit: TextSpan | None = Field(
        default=None, description='the note on the unit of its figures, such as "in millions"'
    )
    header_rows: int = Field(default=1, ge=0)
    label_columns: int = Field(default=1, ge=0)
    indents: tuple[int, ...] = Field(default=(), repr=False)
    cells: tuple[TableCell, ...] = Field(default=(), repr=False)
    complete: bool = True


class Operation(StrEnum):
    """A computation over two or more figures."""

    DIFFERENCE = "difference"
    SUM = "sum"
    SHARE = "share"
    GROWTH = "growth"
    MAXIMUM = "maximum"
    MINIMUM = "minimum"
    MEAN = "mean"


class Computation(Record):
    """A figure that no document contains, with its derivation from other figures: `6,976 − 5,403 = 1,573 million`."""

    operation: Operation
    value: str
    formula: str


class QuotedCell(Record):
    """A cell that supports a quote, in the document's words, with the place of its value.

    `row` contains the cell's labels, outermost first; `column` contains the headers above the cell, from the top;
    `unit` is the note that gives the unit of the table's figures.
    """

    computed = ("line",)

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    value: str
    row: tuple[str, ...] = ()
    column: tuple[str, ...] = ()
    caption: str = ""
    unit: str = ""
    measure: str = Field(
        default="", description='the unit of its figures, from the unit note or header: "million", or "%"'
    )

    @property
    def line(self) -> str:
        """Return labels, headers and value: `Net income | Three Months Ended July 1, 2023 | $ 9,879 million`."""
        return " | ".join(part for part in (" > ".join(self.row), " ".join(self.column), self.figure) if part)

    @property
    def figure(self) -> str:
        """Return the value with its unit: `$ 9,879 million`."""
        return f"{self.value} {self.measure}" if self.measure else self.value
