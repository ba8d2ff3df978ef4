"""Finds rectangles around words of a page's text, in points. The text of a page and pdfium's raw text contain the same
letters in the same order. The two texts differ only in whitespace, hyphens of split words and forbidden characters, so
each letter maps to its box without a search.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from ctypes import c_double
from difflib import SequenceMatcher
from typing import Any

from investigator.documents.readers.base import cleaned
from investigator.documents.readers.pdf.letter_boxes import Box, Direction, Letter, bounds, boxes_of_lines
from investigator.documents.readers.pdf.page_texts import LINE_HYPHEN

_WORD = re.compile(r"\S+")
_WORD_OR_SPACE = re.compile(r"\S+|\s+")
_MOST_COMPARED = 30_000_000
_MOSTLY = 0.7
_STRAIGHT = 0.1
"""Steepest slope of a line whose words one rectangle can enclose, as a fraction of a quarter turn."""


def letter_places(raw: str, text: str) -> list[int | None] | None:
    """Return, for each character in a page's text, its position in `raw` (pdfium's text of the page), or None for
    whitespace and for what the page's text has besides: values of form fields, comments, marks.

    Return None instead of a list if the text does not belong to the page.
    """
    return letters_in_order(raw, text) or _by_likeness(raw, text)


def _by_likeness(raw: str, text: str) -> list[int | None] | None:
    """Return the places of the words that both texts have in the same order, if these are most words of one of them."""
    theirs, ours = list(_WORD.finditer(raw)), list(_WORD.finditer(text))
    if not theirs or len(theirs) * len(ours) > _MOST_COMPARED:
        return None
    places: list[int | None] = [None] * len(text)
    matcher = SequenceMatcher(
        None, [_plain(m.group()) for m in theirs], [_plain(m.group()) for m in ours], autojunk=False
    )
    matched = 0
    for block in matcher.get_matching_blocks():
        for step in range(block.size):
            theirs_at, own = theirs[block.a + step].start(), ours[block.b + step]
            places[own.start() : own.end()] = range(theirs_at, theirs_at + len(own.group()))
            matched += 1
    return places if matched >= _MOSTLY * min(len(theirs), len(ours)) else None


def _plain(word: str) -> str:
    return "".join(unicodedata.normalize("NFKC", c) if _is_raised(c) else c for c in word)


def letters_in_order(raw: str, text: str) -> list[int | None] | None:
    """Return the places as `letter_places` does, if the two texts have the same letters in the same order."""
    places: list[int | None] = []
    at = 0
    for part in _WORD_OR_SPACE.findall(text):
        if part.isspace():
            places += [None] * len(part)
            continue
        while raw[at : at + 1].isspace():
            at += 1
        own = range(at, at + len(part)) if raw.startswith(part, at) else _in_order(raw, at, part)
        if own is None:
            return None
        places += own
        at = own[-1] + 1
    return places


def _in_order(raw: str, at: int, word: str) -> list[int] | None:
    """Return the places of the letters of a word, with others that are left out between them, from a place on."""
    places = []
    for character in word:
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
    if raw == character or (raw == LINE_HYPHEN and character == "-"):
        return True
    return _is_raised(character) and unicodedata.normalize("NFKC", character) == raw


def _is_raised(character: str) -> bool:
    return unicodedata.decomposition(character).startswith("<super>")


def _left_out(raw: str) -> bool:
    return raw == LINE_HYPHEN or raw.isspace() or not cleaned(raw)


def boxes_around(textpage: Any, raw: str, places: Sequence[int]) -> list[Box]:
    """Return rectangles around the letters at these positions of `raw`, line by line, in order."""
    own, last = list[Letter](), 0
    for place in places:
        letter = _letter(textpage, place, begins_line=_ends_line(raw[last:place]))
        if letter is not None:
            own.append(letter)
            last = place
    if not own:
        return []
    bottom, top = min(letter.drawn.bottom for letter in own), max(letter.drawn.top for letter in own)
    marked = frozenset(places)
    others = (_drawn(textpage, at) for at in range(len(raw)) if at not in marked and not raw[at].isspace())
    return boxes_of_lines(own, [box for box in others if box.area and box.bottom < top and box.top > bottom])


def text_lines(
    textpage: Any, raw: str, text: str, places: Sequence[int | None], across: Direction
) -> Iterator[tuple[str, Box]]:
    """Yield the lines of a page's text that run in the direction `across`, with the rectangle around each line's
    letters.
    """
    line, boxes, last = "", list[Box](), 0
    for character, place in zip(text, places, strict=True):
        letter = _letter(textpage, place, begins_line=_ends_line(raw[last:place])) if place is not None else None
        if place is None or letter is None:
            line += " " if place is None and line else ""
            continue
        last = place
        if letter.begins_line or letter.direction is not across:
            yield from _whole(line, boxes)
            line, boxes = "", []
        if letter.direction is across:
            line += character
            boxes.append(letter.room)
    yield from _whole(line, boxes)


def _whole(line: str, boxes: Sequence[Box]) -> Iterator[tuple[str, Box]]:
    if words := " ".join(line.split()):
        yield words, bounds(boxes)


def _ends_line(raw: str) -> bool:
    return "\n" in raw or LINE_HYPHEN in raw


def _letter(textpage: Any, place: int, *, begins_line: bool) -> Letter | None:
    """Return a letter with its boxes; None if pdfium has no box for it."""
    import pypdfium2.raw as pdfium

    index = pdfium.FPDFText_GetCharIndexFromTextIndex(textpage, place)
    loose = pdfium.FS_RECTF()
    if index < 0 or not pdfium.FPDFText_GetLooseCharBox(textpage, index, loose):
        return None
    room, drawn = Box(loose.left, loose.bottom, loose.right, loose.top), _drawn(textpage, place)
    drawn = drawn if drawn.area else room
    if not drawn.area:
        return None
    quarters = pdfium.FPDFText_GetCharAngle(textpage, index) / (math.pi / 2)
    if abs(quarters - round(quarters)) > _STRAIGHT:
        return Letter(drawn, room, Direction.SLANTED, begins_line)
    return Letter(drawn, room, Direction.UPWARDS if round(quarters) % 2 else Direction.ACROSS, begins_line)


def _drawn(textpage: Any, place: int) -> Box:
    """Return the ink box of a letter; an empty box if it is unknown."""
    import pypdfium2.raw as pdfium

    index = pdfium.FPDFText_GetCharIndexFromTextIndex(textpage, place)
    edges = c_double(), c_double(), c_double(), c_double()
    if index < 0 or not pdfium.FPDFText_GetCharBox(textpage, index, *edges):
        return Box(0, 0, 0, 0)
    left, right, bottom, top = (edge.value for edge in edges)
    return Box(left, bottom, right, top)
