"""Computes the results for a test collection: for keyword, vector and hybrid search, and the gain from combining the
first two. Pure. The package ir-measures computes the measures, with trec_eval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean
from types import ModuleType

from pydantic import Field

from investigator.errors import MissingPackageError, RunError
from investigator.evaluation.beir import Judgements
from investigator.evaluation.estimates import Estimate, mean_of
from investigator.records import Record
from investigator.resources.distribution import install_command
from investigator.retrieval.chunk_search import Half


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


def retrieval_report(documents: int, embedder: str, results: Sequence[QueryResult]) -> RetrievalReport:
    """Return the report on all results. Raises RunError if there are none."""
    by_half = {half: {one.query_id: one for one in results if one.half is half} for half in Half}
    return RetrievalReport(
        documents=documents,
        queries=len(by_half[Half.BOTH]),
        embedder=embedder,
        halves=tuple(_half(half, list(found.values())) for half, found in by_half.items()),
        differences=tuple(
            Difference(half=Half.BOTH, than=than, ndcg_10=_mean(_gains(by_half[Half.BOTH], by_half[than])))
            for than in (Half.WORDS, Half.VECTORS)
        ),
    )


def _half(half: Half, results: Sequence[QueryResult]) -> HalfReport:
    return HalfReport(
        half=half,
        ndcg_10=_mean([one.scores.ndcg_10 for one in results]),
        recall_10=_mean([one.scores.recall_10 for one in results]),
        recall_100=_mean([one.scores.recall_100 for one in results]),
        rr_10=_mean([one.scores.rr_10 for one in results]),
        seconds_per_query=mean(one.seconds for one in results),
    )


def _gains(ours: dict[str, QueryResult], theirs: dict[str, QueryResult]) -> list[float]:
    return [one.scores.ndcg_10 - theirs[query_id].scores.ndcg_10 for query_id, one in ours.items()]


def _mean(values: Sequence[float]) -> Estimate:
    found = mean_of(values)
    if found is None:
        raise RunError("no query has been ranked yet", hint="Finish the evaluation first.")
    return found
