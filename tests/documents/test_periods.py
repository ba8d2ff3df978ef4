"""The periods in questions and file names, and requests for the newest or oldest document."""

from __future__ import annotations

import pytest

from investigator.documents.periods import Age, Period, age_asked, agree, periods, without_periods


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("What was revenue in Q3 2022?", Period(2022, quarter=3)),
        ("2022_Q3_X.pdf", Period(2022, quarter=3)),
        ("AAPL_10Q_2022Q3_2.pdf", Period(2022, quarter=3)),
        ("the third quarter of 2022", Period(2022, quarter=3)),
        ("Q3 FY2022", Period(2022, quarter=3)),
        ("Q3 FY22", Period(2022, quarter=3)),
        ("Q3 of fiscal year 2022", Period(2022, quarter=3)),
        ("fiscal 2022, third quarter", Period(2022, quarter=3)),
        ("in 2022, what was sold in Q3?", Period(2022, quarter=3)),
        ("FY22", Period(2022)),
        ("September 30, 2023", Period(2023, month=9)),
        ("report-2023-09-30.pdf", Period(2023, month=9)),
        ("am 3. Oktober 2023", Period(2023, month=10)),
        ("mars 2023", Period(2023, month=3)),
        ("drittes Quartal 2023", Period(2023, quarter=3)),
        ("troisième trimestre 2022", Period(2022, quarter=3)),
        ("segundo trimestre de 2021", Period(2021, quarter=2)),
        ("annual-report-1998.doc", Period(1998)),
        ("Ｑ３ ２０２２", Period(2022, quarter=3)),
        ("2022年的收入", Period(2022)),
        ("Q4 results", Period(None, quarter=4)),
    ],
)
def test_a_period_is_read_as_it_is_written(text: str, period: Period) -> None:
    assert periods(text) == {period}


def test_several_periods_are_all_read() -> None:
    assert periods("from 2019 to 2021") == {Period(2019), Period(2021)}
    assert periods("Q1 and Q2 2022") == {Period(2022, quarter=1), Period(2022, quarter=2)}
    assert periods("Q1 2021 against Q1 2022") == {Period(2021, quarter=1), Period(2022, quarter=1)}


@pytest.mark.parametrize("text", ["", "?", "the mill", "page 3 of 12", "12022", "room 1850a2", "may I", "q5", "3,022"])
def test_other_numbers_and_words_are_no_periods(text: str) -> None:
    assert periods(text) == frozenset()


def test_a_name_without_its_periods_keeps_its_other_words() -> None:
    assert without_periods("BESTBUY_2019_10K.pdf").split() == ["bestbuy", "10k.pdf"]
    assert without_periods("Revenue of Acme in Q3 2022").split() == ["revenue", "of", "acme", "in"]


@pytest.mark.parametrize(
    ("asked", "named", "expected"),
    [
        ("Q3 2022", "2022_Q3.pdf", True),
        ("Q3 2022", "2022_Q2.pdf", False),
        ("Q3 2022", "2021_Q3.pdf", False),
        ("Q3 FY2022", "2021_Q3.pdf", False),
        ("September 30, 2022", "2022_Q3.pdf", True),
        ("September 30, 2022", "2022_Q4.pdf", False),
        ("September 2022", "2022-10-01.txt", False),
        ("in 2022", "2022_Q3.pdf", True),
        ("Q3 2022", "annual-2022.pdf", True),
        ("in the third quarter", "2021_Q3.pdf", True),
        ("in the third quarter", "2021_Q2.pdf", False),
        ("from 2019 to 2021", "2021.pdf", True),
    ],
)
def test_a_document_agrees_with_the_period_that_it_is_holds_or_lies_in(asked: str, named: str, expected: bool) -> None:
    assert agree(periods(asked), periods(named)) is expected


@pytest.mark.parametrize(
    ("question", "age"),
    [
        ("What does the latest report say?", Age.NEWEST),
        ("the most recent filing", Age.NEWEST),
        ("revenue of the last quarter", Age.NEWEST),
        ("der jüngste Bericht", Age.NEWEST),
        ("im neuesten Bericht", Age.NEWEST),
        ("les rapports les plus récents", Age.NEWEST),
        ("el último informe", Age.NEWEST),
        ("最新的报告", Age.NEWEST),
        ("the oldest filing", Age.OLDEST),
        ("der älteste Bericht", Age.OLDEST),
        ("los informes más antiguos", Age.OLDEST),
        ("Who was the last emperor?", Age.ANY),
        ("What is the current ratio?", Age.ANY),
        ("recently sold mills", Age.ANY),
        ("", Age.ANY),
    ],
)
def test_newest_and_oldest_are_heard_and_other_words_are_not(question: str, age: Age) -> None:
    assert age_asked(question) is age
