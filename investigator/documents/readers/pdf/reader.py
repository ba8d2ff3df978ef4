"""Reads PDF files page by page with pdfium; only scanned pages are rendered, for text recognition.

Raised digits are written as such, so that 10\u2076 is not read as 106.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import PurePath
from typing import Any

from investigator.documents.pages import joined_pages, listed_pages
from investigator.documents.readers.base import (
    MOST_CHARACTERS,
    Extracted,
    HiddenText,
    ReaderSettings,
    ReadFailure,
    SourceFile,
    cleaned,
    hidden_parts,
    marked_hidden,
)
from investigator.documents.readers.pdf.annotations import comments_of, taken_fields
from investigator.documents.readers.pdf.boxes import LINE_HYPHEN, Orientation, pdfium
from investigator.documents.readers.pdf.garbled import garbled_pages
from investigator.documents.readers.pdf.page_pictures import large_pictures, pictures_read
from investigator.documents.readers.pdf.page_tables import moved, recorded_tables, tables_of_page
from investigator.documents.readers.pdf.page_texts import page_texts
from investigator.documents.readers.pdf.page_words import page_words
from investigator.documents.readers.pdf.pdfium import attachments, drawn_page, flattened, is_drawn, opened
from investigator.documents.readers.pdf.placed_lines import PlacedLine, placed_lines
from investigator.documents.readers.pdf.table_layout import LaidTable
from investigator.documents.readers.pdf.visible import page_objects, shown_text
from investigator.documents.readers.pictures.ocr import Recognised, recognise
from investigator.documents.readers.properties import first_title_line, honest_title, iso_date, largest_title
from investigator.records import FileStatus, Heading, PageSpan

_OUTLINE_LIMIT = 2_000
_FEWEST = 2  # minimum number of letters and digits in a text layer
_TITLE_SEARCHED = 60  # number of lines on the first page that are searched for a title

Bookmark = tuple[str, int]
"""A bookmark's title and the index of its page, from 0."""


class _State(Enum):
    """The text layer of a page: it is read, or there is none, the page cannot be loaded, its letters are wrong."""

    READ = auto()
    SCAN = auto()
    BROKEN = auto()
    GARBLED = auto()


@dataclass
class _Page:
    """The contents of a page: the lines of its text layer, pdfium's `raw` text with the tables in it, comments, hidden
    words, and the numbers of pictures beside text.
    """

    lines: list[PlacedLine] = field(default_factory=list)
    raw: str = ""
    tables: list[LaidTable] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    hidden: str = ""
    pictures: list[int] = field(default_factory=list)
    state: _State = _State.READ


def _places(pages: Sequence[_Page], state: _State) -> list[int]:
    return [index for index, page in enumerate(pages) if page.state is state]


