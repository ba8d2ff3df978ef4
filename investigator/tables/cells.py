"""Table cells with their names: row labels and headings, column headers, caption, unit. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from investigator.language.normalise import one_line
from investigator.language.terms import words
from investigator.records import Document, QuotedCell, Table, TableCell, TextSpan
from investigator.tables.measures import is_unit_note, measure_of

_TOTAL = re.compile(r"\s*(?:total|sum|subtotal|gesamt|summe)\b", re.IGNORECASE)
_LONGEST_ROW = 400  # maximum number of characters in a row that is quoted as a whole
_CUT_NAME = 300
_SHARE_OF_ABOVE = re.compile(r"(?:as )?(?:an? )?(?:%|percent(?:age)?|per cent|share) (?:of|change)\b", re.IGNORECASE)
"""Matches the beginning of a row label that marks the row's figures as parts or shares of those in the row above."""
_BARE_FIGURE = re.compile(r"\(?[-−–]?\d{1,3}(?:[.,]\d{1,2})?\)?\s?%?|[-–—]")
_LONGEST_NAME = 60  # maximum number of characters in a value that may name its row


@dataclass
class _RowHeading:
    """A heading row, which has no values; `has_deeper` is True if deeper-indented rows follow it."""

    indent: int
    text: str
    has_deeper: bool = False

    def is_over_at(self, indent: int, is_heading: bool) -> bool:
        """Return True if a row with this indentation no longer belongs to the heading."""
        return self.indent > indent or (self.indent == indent and (is_heading or self.has_deeper))


