"""Converts rows of cells to lines in which each value follows its header."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from investigator.documents.readers.table_recorder import MOST_CELLS, recorded_table
from investigator.documents.readers.table_shape import is_time, is_value
from investigator.language.normalise import one_line
from investigator.records import Table, TableCell

Cells = Sequence[str]

_NUMBER = re.compile(r"[-+(]?[$€£¥]?\s?\d[\d.,\s]*%?\)?$|\d{4}-\d\d-\d\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_SEARCHED = 20
_MOST_STACKED = 3


class RowLine(NamedTuple):
    """A table row as a line of text. `cells` gives the column of each cell and its span in the line; `is_header` is
    True if the row names the columns.
    """

    text: str
    cells: tuple[tuple[int, int, int], ...] = ()
    is_header: bool = False


def filled_lines(rows: Sequence[Cells]) -> list[RowLine]:
    """Return a line for each non-empty row, as produced by `each_line`."""
    return [line for line in each_line(rows) if line.text]


def each_line(rows: Sequence[Cells]) -> Iterator[RowLine]:
    """Yield one line per row; a row without values becomes an empty line.

    Rows below a header row become `header: value; header: value`, without empty values. The cells of other rows are
    joined with ` | `.
    """
    table = [[one_line(cell) for cell in row] for row in rows]
    filled = [index for index, row in enumerate(table) if any(row)]
    header = column_names([table[index] for index in filled])
    header_at = len(table) if header is None else filled[header.last]
    for index, row in enumerate(table):
        if header is None or index <= header_at:
            yield _joined(((column, "", cell) for column, cell in enumerate(row)), " | ", index == header_at)
        else:
            yield _labelled(header.names, row)


def table_of(lines: Sequence[RowLine], text: str) -> Table | None:
    """Return the table in consecutive lines of the text; None if it has fewer than two rows or columns."""
    header = next((number for number, line in enumerate(lines) if line.is_header), None)
    first = 0 if header is None else _first_header(lines, header)
    cells: list[TableCell] = []
    at, row, complete = 0, 0, True
    for number, line in enumerate(lines):
        at = text.index(line.text, at)
        if line.cells and number >= first:
            complete = complete and len(cells) + len(line.cells) <= MOST_CELLS
            if complete:
                cells += [TableCell(row=row, column=c, start=at + start, end=at + end) for c, start, end in line.cells]
            row += 1
        at += len(line.text)
    marked = 0 if header is None else sum(bool(line.cells) for line in lines[first : header + 1])
    return recorded_table(cells, text, marked=marked, complete=complete)


def _first_header(lines: Sequence[RowLine], header: int) -> int:
    """Return the first header line: lines right above the header that name columns other than the first."""
    first = header
    while first and any(column for column, _, _ in lines[first - 1].cells):
        above = lines[first - 1]
        if any(
            is_value(words) and not is_time(words)
            for _, start, end in above.cells
            for words in (above.text[start:end],)
        ):
            break
        first -= 1
    return first


def _joined(cells: Iterable[tuple[int, str, str]], mark: str, is_header: bool = False) -> RowLine:
    """Return the non-empty cells, given as (column, words before, value), with separators between them."""
    parts: list[str] = []
    spans: list[tuple[int, int, int]] = []
    length = 0
    for column, before, cell in cells:
        if cell:
            length += len(mark) * bool(parts) + len(before)
            spans.append((column, length, length + len(cell)))
            length += len(cell)
            parts.append(before + cell)
    return RowLine(mark.join(parts), tuple(spans), is_header)


class ColumnNames(NamedTuple):
    """The index of the last header row, and the names of the columns."""

    last: int
    names: Cells


def column_names(rows: Sequence[Cells]) -> ColumnNames | None:
    """Return the header of a table: its first wide row, if its cells are different names, or up to three such rows,
    whose names differ once they are joined ("2023 Q1").

    A row is wide if it fills as many cells as most of the table; numbers and dates are not names.
    """
    if len(rows) < 2:
        return None
    filled = sorted(sum(1 for cell in row if cell) for row in rows[: _SEARCHED * 5])
    usual = filled[len(filled) // 2]
    if usual < 2:
        return None
    for first, row in enumerate(rows[:_SEARCHED]):
        if sum(1 for cell in row if cell) >= usual:
            return _stacked(rows, first)
    return None


def _stacked(rows: Sequence[Cells], first: int) -> ColumnNames | None:
    """Return the header that begins with a row, if that row, or it and up to two below it, names the columns."""
    width = max(len(row) for row in rows[first : first + _MOST_STACKED])
    names = [""] * width
    for last, row in enumerate(rows[first : first + _MOST_STACKED], start=first):
        if last + 1 >= len(rows) or any(_NUMBER.match(cell) and not _YEAR.fullmatch(cell) for cell in row):
            return None  # the cells of several header rows are years or words, not other numbers
        for column, cell in enumerate(row):
            if cell and cell != names[column]:
                names[column] = f"{names[column]} {cell}".strip()
        if are_names([name for name in names if name]):
            return ColumnNames(last, names)
    return None


def are_names(cells: Sequence[str]) -> bool:
    """Return True if cells could name columns: unique, short, and neither numbers nor dates."""
    return len(set(cells)) == len(cells) and not any(_NUMBER.match(cell) or len(cell) > 80 for cell in cells)


def _labelled(header: Cells, row: Cells) -> RowLine:
    if len(row) > 2 and not any(row[1:]):  # a line between the rows: a heading for the following rows, or a remark
        return RowLine(row[0], ((0, 0, len(row[0])),) if row[0] else ())
    names = [*header, *[""] * (len(row) - len(header))]
    named = enumerate(zip(names, row, strict=False))
    return _joined(((column, f"{name}: " if name else "", cell) for column, (name, cell) in named), "; ")
