"""Measures how well keyword, vector and hybrid search rank the documents in a test collection. The package ir-measures
computes the measures, with trec_eval.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from types import ModuleType

from pydantic import Field

from investigator.engines.base import Embedder
from investigator.errors import MissingPackageError, RunError, SettingsError
from investigator.evaluation.beir import Collection, CorpusRow, Judgements
from investigator.evaluation.estimates import Estimate, mean_of
from investigator.records import (
    Chunk,
    Document,
    Event,
    FileRecord,
    FileStatus,
    Notice,
    Progressed,
    Record,
    Search,
    SplitDocument,
)
from investigator.resources.distribution import install_command
from investigator.retrieval.chunk_search import Half
from investigator.retrieval.folder_index import embed_missing, open_library
from investigator.retrieval.library import Library
from investigator.retrieval.retrieval_settings import RetrievalSettings
from investigator.store.corpus import Corpus
from investigator.store.vectors import VectorTable
from investigator.store.workspace import Workspace

_HOLDS = "evaluated corpus"
_DEPTH = 100  # number of documents measured in each ranking
_BETWEEN = 500  # number of documents between two progress messages


class RankingScores(Record):
    """The quality of one ranking, by measures in 0..1: normalised discounted cumulative gain (nDCG), recall, and the
    reciprocal rank of the first relevant document (RR).
    """

    ndcg_10: float = 0.0
    recall_10: float = 0.0
    recall_100: float = 0.0
    rr_10: float = 0.0


class QueryResult(Record):
    """The result for one query in one of the rankings: its scores, the ids of the first ten documents, and the time in
    seconds.
    """

    query_id: str
    half: Half
    seconds: float
    first: tuple[str, ...]
    scores: RankingScores


class HalfReport(Record):
    """The means across all queries for one of the rankings."""

    half: Half
    ndcg_10: Estimate
    recall_10: Estimate
    recall_100: Estimate
    rr_10: Estimate
    seconds_per_query: float


class Difference(Record):
    """The gain in nDCG@10 of one ranking over another on the same queries (paired bootstrap)."""

    half: Half
    than: Half
    ndcg_10: Estimate


class RetrievalReport(Record):
    """The ranking quality for a test collection."""

    documents: int
    queries: int = Field(description="queries with a relevant document")
    embedder: str
    halves: tuple[HalfReport, ...]
    differences: tuple[Difference, ...]


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
        """Return the report on all queries. Raises RunError if `run` has not ended."""
        by_half = {half: [one for one in self.results if one.half is half] for half in Half}
        both = [one.scores.ndcg_10 for one in by_half[Half.BOTH]]  # all halves have the queries in the same order
        gains = {
            than: [ours - one.scores.ndcg_10 for ours, one in zip(both, by_half[than], strict=True)]
            for than in (Half.WORDS, Half.VECTORS)
        }
        return RetrievalReport(
            documents=len(self._collection.documents),
            queries=len(both),
            embedder=self._embedder.name,
            halves=tuple(_half_report(half, results) for half, results in by_half.items()),
            differences=tuple(
                Difference(half=Half.BOTH, than=than, ndcg_10=_mean(gain)) for than, gain in gains.items()
            ),
        )

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
            if done % _BETWEEN == 0 or done == len(missing):
                yield Progressed(phase="keeping documents", done=done, total=len(missing))

    def _rank(self, libraries: Mapping[Half, Library]) -> Iterator[Event]:
        rankings: dict[Half, dict[str, Sequence[str]]] = {half: {} for half in Half}
        seconds: dict[tuple[Half, str], float] = {}
        queries = self._collection.queries
        for library in libraries.values():
            library.ranked(queries[0].text, _DEPTH)  # loading does not count towards the first query
        for done, query in enumerate(queries, start=1):
            for half, library in libraries.items():
                began = self._clock()
                ranked = library.ranked(query.text, _DEPTH, half)
                seconds[half, query.id] = self._clock() - began
                rankings[half][query.id] = [hit.document_id for hit in ranked]
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


def trec_measures() -> ModuleType:
    """Import and return the `ir_measures` package. Raises MissingPackageError if the package is not installed."""
    try:
        import ir_measures
    except ImportError as error:
        hint = f"Install it with: {install_command('eval')}"
        raise MissingPackageError("measuring the search needs the package ir-measures", hint=hint) from error
    return ir_measures


def ranking_scores(rankings: Mapping[str, Sequence[str]], judgements: Judgements) -> dict[str, RankingScores]:
    """Return the scores of each judged query; those of a query without a ranking are 0.

    `rankings` maps query ids to document ids, best first.
    """
    by = trec_measures()
    names = {by.nDCG @ 10: "ndcg_10", by.R @ 10: "recall_10", by.R @ 100: "recall_100", by.RR @ 10: "rr_10"}
    # trec_eval sorts by score and breaks ties by id, so each document gets a different score
    run = {i: {d: float(-rank) for rank, d in enumerate(ranked)} for i, ranked in rankings.items() if ranked}
    found: dict[str, dict[str, float]] = {query_id: {} for query_id in judgements}
    if run:
        for one in by.iter_calc(list(names), {i: dict(fits) for i, fits in judgements.items()}, run):
            found[one.query_id][names[one.measure]] = float(one.value)
    return {query_id: RankingScores(**values) for query_id, values in found.items()}


def _half_report(half: Half, results: Sequence[QueryResult]) -> HalfReport:
    means = {name: _mean([getattr(one.scores, name) for one in results]) for name in RankingScores.model_fields}
    return HalfReport(half=half, **means, seconds_per_query=mean(one.seconds for one in results))


def _mean(values: Sequence[float]) -> Estimate:
    found = mean_of(values)
    if found is None:
        raise RunError("no query has been ranked yet", hint="Finish the evaluation first.")
    return found


def _as_file(row: CorpusRow) -> tuple[Sequence[FileRecord], Sequence[SplitDocument]]:
    """Convert a document in the corpus to the records for a file with a single chunk."""
    stored = row.content
    content_hash = hashlib.sha256(stored.encode()).hexdigest()
    file = FileRecord(
        path=row.id, content_hash=content_hash, status=FileStatus.INDEXED, characters=len(stored), chunks=1
    )
    document = Document(id=row.id, title=row.title, media_type="text/plain", content_hash=content_hash, text=stored)
    return [file], [SplitDocument(document=document, chunks=(Chunk(document_id=row.id, start=0, end=len(stored)),))]
