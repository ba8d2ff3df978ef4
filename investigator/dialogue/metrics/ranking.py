"""Measures the rank of the right answer among candidates: hits@k, rank, mean reciprocal rank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from investigator.dialogue.metrics.values import AverageMetric
from investigator.errors import MetricsError
from investigator.evaluation.answer_text import normalize_answer

HITS_AT = (1, 5, 10, 100)

_KEEPS_IN_BATCH_BELOW_1 = 1e-5


def first_right(candidates: Iterable[str], labels: Iterable[str]) -> int | None:
    """Return the rank, from 1, of the best candidate that equals a label after normalisation; None if no candidate
    does.
    """
    wanted = {normalize_answer(label) for label in labels}
    places = (place for place, text in enumerate(candidates, start=1) if normalize_answer(text) in wanted)
    return next(places, None)


def ranking_metrics(candidates: Iterable[str], labels: Iterable[str]) -> dict[str, AverageMetric]:
    """Return hits@1, 5, 10 and 100, and `mrr`, the reciprocal rank of the best correct candidate; 0 if no candidate is
    correct.

    The candidates must be ordered best first.
    """
    place = first_right(candidates, labels)
    hits = {f"hits@{k}": AverageMetric(float(place is not None and place <= k)) for k in HITS_AT}
    return {**hits, "mrr": AverageMetric(1 / place if place else 0.0)}


def scored_metrics(scores: Sequence[float], label: int, top: int | None = None) -> Mapping[str, AverageMetric]:
    """Return `rank` and `mrr` for an agent that ranks by scores, if the candidate with the index `label` is the right
    one. Candidates with equal scores rank in the order given. If the label is not among the `top`, it ranks after all
    candidates. Raises MetricsError if `label` is not the index of a candidate.
    """
    own = _score_of(scores, label)
    rank = 1 + sum(score > own or (score == own and index < label) for index, score in enumerate(scores))
    if top is not None and rank > top:
        rank = len(scores) + 1
    return {"rank": AverageMetric(rank), "mrr": AverageMetric(1 / rank)}


def in_batch_metrics(scores: Sequence[float], label: int) -> Mapping[str, AverageMetric]:
    """Return `train_accuracy`, `rank` and `mrr` for one row of a batch, in which the labels of the other rows are the
    wrong candidates. Candidates with equal scores share a rank, and the first of those with the highest score is the
    guess. As in ParlAI's training, the reciprocal rank is 1 / (rank + 0.00001). Raises MetricsError if `label` is not
    the index of a candidate.
    """
    own = _score_of(scores, label)
    rank = 1 + sum(score > own for score in scores)
    guess = max(range(len(scores)), key=scores.__getitem__)
    return {
        "train_accuracy": AverageMetric(float(guess == label)),
        "rank": AverageMetric(rank),
        "mrr": AverageMetric(1 / (rank + _KEEPS_IN_BATCH_BELOW_1)),
    }


def _score_of(scores: Sequence[float], label: int) -> float:
    if not 0 <= label < len(scores):
        raise MetricsError(f"no candidate {label} among {len(scores)}", hint="Count candidates from 0.")
    return scores[label]
