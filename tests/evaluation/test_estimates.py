from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.evaluation.estimates import Rows, mean_of, roc_area, statistic_of


def test_a_mean_lies_in_its_interval_of_known_width() -> None:
    found = mean_of([0.0, 1.0] * 200)
    assert found is not None
    assert (found.value, found.questions) == (0.5, 400)
    # 1.96 * sqrt(0.25 / 400) = 0.049
    assert found.high - found.value == pytest.approx(0.049, abs=0.01)
    assert found.value - found.low == pytest.approx(0.049, abs=0.01)


def test_the_same_values_give_the_same_interval() -> None:
    values = [0.1, 0.9, 0.4, 0.4, 0.7]
    assert mean_of(values) == mean_of(values)
    assert mean_of(values) != mean_of(values, seed=1)


def test_what_never_varies_has_no_width() -> None:
    found = mean_of([0.25] * 7)
    assert found is not None
    assert (found.low, found.value, found.high) == (0.25, 0.25, 0.25)


def test_a_paired_difference_is_narrower_than_what_it_is_a_difference_of() -> None:
    ours = [0.1, 0.9, 0.3, 0.7, 0.5] * 20
    theirs = [value - 0.05 for value in ours]
    paired, alone = mean_of([a - b for a, b in zip(ours, theirs, strict=True)]), mean_of(ours)
    assert paired is not None
    assert alone is not None
    assert paired.low == pytest.approx(0.05)
    assert alone.high - alone.low > 0.05


def test_the_mean_as_any_other_statistic() -> None:
    values = [0.0, 1.0, 1.0, 1.0] * 25

    def mean(rows: Rows) -> float:
        return sum(values[row] for row in rows) / len(rows)

    found, expected = statistic_of(mean, len(values)), mean_of(values)
    assert found is not None
    assert expected is not None
    assert found.value == expected.value == 0.75
    assert found.low == pytest.approx(expected.low, abs=0.02)


def test_nothing_has_no_estimate() -> None:
    assert mean_of([]) is None
    assert statistic_of(lambda rows: 1.0, 0) is None
    assert statistic_of(lambda rows: None, 3) is None


def test_resamples_that_say_nothing_are_left_out() -> None:
    found = statistic_of(lambda rows: 2.0 if 0 in rows else None, 3)
    assert found is not None
    assert (found.low, found.value, found.high) == (2.0, 2.0, 2.0)


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
