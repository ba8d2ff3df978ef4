"""A folder with its index: updates, describes and searches it, and shows its documents and pages."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from investigator.documents.document_ids import known_id
from investigator.documents.folder import Recheck, changes, scan
from investigator.documents.fresh import FreshReading
from investigator.documents.scanning import FolderListing
from investigator.errors import (
    DamagedDocumentError,
    FolderError,
    NotFoundError,
    SettingsError,
    ShardLostError,
    WorkspaceLockedError,
    expect,
)
from investigator.records import (
    Document,
    DocumentCard,
    Event,
    FileRecord,
    FolderStatus,
    Investigation,
    Mentions,
    PageCheck,
    Quote,
    Search,
    SearchHit,
)
from investigator.retrieval.folder_index import FolderIndex, check_any_document, no_documents, workspace_library
from investigator.retrieval.library import Library
from investigator.retrieval.retrieval_settings import RetrievalSettings
from investigator.services.parts import OpenIndex, Parts
from investigator.services.run_records import valid_question
from investigator.store.corpus import DecodedDocuments
from investigator.store.workspace import Workspace, has_database, has_runs

if TYPE_CHECKING:
    from investigator.cluster.shard_files import ClusterProgress
    from investigator.reports.html import Enclosures
    from investigator.services.document_pages import DocumentPages

_Result = TypeVar("_Result")

_MOST_LOSSES = 1  # number of retries, by other workers, after losing a shard
_MOST_PICTURES = 6_000_000
"""Size limit for the pictures in a report, in bytes."""
_NEAR = 0.25  # cosine; with MiniLM, words that mean nothing here reach 0.19, and other words for the same thing 0.29


class Mending:
    """Decides whether some work is worth repeating after an error. `again` are the damaged documents, which the next
    attempt reads from their files once more.
    """

    def __init__(self) -> None:
        self.again = frozenset[str]()
        self._losses = 0

    def mends(self, error: BaseException | None) -> bool:
        """Return True if another attempt may succeed: not if a document is damaged again right after it was read, or
        shards are lost repeatedly.
        """
        if isinstance(error, ShardLostError):
            self._losses += 1
            return self._losses <= _MOST_LOSSES
        if isinstance(error, DamagedDocumentError) and not self.again.issuperset(error.document_ids):
            self.again = self.again.union(error.document_ids)
            return True
        return False


def mended(attempt: Callable[[frozenset[str]], _Result]) -> _Result:
    """Return the result of an attempt, which takes the documents to read again and is repeated as `Mending` decides.

    Raises DamagedDocumentError and ShardLostError.
    """
    mending = Mending()
    while True:
        try:
            return attempt(mending.again)
        except (DamagedDocumentError, ShardLostError) as error:
            if not mending.mends(error):
                raise


class IndexedFolder:
    """A folder of documents; its index is in the directory `workspace`.

    `bring_down` updates the local copy of a remote folder; its argument is a function that receives notices.
    """

    def __init__(
        self,
        folder: Path,
        workspace: Path,
        parts: Parts,
        bring_down: Callable[[Callable[[str], None]], None] | None = None,
    ) -> None:
        self.folder = folder
        self.workspace = workspace
        self.parts = parts
        self._bring_down = bring_down
        self._decoded = DecodedDocuments()
        self._fresh: FreshReading | None = None

    def status(self, *, compare: bool = True) -> FolderStatus:
        """Return the contents of the index and, with `compare`, the changes in the folder. Raises FolderError."""
        if not self.has_index():
            command = f"To create the index: investigator index {self.folder}"
            raise FolderError(f"the folder {self.folder} has no index yet", command=command)
        with self._index() as index:
            corpus, files = index.stored, index.stored.files()
            new, changed, gone = self.changes(files) if compare else ((), (), ())
            return FolderStatus(
                files=files,
                documents=len(corpus.document_ids()),
                chunks=corpus.chunk_count(),
                without_vectors=index.without_vectors(),
                left_out=corpus.left_out(),
                new=new,
                changed_files=changed,
                gone=gone,
            )

    def progress(self) -> ClusterProgress | None:
        """Return how many shards of the index are built, or None if there is no cluster. Raises ClusterError."""
        with self._index() as index:
            return None if isinstance(index, FolderIndex) else index.progress()

    def document(self, document_id: str) -> Document:
        """Return a document with its text from the index. Raises NotFoundError and StoreError."""
        with self._index() as index:
            corpus = index.stored
            try:
                return corpus.document(document_id)
            except KeyError:
                if (known := known_id(document_id, corpus.cards())) is not None:
                    return corpus.document(known)
                reason = next((file.reason for file in corpus.unreadable() if file.path == document_id), "")
                raise _no_document(document_id, reason) from None

    def document_now(self, document_id: str) -> Document:
        """Return a document with its text as its file is now, which is read again if it differs from the index. Raises
        NotFoundError if that is impossible, FolderError, ReaderError and StoreError.
        """
        held = self.document(document_id)
        with self.fresh_reading() as fresh:
            now = fresh.shown_again([held.id], [held])[held.id]
        if now.document is None:
            raise _no_document(document_id, now.problem)
        return now.document

    def cards(self) -> Mapping[str, DocumentCard]:
        """Return the card of each document in the index, keyed by id. Raises StoreError."""
        with self._index() as index:
            return index.stored.cards()

    def changes(self, files: Iterable[FileRecord]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Return the paths of new, changed and deleted files, compared with those of the index. Raises FolderError."""
        manifest = {file.path: file for file in files if not file.inside}
        return changes(self.folder, manifest, self.parts.settings.folder)

    def is_empty(self) -> bool:
        """Return True if the folder has no visible file. A copy of a remote folder, which may be late, is not empty."""
        for _, folders, names in os.walk(self.folder):
            if any(not name.startswith(".") for name in names):
                return False
            folders[:] = [name for name in folders if not name.startswith(".")]
        return self._bring_down is None

    def check_pages(self, on_compared: Callable[[], object] = lambda: None) -> Iterator[PageCheck]:
        """Yield the pages of PDF files whose text differs from what they show by more than a fifth of the words.

        Every page is drawn and recognised with Tesseract, which takes seconds, and then reported. Raises SettingsError
        without Tesseract, FolderError and StoreError.
        """
        from investigator.services.page_check import differing_pages  # a question must not wait for the import

        with self._index() as index:
            corpus = index.stored
            documents = (corpus.document(name) for name in sorted(corpus.cards()))
            yield from differing_pages(self.folder, documents, self.parts.settings.reader, on_compared)

    def search(self, query: str, *, limit: int = 10, document_id: str | None = None) -> tuple[SearchHit, ...]:
        """Return at most `limit` chunks that match a query, best first; if a document is given, only from that one.
        Nothing matches if no chunk has a word of the query, and none is near in meaning.

        Raises QuestionError, SettingsError, and the errors of `investigate`.
        """
        expect(limit, int, "limit", SettingsError)
        if limit < 1:
            raise SettingsError(f"limit must be at least 1, not {limit}")
        query = valid_question(query, "query")

        def hits(library: Library) -> tuple[SearchHit, ...]:
            known = None if document_id is None else known_id(document_id, library.document_ids())
            if known is None and document_id is not None:
                raise _no_document(document_id)
            hits = library.hits(query, limit, known)
            return hits if any(hit.bm25 is not None or (hit.similarity or 0.0) >= _NEAR for hit in hits) else ()

        return self._searched(hits)

    def mentions(self, query: str) -> Mentions:
        """Return every document that contains all words of a query, with each sentence that contains one of them.

        Words in double quotation marks are searched for as a phrase; a word matches in all its forms. Raises
        QuestionError, and the errors of `investigate`.
        """
        query = valid_question(query, "query")
        return self._searched(lambda library: library.mentions(query))

    def missing_words(self, query: str) -> tuple[str, ...]:
        """Return the words of a query that no document contains. Raises QuestionError, and the errors of
        `investigate`.
        """
        query = valid_question(query, "query")
        return self._searched(lambda library: library.missing_words(query))

    def _searched(self, ask: Callable[[Library], _Result]) -> _Result:
        """Return what a search of the updated index finds; while another process is writing to the index, its current
        state is searched.
        """
        parts = self.parts

        def attempt(again: frozenset[str]) -> _Result:
            with self.library(again=again) as library:
                return ask(library)

        try:
            return mended(attempt)
        except WorkspaceLockedError:
            if parts.settings.cluster.address or not has_database(self.workspace):
                raise
        parts.notify("Another run is writing to the index, so its current state was searched, without later changes.")
        with self.open_workspace(write=False) as workspace:
            return ask(workspace_library(workspace, parts.caching_embedder, parts.settings.retrieval))

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """Keep the reading processes open between calls, as a server does, until the context manager exits.

        Results stay current, because changes by other processes are noticed and cited files are checked again.
        """
        with self.parts.fresh_reading(self.folder) as self._fresh:
            try:
                yield
            finally:
                self._fresh = None

    @contextmanager
    def library(
        self,
        again: frozenset[str] = frozenset(),
        *,
        search: Search | None = None,
        retrieval: RetrievalSettings | None = None,
    ) -> Iterator[Library]:
        """Update the index and keep the folder open for searching until the context manager exits, with the best search
        available without a long wait.

        The documents in `again` are re-read from their files.
        """
        self.check_files()
        with self._index(write=True) as index:
            for _ in read_folder(index, again):
                pass
            search = search or index.best_search()
            for _ in index.prepared(search):
                pass
            with self.parts.caching_embedder.backed_by(index.kept_sentences):
                yield index.library(search, self.parts.caching_embedder, retrieval)

    @contextmanager
    def pages(self) -> Iterator[DocumentPages]:
        """Open the indexed PDF documents for rendering pages, with quotes marked, until the context manager exits."""
        from investigator.documents.page_views import PageViews  # a question must not wait for the imports
        from investigator.services.document_pages import DocumentPages

        settings = self.parts.settings
        with PageViews(self.folder, settings.folder, settings.reader) as views:
            yield DocumentPages(self.document, views)

    def enclosures(self, investigation: Investigation) -> Enclosures:
        """Return the data that a report shows besides the run: pictures of the cited PDF pages. Raises StoreError."""
        from investigator.reports.html import Enclosures

        with self.pages() as pages:
            expect(investigation, Investigation, "investigation")
            cited, left_out = pages.cited(investigation.citations, _MOST_PICTURES)
        return Enclosures(cited, left_out)

    def cited_documents(self, quotes: Iterable[Quote]) -> Mapping[str, Document]:
        """Return the documents of quotes that the index still contains, keyed by id. Raises StoreError."""
        documents: dict[str, Document] = {}
        with self._index() as index:  # once, because it takes longer than what is read from it
            for name in dict.fromkeys(quote.document_id for quote in quotes):
                with suppress(KeyError, DamagedDocumentError):
                    documents[name] = index.stored.document(name)
        return documents

    def open_workspace(self, *, write: bool) -> Workspace:
        """Open the workspace of the folder. Raises the same errors as `Workspace`."""
        return Workspace(
            self.workspace,
            write=write,
            folder=self.folder,
            notice=self.parts.notify,
            store=self.parts.settings.store,
            decoded=self._decoded,
        )

    @contextmanager
    def _index(self, *, write: bool = False) -> Iterator[OpenIndex]:
        with self.open_workspace(write=write) as workspace:
            yield self.parts.folder_index(self.folder, workspace)

    def fresh_reading(self) -> AbstractContextManager[FreshReading]:
        """Yield a reader that reads documents again from their files: the one that `kept_open` keeps open, or else a
        new one.
        """
        return nullcontext(self._fresh) if self._fresh is not None else self.parts.fresh_reading(self.folder)

    def has_runs(self) -> bool:
        """Return True if there may be runs to read, without creating a workspace."""
        return bool(self.parts.settings.store.url) or has_runs(self.workspace)

    def has_index(self) -> bool:
        """Return True if the folder has been read, or its reading has begun."""
        cluster = self.parts.settings.cluster
        if cluster.address:
            from investigator.cluster.shard_files import ShardFiles

            files = ShardFiles(self.workspace)
            return bool(files.records(files.count(cluster.shards)))
        return has_database(self.workspace)

    def check_files(self) -> None:
        """Raise FolderError, before a workspace is created, if the folder has nothing to index.

        If the folder is a local copy of a remote one, the copy is updated first.
        """
        if self._bring_down is not None:
            self._bring_down(self.parts.notify)
        if not self.has_index():
            self.new_files()

    def new_files(self) -> FolderListing:
        """Return the files of a folder without an index; none is opened. Raises FolderError if there are none."""
        listing = scan(self.folder, self.parts.settings.folder)
        if not listing.files:
            raise FolderError(no_documents(self.folder, listing.left_out))
        return listing

    def _updated(self, *, vectors: bool, recheck: Recheck) -> Iterator[Event]:
        """Update the text and words from the folder and, with `vectors`, all vectors. The workspace is not locked while
        vectors are computed.
        """
        self.check_files()
        with self._index(write=True) as index:
            yield from self.parts.notices()
            yield from index.read(recheck)
        if vectors:
            with self._index() as index:
                yield from index.embed_all()
            with self._index(write=True) as index:
                index.prepare_vectors()
        yield from self.parts.notices()


def read_folder(index: OpenIndex, again: frozenset[str] = frozenset()) -> Iterator[Event]:
    """Update the text and words in an index; the documents in `again` are read from their files once more.

    Raises FolderError if no document could be read.
    """
    yield from index.read(Recheck(reread=again))
    check_any_document(index.folder, index.corpus)


def _no_document(document_id: str, reason: str = "") -> NotFoundError:
    why = f": {reason}" if reason else ""
    command = "List the documents with: investigator index FOLDER --dry-run --json"
    return NotFoundError(f"unknown document {document_id}{why}", command=command)
