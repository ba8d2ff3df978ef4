"""Repeats the text of merged cells in the rows and columns that they cover."""

from __future__ import annotations

from dataclasses import dataclass, field

_MOST_REPEATED = 1_000  # rows or columns of one cell
_LONGEST = 120
"""A longer text is not repeated: it is a remark, not a name."""


@dataclass
class CoveredCells:
    """Follows the rows and cells of a table, and says which texts of earlier cells stand in the places between them."""

    _row: int = 0
    _column: int = 0
    _cells: int = 0
    _above: dict[int, tuple[int, str]] = field(default_factory=dict)
    """The last row that a cell covers, and its text, by column."""
    _pending: tuple[int, str] = (0, "")

    def begin_row(self) -> None:
        """Begin the next row."""
        self._row += 1
        self._column = self._cells = 0
        self._pending = (0, "")

    def before_cell(self, *, goes_on: bool = False) -> list[str]:
        """Return the texts that stand between the last cell and the one that begins, which may go on from above."""
        count, text = self._pending
        self._pending = (0, "")
        self._cells += 1
        return [text] * count + ([] if goes_on else self._from_above())

    def end_cell(self, text: str, rows: int, columns: int) -> None:
        """End a cell that covers the given numbers of rows and columns."""
        rows, columns = min(rows, _MOST_REPEATED), min(columns, _MOST_REPEATED)
        shown = text if len(text) <= _LONGEST and "\n" not in text else ""
        if rows > 1:
            self._above |= {self._column + c: (self._row + rows - 1, shown) for c in range(columns)}
        self._column += columns
        self._pending = (columns - 1, shown)

    def covered(self, columns: int) -> str:
        """Return the text of the cell above that goes on in a cell of this row, which ends."""
        _, text = self._above.get(self._column, (0, ""))
        self._column += columns
        self._pending = (columns - 1, text)
        return text

    def end_row(self) -> list[str]:
        """Return the texts that stand behind the last cell; none behind the only cell of a row, which is a title."""
        count, text = self._pending
        behind = [text] * count if self._cells > 1 else []
        return behind + self._from_above()

    def _from_above(self) -> list[str]:
        texts = []
        while self._column in self._above and self._above[self._column][0] >= self._row:
            texts.append(self._above[self._column][1])
            self._column += 1
        return texts
