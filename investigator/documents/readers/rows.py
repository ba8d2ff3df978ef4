"""Rows of cells become lines in which each value stands beside its header."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from investigator.language.normalise import one_line

Cells = Sequence[str]

_NUMBER = re.compile(r"[-+(]?[$€£¥]?\s?\d[\d.,\s]*%?\)?$|\d{4}-\d\d-\d\d")
_SEARCHED = 20


def lines(rows: Sequence[Cells]) -> Iterator[str]:
    """Yield one line for each row that holds anything, as `each_line` gives it."""
    return (line for line in each_line(rows) if line)


def each_line(rows: Sequence[Cells]) -> Iterator[str]:
    """Yield one line for each row; a row without values gives an empty one.

    Under a header row: `header: value; header: value`, empty values left out. Rows above it, and tables without one:
    cells joined with ` | `.
    """
    table = [[one_line(cell) for cell in row] for row in rows]
    filled = [index for index, row in enumerate(table) if any(row)]
    at = header_index([table[index] for index in filled])
    header_at = len(table) if at is None else filled[at]
    for index, row in enumerate(table):
        if index <= header_at:
            yield " | ".join(cell for cell in row if cell)
        else:
            yield _labelled(table[header_at], row)


def header_index(rows: Sequence[Cells]) -> int | None:
    """Return the index of the row that names the columns: the first wide one, if its cells are different names.

    A row is wide when it fills as many cells as most of the table; numbers and dates are no names.
    """
    if len(rows) < 2:
        return None
    filled = sorted(sum(1 for cell in row if cell) for row in rows[: _SEARCHED * 5])
    usual = filled[len(filled) // 2]
    if usual < 2:
        return None
    for index, row in enumerate(rows[:_SEARCHED]):
        cells = [cell for cell in row if cell]
        if len(cells) >= usual:
            return index if are_names(cells) and index + 1 < len(rows) else None
    return None


def are_names(cells: Sequence[str]) -> bool:
    """Return True if cells could name columns: each one once, short, and no number or date."""
    return len(set(cells)) == len(cells) and not any(_NUMBER.match(cell) or len(cell) > 80 for cell in cells)


def _labelled(header: Cells, row: Cells) -> str:
    if len(row) > 2 and not any(row[1:]):  # a line between the rows: the heading of those below it, a remark
        return row[0]
    names = [*header, *[""] * (len(row) - len(header))]
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in zip(names, row, strict=False) if cell)