@dataclass(frozen=True)
class TableView:
    """A table, with the text of its document."""

    table: Table
    text: str

    @cached_property
    def rows(self) -> dict[int, tuple[TableCell, ...]]:
        """Return the cells of each row, from left to right, keyed by row number."""
        found: dict[int, list[TableCell]] = {}
        for cell in self.table.cells:
            found.setdefault(cell.row, []).append(cell)
        return {row: tuple(sorted(cells, key=lambda cell: cell.column)) for row, cells in sorted(found.items())}

    @cached_property
    def named_values(self) -> dict[tuple[str, ...], dict[str, frozenset[int]]]:
        """Map the folded words of each value or label to its spellings, and each spelling to the columns in which it
        occurs.
        """
        found: dict[tuple[str, ...], dict[str, frozenset[int]]] = {}
        for cell in self.table.cells:
            if cell.row >= self.table.header_rows and cell.end - cell.start <= _LONGEST_NAME:
                text = self.words(cell)
                spelled = found.setdefault(tuple(words(text)), {})
                spelled[text] = spelled.get(text, frozenset()) | {cell.column}
        return found

    @cached_property
    def by_words(self) -> dict[str, tuple[TableCell, ...]]:
        """Return the cells, keyed by their text; cells with the same text are in the order of the table."""
        found: dict[str, list[TableCell]] = {}
        for cell in self.table.cells:
            found.setdefault(self.words(cell), []).append(cell)
        return {text: tuple(cells) for text, cells in found.items()}

    @cached_property
    def columns(self) -> dict[int, TableCell]:
        """Return one cell from each column, taken from below the header."""
        return {cell.column: cell for cell in self.table.cells if cell.row >= self.table.header_rows}

    @cached_property
    def header_span(self) -> tuple[int, int] | None:
        """Return the span of the header rows; None if it has no header rows."""
        header = [cell for row in range(self.table.header_rows) for cell in self.rows.get(row, ())]
        return (min(cell.start for cell in header), max(cell.end for cell in header)) if header else None

    @cached_property
    def all_words(self) -> str:
        """Return the words of all cells."""
        return one_line(self.text[self.table.start : self.table.end])

    @cached_property
    def caption(self) -> str:
        """Return the caption on one line."""
        return self._words(self.table.caption)

    @cached_property
    def unit(self) -> str:
        """Return the unit note on one line."""
        return self._words(self.table.unit)

    @cached_property
    def stub(self) -> str:
        """Return the header of the first column, which names the kind of thing in the rows."""
        return " ".join(self.words(one) for one in self.table.cells if self._is_stub(one))

    def _is_stub(self, cell: TableCell) -> bool:
        return cell.row < self.table.header_rows and cell.column == 0 and cell.columns == 1

    def words(self, cell: TableCell) -> str:
        """Return the words of a cell on one line."""
        return one_line(self.text[cell.start : cell.end])

    def values(self) -> Iterator[TableCell]:
        """Yield the cells that are neither header nor row label."""
        for cell in self.table.cells:
            if cell.row >= self.table.header_rows and cell.column >= self.table.label_columns:
                yield cell

    def row_labels(self, row: int) -> tuple[str, ...]:
        """Return the labels of a row: the headings above it that apply to it, then its own label."""
        return (*self._parents.get(row, ()), *self._own_labels.get(row, ()))

    def column_headers(self, cell: TableCell) -> tuple[str, ...]:
        """Return the headers of a cell from the top, without repetitions."""
        return tuple(dict.fromkeys(self._headers.get(cell.column, ())))

    def naming_cells(self, value: TableCell) -> tuple[TableCell, ...]:
        """Return the cells that name a value: its column headers and row labels."""
        headers, labels = self.table.header_rows, self.table.label_columns
        return tuple(
            cell
            for cell in self.table.cells
            if (cell.row < headers and cell.column <= value.column < cell.column + cell.columns)
            or (headers <= cell.row <= value.row < cell.row + cell.rows and cell.column < labels)
        )

    def quoted(self, cell: TableCell) -> QuotedCell:
        """Return a cell as evidence."""
        row, column, value = self.row_labels(cell.row), self.column_headers(cell), self.words(cell)
        return QuotedCell(
            start=cell.start,
            end=cell.end,
            value=value,
            row=row,
            column=column,
            caption=self.caption,
            unit=self.unit,
            measure="%" if self.is_share(cell) else measure_of(value, row, column, self._unit_note),
        )

    @cached_property
    def _unit_note(self) -> str:
        """Return the text that gives the unit of the table: its note, the header of its label columns, or its
        caption.
        """
        return self.unit or (self.stub if is_unit_note(self.stub) else self.caption)

    def is_share(self, cell: TableCell) -> bool:
        """Return True if a figure without "%" is in a headed group of rows in which the first figure has "%"."""
        return (cell.row, cell.column) in self._shares

    def row_span(self, cell: TableCell) -> tuple[int, int]:
        """Return the span of a cell's row, or of the cell alone if the row is long."""
        cells = self.rows[cell.row]
        start, end = min(one.start for one in cells), max(one.end for one in cells)
        return (start, end) if end - start <= _LONGEST_ROW else (cell.start, cell.end)

    def rows_between(self, start: int, end: int) -> dict[int, int]:
        """For each row with cells that begin in a span of the text, map its number to the position of the first such
        cell.
        """
        found: dict[int, int] = {}
        for at, row in self._begins[bisect_left(self._begins, (start, -1)) : bisect_left(self._begins, (end, -1))]:
            found.setdefault(row, at)
        return found

    @cached_property
    def _begins(self) -> list[tuple[int, int]]:
        return sorted((cell.start, cell.row) for cell in self.table.cells)

    def _words(self, span: TextSpan | None) -> str:
        return one_line(self.text[span.start : span.end]) if span is not None else ""

    @cached_property
    def _shares(self) -> frozenset[tuple[int, int]]:
        groups: dict[tuple[tuple[str, ...], int], list[TableCell]] = {}
        for cell in self.values():
            if parents := self._parents.get(cell.row):
                groups.setdefault((parents, cell.column), []).append(cell)
        shares = (
            cells
            for cells in groups.values()
            if "%" in self.words(cells[0]) and all(_BARE_FIGURE.fullmatch(self.words(cell)) for cell in cells)
        )
        return frozenset((cell.row, cell.column) for cells in shares for cell in cells if "%" not in self.words(cell))

    @cached_property
    def _headers(self) -> dict[int, tuple[str, ...]]:
        found: dict[int, list[str]] = {}
        for row in range(self.table.header_rows):
            for cell in self.rows.get(row, ()):
                for column in range(cell.column, cell.column + cell.columns):
                    found.setdefault(column, []).append(self.words(cell)[:_CUT_NAME])
        return {column: tuple(texts) for column, texts in found.items()}

    @cached_property
    def _own_labels(self) -> dict[int, tuple[str, ...]]:
        found: dict[int, dict[int, str]] = {}
        for cell in self.table.cells:
            if cell.column < self.table.label_columns and cell.row >= self.table.header_rows:
                for row in range(cell.row, cell.row + cell.rows):
                    own = found.setdefault(row, {})
                    own[cell.column] = f"{own.get(cell.column, '')} {self.words(cell)}".strip()[:_CUT_NAME]
        return {row: tuple(own.values()) for row, own in found.items()}

    @cached_property
    def _parents(self) -> dict[int, tuple[str, ...]]:
        """Return the heading rows above each row, outermost first. A row that is only a label is the heading of the
        deeper-indented rows below it, or else of the equally indented rows up to the next heading. Without indentation
        a total ends the innermost group; a total at the end covers all rows.
        """
        found: dict[int, tuple[str, ...]] = {}
        above: list[_RowHeading] = []
        indents = self.table.indents
        follows_heading, over = False, ""
        last = max(self.rows, default=0)
        for row, cells in self.rows.items():
            if row < self.table.header_rows:
                continue
            indent = indents[row] if row < len(indents) else 0
            label = " ".join(self._own_labels.get(row, ()))
            is_heading = bool(label) and len(cells) == 1 and cells[0].column < self.table.label_columns
            stacked = is_heading and follows_heading and not any(indents)
            while above and not stacked and above[-1].is_over_at(indent, is_heading):
                above.pop()
            if above:
                above[-1].has_deeper |= indent > above[-1].indent
            is_sum = row == last and _TOTAL.match(label) is not None
            found[row] = () if is_sum else tuple(heading.text for heading in above)
            if _SHARE_OF_ABOVE.match(label) and not is_heading:
                found[row] += (over,)
            elif not is_heading:
                over = label
            if is_heading:
                above.append(_RowHeading(indent, label.rstrip(" :")))
            elif above and _TOTAL.match(label) and not any(indents):
                above.pop()
            follows_heading = is_heading
        return found


def views(document: Document) -> Iterator[TableView]:
    """Yield a view of each table of a document."""
    return (TableView(table, document.text) for table in document.tables)


PlacedCell = tuple[TableView, TableCell]
"""A cell, preceded by the view of its table."""
