"""Figures are added up over copies and threads, and for each copy since the last look."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from investigator.dialogue.metrics import AverageMetric, FixedMetric, Metrics, SumMetric
from investigator.errors import MetricsError


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


def test_the_recent_figures_are_forgotten_alone_and_the_totals_for_all_copies() -> None:
    metrics = Metrics()
    copy = Metrics(shared=metrics.share())
    copy.add("exs", SumMetric(1))
    copy.clear_recent()
    assert (copy.report_recent(), copy.report()) == ({}, {"exs": SumMetric(1)})
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
    with pytest.raises(MetricsError, match="5 and 6"):
        metrics.add_all({"exs": SumMetric(1), "updates": FixedMetric(6)})
    assert metrics.report() == metrics.report_recent() == {"exs": SumMetric(1), "updates": FixedMetric(5)}


def test_a_report_does_not_change_afterwards() -> None:
    metrics = Metrics()
    metrics.add("exs", SumMetric(1))
    report = metrics.report()
    metrics.add("exs", SumMetric(1))
    assert report == {"exs": SumMetric(1)}
