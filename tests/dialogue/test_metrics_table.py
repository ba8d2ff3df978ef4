"""A report is shown as a table."""

from __future__ import annotations

from investigator.dialogue.metrics import AverageMetric, Metric, SumMetric, report_table


def test_the_report_of_one_task_is_one_row() -> None:
    assert report_table({"exs": SumMetric(3), "accuracy": AverageMetric(2, 3)}) == "exs  accuracy\n  3    0.6667"


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


def test_figures_are_rounded_to_so_many_digits_but_not_to_powers_of_ten() -> None:
    report = {"a": AverageMetric(1, 3), "b": AverageMetric(1234567, 10), "c": AverageMetric(1, 0)}
    assert report_table(report, digits=2).split() == ["a", "b", "c", "0.33", "123457", "nan"]


def test_an_empty_report_is_an_empty_text() -> None:
    assert report_table({}) == ""
