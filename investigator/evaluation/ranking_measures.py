"""Measures of rankings, taken by ir-measures over trec_eval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from investigator.evaluation.beir import Judgements
from investigator.records import Record

DEPTH = 100
"""How many documents of a ranking are looked at."""


class RankingScores(Record):
    """How good one ranking is, each in 0..1: normalised discounted gain, recall, and 1 / rank of the first fit."""

    ndcg_10: float = 0.0
    recall_10: float = 0.0
    recall_100: float = 0.0
    rr_10: float = 0.0


def ranking_scores(rankings: Mapping[str, Sequence[str]], judgements: Judgements) -> dict[str, RankingScores]:
    """Return the scores of each query that is judged; of one without a ranking they are 0.

    `rankings` are document ids, best first, by query id.
    """
    from ir_measures import RR, R, iter_calc, nDCG

    names = {nDCG @ 10: "ndcg_10", R @ 10: "recall_10", R @ 100: "recall_100", RR @ 10: "rr_10"}
    # trec_eval goes by scores and orders equal ones by id, so each rank gets a score of its own
    run = {i: {d: float(-rank) for rank, d in enumerate(ranked)} for i, ranked in rankings.items() if ranked}
    found: dict[str, dict[str, float]] = {query_id: {} for query_id in judgements}
    if run:
        for one in iter_calc(list(names), {i: dict(fits) for i, fits in judgements.items()}, run):
            found[one.query_id][names[one.measure]] = float(one.value)
    return {query_id: RankingScores(**values) for query_id, values in found.items()}
