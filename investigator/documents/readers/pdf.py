"""PDF, page by page, with pdfium; pages are never drawn."""

from __future__ import annotations

import threading
from pathlib import PurePath
from typing import Any

from investigator.documents.readers.base import Extracted, ReaderSettings, ReadFailure, Source, cleaned
from investigator.documents.readers.dates import iso_date
from investigator.documents.readers.titles import first_title_line, honest_title, largest_title
from investigator.records import FileStatus, Heading, PageSpan

_PDFIUM = threading.Lock()  # pdfium keeps global state: one call at a time in a process
_PASSWORD_ERROR = 4  # FPDF_ERR_PASSWORD
_OUTLINE_LIMIT = 2_000
_FEWEST = 2  # letters and digits that make a text layer
_TITLE_SEARCHED = 3_000  # characters of the first page
_BREAK = "\n\n"

Bookmark = tuple[str, int]
"""A bookmark's title and the index of its page, from 0."""

Line = tuple[str, float]
"""A line's text and the height of its letters, in points."""


def read_pdf(source: Source, settings: ReaderSettings) -> Extracted:
    """Reads the text layer of a PDF.

    Raises ReadFailure: `encrypted` when a password is needed to open it, `needs_ocr` when no page holds text,
    `too_large` above `max_pages`.
    """
    texts, bookmarks, properties, first_lines = _with_pdfium(source.data, settings)
    if sum(character.isalnum() for text in texts for character in text[:100]) < _FEWEST:
        raise ReadFailure(FileStatus.NEEDS_OCR, "no page holds text: it is probably a scan, and needs text recognition")
    text, pages = joined(texts)
    return Extracted(
        text=text,
        title=_title(cleaned(properties.get("Title", "")), source.name, first_lines, text),
        pages=pages,
        headings=_headings(text, pages, bookmarks),
        authors=tuple(filter(None, [cleaned(properties.get("Author", "")).strip()])),
        date=iso_date(properties.get("CreationDate")) or iso_date(properties.get("ModDate")),
    )


def page_text(text: str) -> str:
    """The text of a page as pdfium gives it, cleaned.

    Where a line ends with a hyphen, pdfium puts U+FFFE for hyphen and line end: both are given back, as on the page.
    """
    return cleaned(text.replace("\ufffe", "-\n")).strip()


def joined(texts: list[str]) -> tuple[str, tuple[PageSpan, ...]]:
    """The pages' texts as one text, parted by an empty line, with the span of each page that has text."""
    spans: list[PageSpan] = []
    offset = 0
    for number, text in enumerate(texts, start=1):
        if text:
            spans.append(PageSpan(page=number, start=offset, end=offset + len(text)))
            offset += len(text) + len(_BREAK)
    return _BREAK.join(text for text in texts if text), tuple(spans)


def _title(property_title: str, name: str, first_lines: list[Line], text: str) -> str:
    """The title in the file's properties, else the largest words on the first page, else its first line."""
    title = honest_title(property_title)
    if title and title != PurePath(name).stem:
        return title
    return largest_title(first_lines) or first_title_line(text)


def _with_pdfium(data: bytes, settings: ReaderSettings) -> tuple[list[str], list[Bookmark], dict[str, str], list[Line]]:
    import pypdfium2

    with _PDFIUM:
        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            if getattr(error, "err_code", None) == _PASSWORD_ERROR:
                raise ReadFailure(FileStatus.ENCRYPTED, "the PDF is protected by a password") from error
            raise ReadFailure(FileStatus.FAILED, "the PDF is cut off or damaged") from error
        try:
            if len(document) > settings.max_pages:
                reason = f"the PDF has {len(document)} pages, more than the limit of {settings.max_pages}"
                raise ReadFailure(FileStatus.TOO_LARGE, reason)
            texts = _page_texts(document, settings)
            properties = document.get_metadata_dict(skip_empty=True)
            return texts, _bookmarks(document), properties, _lines_with_heights(document)
        finally:
            document.close()


def _page_texts(document: Any, settings: ReaderSettings) -> list[str]:
    """The text of each page; a page that cannot be loaded has none, the others are still read."""
    import pypdfium2

    texts: list[str] = []
    total = broken = 0
    for index in range(len(document)):
        try:
            texts.append(_page_text(document, index))
        except pypdfium2.PdfiumError:
            broken += 1
            texts.append("")
        total += len(texts[-1])
        if total > settings.max_characters:
            raise ReadFailure(FileStatus.TOO_LARGE, f"more than {settings.max_characters} characters of text")
    if broken and broken == len(texts):
        raise ReadFailure(FileStatus.FAILED, "no page of the PDF can be opened: the file is damaged")
    return texts


def _page_text(document: Any, index: int) -> str:
    import pypdfium2.raw as pdfium

    page = document[index]
    if _has_written_annotations(page):  # what was filled in belongs to the page; only the copy in memory is changed
        pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY)
        page.close()
        page = document[index]
    textpage = page.get_textpage()
    text = page_text(textpage.get_text_range())
    textpage.close()
    page.close()
    return text


def _has_written_annotations(page: Any) -> bool:
    """Whether form fields, typed remarks or stamps stand on the page."""
    import pypdfium2.raw as pdfium

    written = (pdfium.FPDF_ANNOT_WIDGET, pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_STAMP)
    for index in range(pdfium.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        pdfium.FPDFPage_CloseAnnot(annotation)
        if kind in written:
            return True
    return False


def _lines_with_heights(document: Any) -> list[Line]:
    """The lines of the first page with the height of their first letter."""
    import pypdfium2

    try:
        page = document[0]
    except (IndexError, pypdfium2.PdfiumError):
        return []
    textpage = page.get_textpage()
    lines: list[Line] = []
    text, height = "", 0.0
    for index, character in enumerate(textpage.get_text_range()[:_TITLE_SEARCHED]):
        if character in "\r\n":
            if text:
                lines.append((cleaned(text), round(height, 1)))
            text, height = "", 0.0
            continue
        text += character
        if not height and character.isalnum():
            _, bottom, _, top = textpage.get_charbox(index, loose=True)
            height = top - bottom
    textpage.close()
    page.close()
    return [*lines, (cleaned(text), round(height, 1))]


def _bookmarks(document: Any) -> list[Bookmark]:
    import pypdfium2

    found: list[Bookmark] = []
    try:
        for entry in document.get_toc(max_depth=6):
            destination = entry.get_dest()
            index = destination.get_index() if destination is not None else None
            if index is not None and entry.get_title():
                found.append((cleaned(entry.get_title()).strip(), index))
            if len(found) >= _OUTLINE_LIMIT:
                break
    except pypdfium2.PdfiumError:  # a damaged outline takes nothing from the text
        return found
    return found


def _headings(text: str, pages: tuple[PageSpan, ...], bookmarks: list[Bookmark]) -> tuple[Heading, ...]:
    """Bookmarks as headings: where their words stand on their page, else at its top; in the order of the text."""
    spans = {span.page: span for span in pages}
    found: dict[int, Heading] = {}
    for title, index in bookmarks:
        span = spans.get(index + 1)
        if span is not None and title:
            at = text.find(title, span.start, span.end)
            start = at if at >= 0 else span.start
            found.setdefault(start, Heading(text=title, start=start))
    return tuple(found[start] for start in sorted(found))
