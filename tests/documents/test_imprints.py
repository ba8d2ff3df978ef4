"""Statements of documents about themselves, and the choice of the document that a question requests."""

from __future__ import annotations

import time

import pytest

from investigator.documents.imprints import agreement, imprint_of
from investigator.documents.periods import Period, periods
from investigator.records import Imprint

COVER = """UNITED STATES
FORM 10-Q
For the quarterly period ended {end}
or
For the transition period from to .
ORCHARD SYSTEMS, INC.
(Exact name of registrant as specified in its charter)
Common Stock, par value $.01 per share ORCH The Nasdaq Stock Market LLC
"""
SEPTEMBER_YEAR = "\nIts Annual Report on Form 10-K for the fiscal year ended September 24, 2022 says more."
DECEMBER_REPORT = imprint_of(COVER.format(end="December 31, 2022") + SEPTEMBER_YEAR)


def test_a_filing_says_its_issuer_its_kind_and_its_fiscal_quarter() -> None:
    expected = Imprint(
        issuer="ORCHARD SYSTEMS, INC.",
        symbols=("ORCH",),
        kind="form 10-q",
        period_end="2022-12-31",
        fiscal_year=2023,
        fiscal_quarter=1,
    )
    assert expected == DECEMBER_REPORT


@pytest.mark.parametrize(
    ("end", "text", "fiscal"),
    [
        ("July 1, 2023", "nine months ended July 1, 2023, and nine months ended July 1, 2023", (2023, 3)),
        ("July 1, 2023", "Thirty-nine weeks ended July 1, 2023", (2023, 3)),
        ("October 29, 2023", "third quarter of fiscal year 2024. " * 3, (2024, 3)),
        ("March 31, 2023", "In the fiscal year ended June 30, 2022 we moved.", (2023, 3)),
        ("March 31, 2023", "We moved.", (None, None)),
    ],
)
def test_the_fiscal_quarter_follows_from_what_the_text_says_of_its_year(
    end: str, text: str, fiscal: tuple[int | None, int | None]
) -> None:
    found = imprint_of(COVER.format(end=end) + text)
    assert (found.fiscal_year, found.fiscal_quarter) == fiscal


@pytest.mark.parametrize(
    ("text", "imprint"),
    [
        ("Annual Report 2022\nOf the Port of Lind", Imprint(kind="annual report", fiscal_year=2022)),
        (
            "Form 10-K\nFor the fiscal year ended June 30, 2021",
            Imprint(kind="form 10-k", period_end="2021-06-30", fiscal_year=2021),
        ),
        ("Minutes of the meeting of 14 March 2023\nPresent: ten", Imprint(kind="minutes", dated="2023-03-14")),
        ("Protokoll\nSitzung vom 14. März 2023\nTOP 1", Imprint(kind="protokoll", dated="2023-03-14")),
        ("Berlin, 12. März 2024\n\nSehr geehrte Frau Meier,", Imprint(dated="2024-03-12")),
        ("Trimestre clos le 30 juin 2023, en euros", Imprint(period_end="2023-06-30")),
        ("The mill was built in 1911.\nIt burnt down on 3 May 1944 and was never built again.", Imprint()),
    ],
)
def test_reports_minutes_and_letters_say_what_they_are(text: str, imprint: Imprint) -> None:
    assert imprint_of(text) == imprint


@pytest.mark.parametrize(
    ("question", "meets"),
    [
        ("fiscal 2023 first quarter", True),
        ("Q1 2023", True),
        ("the quarter ended December 31, 2022", True),
        ("fiscal 2022 fourth quarter", False),
        ("the quarter ended September 24, 2022", False),
    ],
)
def test_a_question_may_count_in_fiscal_years_or_in_months(question: str, meets: bool) -> None:
    fiscal = "fiscal" in question
    (asked,) = periods(question)
    assert (agreement(asked, DECEMBER_REPORT, (), fiscal=fiscal) > 0) is meets


def test_a_fiscal_quarter_comes_before_the_calendar_one() -> None:
    march = imprint_of(COVER.format(end="April 1, 2023") + SEPTEMBER_YEAR)
    asked = Period(2023, quarter=1)
    assert agreement(asked, DECEMBER_REPORT, (), fiscal=False) > agreement(asked, march, (), fiscal=False) > 0


def test_text_without_line_breaks_takes_no_long_time() -> None:
    started = time.process_time()
    imprint_of("entry 4 for the quarter ended " * 20_000)
    assert time.process_time() - started < 10
