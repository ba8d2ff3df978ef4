"""Updates, embeds, describes and searches the index of a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TypeVar

from investigator.cluster.shard_files import ClusterProgress, ShardFiles
from investigator.cluster.sharded_index import ShardedIndex
from investigator.documents.document_ids import known_id
from investigator.documents.folder import Recheck, scan
from investigator.documents.fresh import FreshReading
from investigator.errors import (
    DamagedDocumentError,
    FolderError,
    ShardLostError,
    UnknownDocumentError,
    WorkspaceLockedError,
)
from investigator.records import Document, Event, FolderStatus, Mentions, Notice, PageCheck, Search, SearchHit
from investigator.retrieval.folder_index import no_documents, workspace_library
from investigator.retrieval.library import Library
from investigator.retrieval.retrieval_settings import RetrievalSettings
from investigator.services.page_check import differing_pages
from investigator.services.parts import OpenIndex, Parts
from investigator.services.run_records import valid_question
from investigator.store.corpus import DecodedDocuments
from investigator.store.workspace import Workspace, has_database, has_runs

_Result = TypeVar("_Result")

MOST_LOSSES = 1
"""Number of retries, by other workers, after losing a shard."""


def mended(attempt: Callable[[frozenset[str]], _Result]) -> _Result:
    """Return the result of an attempt; if the attempt finds damaged documents, read them again and repeat it.

    An attempt that loses a shard is repeated by other workers. Raises DamagedDocumentError if a document is
    damaged again right after it was read, and ShardLostError if shards are lost repeatedly.
    """
    again, lost = frozenset[str](), 0
    while True:
        try:
            return attempt(again)
        except ShardLostError:
            lost += 1
            if lost > MOST_LOSSES:
                raise
        except DamagedDocumentError as damage:
            if again.issuperset(damage.document_ids):
                raise
            again = again.union(damage.document_ids)


class IndexService:
    """Reads and searches one folder; its index is in the workspace `directory`.

    `bring_down` updates the local copy of a remote folder; its argument is a function that receives notices.
    """

    def __init__(
        self,
        folder: Path,
        directory: Path,
        parts: Parts,
        bring_down: Callable[[Callable[[str], None]], None] | None = None,
    ) -> None:
        self.folder = folder
        self._bring_down = bring_down
        self.directory = directory
        self._parts = parts
        self._decoded = DecodedDocuments()
        self._fresh: FreshReading | None = None

    def workspace(self, *, write: bool) -> Workspace:
        """Open the workspace of the folder. Raises the same errors as `Workspace`."""
        return Workspace(
            self.directory,
            write=write,
            folder=self.folder,
            notice=self._parts.notify,
            store=self._parts.settings.store,
            decoded=self._decoded,
        )

    def fresh_reading(self) -> AbstractContextManager[FreshReading]:
        """Yield a reader that reads documents again from their files: the one that `kept_open` keeps open, or else a
        new one.
        """
        return nullcontext(self._fresh) if self._fresh is not None else self._parts.fresh_reading(self.folder)

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """Keep the reading processes open between uses until the context manager exits."""
        with self._parts.fresh_reading(self.folder) as self._fresh:
            try:
                yield
            finally:
                self._fresh = None

    def has_runs(self) -> bool:
        """Return True if there may be runs to read, without creating a workspace."""
        return bool(self._parts.settings.store.url) or has_runs(self.directory)

    def _has_index(self) -> bool:
        cluster = self._parts.settings.cluster
        if cluster.address:
            files = ShardFiles(self.directory)
            return bool(files.records(files.count(cluster.shards)))
        return has_database(self.directory)

    def check_files(self) -> None:
        """Raise FolderError, before a workspace is created, if the folder has nothing to index.

        If the folder is a local copy of a remote one, the copy is updated first.
        """
        if self._bring_down is not None:
            self._bring_down(self._parts.notify)
        if self._has_index():
            return
        listing = scan(self.folder, self._parts.settings.folder)
        if not listing.files:
            raise FolderError(no_documents(self.folder, listing.left_out))

    def update(self, *, vectors: bool, verify: bool, retry: bool) -> Iterator[Event]:
        """Update the text and words from the folder and, with `vectors`, all vectors.

        The workspace is not locked while vectors are computed.
        """
        self.check_files()
        with self.workspace(write=True) as workspace:
            yield from self._parts.notices()
            yield from self._parts.folder_index(self.folder, workspace).read(Recheck(verify=verify, retry=retry))
        if vectors:
            with self.workspace(write=False) as workspace:
                index = self._parts.folder_index(self.folder, workspace)
                yield from index.embed()
                yield from index.embed_sentences()
            with self.workspace(write=True) as workspace:
                self._parts.folder_index(self.folder, workspace).prepare_vectors()
        yield from self._parts.notices()

    def status(self, *, compare: bool) -> FolderStatus:
        """Return the contents of the index and, with `compare`, the changes in the folder. Raises FolderError."""
        if not self._has_index():
            hint = f"To create the index: investigator index {self.folder}"
            raise FolderError(f"the folder {self.folder} has no index yet", hint=hint)
        with self.workspace(write=False) as workspace:
            return self._parts.folder_index(self.folder, workspace).status(compare=compare)

    def progress(self) -> ClusterProgress | None:
        """Return how many shards of the folder are built, or None if there is no cluster. Raises ClusterError."""
        with self.workspace(write=False) as workspace:
            index = self._parts.folder_index(self.folder, workspace)
            return index.progress() if isinstance(index, ShardedIndex) else None

    def document(self, document_id: str) -> Document:
        """Return a document from the index. Raises FolderError if no document has this id, and StoreError."""
        with self.workspace(write=False) as workspace:
            corpus = self._parts.folder_index(self.folder, workspace).stored
            try:
                return corpus.document(document_id)
            except KeyError:
                if (known := known_id(document_id, corpus.cards())) is not None:
                    return corpus.document(known)
                reason = next((file.reason for file in corpus.unreadable() if file.path == document_id), "")
                raise _no_document(document_id, reason) from None

    def differing_pages(self) -> Iterator[PageCheck]:
        """Yield the pages of PDF files whose text differs from what they show. Raises SettingsError and FolderError."""
        with self.workspace(write=False) as workspace:
            corpus = self._parts.folder_index(self.folder, workspace).stored
            documents = (corpus.document(name) for name in sorted(corpus.cards()))
            yield from differing_pages(self.folder, documents, self._parts.settings.reader)

    def search(self, query: str, limit: int, document_id: str | None) -> tuple[SearchHit, ...]:
        """Return the best chunks for a query, best first, from one document or all documents."""
        query = valid_question(query, "query")

        def hits(library: Library) -> tuple[SearchHit, ...]:
            if document_id is None:
                return library.hits(query, limit)
            known = known_id(document_id, library.document_ids())
            if known is None:
                raise _no_document(document_id)
            return library.hits(query, limit, known)

        return self._asked(hits)

    def mentions(self, query: str) -> Mentions:
        """Return every document that contains all words and phrases of a query. Raises QuestionError without words."""
        query = valid_question(query, "query")
        return self._asked(lambda library: library.mentions(query))

    def _asked(self, ask: Callable[[Library], _Result]) -> _Result:
        """Return what a search of the updated index finds; while another process is writing to the index, its current
        state is searched.
        """

        def attempt(again: frozenset[str]) -> _Result:
            with self.library(again=again) as library:
                return ask(library)

        try:
            return mended(attempt)
        except WorkspaceLockedError:
            if self._parts.settings.cluster.address or not has_database(self.directory):
                raise
        self._parts.notify(
            "Another run is writing to the index, so its current state was searched, without later changes."
        )
        with self.workspace(write=False) as workspace:
            parts = self._parts
            return ask(workspace_library(workspace, parts.caching_embedder, parts.settings.retrieval))

    @contextmanager
    def library(
        self,
        search: Search | None = None,
        retrieval: RetrievalSettings | None = None,
        again: frozenset[str] = frozenset(),
    ) -> Iterator[Library]:
        """Update the index and open it for searching, with the best search available without a long wait.

        The documents in `again` are re-read from their files.
        """
        self.check_files()
        with self.workspace(write=True) as workspace:
            index = self._parts.folder_index(self.folder, workspace)
            for _ in self.read(index, again):
                pass
            search = search or index.best_search()
            for _ in self.prepare(index, search):
                pass
            with self._parts.caching_embedder.backed_by(index.kept_sentences):
                yield index.library(search, self._parts.caching_embedder, retrieval)

    def read(self, index: OpenIndex, again: frozenset[str] = frozenset()) -> Iterator[Event]:
        """Update the text and words in the index; the documents in `again` are read from their files once more.

        Raises FolderError if no document could be read.
        """
        yield from index.read(Recheck(reread=again))
        index.check_documents()

    def prepare(self, index: OpenIndex, search: Search) -> Iterator[Event]:
        """Compute all vectors if the search needs them; otherwise, report how many are missing."""
        if search is Search.WHOLE:
            yield from index.embed()
        else:
            yield Notice(
                text=f"{index.without_vectors():,} passages have no vectors yet, so keyword search selects candidates. "
                f"For vector search across the folder: investigator index --vectors {self.folder}"
            )


def _no_document(document_id: str, reason: str = "") -> UnknownDocumentError:
    why = f": {reason}" if reason else ""
    return UnknownDocumentError(f"unknown document {document_id}{why}")
