"""Renders pages of a PDF as images, and finds the positions of words on them. The text of a page and pdfium's raw text
have the same letters in the same order, so each letter maps to its box without a search.
"""

from __future__ import annotations

import io
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from ctypes import c_double
from difflib import SequenceMatcher
from enum import Enum
from typing import Any, NamedTuple, TypedDict

from investigator.documents.readers.base import ReaderSettings, ReadFailure
from investigator.documents.readers.pdf.boxes import LINE_HYPHEN, Box, bounds, on_display, pdfium
from investigator.documents.readers.pdf.page_texts import is_raised, letters_in_order
from investigator.documents.readers.pdf.pdfium import check_pictures, drawn_page, flattened, opened
from investigator.documents.readers.pdf.visible import page_objects, shown_text
from investigator.documents.readers.pictures.ocr import PlacedWord, lines_of, recognised_words, words_in_text
from investigator.records import FileStatus, PageLine, PageMark, TextSpan
from investigator.records.pages import DrawnPage, PageOrder

MOST_PIXELS = 12_000_000
"""Maximum number of pixels in the picture of a page; larger pictures are scaled down."""

WITHOUT_PLACES = "its words were recognised in a picture, and could not be found there again"
OTHER_TEXT = "the text that this version reads from the page differs from the text in the index"

NOT_SHOWN = "its words are outside the visible part of the page"

_MOSTLY = 0.8  # share of the letters of a quote that must be on the page
_WORD = re.compile(r"\S+")
_MOST_COMPARED = 30_000_000
_MOST_ALIKE = 0.7
_STRAIGHT = 0.1
"""Steepest slope of a line whose words one rectangle can enclose, as a fraction of a quarter turn."""
_SAME_LINE = 0.65
"""Minimum vertical overlap of two letters on the same line, as a fraction of the smaller letter. A letter next to a
two-line cell is half a line off.
"""
_WIDEST_GAP = 3.0
"""Widest gap between two letters in one rectangle, in letter heights."""


class _Direction(Enum):
    """The direction of a line on its page before rotation; lines that run downwards also count as upwards."""

    ACROSS = 0
    UPWARDS = 1
    SLANTED = 2


class _Letter(NamedTuple):
    """A letter: the box of its ink (`drawn`), the box that it takes up in its line (`room`), and its direction."""

    drawn: Box
    room: Box
    direction: _Direction
    begins_line: bool


def drawn_pages(data: bytes, orders: Sequence[PageOrder], settings: ReaderSettings) -> tuple[DrawnPage, ...]:
    """Return the requested pages of a PDF; pages that do not exist are omitted.

    Text recognition locates the words of pages without a text layer.

    Raises ReadFailure if the PDF is encrypted or damaged, or a page cannot be loaded or rendered.
    """
    with opened(data) as document:
        try:
            drawn = [(_drawn(document, order), order) for order in orders if order.page <= len(document)]
        except pdfium.PdfiumError as error:
            raise ReadFailure(FileStatus.FAILED, "the page is damaged") from error
    return tuple(
        _recognised(data, page, order, settings) if page.unmarked == WITHOUT_PLACES else page for page, order in drawn
    )


def _recognised(data: bytes, page: DrawnPage, order: PageOrder, settings: ReaderSettings) -> DrawnPage:
    """Return a scanned page with marks over its words, if text recognition finds them again."""
    try:
        words = recognised_words(drawn_page(data, order.page - 1), settings)
    except ReadFailure as failure:
        return page.changed(unmarked=f"{WITHOUT_PLACES}: {failure.reason}")
    start, end = (order.span.start, order.span.end) if order.span is not None else (0, 0)
    places = words_in_text(order.text, words)
    marked = [word for at, word in places.items() if at < end and at + len(word.text) > start]
    marks = [PageMark(**_edges(line)) for line in lines_of(marked)]
    lines = [PageLine(**_edges(line), text=line.text) for line in lines_of(words)]
    return page.changed(marks=tuple(marks), lines=tuple(lines), unmarked="" if marks else WITHOUT_PLACES)


def _drawn(document: Any, order: PageOrder) -> DrawnPage:
    page = flattened(document, order.page - 1, document[order.page - 1])
    textpage, _, _ = shown_text(page, page_objects(page))
    width, height = page.get_size()
    marks, unmarked, lines = _marks(page, textpage, order.text, order.span) if order.span else ((), "", ())
    textpage.close()
    picture = _picture(page, order.picture_width) if order.picture_width is not None else b""
    page.close()
    return DrawnPage(
        page=order.page,
        pages=len(document),
        width=width,
        height=height,
        marks=marks,
        unmarked=unmarked,
        lines=lines,
        picture=picture,
    )


def _marks(
    page: Any, textpage: Any, text: str, span: TextSpan
) -> tuple[tuple[PageMark, ...], str, tuple[PageLine, ...]]:
    """Return the marks over a span of a page's text, or the reason why they are missing, and the page's lines."""
    raw = textpage.get_text_range()
    places = letter_places(raw, text)
    if places is None:
        return (), OTHER_TEXT if raw.strip() else WITHOUT_PLACES, ()
    own = slice(span.start, span.end)
    placed = sum(place is not None for place in places[own])
    if placed < _MOSTLY * sum(not character.isspace() for character in text[own]):
        return (), OTHER_TEXT, ()
    letters = list(_letters(textpage, raw, places))
    marks = tuple(PageMark(**edges) for box in _boxes(letters[own]) if (edges := _shown(page, box)))
    across = _Direction.UPWARDS if page.get_rotation() % 180 else _Direction.ACROSS  # as displayed
    lines = [
        PageLine(**edges, text=words)
        for words, box in _lines(text, places, letters, across)
        if (edges := _shown(page, box))
    ]
    return marks, "" if marks else NOT_SHOWN, tuple(lines)


