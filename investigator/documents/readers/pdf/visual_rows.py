"""Arranges the words of a page as a reader sees them, in page columns, rows, and pieces of rows between wide gaps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from investigator.documents.readers.pdf.positions import PageWord
from investigator.documents.readers.table_shape import CURRENCY, is_time, is_value

_GAP = 0.62  # maximum gap between two words of one piece of a row, in letter heights
_SAME_ROW = 0.45  # maximum vertical distance between two words of one row, relative to their height
_CROSSING = 0.03  # fraction of lines that may cross the gap between two columns of a page
_FEWEST_LINES = 12  # minimum number of lines on each side of that gap
_SIGN = re.compile(rf"[$€£¥₹]|{CURRENCY}|\(")
_MONEY_SIGNS = frozenset("$€£¥₹")
_AFTER = re.compile(r"[%)‰*†‡]+|pts?\.?|bps")
_FIGURES = re.compile(r"\d")


@dataclass(frozen=True)
class RowPiece:
    """Neighbouring words of a row, without a wide gap between them."""

    words: tuple[PageWord, ...]

    @cached_property
    def left(self) -> float:
        """Return the left edge, in points."""
        return self.words[0].left

    @cached_property
    def right(self) -> float:
        """Return the right edge, in points."""
        return max(word.right for word in self.words)

    @property
    def centre(self) -> float:
        """Return the horizontal centre of the piece, in points."""
        return (self.left + self.right) / 2

    @cached_property
    def text(self) -> str:
        """Return the text of the piece."""
        return " ".join(word.text for word in self.words)

    @cached_property
    def is_value(self) -> bool:
        """Return True if the text is a figure with its signs, a figure with few words, such as `39 (61.9 %)`, or a
        dash.
        """
        return is_value(self.text)

    @cached_property
    def is_time(self) -> bool:
        """Return True if the text names a year, a month or a date, any of which may name a column."""
        return is_time(self.text)


@dataclass(frozen=True)
class VisualRow:
    """The pieces of a row from left to right; `top` and `bottom` are in points above the bottom of the page."""

    pieces: tuple[RowPiece, ...]
    top: float
    bottom: float

    @property
    def height(self) -> float:
        """Return the height of the row's letters."""
        return max(self.top - self.bottom, 0.1)

    @cached_property
    def words(self) -> tuple[PageWord, ...]:
        """Return the words of the row from left to right."""
        return tuple(word for piece in self.pieces for word in piece.words)

    @property
    def text(self) -> str:
        """Return the text of the row, including its wide gaps."""
        return "   ".join(piece.text for piece in self.pieces)


def page_columns(page: Sequence[PageWord]) -> list[list[PageWord]]:
    """Return the words of each column of the page; all words if it has only one column. Hardly any line crosses the gap
    between two columns, whereas the lines of a table cross from labels to figures.
    """
    if not page:
        return []
    extents: dict[int, tuple[float, float]] = {}
    for word in page:
        low, high = extents.get(word.line, (word.left, word.right))
        extents[word.line] = min(low, word.left), max(high, word.right)
    if len(extents) < 2 * _FEWEST_LINES:
        return [list(page)]
    left, right = min(low for low, _ in extents.values()), max(high for _, high in extents.values())
    width = right - left
    best = None
    for step in range(35, 66, 2):
        at = left + width * step / 100
        crossing = sum(low < at < high for low, high in extents.values())
        sides = min(sum(high <= at for _, high in extents.values()), sum(low >= at for low, _ in extents.values()))
        if sides >= _FEWEST_LINES and crossing <= _CROSSING * len(extents) and (best is None or crossing < best[0]):
            best = (crossing, at)
    if best is None:
        return [list(page)]
    at = best[1]
    crossed = {line for line, (low, high) in extents.items() if low < at < high}
    sides_of: tuple[list[PageWord], list[PageWord]] = ([], [])
    for word in page:
        if word.line not in crossed:
            sides_of[word.left >= at].append(word)
    return [side for side in sides_of if side]


def visual_rows(page: Sequence[PageWord]) -> list[VisualRow]:
    """Return the rows of words from top to bottom."""
    rows: list[list[PageWord]] = []
    for word in sorted(page, key=lambda word: -word.middle):
        if rows and abs(rows[-1][0].middle - word.middle) <= _SAME_ROW * max(rows[-1][0].height, word.height):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [_row(row) for row in rows]


def _row(words: list[PageWord]) -> VisualRow:
    words.sort(key=lambda word: word.left)
    return VisualRow(
        tuple(RowPiece(tuple(piece)) for piece in _pieces(words)),
        max(word.top for word in words),
        min(word.bottom for word in words),
    )


def _pieces(row: Sequence[PageWord]) -> Iterator[list[PageWord]]:
    """Yield the words between wide gaps; a sign stays with its figure."""
    piece: list[PageWord] = []
    for word in row:
        is_apart = word.text in _MONEY_SIGNS and piece and _FIGURES.search(piece[-1].text)
        if is_apart or (piece and word.left - piece[-1].right > _GAP * word.height and not _belong(piece, word)):
            yield piece
            piece = []
        piece.append(word)
    if piece:
        yield piece


def _belong(piece: Sequence[PageWord], word: PageWord) -> bool:
    if _AFTER.fullmatch(word.text) and _FIGURES.search(piece[-1].text):
        return word.left - piece[-1].right < 3 * word.height
    if len(piece) == 1 and _SIGN.fullmatch(piece[0].text):
        return re.match(r"[(\d—–-]", word.text) is not None
    return False
