"""Renders pages of indexed documents and marks quotes on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from investigator.documents.page_views import PageViews
from investigator.errors import FolderError, NotFoundError, ReaderError, SourceChangedError
from investigator.records import Document, PageView, Quote, TextSpan
from investigator.reports.html import CitedPage

_SHOWN_WIDTH, _EMBEDDED_WIDTH = 1_200, 900
_PDF = ".pdf"


class DocumentPages:
    """Shows pages from the PDF documents in an index. Thread-safe. Created by `IndexedFolder.pages`.

    Documents come from the index, by `document`; the file is opened each time, and must be the same as when it was
    indexed.
    """

    def __init__(self, document: Callable[[str], Document], pages: PageViews) -> None:
        self._document = document
        self._pages = pages

    def views(self, document_id: str, start: int, end: int) -> tuple[PageView, ...]:
        """Return the pages that contain the characters `[start, end)` of a document's text, with those characters
        marked.

        Raises NotFoundError if the index does not contain the document, or it is not a PDF or does not contain the
        words; SourceChangedError if the file has changed; and ReaderError or StoreError.
        """
        return self._pages.marked(self._document(document_id), TextSpan(start=start, end=end))

    def quote_views(self, quote: Quote) -> tuple[PageView, ...]:
        """Return the pages that contain a quote, with the quote marked. Raises the same errors as `views`."""
        document = self._document(quote.document_id)
        if document.content_hash != quote.source_hash or document.text[quote.start : quote.end] != quote.text:
            raise SourceChangedError(f"{quote.document_id} has changed since it was quoted")
        return self._pages.marked(document, TextSpan(start=quote.start, end=quote.end))

    def cited(self, quotes: Sequence[Quote], most_bytes: int) -> tuple[tuple[CitedPage, ...], int]:
        """Return the pages that contain quotes, up to `most_bytes` of pictures, and the number of pages left out.
        Quotes are numbered from 1.

        Quotes from formats other than PDF, or from changed files, have no pages. Raises StoreError.
        """
        views: dict[tuple[str, int], PageView] = {}
        sources: dict[tuple[str, int], list[int]] = {}
        for number, quote in enumerate(quotes, start=1):
            is_paged = quote.page is not None and quote.document_id.lower().endswith(_PDF)
            own: tuple[PageView, ...] = ()
            with suppress(NotFoundError, ReaderError, FolderError):
                own = self.quote_views(quote) if is_paged else ()
            for view in own:
                page = (view.document_id, view.page)
                known = views.get(page, view.changed(marks=()))
                views[page] = known.changed(marks=(*known.marks, *view.marks))
                sources.setdefault(page, []).append(number)
        pages: list[CitedPage] = []
        for (name, number), view in views.items():
            picture = self.picture(name, number, _EMBEDDED_WIDTH)
            most_bytes -= len(picture)
            if most_bytes < 0:
                break
            pages.append(CitedPage(view=view, sources=tuple(sources[name, number]), picture=picture))
        return tuple(pages), len(views) - len(pages)

    def picture(self, document_id: str, page: int, width: int = _SHOWN_WIDTH) -> bytes:
        """Return a page, counted from 1, as a PNG file that is `width` pixels wide, or narrower if it would be too
        large.

        Raises the same errors as `views`.
        """
        return self._pages.picture(self._document(document_id), page, width)
