"""Pages of the documents of an index as they are shown: drawn, with quotes marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from investigator.documents.page_views import PageViews
from investigator.documents.readers.pdf.page_drawing import MarkedSpan
from investigator.errors import FolderError, SourceChangedError
from investigator.records import Document, MarkKind, PageView, Quote
from investigator.services.index_service import IndexService
from investigator.services.parts import Parts
from investigator.store.corpus import Corpus
from investigator.tables.cells import views

_SHOWN_WIDTH = 1_200


class DocumentPages:
    """Shows pages of the PDF documents of an index; safe to use from several threads. Made by `open_pages`.

    A document is the one that the index holds; its file is opened each time, and must be the one that was read.
    """

    def __init__(self, service: IndexService, pages: PageViews) -> None:
        self._service = service
        self._pages = pages

    def views(self, document_id: str, start: int, end: int) -> tuple[PageView, ...]:
        """Return the pages on which the characters `[start, end)` of a document's text stand, with marks over them.

        Raises FolderError if the index has no such document, PageError if it is no PDF or has no such words,
        SourceChangedError if the file is not the one that was read, ReaderError, and what `Investigator.status` does.
        """
        return self._pages.marked(self._document(document_id), [MarkedSpan(start=start, end=end)])

    def quote_views(self, quote: Quote) -> tuple[PageView, ...]:
        """Return the pages on which a quote stands, with marks over it; of a cell of a table, over its headers too.

        Raises what `views` does, and SourceChangedError if the words of the index are not those of the quote.
        """
        document = self._document(quote.document_id)
        if document.content_hash != quote.source_hash or document.text[quote.start : quote.end] != quote.text:
            raise SourceChangedError(f"{quote.document_id} was read again since it was quoted, and says something else")
        return self._pages.marked(document, _spans(document, quote))

    def picture(self, document_id: str, page: int, width: int = _SHOWN_WIDTH) -> bytes:
        """Return a page, counted from 1, as a PNG file that is `width` pixels wide, or fewer if it would be too large.

        Raises what `views` does.
        """
        return self._pages.picture(self._document(document_id), page, width)

    def _document(self, document_id: str) -> Document:
        with self._service.workspace(write=False) as workspace:
            corpus = Corpus(workspace.index)
            try:
                return corpus.document(document_id)
            except KeyError:
                reasons = (file.reason for file in corpus.unreadable() if file.path == document_id)
                reason = next(reasons, "the index does not have it")
        hint = "See the documents with: investigator status FOLDER"
        raise FolderError(f"there is no document {document_id}: {reason}", hint=hint)


@contextmanager
def open_pages(service: IndexService, parts: Parts) -> Iterator[DocumentPages]:
    """Show pages of the documents of a folder as long as the context lasts; nothing is started before it is needed."""
    with PageViews(service.folder, parts.settings.folder, parts.settings.reader) as pages:
        yield DocumentPages(service, pages)


def _spans(document: Document, quote: Quote) -> Sequence[MarkedSpan]:
    """Return what is to be marked for a quote: its words; of a cell, its row, its value, and what names its column."""
    spans = [MarkedSpan(start=quote.start, end=quote.end)]
    cell = quote.cell
    if cell is None:
        return spans
    spans.append(MarkedSpan(start=cell.start, end=cell.end, kind=MarkKind.VALUE))
    for table in views(document):
        for value in table.values():
            if (value.start, value.end) == (cell.start, cell.end):
                named_by = table.naming_cells(value)
                return [*spans, *(MarkedSpan(start=one.start, end=one.end, kind=MarkKind.HEADER) for one in named_by)]
    return spans
