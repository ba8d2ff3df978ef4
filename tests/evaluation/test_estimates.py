"""Exact tests, intervals and sample sizes, compared with values that were computed by hand or simulated."""

from __future__ import annotations

import math

import numpy as np
import pytest

from investigator.evaluation.estimates import (
    Estimate,
    PairedDifference,
    detectable,
    exact_p,
    mean_of,
    needed,
    paired_difference,
)


def estimate(values: list[float], seed: int = 0) -> Estimate:
    mean = mean_of(values, seed)
    assert mean is not None
    return mean


def paired(first: list[float], second: list[float]) -> PairedDifference:
    difference = paired_difference(first, second, seed=0)
    assert difference is not None
    return difference


def test_a_mean_lies_in_its_interval_of_known_width_which_the_seed_decides() -> None:
    mean = estimate([0.0, 1.0] * 200)
    assert (mean.value, mean.questions) == (0.5, 400)
    # 1.96 * sqrt(0.25 / 400) = 0.049
    assert (mean.high - mean.value, mean.value - mean.low) == pytest.approx((0.049, 0.049), abs=0.01)
    assert mean == estimate([0.0, 1.0] * 200) != estimate([0.0, 1.0] * 200, seed=1)
    constant = estimate([0.25] * 7)
    assert (constant.low, constant.value, constant.high) == (0.25, 0.25, 0.25)
    assert mean_of([]) is None


def test_a_paired_difference_is_narrower_than_what_it_is_a_difference_of() -> None:
    ours = [0.1, 0.9, 0.3, 0.7, 0.5] * 20
    assert paired([value - 0.05 for value in ours], ours).difference.low == pytest.approx(0.05)
    alone = estimate(ours)
    assert alone.high - alone.low > 0.05


@pytest.mark.parametrize(("wins", "losses", "p"), [(6, 0, 2 / 64), (5, 0, 2 / 32), (9, 1, 22 / 1024), (4, 4, 1.0)])
def test_for_right_and_wrong_it_is_the_exact_test_of_mcnemar(wins: int, losses: int, p: float) -> None:
    first, second = [0.0] * wins + [1.0] * (losses + 30), [1.0] * wins + [0.0] * losses + [1.0] * 30
    difference = paired(first, second)
    assert difference.p == pytest.approx(p)
    assert (difference.higher, difference.lower, difference.equal) == (wins, losses, 30)


def test_graded_values_get_all_signs_or_drawn_ones_which_agree() -> None:
    apart = np.array([0.9, 0.5, 0.4, 0.7, 0.2, -0.1, 0.3, 0.8])
    assert exact_p(apart, seed=0) == pytest.approx(4 / 256)  # all signs, or all but that of the 0.1, either way
    many = np.random.default_rng(0).normal(0.3, 1.0, size=60)
    normal = math.erfc(abs(many.sum()) / math.sqrt(2 * float((many**2).sum())))
    assert exact_p(many, seed=3) == pytest.approx(normal, abs=0.01)
    assert exact_p(many, seed=3) == exact_p(many, seed=3)


def test_nothing_the_same_and_a_single_question_tell_nothing() -> None:
    assert paired_difference([], [], seed=0) is None
    same = paired([0.5] * 40, [0.5] * 40)
    assert (same.p, same.needed, same.tells) == (1.0, None, False)
    assert not paired([0.0], [1.0]).tells


def test_the_needed_number_has_the_promised_power() -> None:
    draw = np.random.default_rng(1)
    count = needed(0.1, 0.2)
    assert count is not None
    assert 150 <= count <= 185
    samples = draw.choice([1.0, -1.0, 0.0], p=[0.15, 0.05, 0.8], size=(600, count))
    power = float(np.mean([exact_p(sample, seed=0) <= 0.05 for sample in samples]))
    assert 0.73 <= power <= 0.87


def test_fewer_questions_show_only_larger_differences() -> None:
    assert (detectable(170), detectable(60)) == pytest.approx((0.10, 0.17), abs=0.01)
    assert detectable(30) > 0.25
    assert detectable(2) > 0.9
