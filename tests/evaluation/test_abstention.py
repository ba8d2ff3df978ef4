from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.evaluation.abstention import (
    Confusion,
    confusion,
    precision_at_coverage,
    risk_coverage_area,
    roc_area,
)
from investigator.records import AnswerStatus


def test_roc_area_of_a_worked_example() -> None:
    # pairs (positive, negative): 0.35 beats 0.1, not 0.4; 0.8 beats both
    assert roc_area([0.1, 0.4, 0.35, 0.8], [False, False, True, True]) == pytest.approx(3 / 4)
    assert roc_area([5, 5, 5, 5], [True, False, True, False]) == pytest.approx(1 / 2)
    assert roc_area([1, 2], [True, True]) is None


@pytest.fixture(scope="module")
def roc_auc_score() -> Callable[..., float]:
    from sklearn import metrics  # takes a second, at the top of the file in every process of tests

    return metrics.roc_auc_score


@given(rows=st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=2))
def test_roc_area_is_that_of_scikit_learn(roc_auc_score: Callable[..., float], rows: list[tuple[int, bool]]) -> None:
    scores, labels = [score for score, _ in rows], [label for _, label in rows]
    if len(set(labels)) == 2:
        assert roc_area(scores, labels) == pytest.approx(roc_auc_score(labels, scores))


def test_the_risk_coverage_curve_of_a_worked_example() -> None:
    confidence, right = [90, 80, 70, 60], [True, False, True, True]
    # wrong shares of the first 1, 2, 3, 4: 0, 1/2, 1/3, 1/4
    assert risk_coverage_area(confidence, right) == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 4) / 4)
    assert precision_at_coverage(confidence, right, 0.7) == pytest.approx(2 / 3)  # 2.8 questions are 3
    assert precision_at_coverage(confidence, right, 0.25) == 1.0


def test_the_order_of_equals_does_not_matter() -> None:
    # one of two equals is right: the first is right half the time
    assert risk_coverage_area([50, 50], [True, False]) == pytest.approx(1 / 2)
    assert risk_coverage_area([50, 50], [False, True]) == pytest.approx(1 / 2)
    assert precision_at_coverage([0] * 10, [True] * 7 + [False] * 3, 0.7) == pytest.approx(0.7)


def test_of_nothing_nothing_is_known() -> None:
    assert risk_coverage_area([], []) is None
    assert precision_at_coverage([], [], 0.7) is None


def test_seventy_of_a_hundred_are_seventy() -> None:
    right = np.array([1] * 70 + [0] * 30)
    assert precision_at_coverage(np.arange(100)[::-1], right, 0.7) == 1.0


def test_silence_is_counted_as_what_it_was() -> None:
    said = [AnswerStatus.ANSWERED, AnswerStatus.ANSWERED, AnswerStatus.NOT_FOUND_SO_FAR, AnswerStatus.NOT_FOUND]
    counts = confusion([True, True, True, False, False], [*said, AnswerStatus.ANSWERED])
    assert counts == Confusion(
        answerable_answered=2, answerable_not_found=1, unanswerable_answered=1, unanswerable_not_found=1
    )
    assert (counts.precision, counts.recall, counts.f1) == (1 / 2, 1 / 2, 1 / 2)


def test_passages_that_may_answer_are_neither_an_answer_nor_silence() -> None:
    counts = confusion([True, False, False], [AnswerStatus.PASSAGES_FOUND] * 2 + [AnswerStatus.ANSWERED_IN_PART])
    assert counts == Confusion(
        answerable_passages_found=1, unanswerable_passages_found=1, unanswerable_answered_in_part=1
    )
    assert (counts.precision, counts.recall, counts.f1) == (None, 0, 0)  # two were to be told, and none was
    told = counts.changed(unanswerable_not_found=1, answerable_not_found=1)
    assert (told.precision, told.recall, told.f1) == (1 / 2, 1, 2 / 3)


def test_f1_of_silence_of_a_worked_example() -> None:
    counts = Confusion(answerable_not_found=2, unanswerable_answered=1, unanswerable_not_found=3)
    assert counts.precision == pytest.approx(3 / 5)
    assert counts.recall == pytest.approx(3 / 4)
    assert counts.f1 == pytest.approx(2 * (3 / 5) * (3 / 4) / (3 / 5 + 3 / 4))


def test_where_nothing_is_unanswerable_there_is_no_recall() -> None:
    counts = Confusion(answerable_answered=4)
    assert counts.precision is counts.recall is counts.f1 is None