def read_pdf(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads the text layer of a PDF; pages without one are recognised by OCR if possible. Files attached to the PDF are
    its members.

    Raises ReadFailure: `encrypted` if a password is needed to open it, `needs_ocr` if no page has a text layer and none
    can be recognised, `empty` if the pages are blank, `too_large` above `max_pages`.
    """
    with opened(source.data) as document:
        form = document.get_formtype()
        if form == pdfium.FORMTYPE_ACRO_FORM:
            document.init_forms()
        pages = _pages(document, settings)
        properties, bookmarks = document.get_metadata_dict(skip_empty=True), _bookmarks(document)
    scans, garbled = (
        recognise(_places(pages, state), lambda index: drawn_page(source.data, index), settings)
        for state in (_State.SCAN, _State.GARBLED)
    )
    placed = [(index, number) for index, page in enumerate(pages) for number in page.pictures]
    pictures, unread = pictures_read(source.data, placed, settings) if placed else ({}, [])
    layer = page_texts([page.lines for page in pages])
    texts = [
        _text((scans.texts | garbled.texts).get(index, own.text), pictures.get(index, ()), page, settings)
        for index, (page, own) in enumerate(zip(pages, layer, strict=True))
    ]
    members = attachments(source.data)
    if sum(character.isalnum() for text in texts for character in text[:100]) < _FEWEST:
        if not members:
            raise _without_text(scans)
        return Extracted(text="", left_out=(_without_text(scans),), members=members)
    text, spans = joined_pages(texts)
    shown = [(pages[span.page - 1], layer[span.page - 1], span) for span in spans]
    tables = [moved(page.raw, page.tables, own.text) for page, own, _ in shown]
    set_as_headings = (
        heading.changed(start=span.start + heading.start) for _, own, span in shown for heading in own.headings
    )
    left_out = _left_out(pages, garbled, settings, is_xfa=form == pdfium.FORMTYPE_XFA_FULL)
    return Extracted(
        text=text,
        title=_title(cleaned(properties.get("Title", "")), source.name, pages[0].lines, text),
        pages=spans,
        headings=_bookmarked(text, spans, bookmarks) or tuple(set_as_headings),
        authors=tuple(filter(None, [cleaned(properties.get("Author", "")).strip()])),
        date=iso_date(properties.get("CreationDate")) or iso_date(properties.get("ModDate")),
        tables=recorded_tables(tables, spans, text),
        left_out=(*left_out, *unread, *scans.left_out),
        members=members,
    )


def _text(text: str, pictures: Sequence[str], page: _Page, settings: ReaderSettings) -> str:
    """Return the text of a page with what else is read of it: the texts of pictures, comments, and hidden words."""
    marks = [marked_hidden(cleaned(page.hidden))] if page.hidden and settings.hidden is HiddenText.MARK else []
    return "\n\n".join(filter(None, (text, "\n".join([*pictures, *page.comments, *marks]))))


def _left_out(
    pages: Sequence[_Page], garbled: Recognised, settings: ReaderSettings, *, is_xfa: bool
) -> list[ReadFailure]:
    broken = _places(pages, _State.BROKEN)
    failures = [ReadFailure(FileStatus.FAILED, f"{listed_pages(broken)}: damaged")] if broken else []
    if garbled.failure is not None:
        reason = f"{listed_pages(garbled.missed)}: its font does not say which letters it draws"
        failures.append(ReadFailure(garbled.failure.status, f"{reason}; {garbled.failure.reason}"))
    if is_xfa:
        failures.append(ReadFailure(FileStatus.UNSUPPORTED, "its XFA form is not read: save it as a plain PDF"))
    hidden = {index: len(page.hidden.split()) for index, page in enumerate(pages) if page.hidden}
    return failures + hidden_parts(settings.hidden, {"word": sum(hidden.values())}, f" on {listed_pages(hidden)}")


def _without_text(scans: Recognised) -> ReadFailure:
    """Return the failure for a PDF without text."""
    if scans.failure is not None:
        return ReadFailure(scans.failure.status, f"its pages are pictures: {scans.failure.reason}")
    if scans.texts:
        return ReadFailure(FileStatus.EMPTY, "no text was recognised on its pages, which are pictures")
    return ReadFailure(FileStatus.EMPTY, "its pages are empty")


def _title(property_title: str, name: str, first_page: list[PlacedLine], text: str) -> str:
    """Return the title from the file's properties, or else the largest words or the first line of the first page."""
    title = honest_title(property_title)
    if title and title != PurePath(name).stem:
        return title
    sized = [(line.text.rstrip(LINE_HYPHEN), round(line.size, 1)) for line in first_page[:_TITLE_SEARCHED]]
    return largest_title(sized) or first_title_line(text)


def _pages(document: Any, settings: ReaderSettings) -> list[_Page]:
    """Return what is on each page; a page that cannot be loaded is broken, and does not affect the other pages."""
    if len(document) > settings.max_pages:
        reason = f"{len(document):,} pages, more than the limit of {settings.max_pages:,} (reader.max_pages)"
        raise ReadFailure(FileStatus.TOO_LARGE, reason)
    pages, total = list[_Page](), 0
    for index in range(len(document)):
        try:
            page = _page(document, index)
        except pdfium.PdfiumError:
            page = _Page(state=_State.BROKEN)
        pages.append(page)
        total += sum(len(line.text) for line in page.lines)
        if total > MOST_CHARACTERS:
            raise ReadFailure(FileStatus.TOO_LARGE, f"more than {MOST_CHARACTERS:,} characters of text")
    if pages and all(page.state is _State.BROKEN for page in pages):
        raise ReadFailure(FileStatus.FAILED, "no page of the PDF can be opened: the file is damaged")
    for index in garbled_pages(["\n".join(line.text for line in page.lines) for page in pages]):
        pages[index].lines, pages[index].tables, pages[index].state = [], [], _State.GARBLED
    return pages


def _page(document: Any, index: int) -> _Page:
    page = document[index]
    fields, comments = taken_fields(document, page), comments_of(page)
    page = flattened(document, index, page)
    objects = page_objects(page)
    textpage, turned, hidden = shown_text(page, objects)
    raw = with_raised_digits(textpage, textpage.get_text_range(), turned)
    lines = placed_lines(textpage, raw, turned, fields)
    tables = tables_of_page(page_words(textpage, raw, turned)) if not fields else []
    own = _Page(
        lines=lines,
        raw=raw if tables else "",
        tables=tables,
        comments=comments,
        hidden=hidden,
        pictures=large_pictures(page, objects) if lines else [],
        state=_State.SCAN if not lines and is_drawn(page) else _State.READ,
    )
    textpage.close()
    page.close()
    return own


def _bookmarks(document: Any) -> list[Bookmark]:
    bookmarks: list[Bookmark] = []
    with suppress(pdfium.PdfiumError):  # a damaged outline does not affect the text
        for entry in document.get_toc(max_depth=6):
            destination = entry.get_dest()
            index = destination.get_index() if destination is not None else None
            if index is not None and entry.get_title():
                bookmarks.append((cleaned(entry.get_title()).strip(), index))
            if len(bookmarks) >= _OUTLINE_LIMIT:
                break
    return bookmarks


def _bookmarked(text: str, pages: tuple[PageSpan, ...], bookmarks: list[Bookmark]) -> tuple[Heading, ...]:
    """Return bookmarks as headings, in text order: at their words on the page, or else at the top of the page."""
    spans = {span.page: span for span in pages}
    headings: dict[int, Heading] = {}
    for title, index in bookmarks:
        span = spans.get(index + 1)
        if span is not None and title:
            words = re.compile(r"\s+".join(map(re.escape, title.split())))
            at = words.search(text, span.start, span.end)
            start = at.start() if at else span.start
            headings.setdefault(start, Heading(text=title, start=start))
    return tuple(headings[start] for start in sorted(headings))


_RUN = re.compile(r"(?<=[\w)\u2212-])[0-9]{1,12}(?![0-9])|[0-9]{2,12}")
_RAISED = str.maketrans("0123456789", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")
_SMALLER = 0.85  # size of a raised digit, as a share of the letter before it
_SAME_LINE, _NEXT = 0.2, 2.5  # distances from the line and from the raised digit, as shares of the line's height
_HIGHER = 0.15  # height above its line, as a share of that letter's size


def with_raised_digits(textpage: Any, raw: str, turned: Orientation) -> str:
    """Return pdfium's text of a page with raised digits in place of plain ones that are smaller and higher than the
    letter before them; the line goes on behind them. The length of the text stays as it is.
    """
    if textpage.count_chars() != len(raw):
        return raw
    characters, size, handle = list(raw), pdfium.FPDFText_GetFontSize, textpage.raw
    for match in _RUN.finditer(raw):
        last = match.end() - 1
        first = match.start() - 1 if match.start() and not raw[match.start() - 1].isspace() else match.start()
        if first == last or size(handle, last) >= _SMALLER * size(handle, first):
            continue
        at = last
        while at > first and _is_raised(textpage, first, at, turned):
            characters[at] = raw[at].translate(_RAISED)
            at -= 1
        if at < last and _goes_on(textpage, raw, first, last, turned):
            characters[last + 1 : last + 3] = "  "
    return "".join(characters)


def _goes_on(textpage: Any, raw: str, before: int, raised: int, turned: Orientation) -> bool:
    """Return True if pdfium breaks a line behind a raised digit, although the line goes on."""
    after = raised + 3
    if raw[raised + 1 : after] != "\r\n" or after >= len(raw):
        return False
    while after < len(raw) and raw[after] == " ":
        after += 1
    if after >= len(raw) or raw[after].isspace():
        return False
    line, mark, goes_on = (turned.upright(*textpage.get_charbox(at, loose=True)) for at in (before, raised, after))
    height = max(line.top - line.bottom, 1.0)
    return abs(goes_on.bottom - line.bottom) < _SAME_LINE * height and 0 <= goes_on.left - mark.left < _NEXT * height


def _is_raised(textpage: Any, before: int, at: int, turned: Orientation) -> bool:
    size = pdfium.FPDFText_GetFontSize(textpage, before)
    if size <= 0 or pdfium.FPDFText_GetFontSize(textpage, at) >= _SMALLER * size:
        return False
    line = turned.upright(*textpage.get_charbox(before))
    own = turned.upright(*textpage.get_charbox(at))
    height = max(line.top - line.bottom, 1.0)
    return own.bottom > line.bottom + _HIGHER * height and own.left >= line.left
