"""Metric values can be added, each in its own way, and never change."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError

import pytest

from investigator.dialogue.metrics.values import (
    AverageMetric,
    FixedMetric,
    Metric,
    SumMetric,
    TimerMetric,
)
from investigator.errors import DialogueError, MetricsError


def test_an_average_pools_its_examples() -> None:
    assert (AverageMetric(1, 4) + AverageMetric(5, 6)).value() == pytest.approx(0.6)


def test_an_average_over_nothing_is_0_and_of_something_over_nothing_not_a_number() -> None:
    assert AverageMetric(0, 0).value() == 0
    assert math.isnan(AverageMetric(2, 0).value())


def test_an_average_over_nothing_changes_no_other() -> None:
    assert (AverageMetric(0, 0) + AverageMetric(3, 4)).value() == 0.75


def test_a_sum_adds_up() -> None:
    assert (SumMetric(2) + SumMetric(3)).value() == 5


def test_a_fixed_metric_stays_what_it_is_or_says_that_it_differs() -> None:
    assert (FixedMetric(7) + FixedMetric(7)).value() == 7
    with pytest.raises(MetricsError, match="5 and 7"):
        FixedMetric(5) + FixedMetric(7)


def test_timers_that_run_side_by_side_add_up_their_speed() -> None:
    assert TimerMetric(10, start=0, end=5).value() == 2
    assert (TimerMetric(10, start=0, end=5) + TimerMetric(20, start=1, end=6)).value() == 5


def test_a_timer_that_has_not_run_is_at_0() -> None:
    assert TimerMetric(10, start=3, end=3).value() == 0


@pytest.mark.parametrize("metric", [AverageMetric(1, 2), SumMetric(1), FixedMetric(1), TimerMetric(1, 0, 1)])
def test_a_metric_plus_nothing_is_the_metric(metric: Metric) -> None:
    assert metric + None is metric


def test_metrics_of_different_kinds_are_not_added() -> None:
    with pytest.raises(MetricsError, match="AverageMetric and a SumMetric"):
        AverageMetric(1, 2) + SumMetric(1)  # type: ignore[operator]


def test_a_metric_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        AverageMetric(1, 2).numerator = 2  # type: ignore[misc]


@pytest.mark.parametrize(
    ("metric", "shown"),
    [(AverageMetric(1, 3), "0.3333"), (AverageMetric(0, 5), "0"), (SumMetric(12), "12"), (AverageMetric(1, 0), "nan")],
)
def test_a_metric_is_shown_to_four_digits(metric: Metric, shown: str) -> None:
    assert str(metric) == shown


@pytest.mark.parametrize(
    "metric", [AverageMetric(1, 2, is_global=True), SumMetric(1, is_global=True), FixedMetric(1, is_global=True)]
)
def test_a_global_metric_stays_global_when_added(metric: Metric) -> None:
    assert metric.is_global
    assert (metric + metric).is_global


def test_only_averages_are_averaged_over_tasks() -> None:
    assert AverageMetric(1, 2).is_mean
    assert not any(metric.is_mean for metric in (SumMetric(1), FixedMetric(1)))


def test_an_error_of_metrics_can_be_caught_as_one_of_values_and_of_dialogues() -> None:
    assert issubclass(MetricsError, ValueError)
    assert issubclass(MetricsError, DialogueError)
