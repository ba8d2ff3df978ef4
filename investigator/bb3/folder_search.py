"""The folder as BB3's search: the library is opened when it is needed first, so that it is as new as the turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from threading import Lock
from types import TracebackType
from typing import Self

from investigator.bb3.exchange import SearchDocument
from investigator.evidence.quotes import Sources
from investigator.records import Document, Passage
from investigator.retrieval.library import Shelf

OpenShelf = Callable[[], AbstractContextManager[Shelf]]
"""Opens the folder, indexed as it is now."""


class FolderSearch:
    """Searches a folder during one turn. Safe to use from several threads. As a context it closes the folder again."""

    def __init__(self, open_shelf: OpenShelf) -> None:
        self._open = open_shelf
        self._stack = ExitStack()
        self._opening = Lock()
        self._shelf: Shelf | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def sources(self) -> Sources:
        """The documents, for proving quotes."""
        return Sources(self._document)

    def search(self, query: str, count: int) -> Sequence[SearchDocument]:
        """The best passages of the folder. Raises FolderError, WorkspaceLockedError, StoreError, EmbedderError."""
        shelf = self._shelf_now()
        return [_found(shelf.document(passage.document_id), passage) for passage in shelf.passages((query,))[:count]]

    def _document(self, document_id: str) -> Document:
        return self._shelf_now().document(document_id)

    def _shelf_now(self) -> Shelf:
        with self._opening:
            if self._shelf is None:
                self._shelf = self._stack.enter_context(self._open())
            return self._shelf


def _found(document: Document, passage: Passage) -> SearchDocument:
    return SearchDocument(title=document.title or document.id, text=passage.text, url=document.id, passage=passage)
