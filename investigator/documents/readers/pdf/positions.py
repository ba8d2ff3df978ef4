"""Where the words of a PDF page stand: their spans in the text of the page, and their boxes in points."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from investigator.documents.readers.base import cleaned

_WORD = re.compile(r"\S+")
_BROKEN = "\ufffe"  # what pdfium puts for a hyphen with the line end after it
_FIGURE = re.compile(r"\d|[—–]")
_MOST_WORDS = 6_000  # of a page; more is no table that anybody could read
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")


@dataclass(frozen=True)
class PageWord:
    """A word: its span in the text of the page, the number of its line there, and its box; y grows upwards."""

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
        """The height at which the middle of its letters stands."""
        return (self.bottom + self.top) / 2

    @property
    def height(self) -> float:
        """The height of its letters, in points."""
        return max(self.top - self.bottom, 0.1)


def page_text(raw: str) -> str:
    """Return the text of a page as pdfium gives it, cleaned.

    Where a line ends with a hyphen, pdfium puts U+FFFE for hyphen and line end: both are given back, as on the page.
    """
    return cleaned(raw.replace(_BROKEN, "-\n")).strip()


def may_hold_table(text: str) -> bool:
    """Return True if some lines of a page end in several figures, or many lines in a row in one."""
    figures = [sum(map(bool, map(_FIGURE.search, line.split()[1:]))) for line in text.split("\n")]
    return sum(count >= 2 for count in figures) >= 2 or sum(count >= 1 for count in figures) >= 4


def page_words(textpage: Any, raw: str, text: str) -> tuple[PageWord, ...]:
    """Return the words of a page in the order of its text; none if they cannot be matched with their boxes."""
    import pypdfium2.raw as pdfium

    if textpage.count_chars() != len(raw):
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
        pdfium.FPDFText_GetLooseCharBox(textpage, raw_of(match.start()), box)
        left, right, bottom, top = box.left, box.right, box.bottom, box.top
        if match.end() - match.start() > 1:
            pdfium.FPDFText_GetLooseCharBox(textpage, raw_of(match.end() - 1), box)
            left, right = min(left, box.left), max(right, box.right)
            bottom, top = min(bottom, box.bottom), max(top, box.top)
        found.append(PageWord(match.group(), match.start(), match.end(), line, left, right, bottom, top))
    return _upright(found)


def _raw_index(raw: str, text: str) -> Callable[[int], int] | None:
    """Return what gives the place in `raw` of a character of the text; None if more was cleaned than line ends."""
    lead = len(raw) - len(raw.lstrip())
    breaks: list[int] = []  # the places in the text after which the offset between the two changes
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


def _upright(words: Sequence[PageWord]) -> tuple[PageWord, ...]:
    """Return the words as a reader holds the page; those that are written from the right are mirrored."""
    long = [word for word in words if len(word.text) >= 4]
    turned = sum(word.height > 2 * (word.right - word.left) for word in long)
    if turned > 0.6 * len(long):
        first_to_last = sum(b.bottom - a.bottom for a, b in pairwise(words) if a.line == b.line)
        up = first_to_last >= 0
        words = [_turned(word, up) for word in words]
    if words and sum(bool(_RIGHT_TO_LEFT.search(word.text)) for word in words) > 0.3 * len(words):
        words = [replace(word, left=-word.right, right=-word.left) for word in words]
    return tuple(words)


def _turned(word: PageWord, up: bool) -> PageWord:
    if up:
        return replace(word, left=word.bottom, right=word.top, bottom=-word.right, top=-word.left)
    return replace(word, left=-word.top, right=-word.bottom, bottom=word.left, top=word.right)
