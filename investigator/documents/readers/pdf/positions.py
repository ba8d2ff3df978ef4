"""Locates the words of a PDF page: returns their spans in the text of the page and their boxes in points."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from investigator.documents.readers.base import cleaned
from investigator.documents.readers.pdf.orientation import Orientation
from investigator.documents.readers.pdf.page_texts import LINE_HYPHEN

_WORD_OR_BREAK = re.compile(rf"[^\s{LINE_HYPHEN}]+{LINE_HYPHEN}?|[\n{LINE_HYPHEN}]")
_FIGURE = re.compile(r"[$€£¥(<>~±−-]{0,3}\d|[—–-]$|%$|\)$")
_SHORT_ROW = 9  # maximum number of words in a row with only one figure
_LINES_BEFORE, _LINES_AFTER = 20, 6
_MOST_WORDS = 6_000  # limit per page; no readable table has more
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")


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
    import pypdfium2.raw as pdfium

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
