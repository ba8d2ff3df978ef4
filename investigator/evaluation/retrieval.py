"""Measures how well keyword, vector and hybrid search rank the documents in a test collection. The package ir-measures
computes the measures, with trec_eval.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from time import perf_counter
from types import ModuleType

from pydantic import Field

from investigator.engines.base import Embedder
from investigator.errors import SettingsError
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
from investigator.retrieval.retrieval_settings import RetrievalSettings
from investigator.store.corpus import Corpus
from investigator.store.vectors import VectorTable
from investigator.store.workspace import Workspace

_HOLDS = "evaluated corpus"
_DEPTH = 100  # number of documents measured in each ranking
_BETWEEN = 500  # number of documents between two progress messages
MEASURES = ("nDCG@10", "R@10", "R@100", "RR@10")
"""Normalised discounted cumulative gain, recall, and the reciprocal rank of the first relevant document (0..1)."""


class QueryResult(Record):
    """The result for one query in one of the rankings; `first` are the ids of the first ten documents."""

    query_id: str
    half: Half
    seconds: float
    first: tuple[str, ...]
    scores: dict[str, float]


class HalfReport(Record):
    """The means across all queries for one of the rankings, and the gain in nDCG@10 of hybrid search over it."""

    half: Half
    measures: dict[str, Estimate]
    gain: Estimate | None = Field(description="paired bootstrap; None for hybrid search itself")
    seconds_per_query: float


class RetrievalReport(Record):
    """The ranking quality for a test collection."""

    documents: int
    queries: int = Field(description="queries with a relevant document")
    embedder: str
    halves: tuple[HalfReport, ...]


@dataclass
class RetrievalEvaluation:
    """Stores a collection in a workspace like a folder, with one chunk per document, and ranks the documents for its
    queries. A workspace with the same corpus is reused; one with other documents is rejected.
    """

    collection: Collection
    directory: Path
    embedder: Embedder
    settings: RetrievalSettings
    results: tuple[QueryResult, ...] = ()

    def run(self) -> Iterator[Event]:
        """Store, embed and rank. Raises SettingsError, WorkspaceLockedError, EngineError and StoreError."""
        trec_measures()  # report a missing package now, because embedding may take hours
        with Workspace(self.directory.expanduser().absolute(), write=True) as workspace:
            corpus = Corpus(workspace.index)
            yield from self._keep(corpus)
            yield from embed_missing(corpus, VectorTable(workspace.index, self.embedder.name), self.embedder)
            yield from self._rank(workspace)

    def report(self) -> RetrievalReport:
        """Return the report on all queries; call it after `run` has ended."""
        first, halves = MEASURES[0], list[HalfReport]()
        by_half = {half: [result for result in self.results if result.half is half] for half in Half}
        for half, results in by_half.items():
            means = {name: mean_of([result.scores[name] for result in results]) for name in MEASURES}
            # all halves have the queries in the same order
            pairs = zip(by_half[Half.BOTH], results, strict=True)
            gain = mean_of([both.scores[first] - result.scores[first] for both, result in pairs])
            halves.append(
                HalfReport(
                    half=half,
                    measures={name: estimate for name, estimate in means.items() if estimate is not None},
                    gain=gain if half is not Half.BOTH else None,
                    seconds_per_query=mean(result.seconds for result in results),
                )
            )
        documents, queries = len(self.collection.documents), len(self.collection.queries)
        return RetrievalReport(documents=documents, queries=queries, embedder=self.embedder.name, halves=tuple(halves))

    def _keep(self, corpus: Corpus) -> Iterator[Event]:
        fingerprint, held = self.collection.fingerprint(), corpus.setting(_HOLDS)
        present = set(corpus.document_ids())
        if held != fingerprint and (held is not None or present or corpus.files()):
            raise SettingsError(
                f"the workspace {self.directory} contains documents other than this corpus",
                hint="Choose another directory with --workspace DIR, or omit the option to use a temporary one.",
            )
        corpus.set_setting(_HOLDS, fingerprint)
        missing = [row for row in self.collection.documents if row.id not in present]
        if not missing:
            yield Notice(text=f"The workspace {self.directory} already contains this corpus; it is reused.")
        for done, row in enumerate(missing, start=1):
            corpus.put(*_as_file(row))
            if done % _BETWEEN == 0 or done == len(missing):
                yield Progressed(phase="keeping documents", done=done, total=len(missing))

    def _rank(self, workspace: Workspace) -> Iterator[Event]:
        queries, notices, results = self.collection.queries, dict[str, None](), list[QueryResult]()
        for half in Half:
            # each ranking has its own library, so that none benefits from query vectors that another has cached
            library = open_library(workspace, self.embedder, self.settings, Search.WHOLE, notices.setdefault)
            library.ranked(queries[0].text, _DEPTH)  # loading does not count towards the first query
            rankings, seconds = dict[str, Sequence[str]](), dict[str, float]()
            for query in queries:
                began = perf_counter()
                ranked = library.ranked(query.text, _DEPTH, half)
                seconds[query.id] = perf_counter() - began
                rankings[query.id] = [hit.document_id for hit in ranked]
                done = len(results) + len(rankings)
                yield Progressed(phase="searching", done=done, total=len(queries) * len(Half))
            for name, scores in ranking_scores(rankings, self.collection.judgements).items():
                first = tuple(rankings[name][:10])
                results.append(QueryResult(query_id=name, half=half, seconds=seconds[name], first=first, scores=scores))
        yield from (Notice(text=text) for text in notices)
        self.results = tuple(results)


def trec_measures() -> ModuleType:
    """Import and return the `ir_measures` package. Raises SettingsError if the package is not installed."""
    try:
        import ir_measures
    except ImportError as error:
        hint = f"Install it with: {install_command('eval')}"
        raise SettingsError("measuring the search needs the package ir-measures", hint=hint) from error
    return ir_measures


def ranking_scores(rankings: Mapping[str, Sequence[str]], judgements: Judgements) -> dict[str, dict[str, float]]:
    """Return the scores of each judged query by measure; `rankings` are document ids, best first, by query id."""
    by = trec_measures()
    # trec_eval sorts by score and breaks ties by id, so each document gets a different score
    run = {i: {d: float(-rank) for rank, d in enumerate(ranked)} for i, ranked in rankings.items() if ranked}
    scores = {query_id: dict.fromkeys(MEASURES, 0.0) for query_id in judgements}
    if run:
        for metric in by.iter_calc([by.parse_measure(name) for name in MEASURES], judgements, run):
            scores[metric.query_id][str(metric.measure)] = float(metric.value)
    return scores


def _as_file(row: CorpusRow) -> tuple[Sequence[FileRecord], Sequence[SplitDocument]]:
    text, length = row.content, len(row.content)
    content_hash = hashlib.sha256(text.encode()).hexdigest()
    file = FileRecord(path=row.id, content_hash=content_hash, status=FileStatus.INDEXED, characters=length, chunks=1)
    document = Document(id=row.id, title=row.title, media_type="text/plain", content_hash=content_hash, text=text)
    return [file], [SplitDocument(document=document, chunks=(Chunk(document_id=row.id, start=0, end=length),))]
