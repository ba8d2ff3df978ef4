"""Compares what the pages of PDF files show, recognised with Tesseract, with the text that was read of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from investigator.documents.beneath import open_file
from investigator.documents.readers.base import ReaderSettings, ReadFailure
from investigator.documents.readers.media_types import PDF
from investigator.documents.readers.pdf.pdfium import drawn_page
from investigator.documents.readers.pictures.ocr import recognise, why_not
from investigator.errors import SettingsError
from investigator.records import Document, PageCheck

_WORD = re.compile(r"[^\W_]{2,}")
_MOST = 0.2  # share of the words of a page that may differ
_FEWEST = 5
_EXAMPLES = 8


def differing_pages(
    folder: Path, documents: Iterable[Document], settings: ReaderSettings, on_compared: Callable[[], object]
) -> Iterator[PageCheck]:
    """Yield the pages of PDF files in a folder on which more than a fifth of the words differ; files inside other files
    are skipped. `on_compared` is called after each page. Raises SettingsError if Tesseract cannot be used.
    """
    if obstacle := why_not(settings):
        hint = f"{obstacle[:1].upper()}{obstacle[1:]}."
        raise SettingsError("pages cannot be compared without text recognition", hint=hint)
    for document in documents:
        if document.media_type != PDF:
            continue
        try:
            with open_file(str(folder), document.id) as file:
                data = file.read(settings.max_bytes)
        except OSError:  # it is inside another file, or has gone since the index was updated
            continue
        for number in range(1, max((span.page for span in document.pages), default=0) + 1):
            shown = _recognised(data, number, settings)
            if shown is None:
                continue
            on_compared()
            if (page := compared(document, number, shown)) is not None:
                yield page


def compared(document: Document, number: int, shown: str) -> PageCheck | None:
    """Return how the text of a page differs from what it shows; None if at most a fifth of the words differ."""
    span = next((span for span in document.pages if span.page == number), None)
    read = _words(document.text[span.start : span.end]) if span is not None else Counter[str]()
    seen = _words(shown)
    most = max(read.total(), seen.total())
    if most < _FEWEST or most - (read & seen).total() <= _MOST * most:
        return None
    return PageCheck(
        document=document.id,
        page=number,
        read=read.total(),
        shown=seen.total(),
        common=(read & seen).total(),
        only_shown=tuple(seen - read)[:_EXAMPLES],
        only_read=tuple(read - seen)[:_EXAMPLES],
    )


def _recognised(data: bytes, number: int, settings: ReaderSettings) -> str | None:
    try:
        outcome = recognise([number - 1], lambda index: drawn_page(data, index), settings)
    except ReadFailure:  # the page cannot be drawn
        return None
    return outcome.texts.get(number - 1)


def _words(text: str) -> Counter[str]:
    return Counter(word.casefold() for word in _WORD.findall(text))