class _Edges(TypedDict):
    left: float
    top: float
    right: float
    bottom: float


def _edges(word: PlacedWord) -> _Edges:
    return _Edges(left=word.left, top=word.top, right=word.right, bottom=word.bottom)


def _shown(page: Any, box: Box) -> _Edges | None:
    place = on_display(page, box)
    return _Edges(left=place.left, top=place.bottom, right=place.right, bottom=place.top) if place else None


def _picture(page: Any, width: int) -> bytes:
    """Return a page as a PNG file of the given width, or a smaller one if it would exceed `MOST_PIXELS`."""
    check_pictures(page)
    if min(page.get_size()) < 1:
        raise ReadFailure(FileStatus.FAILED, "the page has no area to show")
    points_wide, points_high = (max(side, 1.0) for side in page.get_size())
    scale = min(width / points_wide, (MOST_PIXELS / (points_wide * points_high)) ** 0.5)
    bitmap = page.render(scale=scale, rev_byteorder=True)
    file = io.BytesIO()
    bitmap.to_pil().save(file, "PNG")
    bitmap.close()
    return file.getvalue()


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
    return places if matched >= _MOST_ALIKE * min(len(theirs), len(ours)) else None


def _plain(word: str) -> str:
    return "".join(unicodedata.normalize("NFKC", c) if is_raised(c) else c for c in word)


def _letters(textpage: Any, raw: str, places: Sequence[int | None]) -> Iterator[_Letter | None]:
    """Yield the letter at each place; None if pdfium has no box for it."""
    last = 0
    for place in places:
        between = raw[last:place] if place is not None else ""
        letter = (
            _letter(textpage, place, begins_line="\n" in between or LINE_HYPHEN in between)
            if place is not None
            else None
        )
        last = place if place is not None and letter is not None else last
        yield letter


def _letter(textpage: Any, place: int, *, begins_line: bool) -> _Letter | None:
    index = pdfium.FPDFText_GetCharIndexFromTextIndex(textpage, place)
    loose, edges = pdfium.FS_RECTF(), (c_double(), c_double(), c_double(), c_double())
    if index < 0 or not pdfium.FPDFText_GetLooseCharBox(textpage, index, loose):
        return None
    drawn = room = Box(loose.left, loose.bottom, loose.right, loose.top)
    if pdfium.FPDFText_GetCharBox(textpage, index, *edges):
        left, right, bottom, top = (edge.value for edge in edges)
        ink = Box(left, bottom, right, top)
        drawn = ink if ink.area else room
    if not drawn.area:
        return None
    quarters = pdfium.FPDFText_GetCharAngle(textpage, index) / (math.pi / 2)
    is_straight = abs(quarters - round(quarters)) <= _STRAIGHT
    direction = (
        (_Direction.UPWARDS if round(quarters) % 2 else _Direction.ACROSS) if is_straight else _Direction.SLANTED
    )
    return _Letter(drawn, room, direction, begins_line)


def _boxes(letters: Sequence[_Letter | None]) -> list[Box]:
    lines: list[list[_Letter]] = []
    for letter in filter(None, letters):
        if not lines or letter.begins_line or not _beside(lines[-1][-1], letter):
            lines.append([])
        lines[-1].append(letter)
    return [bounds([letter.drawn for letter in line]) for line in lines]


def _beside(before: _Letter, after: _Letter) -> bool:
    """Return True if two consecutive letters are on one line, without a wide gap between them."""
    if before.direction is not after.direction or after.direction is _Direction.SLANTED:
        return False
    first, second = before.room, after.room
    if after.direction is _Direction.UPWARDS:
        first, second = _on_its_side(first), _on_its_side(second)
    heights = first.top - first.bottom, second.top - second.bottom
    common = first.common(second)
    is_near = common.left - common.right <= _WIDEST_GAP * max(heights)
    return is_near and common.top - common.bottom >= _SAME_LINE * min(heights)


def _on_its_side(box: Box) -> Box:
    return Box(box.bottom, box.left, box.top, box.right)


def _lines(
    text: str, places: Sequence[int | None], letters: Sequence[_Letter | None], across: _Direction
) -> Iterator[tuple[str, Box]]:
    """Yield the lines that run in the direction `across`, with the rectangle around each line's letters."""
    line, boxes = "", list[Box]()
    for character, place, letter in (*zip(text, places, letters, strict=True), ("", None, _END)):
        if letter is None:
            line += " " if place is None and line else ""
            continue
        if letter.begins_line or letter.direction is not across:
            if words := " ".join(line.split()):
                yield words, bounds(boxes)
            line, boxes = "", []
        if letter.direction is across:
            line += character
            boxes.append(letter.room)


_END = _Letter(Box(0, 0, 0, 0), Box(0, 0, 0, 0), _Direction.SLANTED, begins_line=True)
