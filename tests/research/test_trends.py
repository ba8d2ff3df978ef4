"""A trend has a figure for each of its periods, from one row of a table or from the reports of a series."""

from __future__ import annotations

import pytest

from investigator import Investigator
from investigator.records import AnswerStatus, RowVerdict

SALES = "Region,2022,2023,2024\nNorth,12400,13950,15200\nEast,7150,7900,8420\n"


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Investigator:
    folder = tmp_path_factory.mktemp("studio")
    (folder / "sales.csv").write_text(SALES)
    for quarter, revenue in ((1, "41,200"), (2, "44,900"), (3, "39,700"), (4, "45,100")):
        text = f"# Studio report Q{quarter} 2025\n\nRevenue in Q{quarter} 2025 was {revenue} EUR. Two kilns ran.\n"
        (folder / f"report-q{quarter}.md").write_text(text)
    (folder / "note.txt").write_text("The open day of the studio was on 21 June 2025, and the weather was fair.\n")
    return Investigator(folder)


def test_a_trend_in_a_table_has_the_figures_from_its_first_time_to_its_last(studio: Investigator) -> None:
    answer = studio.ask("How did sales in the East develop from 2022 to 2024?")
    assert answer.status is AnswerStatus.ANSWERED
    assert answer.table is not None
    (row,) = answer.table.rows
    assert [quote.cell.value for quote in row.quotes if quote.cell] == ["7150", "7900", "8420"]


def test_a_trend_beyond_the_table_is_not_established(studio: Investigator) -> None:
    assert studio.ask("How did sales in the East develop from 2022 to 2026?").status is not AnswerStatus.ANSWERED


def test_a_trend_over_reports_has_each_report_of_its_span_for_its_own_period(studio: Investigator) -> None:
    answer = studio.ask("How did revenue develop from Q1 to Q3 2025?")
    assert answer.status is AnswerStatus.ANSWERED
    assert answer.table is not None
    shown = [(row.document_id, row.quotes[0].text) for row in answer.table.with_verdict(RowVerdict.YES)]
    assert shown == [
        ("report-q1.md", "Revenue in Q1 2025 was 41,200 EUR."),
        ("report-q2.md", "Revenue in Q2 2025 was 44,900 EUR."),
        ("report-q3.md", "Revenue in Q3 2025 was 39,700 EUR."),
    ]
