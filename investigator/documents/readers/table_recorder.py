"""Places the cells of a marked-up table in its grid, and records their positions in the text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
_LONGEST_COPY = 120
"""A longer text of a merged cell is not repeated: it is a remark, not a name."""


@dataclass(slots=True)
class GridCell:
    """A cell as it is written: its text, its column, and the numbers of rows and columns that it covers. A `copy`
    repeats the text of a merged cell that covers its place, and is not recorded.
    """

    text: str
    column: int = 0
    rows: int = 1
    columns: int = 1
    header: bool = False
    copy: bool = False


@dataclass
class _OpenTable:
    cells: list[TableCell] = field(default_factory=list)
    rows: int = 0
    header_rows: int = 0
    above: dict[int, tuple[int, str]] = field(default_factory=dict)
    """The last row that a cell covers, and its text, by column."""
    left_out: bool = False


class TableRecorder:
    """Follows the rows of the outermost tables; a table in a cell is part of the cell's text."""

    def __init__(self) -> None:
        self._tables: list[_OpenTable] = []
        self._count = 0

    def placed(self, cells: Sequence[GridCell], *, new_table: bool) -> list[GridCell]:
        """Return the cells of the next row with the copies of merged cells between them; a cell of zero rows goes on
        from the row above. With `new_table`, the row is the first of a table.
        """
        if new_table or not self._tables:
            self._tables.append(_OpenTable())
        table, column, row = self._tables[-1], 0, list[GridCell]()
        for cell in cells:
            cell.rows, cell.columns = min(cell.rows, _MOST_SPANNED), min(max(cell.columns, 1), _MOST_SPANNED)
            goes_on = cell.rows == 0
            if not goes_on:
                above = list(self._from_above(table, column))
                row += above
                column += len(above)
            _, shown = table.above.get(column, (0, "")) if goes_on else (0, cell.text)
            shown = shown if len(shown) <= _LONGEST_COPY and "\n" not in shown else ""
            cell.column, cell.copy = column, goes_on
            cell.text = cell.text or (shown if goes_on else "")
            row.append(cell)
            if cell.rows > 1:
                last = table.rows + cell.rows - 1
                table.above |= {place: (last, shown) for place in range(column, column + cell.columns)}
            if len(cells) > 1:  # the only cell of a row is a title
                row += (GridCell(shown, place, copy=True) for place in range(column + 1, column + cell.columns))
            column += cell.columns
        return [*row, *self._from_above(table, column)]

    def record(self, row: Iterable[tuple[GridCell, int, int]], *, header: bool) -> None:
        """Record the cells of a row that was written, with their spans in the text. `header` means that the row is
        marked as a header row.
        """
        table = self._tables[-1]
        for cell, start, end in row:
            self._count += 1
            table.left_out |= self._count >= MOST_CELLS
            if self._count <= MOST_CELLS:
                place = {"row": table.rows, "column": cell.column, "rows": cell.rows, "columns": cell.columns}
                table.cells.append(TableCell(start=start, end=end, **place))
        if header and table.header_rows == table.rows:
            table.header_rows += 1
        table.rows += 1

    def tables(self, text: str, pages: Sequence[PageSpan] = ()) -> tuple[Table, ...]:
        """Return the tables with at least two rows and two columns."""
        tables: list[Table | None] = []
        for table in self._tables[:MOST_TABLES]:
            if is_table(table.cells):
                start = min(cell.start for cell in table.cells)
                page, caption, complete = page_at(pages, start), caption_above(text, start), not table.left_out
                marked = table.header_rows
                tables.append(
                    recorded_table(table.cells, text, caption=caption, page=page, marked=marked, complete=complete)
                )
        return tuple(table for table in tables if table is not None)

    @staticmethod
    def _from_above(table: _OpenTable, column: int) -> Iterator[GridCell]:
        """Yield copies of the merged cells above that cover the next places of a row."""
        while table.above.get(column, (-1, ""))[0] >= table.rows:
            yield GridCell(table.above[column][1], column, copy=True)
            column += 1


def is_table(cells: Sequence[TableCell]) -> bool:
    """Return True if cells have at least two rows and two columns."""
    return len({cell.row for cell in cells}) >= 2 and len({cell.column for cell in cells}) >= 2


def recorded_table(
    cells: Sequence[TableCell],
    text: str,
    *,
    caption: TextSpan | None = None,
    page: int | None = None,
    marked: int = 0,
    complete: bool = True,
) -> Table | None:
    """Return the table with the given cells; None if it has fewer than two rows or columns. `marked` is the number of
    rows that the file marks as headers.
    """
    if not is_table(cells):
        return None
    rows: dict[int, dict[int, str]] = {}
    for cell in cells:
        rows.setdefault(cell.row, {})[cell.column] = one_line(text[cell.start : cell.end])
    ordered = [rows.get(row, {}) for row in range(max(rows) + 1)]
    header = header_rows_of(ordered, marked)
    labels = label_columns_of(ordered[header:])
    cells = _widened(cells, ordered, header, labels)
    return Table(
        start=min(cell.start for cell in cells),
        end=max(cell.end for cell in cells),
        caption=caption,
        page=page,
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
    return [
        cell.changed(columns=columns) if (columns := wider.get((cell.row, cell.column), 1)) > 1 else cell
        for cell in cells
    ]


def shifted(tables: Iterable[Table], by: int) -> tuple[Table, ...]:
    """Return the tables with their spans shifted by the given number of characters."""
    return tuple(
        table.changed(
            start=table.start + by,
            end=table.end + by,
            caption=caption and caption.changed(start=caption.start + by, end=caption.end + by),
            cells=tuple(cell.changed(start=cell.start + by, end=cell.end + by) for cell in table.cells),
        )
        for table in tables
        for caption in (table.caption,)
    )
