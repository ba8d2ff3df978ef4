"""Reports of tasks and of workers are put together."""

from __future__ import annotations

import pytest

from investigator.dialogue.metrics import (
    AverageMetric,
    FixedMetric,
    Report,
    SumMetric,
    aggregate_named_reports,
    aggregate_unnamed_reports,
)
from investigator.dialogue.metrics.values import GlobalSumMetric
from investigator.errors import MetricsError

SMALL = {"accuracy": AverageMetric(1, 2), "exs": SumMetric(2)}
LARGE = {"accuracy": AverageMetric(9, 10), "exs": SumMetric(10)}


def figures(report: Report) -> dict[str, float]:
    return {name: metric.value() for name, metric in report.items()}


def test_averages_of_tasks_are_averaged_and_sums_added() -> None:
    assert figures(aggregate_named_reports({"small": SMALL, "large": LARGE})) == {
        "small/accuracy": 0.5,
        "small/exs": 2,
        "large/accuracy": 0.9,
        "large/exs": 10,
        "accuracy": pytest.approx(0.7),
        "exs": 12,
    }


def test_micro_pools_the_examples_of_all_tasks() -> None:
    found = aggregate_named_reports({"small": SMALL, "large": LARGE}, micro_average=True)
    assert found["accuracy"].value() == pytest.approx(10 / 12)


def test_a_task_without_examples_counts_as_0_and_one_without_the_metric_not_at_all() -> None:
    none = {"accuracy": AverageMetric(0, 0)}
    assert aggregate_named_reports({"a": LARGE, "b": none})["accuracy"].value() == pytest.approx(0.45)
    assert aggregate_named_reports({"a": LARGE, "b": {"exs": SumMetric(1)}})["accuracy"].value() == 0.9


def test_a_global_metric_stands_once_as_the_first_task_has_it() -> None:
    reports = {"a": {"updates": GlobalSumMetric(5)}, "b": {"updates": GlobalSumMetric(7)}}
    assert figures(aggregate_named_reports(reports)) == {"updates": 5}


def test_one_task_alone_keeps_its_report() -> None:
    assert aggregate_named_reports({"small": SMALL}) == SMALL


def test_no_report_at_all_is_refused() -> None:
    with pytest.raises(MetricsError, match="no reports"):
        aggregate_named_reports({})


def test_fixed_metrics_that_differ_are_refused_with_the_name_of_the_metric() -> None:
    with pytest.raises(MetricsError, match=r"updates: .* 1 and 2"):
        aggregate_named_reports({"a": {"updates": FixedMetric(1)}, "b": {"updates": FixedMetric(2)}})


def test_reports_of_workers_are_added_up() -> None:
    found = aggregate_unnamed_reports([SMALL, LARGE, {"f1": AverageMetric(1, 4)}])
    assert figures(found) == {"accuracy": pytest.approx(10 / 12), "exs": 12, "f1": 0.25}
    assert aggregate_unnamed_reports([]) == {}


def test_the_reports_given_are_not_changed() -> None:
    small, large = dict(SMALL), dict(LARGE)
    aggregate_unnamed_reports([small, large])
    aggregate_named_reports({"a": small, "b": large})
    assert (small, large) == (SMALL, LARGE)
