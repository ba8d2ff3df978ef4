"""The folder as BB3's search: it is opened for every search anew, so that it is as new as the turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from threading import Lock

from investigator.bb3.exchange import SearchDocument
from investigator.bb3.search.document_text import searched
from investigator.errors import WorkspaceLockedError
from investigator.evidence.quotes import Sources
from investigator.records import Document, Passage
from investigator.retrieval.library import DocumentIndex

OpenShelf = Callable[[], AbstractContextManager[DocumentIndex]]
"""Opens the folder, indexed as it is now."""

_LONGEST_WAIT = 30.0
_BETWEEN_TRIES = 0.05


class FolderSearch:
    """Searches a folder during one turn. Safe to use from several threads.

    The folder is open during a search only: others who chat about it wait for so long, and not while a model thinks.
    """

    def __init__(self, open_shelf: OpenShelf) -> None:
        self._open = open_shelf
        self._found: dict[str, Document] = {}

    @property
    def sources(self) -> Sources:
        """The documents that were found so far, for proving quotes."""
        return Sources(self.document)

    def document(self, document_id: str) -> Document:
        """A document that was found. Raises KeyError for any other."""
        return self._found[document_id]

    def search(self, query: str, count: int) -> Sequence[SearchDocument]:
        """The best passages of the folder. Raises FolderError, WorkspaceLockedError, StoreError, EmbedderError."""
        with self._open() as shelf:
            passages = shelf.passages((searched(query),))[:count]
            self._found |= {passage.document_id: shelf.document(passage.document_id) for passage in passages}
        return [_document(self._found[passage.document_id], passage) for passage in passages]


def one_at_a_time(
    open_shelf: OpenShelf,
    longest_wait: float = _LONGEST_WAIT,
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> OpenShelf:
    """Opens the folder for one thread after the other, and waits for other processes that have it open.

    After `longest_wait` seconds WorkspaceLockedError is raised.
    """
    turn = Lock()

    def opened_in_time(stack: ExitStack) -> DocumentIndex:
        began = clock()
        while True:
            try:
                return stack.enter_context(open_shelf())
            except WorkspaceLockedError:
                if clock() - began >= longest_wait:
                    raise
            sleep(_BETWEEN_TRIES)

    @contextmanager
    def opened() -> Iterator[DocumentIndex]:
        with turn, ExitStack() as stack:
            yield opened_in_time(stack)

    return opened


def _document(document: Document, passage: Passage) -> SearchDocument:
    """A passage as a document that was found; its address names the page or the line where it begins."""
    line = f"#{'line' if passage.own_lines else 'text-line'}={passage.line}" if passage.line else ""
    place = f"#page={passage.page}" if passage.page else line
    address = f"{document.id}{place}"
    return SearchDocument(title=document.title or document.id, text=passage.text, url=address, passage=passage)
