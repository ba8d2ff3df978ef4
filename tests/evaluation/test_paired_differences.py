"""Exact tests, intervals and sample sizes, compared with values that were computed by hand or simulated."""

from __future__ import annotations

import math

import numpy as np
import pytest

from investigator.evaluation.estimates import detectable, exact_p, needed, paired_difference


def values(wins: int, losses: int, ties: int) -> tuple[list[float], list[float]]:
    """Two systems that are right on different questions."""
    return [0.0] * wins + [1.0] * (losses + ties), [1.0] * wins + [0.0] * losses + [1.0] * ties


@pytest.mark.parametrize(("wins", "losses", "p"), [(6, 0, 2 / 64), (5, 0, 2 / 32), (9, 1, 22 / 1024), (4, 4, 1.0)])
def test_for_right_and_wrong_it_is_the_exact_test_of_mcnemar(wins: int, losses: int, p: float) -> None:
    found = paired_difference(*values(wins, losses, 30), seed=0)
    assert found is not None
    assert found.p == pytest.approx(p)
    assert (found.wins, found.losses, found.ties) == (wins, losses, 30)


def test_graded_values_get_all_signs_or_drawn_ones_which_agree() -> None:
    apart = np.array([0.9, 0.5, 0.4, 0.7, 0.2, -0.1, 0.3, 0.8])
    exact = exact_p(apart, seed=0)
    assert exact == pytest.approx(4 / 256)  # all signs, or all but that of the 0.1, either way
    many = np.random.default_rng(0).normal(0.3, 1.0, size=60)
    normal = math.erfc(abs(many.sum()) / math.sqrt(2 * float((many**2).sum())))
    assert exact_p(many, seed=3) == pytest.approx(normal, abs=0.01)
    assert exact_p(many, seed=3) == exact_p(many, seed=3)


def test_nothing_and_the_same_tell_nothing() -> None:
    assert paired_difference([], [], seed=0) is None
    same = paired_difference([0.5] * 40, [0.5] * 40, seed=0)
    assert same is not None
    assert (same.p, same.needed, same.tells) == (1.0, None, False)


def test_one_question_is_never_enough() -> None:
    found = paired_difference([0.0], [1.0], seed=0)
    assert found is not None
    assert not found.tells


def test_the_needed_number_has_the_promised_power() -> None:
    draw = np.random.default_rng(1)
    count = needed(0.1, 0.2)
    assert count is not None
    assert 150 <= count <= 185
    samples = draw.choice([1.0, -1.0, 0.0], p=[0.15, 0.05, 0.8], size=(600, count))
    power = float(np.mean([exact_p(sample, seed=0) <= 0.05 for sample in samples]))
    assert 0.73 <= power <= 0.87


def test_fewer_questions_show_only_larger_differences() -> None:
    assert detectable(170) == pytest.approx(0.10, abs=0.01)
    assert detectable(60) == pytest.approx(0.17, abs=0.01)
    assert detectable(30) > 0.25
    assert detectable(2) > 0.9
