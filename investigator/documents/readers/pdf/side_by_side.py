"""Splits adjacent tables that were detected as one, at a column of words that begins a new table. Pure.

The columns of a single table may alternate in the same way (country, population, capital, area). A table is therefore
split only if the headers are the same on both sides, the left side has ended, or each side has its own title.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from investigator.documents.readers.pdf.table_layout import LaidCell, LaidTable
from investigator.documents.readers.table_shape import is_value
from investigator.language.terms import folded

_FEWEST_ROWS = 2
_OFF_EDGE = 1.0  # maximum distance from a title to the left edge of the labels below it, in letter heights


def told_apart(table: LaidTable) -> Iterator[LaidTable]:
    """Yield the tables that make up a detected table, from left to right; there may be only one."""
    for column in range(2, len(table.edges)):
        if _names_rows(table, column) and _is_another(table, column):
            yield _part(table, 0, column)
            yield from told_apart(_part(table, column, len(table.edges) + 1))
            return
    yield table


def _names_rows(table: LaidTable, column: int) -> bool:
    """Return True if a column consists of words, with figures on its left and right."""
    own = [_text(cell) for cell in _body(table) if cell.column == column]
    sides = ([_text(cell) for cell in _body(table) if cell.column == near] for near in (column - 1, column + 1))
    are_figures = all(sum(map(is_value, side)) >= _FEWEST_ROWS for side in sides)
    return len(own) >= _FEWEST_ROWS and not any(map(is_value, own)) and are_figures


def _is_another(table: LaidTable, column: int) -> bool:
    headers = [cell for cell in table.cells if cell.row == table.header_rows - 1]
    left = {folded(_text(cell)) for cell in headers if cell.column < column}
    if any(folded(_text(cell)) in left for cell in headers if cell.column >= column):
        return True
    rows = {cell.row: [one.column for one in _body(table) if one.row == cell.row] for cell in _body(table)}
    return any(min(columns) == column and len(columns) > 1 for columns in rows.values()) or _has_titles(table, column)


def _has_titles(table: LaidTable, column: int) -> bool:
    """Return True if a row above has two cells, each aligned with the row labels of its side."""
    labels = [[cell.words[0].left for cell in _body(table) if cell.column == at] for at in (0, column)]
    for row in range(table.header_rows):
        titles = [cell for cell in table.cells if cell.row == row]
        if len(titles) == 2 and all(labels):
            begin = sorted(cell.words[0].left for cell in titles)
            slack = _OFF_EDGE * titles[0].words[0].height
            return all(abs(left - min(side)) <= slack for left, side in zip(begin, labels, strict=True))
    return False


def _part(table: LaidTable, first: int, end: int) -> LaidTable:
    """Return the table made of the columns from `first` up to `end`; a cell belongs to the side on which it begins."""
    cells = [
        replace(cell, column=cell.column - first, columns=min(cell.columns, end - cell.column))
        for cell in table.cells
        if first <= cell.column < end
    ]
    return replace(table, cells=cells, edges=table.edges[first : end - 1])


def _body(table: LaidTable) -> Sequence[LaidCell]:
    return [cell for cell in table.cells if cell.row >= table.header_rows]


def _text(cell: LaidCell) -> str:
    return " ".join(word.text for word in cell.words)
