"""Searches a folder for BB3's modules. The folder is opened for every search, so that the results are current. Results
from another search are looked up in the folder, because a server may claim that any text is in a document. Quotes are
looked up in files that are read again, because an index can be damaged, forged or outdated.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from threading import Lock

from investigator.bb3.exchange import DocumentSearch, SearchDocument
from investigator.bb3.search.served import searched
from investigator.documents.pages import heading_at, line_at, page_at
from investigator.errors import FolderError, InvestigatorError, NotFoundError, ReaderError, WorkspaceLockedError
from investigator.proof.standing import SOURCE_CHANGED, Reread, standing_quotes
from investigator.records import Document, Passage, Quote
from investigator.retrieval.library import Library
from investigator.services.indexed_folder import mended

OpenShelf = Callable[[frozenset[str]], AbstractContextManager[Library]]
"""Opens the folder with an up-to-date index; the given documents are read again even if they seem unchanged."""

_LONGEST_WAIT = 30.0
_BETWEEN_TRIES = 0.05
_ELSEWHERE = "another search"
_MOST_LINES = 3  # the number of queries that sgm may write


@dataclass
class FolderSearch:
    """Searches a folder, or `elsewhere` if given, during one turn. Thread-safe. The folder is open only during a
    search, so other chats need not wait while a model replies. `reread` reads the folder's documents again from their
    files; without it, no quotes from the folder are accepted.
    """

    open_shelf: OpenShelf
    elsewhere: DocumentSearch | None = None
    reread: Reread | None = None
    _documents: dict[str, Document] = field(default_factory=dict)

    def document(self, document_id: str) -> Document:
        """Return a document that a search found. Raises KeyError for any other document."""
        return self._documents[document_id]

    def search(self, query: str, count: int) -> Sequence[SearchDocument]:
        """Return the best passages, those for each line of the query in turn (a query of more than three lines is read
        as one). Results from elsewhere become passages of the folder if the folder's document of that name contains
        them; all other results name their server. Raises
        FolderError, WorkspaceLockedError, StoreError, EngineError, and the errors of the other search.
        """
        if self.elsewhere is None:
            return mended(lambda again: self._passages(query, count, again))
        results = self.elsewhere.search(" ".join(query.split()), count)
        return mended(lambda again: self._looked_up(results, again))

    def standing(self, quotes: Sequence[Quote]) -> tuple[tuple[Quote, ...], tuple[str, ...]]:
        """Return the quotes that are in the folder's files now, with their current places, and for every other quote
        the reason why it is missing. The documents of missing quotes are read into the index again, so that the next
        search finds the current text.
        """
        if self.reread is None or not quotes:
            return (), ()
        try:
            standing, lost = standing_quotes(quotes, self.reread)
        except (NotFoundError, FolderError, ReaderError) as error:
            return (), (f"{SOURCE_CHANGED}: {error.message}",)
        if lost:
            again = frozenset(quote.document_id for quote in quotes)
            with suppress(InvestigatorError), self.open_shelf(again):  # if it fails, the next search reports the error
                pass
        return standing, lost

    def _passages(self, query: str, count: int, again: frozenset[str]) -> Sequence[SearchDocument]:
        with self.open_shelf(again) as shelf:
            ranked = chain.from_iterable(zip_longest(*(shelf.passages(searched(line)) for line in _lines(query))))
            places: dict[tuple[str, int, int], Passage] = {}  # a passage has another score for each line
            for passage in filter(None, ranked):
                places.setdefault((passage.document_id, passage.start, passage.end), passage)
            passages = list(places.values())[:count]
            self._documents |= {each.document_id: shelf.document(each.document_id) for each in passages}
        return [_result(self._documents[passage.document_id], passage) for passage in passages]

    def _looked_up(self, results: Sequence[SearchDocument], again: frozenset[str]) -> Sequence[SearchDocument]:
        named = {document.passage.document_id for document in results if document.passage}
        if named:
            with self.open_shelf(again) as shelf:
                for document_id in named.intersection(shelf.document_ids()):
                    self._documents[document_id] = shelf.document(document_id)
        return [self._of_folder(each) or each.changed(server=each.server or _ELSEWHERE) for each in results]

    def _of_folder(self, result: SearchDocument) -> SearchDocument | None:
        """Return the passage in the folder that a result's text comes from; None if the folder does not contain it."""
        own = self._documents.get(result.passage.document_id) if result.passage else None
        start = own.text.find(result.text) if own is not None and result.text.strip() else -1
        if result.passage is None or own is None or start < 0:
            return None
        place = {"page": page_at(own.pages, start), "line": line_at(own.text, start), "own_lines": own.own_lines}
        span = {"start": start, "end": start + len(result.text), "heading": heading_at(own.headings, start)}
        return _result(own, result.passage.changed(**span, **place))


def one_at_a_time(open_shelf: OpenShelf, longest_wait: float = _LONGEST_WAIT) -> OpenShelf:
    """Open the folder for one thread at a time, and wait for other processes. Raises WorkspaceLockedError."""
    turn = Lock()

    @contextmanager
    def opened(again: frozenset[str]) -> Iterator[Library]:
        with turn, ExitStack() as stack:
            last = time.monotonic() + longest_wait
            while True:
                try:
                    shelf = stack.enter_context(open_shelf(again))
                    break
                except WorkspaceLockedError:
                    if time.monotonic() >= last:
                        raise
                time.sleep(_BETWEEN_TRIES)
            yield shelf

    return opened


def _lines(query: str) -> list[str]:
    lines = [line for line in query.splitlines() if line.strip()]
    return lines if 0 < len(lines) <= _MOST_LINES else [" ".join(query.split())]


def _result(document: Document, passage: Passage) -> SearchDocument:
    """Return a passage as a search result; its address contains the page or first line, as `client` reads it."""
    line = f"#{'line' if passage.own_lines else 'text-line'}={passage.line}" if passage.line else ""
    address = f"{document.id}#page={passage.page}" if passage.page else f"{document.id}{line}"
    return SearchDocument(title=document.title or document.id, text=passage.text, url=address, passage=passage)
