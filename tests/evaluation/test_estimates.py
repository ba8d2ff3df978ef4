from __future__ import annotations

import pytest

from investigator.evaluation.estimates import mean_of


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


def test_nothing_has_no_estimate() -> None:
    assert mean_of([]) is None
