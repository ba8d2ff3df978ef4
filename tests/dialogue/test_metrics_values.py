"""Metrics are added, each in its own way, over copies, tasks and workers, and shown as a table."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from investigator.dialogue.metrics import (
    AverageMetric,
    FixedMetric,
    Metric,
    Metrics,
    Report,
    SumMetric,
    aggregate_named_reports,
    aggregate_unnamed_reports,
    report_table,
)
from investigator.errors import DialogueError


def test_metrics_that_differ_in_kind_or_are_fixed_are_not_added() -> None:
    assert (FixedMetric(7) + FixedMetric(7)).value() == 7
    with pytest.raises(DialogueError, match="5 and 7"):
        FixedMetric(5) + FixedMetric(7)
    with pytest.raises(DialogueError, match="AverageMetric and a SumMetric"):
        AverageMetric(1, 2) + SumMetric(1)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("metric", "shown"),
    [
        *[(AverageMetric(1, 3), "0.3333"), (AverageMetric(0, 5), "0"), (SumMetric(12), "12")],
        *[(AverageMetric(1, 0), "nan"), (AverageMetric(2, 0), "nan"), (AverageMetric(0, 0), "0")],
    ],
)
def test_a_metric_is_shown_to_four_digits(metric: Metric, shown: str) -> None:
    assert str(metric) == shown


@pytest.mark.parametrize(
    "metric", [AverageMetric(1, 2, is_global=True), SumMetric(1, is_global=True), FixedMetric(1, is_global=True)]
)
def test_a_global_metric_stays_global_when_added_and_is_the_same_plus_nothing(metric: Metric) -> None:
    assert metric.is_global
    assert (metric + metric).is_global
    assert metric + None is metric


def test_figures_of_one_name_add_up_and_nothing_adds_nothing() -> None:
    metrics = Metrics()
    metrics.add("f1", AverageMetric(1, 2))
    metrics.add("f1", AverageMetric(1, 2))
    metrics.add("bleu", None)
    assert metrics.report() == {"f1": AverageMetric(2, 4)}


def test_copies_share_their_totals_and_keep_their_own_recent_figures() -> None:
    metrics = Metrics()
    copy = Metrics(shared=metrics.share())
    metrics.add("exs", SumMetric(1))
    copy.add("exs", SumMetric(2))
    assert metrics.report() == copy.report() == {"exs": SumMetric(3)}
    assert (metrics.report_recent(), copy.report_recent()) == ({"exs": SumMetric(1)}, {"exs": SumMetric(2)})
    copy.clear_recent()
    assert (copy.report_recent(), copy.report()) == ({}, {"exs": SumMetric(3)})
    metrics.clear()
    assert copy.report() == {}


def test_no_figure_of_any_thread_is_lost() -> None:
    metrics = Metrics()

    def work(thread: int) -> None:
        own = Metrics(shared=metrics.share())
        for _ in range(1000):
            own.add_all({"exs": SumMetric(1), "speed": AverageMetric(thread, 1)})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert metrics.report() == {"exs": SumMetric(8000), "speed": AverageMetric(28000, 8000)}


def test_figures_added_together_are_all_refused_where_one_is() -> None:
    metrics = Metrics()
    metrics.add_all({"exs": SumMetric(1), "updates": FixedMetric(5)})
    with pytest.raises(DialogueError, match="6 and 5"):
        metrics.add_all({"exs": SumMetric(1), "updates": FixedMetric(6)})
    assert metrics.report() == metrics.report_recent() == {"exs": SumMetric(1), "updates": FixedMetric(5)}


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
    merged = aggregate_named_reports({"small": SMALL, "large": LARGE}, micro_average=True)
    assert merged["accuracy"].value() == pytest.approx(10 / 12)


def test_a_task_without_examples_counts_as_0_and_one_without_the_metric_not_at_all() -> None:
    none = {"accuracy": AverageMetric(0, 0)}
    assert aggregate_named_reports({"a": LARGE, "b": none})["accuracy"].value() == pytest.approx(0.45)
    assert aggregate_named_reports({"a": LARGE, "b": {"exs": SumMetric(1)}})["accuracy"].value() == 0.9


def test_a_global_metric_stands_once_as_the_first_task_has_it() -> None:
    reports = {"a": {"updates": SumMetric(5, is_global=True)}, "b": {"updates": SumMetric(7, is_global=True)}}
    assert figures(aggregate_named_reports(reports)) == {"updates": 5}


def test_one_task_alone_keeps_its_report_and_reports_that_cannot_be_merged_are_refused() -> None:
    assert aggregate_named_reports({"small": SMALL}) == SMALL
    with pytest.raises(DialogueError, match="no reports"):
        aggregate_named_reports({})
    with pytest.raises(DialogueError, match="differ: 2 and 1"):
        aggregate_named_reports({"a": {"updates": FixedMetric(1)}, "b": {"updates": FixedMetric(2)}})


def test_reports_of_workers_are_added_up() -> None:
    merged = aggregate_unnamed_reports([SMALL, LARGE, {"f1": AverageMetric(1, 4)}])
    assert figures(merged) == {"accuracy": pytest.approx(10 / 12), "exs": 12, "f1": 0.25}
    assert aggregate_unnamed_reports([]) == {}


def test_the_report_of_one_task_is_one_row() -> None:
    assert report_table({"exs": SumMetric(3), "accuracy": AverageMetric(2, 3)}) == "exs  accuracy\n  3    0.6667"
    assert report_table({}) == ""


def test_each_task_has_a_row_below_that_of_all_and_what_it_lacks_is_blank() -> None:
    report: dict[str, Metric] = {
        "babi:1/exs": SumMetric(10000),
        "exs": SumMetric(10003),
        "squad/exs": SumMetric(3),
        "squad/f1": AverageMetric(1, 8),
        "f1": AverageMetric(1, 8),
    }
    assert report_table(report).splitlines() == [
        "          exs     f1",
        "all     10003  0.125",
        "babi:1  10000",
        "squad       3  0.125",
    ]


def test_figures_are_rounded_to_four_digits_but_not_to_powers_of_ten() -> None:
    report = {"a": AverageMetric(1, 3), "b": AverageMetric(1234567, 10), "c": AverageMetric(1, 0)}
    assert report_table(report).split() == ["a", "b", "c", "0.3333", "123457", "nan"]
