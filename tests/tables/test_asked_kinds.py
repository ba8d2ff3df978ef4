"""Figures are of the kind that a question asks for: no registration number is a price."""

from __future__ import annotations

import pytest

from investigator.documents.readers.base import ReaderSettings, SourceFile
from investigator.documents.readers.registry import read
from investigator.questions.measured import shown_figure
from investigator.records import Document
from investigator.research.table_cells import met_cells

COACHES = """Coach,Role,Licence no.,Hours per week,Hourly rate (EUR)
Petra Lindqvist,Head coach,55120,30,38
Amir Haddadi,Assistant coach,61044,18,27
Lucy Brand,Assistant coach,61877,12,26
"""
VISITS = "Year,Judo,Boxing\n2022,212,140\n2023,198,155\n"
LEAGUE = "Points after five rounds:\n\n| Boxer | Round 1 | Total |\n| --- | --- | --- |\n| Ivo Marsh | 4 | 17 |\n"
PRICES = (
    "# Prices 2025\n\n| Item | Charge (EUR) | Time (minutes) |\n| --- | --- | --- |\n| Massage, short | 41 | 25 |\n"
)
ACCOUNTS = "Item,2022,2023\nMembership fees,14820,15960\nInsurance,-4200,-4450\n"


def _read(name: str, text: str) -> Document:
    return read(SourceFile(text.encode(), name), name, "h", ReaderSettings()).documents[0]


def _said(question: str, name: str, text: str) -> list[str]:
    return [quote.said for quote in met_cells(question, _read(name, text))]


@pytest.mark.parametrize(
    ("question", "name", "text"),
    [
        ("How much does Amir Haddadi cost?", "coaches.csv", COACHES.replace(",Hourly rate (EUR)", ",Lockers")),
        ("How much does Petra Lindqvist earn?", "staff.csv", COACHES.replace(",Hourly rate (EUR)", ",Room")),
        ("How many patients does Petra Lindqvist have?", "staff.csv", COACHES),
        ("How many employees does Lucy Brand have?", "employees.csv", COACHES),
        ("What was the price of judo in 2022?", "visits.csv", VISITS),
        ("What did boxing cost in 2023?", "visits.csv", VISITS),
        ("How much did Ivo Marsh pay?", "league.md", LEAGUE),
        ("What did Ivo Marsh cost?", "league.md", LEAGUE),
        ("What does the new one earn?", "news.csv", "Name,Show,Pay\nAnn,Quay news,weekly\n"),
    ],
)
def test_a_number_in_the_row_of_a_thing_is_not_its_price(question: str, name: str, text: str) -> None:
    assert _said(question, name, text) == []


@pytest.mark.parametrize(
    ("question", "name", "text", "answer"),
    [
        ("How many points did Ivo Marsh get?", "league.md", LEAGUE, "Ivo Marsh | Total | 17"),
        ("How many judo visits were there in 2022?", "visits.csv", VISITS, "2022 | Judo | 212"),
        ("What does a short massage cost?", "prices.md", PRICES, "Massage, short | Charge (EUR) | 41"),
        ("What did insurance cost in 2023?", "accounts.csv", ACCOUNTS, "Insurance | 2023 | -4450"),
        ("What did judo cost in 2022?", "costs.csv", VISITS, "2022 | Judo | 212"),
    ],
)
def test_names_of_the_asked_kind_make_a_figure_the_answer(question: str, name: str, text: str, answer: str) -> None:
    assert _said(question, name, text) == [answer]


QUARTERS = """Sales and margins (dollars in millions):

| | Three Months Ended April 1, 2023 | Three Months Ended March 26, 2022 |
| --- | --- | --- |
| Mac | 7,168 | 10,435 |
| Gross margin percentage: | | |
| Services | 70.5 % | 71.5 % |
"""


@pytest.mark.parametrize(
    ("question", "values"),
    [
        (
            "How far did Mac sales fall between the quarter ended March 26, 2022 and the quarter ended April 1, 2023, "
            "in dollars?",
            {"7,168", "10,435"},
        ),
        (
            "By how many percentage points did Services gross margin in the quarter to April 1, 2023 trail the one a "
            "year earlier?",
            {"70.5 %", "71.5 %"},
        ),
    ],
)
def test_months_in_a_header_are_no_other_kind_and_points_are_no_count(question: str, values: set[str]) -> None:
    cells = met_cells(question, _read("report.md", QUARTERS))
    assert {quote.cell.value.removesuffix(" million") for quote in cells if quote.cell} == values


def test_the_people_with_a_role_are_the_names_in_their_rows() -> None:
    staff = """Name,Position,Since,Days,Badge
Petra Lindqvist,Head coach,2009-04-01,Mon Tue,71204
Amir Haddadi,Nurse,2018-09-10,Wed Fri,19883
Lucy Brand,Nurse,2022-02-14,Mon Fri,26441
"""
    assert _said("Who is the head coach?", "staff.csv", staff) == [
        "Petra Lindqvist > Head coach | Name | Petra Lindqvist"
    ]
    assert _said("Who is the nurse?", "staff.csv", staff) == [
        "Amir Haddadi > Nurse | Name | Amir Haddadi",
        "Lucy Brand > Nurse | Name | Lucy Brand",
    ]
    assert _said("Who is the treasurer?", "staff.csv", staff) == []
    assert _said("Which position does Lucy Brand have?", "staff.csv", staff) == [
        "Lucy Brand > Nurse | Position | Nurse"
    ]
    assert _said("What is Lucy Brand's position?", "staff.csv", staff) == ["Lucy Brand > Nurse | Position | Nurse"]
    assert _said("What is Rob Brand's position?", "staff.csv", staff) == []


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("Boat: Petrel; Length (m): 7.68; Year built: 1967", ""),
        ("Item: Rope; Price: 7.68; Colour: red", "7.68"),
        ("| Petrel | Folkboat | 7.68 |", ""),
        ("The rope was 7.68.", "7.68"),
    ],
)
def test_a_bare_figure_of_a_row_is_money_only_behind_a_name_for_money(sentence: str, shown: str) -> None:
    assert shown_figure("money", sentence) == shown
