"""Where words of a page's text stand on the page: rectangles around them, in points.

The text of a page and what pdfium gives for it hold the same letters in the same order. They differ in white space,
hyphens of cut words, and characters that no text may hold, so each letter leads back to its box without a search.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple

from investigator.documents.readers.base import cleaned
from investigator.documents.readers.pdf.hyphens import LINE_HYPHEN

_WIDEST_GAP = 3.0
"""Heights of a letter between two letters of one rectangle; what stands in a wider gap may be other text."""
_STRAIGHT = 0.1
"""Share of a quarter turn by which a line may be inclined and still have one rectangle around its words."""


class Box(NamedTuple):
    """A rectangle on a page, in points from its left and its bottom."""

    left: float
    bottom: float
    right: float
    top: float


class Direction(Enum):
    """How a line runs on its page, before the page is turned; upwards or downwards is one."""

    ACROSS = 0
    UPWARDS = 1
    SLANTED = 2


class _Letter(NamedTuple):
    """A letter: the box of what is drawn, the one that its line gives it, and how the line runs."""

    drawn: Box
    room: Box
    direction: Direction


def letter_places(raw: str, text: str) -> list[int | None] | None:
    """Return for each character of a page's text its place in `raw`, what pdfium gives for the page.

    White space has no place. None if the text is not that of the page.
    """
    places: list[int | None] = []
    at = 0
    for character in text:
        if character.isspace():
            places.append(None)
            continue
        while at < len(raw) and not _same(raw[at], character):
            if not _left_out(raw[at]):
                return None
            at += 1
        if at == len(raw):
            return None
        places.append(at)
        at += 1
    return places


def _same(raw: str, character: str) -> bool:
    return raw == character or (raw == LINE_HYPHEN and character == "-")


def _left_out(raw: str) -> bool:
    return raw == LINE_HYPHEN or raw.isspace() or not cleaned(raw)


def boxes_around(textpage: Any, raw: str, places: Sequence[int]) -> list[Box]:
    """Return rectangles around the letters at these places of `raw`, line by line, in their order."""
    found: list[Box] = []
    before: _Letter | None = None
    last = 0
    for place in places:
        letter = _letter(textpage, place)
        if letter is None:
            continue
        same_line = before is not None and not _ends_line(raw[last:place]) and _beside(before, letter)
        if same_line:
            found[-1] = _around(found[-1], letter.drawn)
        else:
            found.append(letter.drawn)
        before, last = letter, place
    return found


def _ends_line(raw: str) -> bool:
    return "\n" in raw or LINE_HYPHEN in raw


def _letter(textpage: Any, place: int) -> _Letter | None:
    """Return a letter with its box; None if it has none."""
    import pypdfium2.raw as pdfium

    index = pdfium.FPDFText_GetCharIndexFromTextIndex(textpage, place)
    loose = pdfium.FS_RECTF()
    if index < 0 or not pdfium.FPDFText_GetLooseCharBox(textpage, index, loose):
        return None
    room, drawn = Box(loose.left, loose.bottom, loose.right, loose.top), Box(*textpage.get_charbox(index))
    drawn = drawn if _has_area(drawn) else room
    if not _has_area(drawn):
        return None
    quarters = pdfium.FPDFText_GetCharAngle(textpage, index) / (math.pi / 2)
    if abs(quarters - round(quarters)) > _STRAIGHT:
        return _Letter(drawn, room, Direction.SLANTED)
    return _Letter(drawn, room, Direction.UPWARDS if round(quarters) % 2 else Direction.ACROSS)


def _has_area(box: Box) -> bool:
    return box.right > box.left and box.top > box.bottom


def _beside(before: _Letter, after: _Letter) -> bool:
    """Return True if two letters that follow each other are on one line, without a wide gap between them."""
    if before.direction is not after.direction or after.direction is Direction.SLANTED:
        return False
    one, other = before.room, after.room
    if after.direction is Direction.UPWARDS:
        one, other = _on_its_side(one), _on_its_side(other)
    height = max(one.top - one.bottom, other.top - other.bottom)
    gap = max(one.left, other.left) - min(one.right, other.right)
    return gap <= _WIDEST_GAP * height and one.bottom < other.top and other.bottom < one.top


def _on_its_side(box: Box) -> Box:
    return Box(box.bottom, box.left, box.top, box.right)


def _around(one: Box, other: Box) -> Box:
    return Box(
        min(one.left, other.left),
        min(one.bottom, other.bottom),
        max(one.right, other.right),
        max(one.top, other.top),
    )
