"""Renders pages of a PDF as images, and finds the positions of words on them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, TypedDict

from investigator.documents.readers.base import ReaderSettings, ReadFailure
from investigator.documents.readers.pdf.letter_boxes import Box, Direction
from investigator.documents.readers.pdf.marking import boxes_around, letter_places, text_lines
from investigator.documents.readers.pdf.orientation import on_display
from investigator.documents.readers.pdf.pdfium import check_pictures, drawn_page, opened, page_with_forms
from investigator.documents.readers.pdf.visible import page_objects, shown_text
from investigator.documents.readers.pictures.ocr import recognised_words
from investigator.documents.readers.pictures.word_places import PlacedWord, lines_of, words_in_text
from investigator.records import FileStatus, PageLine, PageMark, TextSpan
from investigator.records.pages import DrawnPage, PageOrder

MOST_PIXELS = 12_000_000
"""Maximum number of pixels in the picture of a page; larger pictures are scaled down."""

WITHOUT_PLACES = "its words were recognised in a picture, and could not be found there again"
OTHER_TEXT = "the text that this version reads from the page differs from the text in the index"

NOT_SHOWN = "its words are outside the visible part of the page"

_MOSTLY = 0.8  # share of the letters of a quote that must be on the page


def drawn_pages(data: bytes, orders: Sequence[PageOrder], settings: ReaderSettings) -> tuple[DrawnPage, ...]:
    """Return the requested pages of a PDF; pages that do not exist are omitted.

    Text recognition locates the words of pages without a text layer.

    Raises ReadFailure if the PDF is encrypted or damaged, or a page cannot be loaded or rendered.
    """
    import pypdfium2

    with opened(data) as document:
        try:
            drawn = [(_drawn(document, order), order) for order in orders if order.page <= len(document)]
        except pypdfium2.PdfiumError as error:
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
    page = page_with_forms(document, order.page - 1)
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
    """Return the marks over a span of the page's text, or the reason why they are missing, and the lines of the
    page.
    """
    raw = textpage.get_text_range()
    places = letter_places(raw, text)
    if places is None:
        return (), OTHER_TEXT if raw.strip() else WITHOUT_PLACES, ()
    letters = [place for place in places[span.start : span.end] if place is not None]
    if len(letters) < _MOSTLY * sum(not character.isspace() for character in text[span.start : span.end]):
        return (), OTHER_TEXT, ()
    marks = tuple(PageMark(**edges) for box in boxes_around(textpage, raw, letters) if (edges := _shown(page, box)))
    across = Direction.UPWARDS if page.get_rotation() % 180 else Direction.ACROSS  # the direction on the displayed page
    lines = [
        PageLine(**edges, text=words)
        for words, box in text_lines(textpage, raw, text, places, across)
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
