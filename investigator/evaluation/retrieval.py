"""Measures how well keyword, vector and hybrid search rank the documents in a test collection."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from investigator.engines.base import Embedder
from investigator.errors import SettingsError
from investigator.evaluation.beir import Collection, CorpusRow
from investigator.evaluation.retrieval_report import (
    QueryResult,
    RetrievalReport,
    ranking_scores,
    retrieval_report,
    trec_measures,
)
from investigator.records import (
    Chunk,
    Document,
    Event,
    FileRecord,
    FileStatus,
    Notice,
    Progressed,
    Search,
    SplitDocument,
)
from investigator.retrieval.chunk_search import Half
from investigator.retrieval.folder_index import embed_missing, open_library
from investigator.retrieval.library import Library
from investigator.retrieval.retrieval_settings import RetrievalSettings
from investigator.store.corpus import Corpus
from investigator.store.vectors import VectorTable
from investigator.store.workspace import Workspace

_HOLDS = "evaluated corpus"
_DEPTH = 100  # number of documents measured in each ranking
_TOLD = 500  # number of documents between two progress messages


class RetrievalEvaluation:
    """Stores a collection in a workspace as if it were a folder, with one chunk per document, and ranks the documents
    for its queries. A workspace that already contains the same corpus is reused; a workspace with other documents is
    rejected.
    """

    def __init__(
        self,
        collection: Collection,
        directory: Path,
        embedder: Embedder,
        settings: RetrievalSettings,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._collection = collection
        self._directory = directory.expanduser().absolute()
        self._embedder = embedder
        self._settings = settings
        self._clock = clock
        self.results: tuple[QueryResult, ...] = ()

    def run(self) -> Iterator[Event]:
        """Store, embed and rank the documents; afterwards, `results` and `report` are available.

        Raises MissingPackageError, SettingsError, WorkspaceLockedError, EmbedderError and StoreError.
        """
        trec_measures()  # report a missing package now, because embedding may take hours
        with Workspace(self._directory, write=True) as workspace:
            corpus = Corpus(workspace.index)
            yield from self._keep(corpus)
            yield from embed_missing(corpus, VectorTable(workspace.index, self._embedder.name), self._embedder)
            notices: list[str] = []
            # each ranking has its own library, so that none benefits from query vectors that another has cached
            libraries = {
                half: open_library(workspace, self._embedder, self._settings, Search.WHOLE, notices.append)
                for half in Half
            }
            yield from (Notice(text=text) for text in notices)
            yield from self._rank(libraries)

    def report(self) -> RetrievalReport:
        """Return the report on all queries; call it after `run` has ended."""
        return retrieval_report(len(self._collection.documents), self._embedder.name, self.results)

    def _keep(self, corpus: Corpus) -> Iterator[Event]:
        """Store the documents in the workspace, resuming an interrupted attempt."""
        fingerprint, held = self._collection.fingerprint(), corpus.setting(_HOLDS)
        present = set(corpus.document_ids())
        if held != fingerprint and (held is not None or present or corpus.files()):
            raise SettingsError(
                f"the workspace {self._directory} contains documents other than this corpus",
                hint="Choose another directory with --workspace DIR, or omit the option to use a temporary one.",
            )
        corpus.set_setting(_HOLDS, fingerprint)
        missing = [row for row in self._collection.documents if row.id not in present]
        if not missing:
            yield Notice(text=f"The workspace {self._directory} already contains this corpus; it is reused.")
        for done, row in enumerate(missing, start=1):
            corpus.put(*_as_file(row))
            if done % _TOLD == 0 or done == len(missing):
                yield Progressed(phase="keeping documents", done=done, total=len(missing))

    def _rank(self, libraries: dict[Half, Library]) -> Iterator[Event]:
        rankings: dict[Half, dict[str, Sequence[str]]] = {half: {} for half in Half}
        seconds: dict[tuple[Half, str], float] = {}
        queries = self._collection.queries
        for library in libraries.values():
            library.ranked(
                queries[0].text, _DEPTH
            )  # load everything now, so that loading does not count towards the first query
        for done, query in enumerate(queries, start=1):
            for half, library in libraries.items():
                began = self._clock()
                ranked = library.ranked(query.text, _DEPTH, half)
                seconds[half, query.id] = self._clock() - began
                rankings[half][query.id] = [one.document_id for one in ranked]
            yield Progressed(phase="searching", done=done, total=len(queries))
        self.results = tuple(
            QueryResult(
                query_id=query_id,
                half=half,
                seconds=seconds[half, query_id],
                first=tuple(rankings[half][query_id][:10]),
                scores=scores,
            )
            for half in Half
            for query_id, scores in ranking_scores(rankings[half], self._collection.judgements).items()
        )


def _as_file(row: CorpusRow) -> tuple[Sequence[FileRecord], Sequence[SplitDocument]]:
    """Convert a document in the corpus to the records for a file with a single chunk."""
    stored = row.content
    content_hash = hashlib.sha256(stored.encode()).hexdigest()
    file = FileRecord(
        path=row.id, content_hash=content_hash, status=FileStatus.INDEXED, characters=len(stored), chunks=1
    )
    document = Document(id=row.id, title=row.title, media_type="text/plain", content_hash=content_hash, text=stored)
    return [file], [SplitDocument(document=document, chunks=(Chunk(document_id=row.id, start=0, end=len(stored)),))]
