"""Rows of cells become lines in which each value stands beside its header."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

Row = Sequence[str]

_NUMBER = re.compile(r"[-+(]?[$€£¥]?\s?\d[\d.,\s]*%?\)?$|\d{4}-\d\d-\d\d")
_SEARCHED = 20


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """One line for each row that holds anything.

    Under a header row: `header: value; header: value`, empty values left out. Rows above it, and tables without one:
    cells joined with ` | `.
    """
    rows = [[" ".join(cell.split()) for cell in row] for row in rows]
    rows = [row for row in rows if any(row)]
    at = header_index(rows)
    for index, row in enumerate(rows):
        if at is None or index <= at:
            yield " | ".join(cell for cell in row if cell)
        else:
            yield _labelled(rows[at], row)


def header_index(rows: Sequence[Row]) -> int | None:
    """Which row names the columns: the first wide one, if its cells are names that occur once; None where none does.

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
            named = len(set(cells)) == len(cells) and not any(_NUMBER.match(cell) or len(cell) > 80 for cell in cells)
            return index if named and index + 1 < len(rows) else None
    return None


def _labelled(header: Row, row: Row) -> str:
    names = [*header, *[""] * (len(row) - len(header))]
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in zip(names, row, strict=False) if cell)
