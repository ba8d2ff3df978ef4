"""Records the positions of table cells while the text of a marked-up document is being built."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from investigator.documents.pages import page_at
from investigator.documents.readers.table_captions import caption_above
from investigator.documents.readers.table_shape import header_rows_of, label_columns_of
from investigator.language.normalise import one_line
from investigator.records import PageSpan, Table, TableCell, TextSpan

MOST_TABLES = 2_000
MOST_CELLS = 60_000
"""Limits on the recorded tables and cells of a document; the text of all others is kept."""
_MOST_SPANNED = 1_000


@dataclass
class _OpenTable:
    cells: list[TableCell] = field(default_factory=list)
    rows: int = 0
    header_rows: int = 0
    taken: dict[int, set[int]] = field(default_factory=dict)  # columns that are covered by a cell above, keyed by row
    left_out: bool = False


@dataclass
class _OpenCell:
    rows: int
    columns: int
    start: int | None = None
    end: int = 0


class TableRecorder:
    """Follows the rows and cells of the outermost tables; a table in a cell is part of the cell's text."""

    def __init__(self) -> None:
        self._tables: list[_OpenTable] = []
        self._cell: _OpenCell | None = None
        self._column = 0
        self._row_is_header = False
        self._header_cells = self._row_cells = 0
        self._count = 0

    def begin_row(self, *, new_table: bool, header: bool) -> None:
        """Begin a row; with `new_table`, it is the first row of a table. `header` means that the file marks the row as
        a header row.
        """
        if new_table or not self._tables:
            self._tables.append(_OpenTable())
        self._column, self._row_is_header = 0, header
        self._header_cells = self._row_cells = 0

    def begin_cell(self, *, header: bool, rows: int, columns: int) -> None:
        """Begin a cell that spans the given numbers of rows and columns; a cell of zero rows belongs to the cell
        above.
        """
        self._end_cell()
        if rows == 0:
            return
        self._row_cells += 1
        self._header_cells += header
        self._cell = _OpenCell(min(max(rows, 1), _MOST_SPANNED), min(max(columns, 1), _MOST_SPANNED))

    def words(self, start: int, end: int) -> None:
        """Record that words were added to the text at `[start, end)`."""
        if self._cell is not None:
            self._cell.start = start if self._cell.start is None else self._cell.start
            self._cell.end = end

    def joins(self, *, leads: bool) -> None:
        """Join the cell of a sign with the cell of its figure; with `leads`, the sign is in the earlier cell."""
        if self._cell is None or not self._tables or not self._tables[-1].cells:
            return
        before = self._tables[-1].cells.pop()
        self._count -= 1
        self._cell.start = before.start
        if not leads:
            self._cell.columns += self._column - before.column
            self._column = before.column

    def end_row(self) -> None:
        """End the row."""
        self._end_cell()
        if not self._tables:
            return
        table = self._tables[-1]
        is_header = self._row_is_header or (0 < self._row_cells == self._header_cells)
        if is_header and table.header_rows == table.rows:
            table.header_rows += 1
        table.taken.pop(table.rows, None)
        table.rows += 1

    def tables(self, text: str, pages: Sequence[PageSpan] = ()) -> tuple[Table, ...]:
        """Return the tables with at least two rows and two columns."""
        found = (_recorded(table, text, pages) for table in self._tables[:MOST_TABLES])
        return tuple(table for table in found if table is not None)

    def _end_cell(self) -> None:
        cell, self._cell = self._cell, None
        if cell is None or not self._tables:
            return
        table = self._tables[-1]
        taken = table.taken.get(table.rows, set())
        while self._column in taken:
            self._column += 1
        if cell.start is not None and self._count < MOST_CELLS:
            self._count += 1
            table.cells.append(
                TableCell(
                    row=table.rows,
                    column=self._column,
                    start=cell.start,
                    end=cell.end,
                    rows=cell.rows,
                    columns=cell.columns,
                )
            )
        table.left_out |= cell.start is not None and self._count >= MOST_CELLS
        for row in range(table.rows + 1, table.rows + cell.rows):
            table.taken.setdefault(row, set()).update(range(self._column, self._column + cell.columns))
        self._column += cell.columns


def _recorded(table: _OpenTable, text: str, pages: Sequence[PageSpan]) -> Table | None:
    if len({cell.row for cell in table.cells}) < 2 or len({cell.column for cell in table.cells}) < 2:
        return None
    start, end = min(cell.start for cell in table.cells), max(cell.end for cell in table.cells)
    return recorded_table(
        table.cells,
        text,
        page=page_at(pages, start) if pages else None,
        caption=caption_above(text, start),
        marked=table.header_rows,
        complete=not table.left_out,
        end=end,
    )


def recorded_table(
    cells: Sequence[TableCell],
    text: str,
    *,
    page: int | None = None,
    caption: TextSpan | None = None,
    marked: int = 0,
    complete: bool = True,
    end: int = 0,
) -> Table:
    """Return the table with the given cells; `marked` is the number of rows that the file marks as headers."""
    rows: dict[int, dict[int, str]] = {}
    for cell in cells:
        rows.setdefault(cell.row, {})[cell.column] = one_line(text[cell.start : cell.end])
    ordered = [rows.get(row, {}) for row in range(max(rows) + 1)]
    header = header_rows_of(ordered, marked)
    labels = label_columns_of(ordered[header:])
    cells = _widened(cells, ordered, header, labels)
    return Table(
        start=min(cell.start for cell in cells),
        end=max(end, *(cell.end for cell in cells)),
        page=page,
        caption=caption,
        header_rows=header,
        label_columns=labels,
        cells=tuple(cells),
        complete=complete,
    )


def _widened(
    cells: Sequence[TableCell], rows: Sequence[Mapping[int, str]], header: int, labels: int
) -> Sequence[TableCell]:
    """Return the cells, with headers extended over adjacent empty cells. Headers are extended if no header declares a
    span, and the headers of a row begin over the first column of figures. A header extends over columns that have
    headers below it; in the last header row, a single header extends over all columns.
    """
    if any(cell.columns > 1 for cell in cells if cell.row < header):
        return cells
    width = max((column for row in rows for column in row), default=0) + 1
    wider: dict[tuple[int, int], int] = {}
    for number in range(header):
        named = sorted(column for column in rows[number] if column >= labels)
        below = {column for row in rows[number + 1 : header] for column in row}
        if not below and len(named) == 1:
            below = set(range(width))
        if named[:1] != [labels]:
            continue
        for first, end in pairwise((*named, width)):
            last = first + 1
            while last < end and last in below:
                last += 1
            wider[number, first] = last - first
    return [cell.changed(columns=wider.get((cell.row, cell.column), cell.columns)) for cell in cells]


def shifted(tables: Iterable[Table], by: int) -> tuple[Table, ...]:
    """Return the tables with their spans shifted by the given number of characters."""
    return tuple(
        table.changed(
            start=table.start + by,
            end=table.end + by,
            caption=_shifted(table.caption, by),
            cells=tuple(cell.changed(start=cell.start + by, end=cell.end + by) for cell in table.cells),
        )
        for table in tables
    )


def _shifted(span: TextSpan | None, by: int) -> TextSpan | None:
    return TextSpan(start=span.start + by, end=span.end + by) if span is not None else None
