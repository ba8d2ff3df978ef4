"""Renders pages of documents, with quotes marked, in the processes that read files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from investigator.documents.chunks import ChunkSettings
from investigator.documents.exchange import DrawingOrder
from investigator.documents.folder import request_for
from investigator.documents.fresh import MISSING, FolderReading, file_of
from investigator.documents.readers.base import ReaderSettings
from investigator.documents.readers.media_types import PDF
from investigator.documents.readers.members import SOURCE_CHANGED
from investigator.documents.scanning import FolderSettings, FoundFile
from investigator.errors import NotFoundError, ReaderError, SourceChangedError, UserError
from investigator.records import Document, PageView, TextSpan
from investigator.records.pages import DrawnPage, PageOrder

_PROCESSES = 2
_WIDEST = 4_000
_PAGES = "Only pages of PDF documents can be shown, counted from 1; other formats are shown as text."


class PageViews(FolderReading):
    """Renders pages of the PDF documents in a folder, with a span of their text marked.

    Files are rendered only if their sha256 matches the document's. Thread-safe.
    """

    def __init__(self, root: Path, folder: FolderSettings, reader: ReaderSettings) -> None:
        super().__init__(root, folder, reader, processes=_PROCESSES)
        self._listed: Mapping[str, FoundFile] = {}

    def marked(self, document: Document, span: TextSpan) -> tuple[PageView, ...]:
        """Return the pages that contain a span of a document's text, in order, with the span marked.

        Raises NotFoundError if the document does not have these pages; SourceChangedError if its file has changed;
        FolderError if the folder cannot be listed; and ReaderError if the file cannot be rendered.
        """
        orders = [
            PageOrder(
                page=page.page,
                text=document.text[page.start : page.end],
                span=TextSpan(start=max(span.start, page.start) - page.start, end=min(span.end, page.end) - page.start),
            )
            for page in document.pages
            if span.start < page.end and span.end > page.start
        ]
        if not orders:
            raise NotFoundError(f"no page of {document.id} contains the words to mark", hint=_PAGES)
        return tuple(
            PageView(document_id=document.id, **drawn.model_dump(exclude={"picture"}))
            for drawn in self._drawn(document, orders)
        )

    def picture(self, document: Document, page: int, width: int) -> bytes:
        """Return the page with this number (from 1) as a PNG file of the given width in pixels, or narrower if that
        would be too large.

        Raises the same errors as `marked`.
        """
        if not 1 <= width <= _WIDEST:
            raise UserError(f"a page cannot be {width} pixels wide", hint=f"Choose a width of 1 to {_WIDEST:,} pixels.")
        if page < 1:
            raise NotFoundError(f"{document.id} has no page {page}", hint=_PAGES)
        (drawn,) = self._drawn(document, [PageOrder(page=page, picture_width=width)])
        return drawn.picture

    def _drawn(self, document: Document, orders: Sequence[PageOrder]) -> tuple[DrawnPage, ...]:
        """Return the requested pages. The folder is listed again if a file has moved."""
        if document.media_type != PDF:
            raise NotFoundError(f"{document.id} is not a PDF, so it has no pages to show", hint=_PAGES)
        try:
            return self._drawn_from(file_of(document.id, self._listed), document, orders)
        except SourceChangedError:
            self._listed = self._listing()
        return self._drawn_from(file_of(document.id, self._listed), document, orders)

    def _drawn_from(
        self, file: FoundFile | None, document: Document, orders: Sequence[PageOrder]
    ) -> tuple[DrawnPage, ...]:
        if file is None:
            raise SourceChangedError(f"{document.id}: {MISSING}")
        if file.problem:
            raise ReaderError(f"{document.id}: {file.problem}")
        request = request_for(self._root, file, "", self._reader, ChunkSettings()).changed(
            drawing=DrawingOrder(content_hash=document.content_hash, pages=tuple(orders))
        )
        (reading,) = self._pool.read([request])
        contents = reading.contents
        if contents.reason:
            changed = reading.opened is None or contents.reason == SOURCE_CHANGED
            raise (SourceChangedError if changed else ReaderError)(f"{document.id}: {contents.reason}")
        if len(contents.drawn) < len(orders):
            raise NotFoundError(f"{document.id} has no page {orders[-1].page}", hint=_PAGES)
        return contents.drawn
