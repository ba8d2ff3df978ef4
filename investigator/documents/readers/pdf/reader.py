"""Reads PDF files page by page with pdfium; only scanned pages are rendered, for text recognition.

Raised digits are written as such, so that 10\u2076 is not read as 106.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
from investigator.documents.readers.pdf.blocks import PlacedLine
from investigator.documents.readers.pdf.garbled import garbled_pages
from investigator.documents.readers.pdf.orientation import Orientation
from investigator.documents.readers.pdf.page_pictures import large_pictures, pictured_tables, pictures_read
from investigator.documents.readers.pdf.page_tables import moved, recorded_tables, tables_of_page
from investigator.documents.readers.pdf.page_texts import LINE_HYPHEN, PageText, page_texts
from investigator.documents.readers.pdf.pdfium import attachments, drawn_page, is_drawn, opened, page_with_annotations
from investigator.documents.readers.pdf.placed_lines import placed_lines
from investigator.documents.readers.pdf.positions import page_words
from investigator.documents.readers.pdf.table_layout import LaidTable
from investigator.documents.readers.pdf.visible import page_objects, shown_text
from investigator.documents.readers.pictures.ocr import Recognised, recognise
from investigator.documents.readers.properties import first_title_line, honest_title, iso_date, largest_title
from investigator.documents.readers.table_captions import pictured
from investigator.records import FileStatus, Heading, PageSpan

_OUTLINE_LIMIT = 2_000
_MOST_PICTURED = 50
_FEWEST = 2  # minimum number of letters and digits in a text layer
_TITLE_SEARCHED = 60  # number of lines on the first page that are searched for a title

Bookmark = tuple[str, int]
"""A bookmark's title and the index of its page, from 0."""


LaidPage = tuple[str, list[LaidTable]]
"""The text of a page from pdfium, and its tables with their positions in that text, if any."""


@dataclass
class _Layers:
    """The lines of each page's text layer, and the indices of pages that are scans, cannot be opened (`broken`), or
    whose letters are wrong (`garbled`). `comments` and `hidden` words are those of each page; `pictures` are the pages
    and numbers of pictures beside text.
    """

    lines: list[list[PlacedLine]] = field(default_factory=list)
    tables: list[LaidPage] = field(default_factory=list)
    scans: list[int] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)
    pictured: list[ReadFailure] = field(default_factory=list)
    pictures: list[tuple[int, int]] = field(default_factory=list)
    comments: dict[int, list[str]] = field(default_factory=dict)
    hidden: dict[int, str] = field(default_factory=dict)
    garbled: list[int] = field(default_factory=list)
    is_xfa: bool = False
    bookmarks: list[Bookmark] = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)


