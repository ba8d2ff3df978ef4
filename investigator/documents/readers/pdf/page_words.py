"""Locates the words of a PDF page, with their spans in its text and their boxes in points, and arranges them as a
reader sees them: in page columns, rows, and pieces of rows between wide gaps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from investigator.documents.readers.base import cleaned
from investigator.documents.readers.pdf.boxes import LINE_HYPHEN, Orientation, pdfium
from investigator.documents.readers.table_shape import CURRENCY, is_time, is_value

_WORD_OR_BREAK = re.compile(rf"[^\s{LINE_HYPHEN}]+{LINE_HYPHEN}?|[\n{LINE_HYPHEN}]")
_FIGURE = re.compile(r"[$€£¥(<>~±−-]{0,3}\d|[—–-]$|%$|\)$")
_SHORT_ROW = 9  # maximum number of words in a row with only one figure
_LINES_BEFORE, _LINES_AFTER = 20, 6
_MOST_WORDS = 6_000  # limit per page; no readable table has more
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")
_GAP = 0.62  # maximum gap between two words of one piece of a row, in letter heights
_SAME_ROW = 0.45  # maximum vertical distance between two words of one row, relative to their height
_CROSSING = 0.03  # fraction of lines that may cross the gap between two columns of a page
_FEWEST_LINES = 12  # minimum number of lines on each side of that gap
_SIGN = re.compile(rf"[$€£¥₹]|{CURRENCY}|\(")
_MONEY_SIGNS = frozenset("$€£¥₹")
_AFTER = re.compile(r"[%)‰*†‡]+|pts?\.?|bps")
_FIGURES = re.compile(r"\d")


class PageWord(NamedTuple):
    """A word: its span in the text, the number of its line, and its box on the upright page, with y pointing
    upwards.
    """

    text: str
    start: int
    end: int
    line: int
    left: float
    right: float
    bottom: float
    top: float

    @property
    def middle(self) -> float:
        """Return the vertical centre of the letters."""
        return (self.bottom + self.top) / 2

    @property
    def height(self) -> float:
        """Return the height of the word's letters, in points."""
        return max(self.top - self.bottom, 0.1)


def lines_near_rows(text: str) -> frozenset[int]:
    """Return the numbers of the lines of a page that may belong to a table; empty if fewer than two look like rows.

    A row ends in a figure, and has several figures or only a few words. Lines near such a row are included, because
    they may be headers or labels.
    """
    rows = [number for number, line in enumerate(text.split("\n")) if _is_like_row(line.split())]
    if len(rows) < 2:
        return frozenset()
    return frozenset(near for row in rows for near in range(row - _LINES_BEFORE, row + _LINES_AFTER))


def _is_like_row(words: Sequence[str]) -> bool:
    if len(words) < 2 or not _FIGURE.match(words[-1]):
        return False
    figures = sum(1 for word in words if _FIGURE.match(word))
    return len(words) <= _SHORT_ROW if figures == 1 else figures * 2 >= min(len(words), 2 * _SHORT_ROW)


def page_words(textpage: Any, raw: str, turned: Orientation) -> tuple[PageWord, ...]:
    """Return the words of a page that may belong to a table, with their spans in `raw`, pdfium's text of the page;
    right-to-left words are mirrored.

    Return nothing if there are too many words, or if they cannot be matched with their boxes.
    """
    lines = lines_near_rows(raw.replace(LINE_HYPHEN, "-\n"))
    if not lines or textpage.count_chars() != len(raw):
        return ()
    words: list[PageWord] = []
    box, handle = pdfium.FS_RECTF(), textpage.raw
    line = 0
    for match in _WORD_OR_BREAK.finditer(raw):
        start, end = match.span()
        if line in lines and match.group() != "\n":
            pdfium.FPDFText_GetLooseCharBox(handle, start, box)
            left, right, bottom, top = box.left, box.right, box.bottom, box.top
            if end - start > 1:
                pdfium.FPDFText_GetLooseCharBox(handle, end - 1, box)
                left, right = min(left, box.left), max(right, box.right)
                bottom, top = min(bottom, box.bottom), max(top, box.top)
            place = turned.upright(left, bottom, right, top)
            if text := cleaned(match.group().replace(LINE_HYPHEN, "-")):
                words.append(PageWord(text, start, end, line, place.left, place.right, place.bottom, place.top))
        line += raw[end - 1] in f"\n{LINE_HYPHEN}"
        if len(words) > _MOST_WORDS:
            return ()
    if words and sum(bool(_RIGHT_TO_LEFT.search(word.text)) for word in words) > 0.3 * len(words):
        words = [word._replace(left=-word.right, right=-word.left) for word in words]
    return tuple(words)


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
    return [
        VisualRow(
            tuple(RowPiece(tuple(piece)) for piece in _pieces(sorted(row, key=lambda word: word.left))),
            max(word.top for word in row),
            min(word.bottom for word in row),
        )
        for row in rows
    ]


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
