"""Reports that a question requests but the folder does not contain."""

from __future__ import annotations

import pytest

from investigator.questions.missing import is_all_missing, missing_editions
from investigator.questions.parts import taken_apart
from investigator.records import DocumentCard, Imprint, MissingEdition


def report(name: str, issuer: str, year: int, quarter: int) -> DocumentCard:
    end = f"{year}-{quarter * 3:02}-30"
    imprint = Imprint(issuer=issuer, kind="form 10-q", period_end=end, fiscal_year=year, fiscal_quarter=quarter)
    return DocumentCard(document_id=name, title=name, imprint=imprint)


FOLDER = (
    report("a.pdf", "Orchard Inc.", 2023, 1),
    report("b.pdf", "Orchard Inc.", 2023, 2),
    report("c.pdf", "Birch Ltd", 2022, 3),
)
HELD = {"orchard", "birch", "sales", "research"}


def missing(question: str, cards: tuple[DocumentCard, ...] = FOLDER) -> tuple[MissingEdition, ...]:
    asked = [one for part in taken_apart(question) for one in part.constraints]
    return missing_editions(question, asked, cards, HELD.__contains__)


@pytest.mark.parametrize(
    ("question", "asked", "nearest"),
    [
        ("What does Orchard's report for 2021 say about sales?", "report for 2021", "a.pdf"),
        ("In Orchard's Q4 2023 10-Q, what were the sales?", "report for Q4 2023", "b.pdf"),
        ("What were the sales in Orchard's filing of Q3 2022?", "report for Q3 2022", "a.pdf"),
        ("What was Zelkova's gross margin as reported in its latest 10-Q report?", "report of Zelkova", ""),
    ],
)
def test_a_report_that_is_not_there_is_named_with_the_nearest(question: str, asked: str, nearest: str) -> None:
    found = missing(question)
    assert [one.asked for one in found] == [asked]
    assert found[0].nearest[:1] == ((nearest,) if nearest else ())
    assert is_all_missing(question, found)


@pytest.mark.parametrize(
    "question",
    [
        "What does Orchard's report for Q1 2023 say about sales?",
        "What were the sales of Orchard in 2019?",
        "What does Orchard's 2023 report say about R&D?",
        "Why did Zelkova fail?",
    ],
)
def test_what_is_there_or_asks_for_no_report_is_not_missing(question: str) -> None:
    assert missing(question) == ()


def test_one_of_two_reports_may_be_missing() -> None:
    question = "How do the Q1 2023 report and the Q1 2025 report of Orchard differ?"
    found = missing(question)
    assert [one.asked for one in found] == ["report for Q1 2025"]
    assert not is_all_missing(question, found)


def test_documents_that_say_nothing_of_themselves_leave_it_open() -> None:
    assert missing("What does the report for 2021 say?", (DocumentCard(document_id="a.txt", title="a"),)) == ()
