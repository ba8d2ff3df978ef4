"""Measures how well a method decides when not to answer, and how informative its confidence is (ROC and risk-coverage
curves). Pure. Answers with equal confidence have no order, so each measure is averaged over random orders.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from investigator.evaluation.estimates import Numbers
from investigator.records import AnswerStatus, Record


class Confusion(Record):
    """Counts of questions by answerability and outcome; a wrong premise counts as not found. Passages that may answer,
    and partial answers, count neither as answers nor as decisions not to answer.
    """

    answerable_answered: int = 0
    answerable_not_found: int = 0
    unanswerable_answered: int = 0
    unanswerable_not_found: int = 0
    answerable_passages_found: int = 0
    unanswerable_passages_found: int = 0
    answerable_answered_in_part: int = 0
    unanswerable_answered_in_part: int = 0

    @property
    def precision(self) -> float | None:
        """Return the fraction of unanswerable questions among those for which nothing was found; None if something was
        found for every question.
        """
        return _share(self.unanswerable_not_found, self.answerable_not_found)

    @property
    def recall(self) -> float | None:
        """Return the fraction of the unanswerable questions for which nothing was found, excluding those with passages
        or partial answers. Return 0 if all unanswerable questions got passages or partial answers, and None if there
        are no such questions.
        """
        return self._known(_share(self.unanswerable_not_found, self.unanswerable_answered))

    @property
    def f1(self) -> float | None:
        """Return the harmonic mean of precision and recall, 2TP / (2TP + FP + FN); None if all are 0."""
        wrong = self.answerable_not_found + self.unanswerable_answered
        return self._known(_share(2 * self.unanswerable_not_found, wrong))

    def _known(self, share: float | None) -> float | None:
        """Return a measure unchanged, but 0 instead of None if every unanswerable question got passages or a partial
        answer.
        """
        undecided = self.unanswerable_passages_found + self.unanswerable_answered_in_part
        return 0.0 if share is None and undecided else share


def confusion(answerable: Sequence[bool], statuses: Sequence[AnswerStatus]) -> Confusion:
    """Count the questions by answerability and outcome. Raises ValueError if the lengths differ."""
    pairs = Counter(zip(answerable, map(_said, statuses), strict=True))
    return Confusion.model_validate(
        {f"{'' if held else 'un'}answerable_{said}": count for (held, said), count in pairs.items()}
    )


def _said(status: AnswerStatus) -> AnswerStatus:
    same = {
        AnswerStatus.NOT_FOUND_SO_FAR: AnswerStatus.NOT_FOUND,
        AnswerStatus.PREMISE_WRONG: AnswerStatus.NOT_FOUND,
        AnswerStatus.CONFLICTING: AnswerStatus.ANSWERED,
    }
    return same.get(status, status)


def roc_area(confidence: npt.ArrayLike, positive: npt.ArrayLike) -> float | None:
    """Return the area under the ROC curve: the probability that a positive has a higher confidence than a negative
    (Mann-Whitney U); None unless both exist.
    """
    scores, is_positive = np.asarray(confidence, dtype=np.float64), np.asarray(positive, dtype=bool)
    positives = int(is_positive.sum())
    negatives = len(is_positive) - positives
    if not positives or not negatives:
        return None
    _, place, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(sizes) - (sizes - 1) / 2)[place]
    above = ranks[is_positive].sum() - positives * (positives + 1) / 2
    return float(above / (positives * negatives))


def risk_coverage_area(confidence: npt.ArrayLike, right: npt.ArrayLike) -> float | None:
    """Return the area under the risk-coverage curve: the mean, over k = 1..n, of the error rate of the k most confident
    answers. Return None if there are no questions. Source: El-Yaniv and Wiener 2010, "On the Foundations of Noise-free
    Selective Classification".
    """
    kept = _right_among_first(confidence, right)
    return float(np.mean(1 - kept / np.arange(1, len(kept) + 1))) if len(kept) else None


def precision_at_coverage(confidence: npt.ArrayLike, right: npt.ArrayLike, coverage: float) -> float | None:
    """Return the fraction of right answers among the most confident answers. `coverage` (0..1) is the fraction of all
    answers to consider; their number is rounded up.
    """
    kept = _right_among_first(confidence, right)
    # rounded first, so that 0.7 times 10 is 7 despite floating-point errors
    count = math.ceil(round(coverage * len(kept), 9))
    return float(kept[count - 1] / count) if count else None


def _right_among_first(confidence: npt.ArrayLike, right: npt.ArrayLike) -> Numbers:
    """Return, for each k = 1..n, the number of right answers among the k most confident answers."""
    scores = np.asarray(confidence, dtype=np.float64)
    _, place, sizes = np.unique(-scores, return_inverse=True, return_counts=True)
    rates = np.bincount(place, weights=np.asarray(right, dtype=np.float64), minlength=len(sizes)) / sizes
    return np.cumsum(np.repeat(rates, sizes))


def _share(part: int, rest: int) -> float | None:
    return part / (part + rest) if part + rest else None