def read_pdf(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads the text layer of a PDF; pages without one are recognised by OCR if possible. Files attached to the PDF are
    its members.

    Raises ReadFailure: `encrypted` if a password is needed to open it, `needs_ocr` if no page has a text layer and none
    can be recognised, `empty` if the pages are blank, `too_large` above `max_pages`.
    """
    layers = _layers(source.data, settings)
    scans = recognise(layers.scans, lambda index: drawn_page(source.data, index), settings)
    garbled = recognise(layers.garbled, lambda index: drawn_page(source.data, index), settings)
    pictures, unread = pictures_read(source.data, layers.pictures, settings) if layers.pictures else ({}, [])
    layer = page_texts(layers.lines)
    recognised = scans.texts | garbled.texts
    texts = [recognised.get(index, page.text) for index, page in enumerate(layer)]
    texts = [_with_more(text, _more(index, layers, pictures, settings)) for index, text in enumerate(texts)]
    members = attachments(source.data)
    if not _has_words(texts):
        if not members:
            raise _without_text(scans)
        return Extracted(text="", left_out=(_without_text(scans),), members=members)
    text, pages = joined_pages(texts)
    laid = [moved(*layers.tables[span.page - 1], layer[span.page - 1].text) for span in pages]
    return Extracted(
        text=text,
        title=_title(cleaned(layers.properties.get("Title", "")), source.name, layers.lines[0], text),
        pages=pages,
        headings=_bookmarked(text, pages, layers.bookmarks) or _set_as_headings(pages, layer),
        authors=tuple(filter(None, [cleaned(layers.properties.get("Author", "")).strip()])),
        date=iso_date(layers.properties.get("CreationDate")) or iso_date(layers.properties.get("ModDate")),
        tables=recorded_tables(laid, pages, text),
        left_out=(*_left_out(layers, garbled, settings), *unread, *scans.left_out),
        members=members,
    )


def _more(index: int, layers: _Layers, pictures: Mapping[int, Sequence[str]], settings: ReaderSettings) -> list[str]:
    """Return what is read of a page besides its text: comments, the texts of pictures, and hidden words with a mark."""
    hidden = layers.hidden.get(index, "") if settings.hidden is HiddenText.MARK else ""
    return [
        *pictures.get(index, ()),
        *layers.comments.get(index, ()),
        *([marked_hidden(cleaned(hidden))] if hidden else ()),
    ]


def _with_more(text: str, more: Sequence[str]) -> str:
    return "\n\n".join(filter(None, (text, "\n".join(more))))


def _left_out(layers: _Layers, garbled: Recognised, settings: ReaderSettings) -> list[ReadFailure]:
    failures = list(layers.pictured[:_MOST_PICTURED])
    if layers.broken:
        failures.insert(0, ReadFailure(FileStatus.FAILED, f"{listed_pages(layers.broken)}: damaged"))
    if garbled.failure is not None:
        pages = listed_pages(garbled.missed)
        reason = f"{pages}: its font does not say which letters it draws; {garbled.failure.reason}"
        failures.append(ReadFailure(garbled.failure.status, reason))
    if layers.is_xfa:
        failures.append(ReadFailure(FileStatus.UNSUPPORTED, "its XFA form is not read: save it as a plain PDF"))
    count = sum(len(words.split()) for words in layers.hidden.values())
    return failures + hidden_parts(settings.hidden, {"word": count}, f" on {listed_pages(sorted(layers.hidden))}")


def _has_words(texts: list[str]) -> bool:
    return sum(character.isalnum() for text in texts for character in text[:100]) >= _FEWEST


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


def _layers(data: bytes, settings: ReaderSettings) -> _Layers:
    import pypdfium2

    with opened(data) as document:
        if len(document) > settings.max_pages:
            reason = f"{len(document):,} pages, more than the limit of {settings.max_pages:,} (reader.max_pages)"
            raise ReadFailure(FileStatus.TOO_LARGE, reason)
        layers = _Layers()
        kind = document.get_formtype()
        layers.is_xfa = kind == pypdfium2.raw.FORMTYPE_XFA_FULL
        if kind == pypdfium2.raw.FORMTYPE_ACRO_FORM:
            document.init_forms()
        _read_pages(document, layers)
        _take_garbled(layers)
        layers.properties = document.get_metadata_dict(skip_empty=True)
        layers.bookmarks = _bookmarks(document)
    return layers


def _read_pages(document: Any, layers: _Layers) -> None:
    """Add the lines of each page; a page that cannot be loaded gets no lines, and does not affect the other pages."""
    import pypdfium2

    total = 0
    for index in range(len(document)):
        lines, tables = list[PlacedLine](), ("", list[LaidTable]())
        try:
            lines, tables = _page(document, index, layers)
        except pypdfium2.PdfiumError:
            layers.broken.append(index)
        layers.lines.append(lines)
        layers.tables.append(tables)
        total += sum(len(line.text) for line in lines)
        if total > MOST_CHARACTERS:
            raise ReadFailure(FileStatus.TOO_LARGE, f"more than {MOST_CHARACTERS:,} characters of text")
    if layers.broken and len(layers.broken) == len(layers.lines):
        raise ReadFailure(FileStatus.FAILED, "no page of the PDF can be opened: the file is damaged")


def _page(document: Any, index: int, layers: _Layers) -> tuple[list[PlacedLine], LaidPage]:
    """Return the lines of a page and its tables; add what else is on it to the layers."""
    page, fields, comments = page_with_annotations(document, index)
    objects = page_objects(page)
    textpage, turned, hidden = shown_text(page, objects)
    if hidden:
        layers.hidden[index] = hidden
    raw = with_raised_digits(textpage, textpage.get_text_range(), turned)
    lines = placed_lines(textpage, raw, turned, fields)
    tables = tables_of_page(page_words(textpage, raw, turned)) if not fields else []
    layers.pictured += (pictured(name, index + 1) for name in pictured_tables(page, lines, turned))
    if comments:
        layers.comments[index] = comments
    if not lines and is_drawn(page):
        layers.scans.append(index)
    if lines:
        layers.pictures += ((index, number) for number in large_pictures(page, objects))
    textpage.close()
    page.close()
    return lines, (raw if tables else "", tables)


def _take_garbled(layers: _Layers) -> None:
    """Take the text of pages with wrong letters out of the layers."""
    layers.garbled = garbled_pages(["\n".join(line.text for line in lines) for lines in layers.lines])
    for index in layers.garbled:
        layers.lines[index], layers.tables[index] = [], ("", [])


def _bookmarks(document: Any) -> list[Bookmark]:
    import pypdfium2

    bookmarks: list[Bookmark] = []
    try:
        for entry in document.get_toc(max_depth=6):
            destination = entry.get_dest()
            index = destination.get_index() if destination is not None else None
            if index is not None and entry.get_title():
                bookmarks.append((cleaned(entry.get_title()).strip(), index))
            if len(bookmarks) >= _OUTLINE_LIMIT:
                break
    except pypdfium2.PdfiumError:  # a damaged outline does not affect the text
        return bookmarks
    return bookmarks


def _set_as_headings(pages: tuple[PageSpan, ...], layer: list[PageText]) -> tuple[Heading, ...]:
    """Return the headings of a document without bookmarks, recognised by their letter size and weight."""
    return tuple(
        heading.changed(start=span.start + heading.start) for span in pages for heading in layer[span.page - 1].headings
    )


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
    import pypdfium2.raw as pdfium

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
    import pypdfium2.raw as pdfium

    size = pdfium.FPDFText_GetFontSize(textpage, before)
    if size <= 0 or pdfium.FPDFText_GetFontSize(textpage, at) >= _SMALLER * size:
        return False
    line = turned.upright(*textpage.get_charbox(before))
    own = turned.upright(*textpage.get_charbox(at))
    height = max(line.top - line.bottom, 1.0)
    return own.bottom > line.bottom + _HIGHER * height and own.left >= line.left
