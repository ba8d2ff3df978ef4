"""Locates the words of a PDF page: returns their spans in the text of the page and their boxes in points."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from investigator.documents.readers.base import cleaned
from investigator.documents.readers.pdf.orientation import Orientation

_WORD = re.compile(r"\S+")
_BROKEN = "\ufffe"  # pdfium's character for a hyphen and the line break after it
_FIGURE = re.compile(r"[$€£¥(<>~±−-]{0,3}\d|[—–-]$|%$|\)$")
_SHORT_ROW = 9  # maximum number of words in a row with only one figure
_LINES_BEFORE, _LINES_AFTER = 20, 6
_MOST_WORDS = 6_000  # limit per page; no readable table has more
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")


@dataclass(frozen=True)
class PageWord:
    """A word: its span in the page text, the number of its line, and its box on the upright page, with y pointing
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


def page_text(raw: str) -> str:
    """Return pdfium's text of a page, cleaned.

    pdfium writes U+FFFE for a hyphen at the end of a line; this restores the hyphen and the line break.
    """
    return cleaned(raw.replace(_BROKEN, "-\n")).strip()


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


def page_words(textpage: Any, raw: str, text: str, turned: Orientation) -> tuple[PageWord, ...]:
    """Return the words of a page that may belong to a table, in text order; right-to-left words are mirrored.

    Return nothing if there are too many words, or if they cannot be matched with their boxes.
    """
    import pypdfium2.raw as pdfium

    lines = lines_near_rows(text)
    if not lines or textpage.count_chars() != len(raw):
        return ()
    raw_of = _raw_index(raw, text)
    if raw_of is None:
        return ()
    found: list[PageWord] = []
    box = pdfium.FS_RECTF()
    line, line_end = 0, text.find("\n")
    for match in _WORD.finditer(text):
        if len(found) >= _MOST_WORDS:
            return ()
        while 0 <= line_end < match.start():
            line, line_end = line + 1, text.find("\n", line_end + 1)
        if line not in lines:
            continue
        pdfium.FPDFText_GetLooseCharBox(textpage, raw_of(match.start()), box)
        left, right, bottom, top = box.left, box.right, box.bottom, box.top
        if match.end() - match.start() > 1:
            pdfium.FPDFText_GetLooseCharBox(textpage, raw_of(match.end() - 1), box)
            left, right = min(left, box.left), max(right, box.right)
            bottom, top = min(bottom, box.bottom), max(top, box.top)
        place = turned.upright(left, bottom, right, top)
        found.append(
            PageWord(match.group(), match.start(), match.end(), line, place.left, place.right, place.bottom, place.top)
        )
    if found and sum(bool(_RIGHT_TO_LEFT.search(word.text)) for word in found) > 0.3 * len(found):
        found = [replace(word, left=-word.right, right=-word.left) for word in found]
    return tuple(found)


def _raw_index(raw: str, text: str) -> Callable[[int], int] | None:
    """Return a function that maps offsets in the text to offsets in `raw`; None if cleaning changed more than line
    endings.
    """
    lead = len(raw) - len(raw.lstrip())
    breaks: list[int] = []  # positions in the text where the difference between the two offsets changes
    shifts: list[int] = [lead]
    shift = lead
    for match in re.finditer("\r\n|\ufffe", raw):
        if match.start() < lead:
            continue
        one = 1 if match.group() == "\r\n" else -1
        at = match.start() - shift + (1 if one == 1 else 2)
        shift += one
        breaks.append(at)
        shifts.append(shift)
    plain = raw.replace("\r\n", "\n").replace(_BROKEN, "-\n").strip()
    if plain != text:
        return None
    return lambda place: place + shifts[bisect_right(breaks, place)]
