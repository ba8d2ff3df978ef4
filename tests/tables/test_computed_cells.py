"""Computations that a question requests over the rows, columns and periods of a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from investigator import Investigator, ScriptedEmbedder
from investigator.documents.readers.base import ReaderSettings, SourceFile
from investigator.documents.readers.registry import read
from investigator.records import AnswerStatus, Operation
from investigator.tables.computed_cells import computed_cells
from investigator.tables.document_tables import DocumentTables, tables_of
from investigator.tables.operands import asked_computation

COSTS = """# Running costs of the rowing club

| Item | 2020 | 2021 | 2022 |
| --- | --: | --: | --: |
| Rent | 11,400 | 11,800 | 12,000 |
| Fuel | 2,700 | 2,950 | 3,100 |
| Insurance | 790 | 800 | 810 |
| Repairs and maintenance | 1,200 | 640 | 2,050 |
| Staff costs | 8,000 | 8,200 | 8,700 |
| Total | 24,090 | 24,390 | 26,660 |
"""
RAIN = (
    "Station,Rainfall 2021 (mm),Rainfall 2022 (mm),Opened\nAlder,812,790,1961\nBirch,640,655,1974\nDune,401,420,2003\n"
)
THEATRE = """# Income and costs of the theatre

| | 2021 | 2022 |
| --- | --: | --: |
| Income | | |
| Tickets | 80,000 | 91,000 |
| Bar | 12,000 | 14,500 |
| Costs | | |
| Wages | 50,000 | 52,500 |
| Hall rent | 21,000 | 22,000 |
| Power | 3,000 | 3,400 |
"""


def _tables(name: str, text: str) -> DocumentTables:
    return tables_of(read(SourceFile(text.encode(), name), name, "h", ReaderSettings()).documents[0])


def _formula(question: str, name: str, text: str) -> str | None:
    found = computed_cells(question, _tables(name, text))
    return found.result.formula if found else None


@pytest.mark.parametrize(
    ("question", "formula"),
    [
        ("What is the difference between fuel in 2022 and rent in 2022?", "3,100 − 12,000 = -8,900"),
        ("Compare fuel and rent in 2021.", "2,950 − 11,800 = -8,850"),
        ("What did the club spend on fuel in 2021 and 2022 together?", "2,950 + 3,100 = 6,050"),
        ("How did rent compare with staff costs in 2022?", "12,000 − 8,700 = 3,300"),
        ("By how much did rent exceed fuel in 2022?", "12,000 − 3,100 = 8,900"),
        ("Which was higher in 2022, fuel or rent?", "12,000 > 3,100"),
        ("In 2022, which was lower: rent or fuel?", "3,100 < 12,000"),
        ("Did fuel or rent cost more in 2021?", "11,800 > 2,950"),
        ("Which of fuel, rent and insurance was the lowest in 2021?", "800 < 2,950 < 11,800"),
        ("What did fuel, rent and insurance cost together in 2022?", "3,100 + 12,000 + 810 = 15,910"),
        ("How much was spent on fuel, rent and insurance in total in 2022?", "3,100 + 12,000 + 810 = 15,910"),
        ("What is the sum of rent and repairs and maintenance in 2022?", "12,000 + 2,050 = 14,050"),
        ("What was the total cost of fuel and insurance in 2021?", "2,950 + 800 = 3,750"),
    ],
)
def test_figures_of_named_rows_are_computed(question: str, formula: str) -> None:
    assert _formula(question, "costs.md", COSTS) == formula


@pytest.mark.parametrize(
    ("question", "formula"),
    [
        ("What was the largest cost in 2022?", "12,000 > 8,700 > 3,100 > 2,050 > 810"),
        ("Which item cost the least in 2021?", "640 < 800 < 2,950 < 8,200 < 11,800"),
        ("What did the club spend the most on in 2020?", "11,400 > 8,000 > 2,700 > 1,200 > 790"),
        ("In which year was the rent highest?", "12,000 > 11,800 > 11,400"),
        ("What was the average rent from 2020 to 2022?", "(11,400 + 11,800 + 12,000) / 3 = 11,733.33"),
        ("What was the average rent of 2020 and 2022?", "(11,400 + 12,000) / 2 = 11,700"),
        ("What was the average cost of insurance per year?", "(790 + 800 + 810) / 3 = 800"),
    ],
)
def test_the_total_is_neither_the_highest_row_nor_part_of_an_average(question: str, formula: str) -> None:
    assert _formula(question, "costs.md", COSTS) == formula


@pytest.mark.parametrize(
    ("question", "formula"),
    [
        ("Which item has the lowest price?", "0,80 < 78,50 < 1.250,00"),
        ("What is the difference between the price of butter and the price of cups?", "78,50 − 0,80 = 77.70"),
        ("What is the total price of salt and butter?", "1.250,00 + 78,50 = 1,328.50"),
    ],
)
def test_decimal_commas_are_no_marks_of_thousands(question: str, formula: str) -> None:
    prices = "item;price in euros\nButter;78,50\nSalt;1.250,00\nCups;0,80\n"
    assert _formula(question, "prices.csv", prices) == formula


def test_a_column_is_chosen_by_its_header_and_its_year() -> None:
    assert _formula("Which station had the lowest rainfall in 2021?", "rain.csv", RAIN) == "401 < 640 < 812"
    assert _formula("Which station had the highest rainfall?", "rain.csv", RAIN) == "790 > 655 > 420"
    assert _formula("What was the average rainfall in 2022?", "rain.csv", RAIN) == "(790 + 655 + 420) / 3 = 621.67"


PRICES = """Article;Kind;Price EUR;Weight kg
Oak bench;Outdoor;189.00;14
Pine table;Indoor;240.50;22
Chair;Outdoor;59.90;4
"""


@pytest.mark.parametrize(
    ("question", "formula"),
    [
        ("Which article is the cheapest?", "59.90 < 189.00 < 240.50"),
        ("What is the most expensive article?", "240.50 > 189.00 > 59.90"),
        ("What is the average price of the articles?", "(189.00 + 240.50 + 59.90) / 3 = 163.13"),
        ("What is the difference in price between the oak bench and the chair?", "189.00 − 59.90 = 129.10"),
        ("How much more expensive is the pine table than the oak bench?", "240.50 − 189.00 = 51.50"),
        ("What do the oak bench, the pine table and the chair cost in total?", "189.00 + 240.50 + 59.90 = 489.40"),
    ],
)
def test_articles_of_a_price_list_are_compared_by_their_prices(question: str, formula: str) -> None:
    assert _formula(question, "prices.csv", PRICES) == formula


def test_the_rows_must_be_of_the_kind_that_is_asked_for() -> None:
    assert _formula("Which article is the cheapest?", "costs.md", COSTS) is None
    assert _formula("What is the cheapest article?", "costs.md", COSTS) is None
    assert _formula("What was the cheapest item in 2022?", "costs.md", COSTS) == "810 < 2,050 < 3,100 < 8,700 < 12,000"


def test_a_column_of_another_thing_is_not_taken_for_the_thing_in_the_title() -> None:
    staff = (
        "# Costs of the ferry\n\n| Department | {} |\n| --- | --: |\n| Deck | 84 |\n| Engine | 31 |\n| Office | 19 |\n"
    )
    question = "What was the largest cost?"
    assert _formula(question, "s.md", staff.format("Employees")) is None
    assert _formula(question, "s.md", staff.format("EUR")) == "84 > 31 > 19"
    assert _formula(question, "s.md", staff.format("Actual cost")) == "84 > 31 > 19"
    assert _formula(question, "s.md", staff.format("Amount (in thousand EUR)")) == "84 > 31 > 19 thousand"


def test_an_average_over_years_needs_each_of_them() -> None:
    gap = "# Costs\n\n| Item | 2020 | 2022 |\n| --- | --: | --: |\n| Rent | 100 | 120 |\n| Fuel | 30 | 33 |\n"
    assert _formula("What was the average rent from 2020 to 2022?", "c.md", gap) is None


def test_costs_and_income_of_one_table_are_told_apart_by_their_headings() -> None:
    assert _formula("What was the largest cost in 2022?", "t.md", THEATRE) == "52,500 > 22,000 > 3,400"
    assert _formula("What was the lowest income in 2021?", "t.md", THEATRE) == "12,000 < 80,000"
    flat = "".join(
        line for line in THEATRE.splitlines(keepends=True) if line not in ("| Income | | |\n", "| Costs | | |\n")
    )
    assert _formula("What was the largest cost in 2022?", "t.md", flat) is None


@pytest.mark.parametrize(
    "question",
    [
        "What was the largest cost in 2019?",
        "What was the second largest cost in 2022?",
        "What were the two largest costs in 2022?",
        "What was the largest donation in 2022?",
        "What was the average monthly rent from 2020 to 2022?",
        "What was the average rent from 2018 to 2022?",
        "What was the average rent in 2022?",
        "At the Leeds office, what is the difference between rent and fuel in 2022?",
        "What did fuel, rent and wages cost together in 2022?",
        "Which was higher in 2022, fuel or wages?",
        "What is the difference between the owner and the tenant?",
        "What is the difference between fuel in 2021 and rent in 2022?",
    ],
)
def test_nothing_is_computed_for_a_thing_or_time_that_the_table_lacks(question: str) -> None:
    assert _formula(question, "costs.md", COSTS) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("| Fuel |", "| Fuel (litres) |"),  # another unit
        ("| 12,000 |", "| 12,000 USD |"),
        ("| 2022 |", "| Budget 2022 |"),
    ],
)
def test_figures_of_different_units_or_plans_are_not_compared(old: str, new: str) -> None:
    text = COSTS.replace(old, new).replace("| 3,100 |", "| 3,100 EUR |")
    assert _formula("What was the largest cost in 2022?", "costs.md", text) is None


def test_an_unlabelled_sum_of_the_rows_is_no_row_of_its_own() -> None:
    assert _formula("What was the largest cost in 2022?", "c.md", COSTS.replace("Total", "Outlay")) == (
        "12,000 > 8,700 > 3,100 > 2,050 > 810"
    )
    two = "# Costs\n\n| Item | 2022 |\n| --- | --: |\n| Rent | 700 |\n| Fuel | 300 |\n| Club | 1,000 |\n"
    assert _formula("What was the largest cost in 2022?", "c.md", two) is None  # perhaps a sum, perhaps not


def test_equal_rows_of_two_places_are_not_mixed() -> None:
    depots = """# Costs of the depots

| | 2022 |
| --- | --: |
| North depot | |
| Rent | 900 |
| Tyres | 100 |
| South depot | |
| Rent | 800 |
| Fuel | 300 |
"""
    assert _formula("What is the sum of tyres and fuel in 2022?", "d.md", depots) is None
    assert _formula("What is the difference between rent and fuel in 2022?", "d.md", depots) is None


def test_two_tables_that_fit_equally_leave_the_question_open() -> None:
    both = f"{COSTS}\n## Costs of the boat hall\n\n| Item | 2022 |\n| --- | --: |\n| Paint | 90 |\n| Wood | 70 |\n"
    assert _formula("What was the largest cost in 2022?", "c.md", both) is None


def test_a_name_with_and_may_be_one_row_or_two() -> None:
    asked = asked_computation("What is the sum of light and heat and rent in 2022?")
    assert asked is not None
    assert asked.operation is Operation.SUM
    assert [len(names) for names in asked.operands] == [3, 2, 2]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is the difference between fuel in 2022 and rent in 2022?", "(Fuel less Rent)"),
        ("Compare fuel and rent in 2022.", "(Fuel less Rent)"),
        ("Which was higher in 2022, fuel or rent?", "2022: Rent, higher of 2 figures"),
        ("Did fuel or rent cost more in 2022?", "2022: Rent, higher of 2 figures"),
        ("What was the largest cost in 2022?", "2022: Rent, highest of 5 figures"),
        ("In which year was the rent highest?", "Rent: 2022, highest of 3 figures"),
    ],
)
def test_a_computed_figure_is_the_answer_with_the_quotes_of_its_cells(tmp_path: Path, question: str, text: str) -> None:
    (tmp_path / "costs.md").write_text(COSTS, encoding="utf-8")
    (tmp_path / "rain.csv").write_text(RAIN, encoding="utf-8")
    answer = Investigator(tmp_path, embedder=ScriptedEmbedder()).ask(question)
    assert answer.status is AnswerStatus.ANSWERED
    assert text in answer.claims[0].text
    assert len(answer.claims) == 1
    assert all(quote.cell is not None for quote in answer.claims[0].quotes)


def test_results_of_two_documents_that_differ_are_shown_but_are_no_answer(tmp_path: Path) -> None:
    depot = "# Costs of the {} depot\n\n| Item | 2022 |\n| --- | --: |\n| Rent | {} |\n| Fuel | 410 |\n"
    (tmp_path / "north.md").write_text(depot.format("North", 950), encoding="utf-8")
    (tmp_path / "south.md").write_text(depot.format("South", 720), encoding="utf-8")
    investigator = Investigator(tmp_path, embedder=ScriptedEmbedder())
    answer = investigator.ask("What was the largest cost in 2022?")
    assert answer.status is AnswerStatus.PASSAGES_FOUND
    assert len(answer.claims) == 2
    answer = investigator.ask("What was the largest cost of the South depot in 2022?")
    assert answer.status is AnswerStatus.ANSWERED
    assert "720 > 410" in answer.claims[0].text


VISITS = "Year,Loans,Visits\n2019,410,980\n2020,395,1105\n2021,402,1242\n2022,433,1310\n"


@pytest.mark.parametrize(
    ("question", "name", "formula"),
    [
        ("How many loans in total from 2019 to 2022?", "visits.csv", "410 + 395 + 402 + 433 = 1,640"),
        ("How many visits were there in 2019 and 2021 together?", "visits.csv", "980 + 1242 = 2,222"),
        ("What is the difference between the visits in 2022 and 2019?", "visits.csv", "1310 − 980 = 330"),
        ("How many visits were there in 2018 and 2019 together?", "visits.csv", None),
        ("How much was the rent for 2020, 2021 and 2022 in total?", "costs.md", "11,400 + 11,800 + 12,000 = 35,200"),
        ("What were the total costs in 2021 and 2022?", "costs.md", None),
        ("What was the average rent from 2020 to 2022?", "costs.md", "(11,400 + 11,800 + 12,000) / 3 = 11,733.33"),
        ("How much more was rent in 2022 than in 2020?", "costs.md", "12,000 − 11,400 = 600"),
        ("What is the difference between rent in 2020 and in 2022?", "costs.md", "12,000 − 11,400 = 600"),
    ],
)
def test_figures_of_several_times_are_computed(question: str, name: str, formula: str | None) -> None:
    assert _formula(question, name, VISITS if name == "visits.csv" else COSTS) == formula


@pytest.mark.parametrize(
    ("question", "status", "figure"),
    [
        (
            "By how much did the fee for a large locker go up between 2021 and 2022?",
            AnswerStatus.ANSWERED,
            "46 − 40 = 6",
        ),
        ("By how much did the fee for a large locker go up between 2020 and 2022?", None, ""),
        ("By how much did a towel go up between 2021 and 2022?", AnswerStatus.ANSWERED, "2.5 − 2.2 = 0.3"),
        ("How much did a towel go up in 2022?", None, ""),
    ],
)
def test_a_change_is_computed_from_the_same_table_in_two_editions(
    tmp_path: Path, question: str, status: AnswerStatus | None, figure: str
) -> None:
    for year, small, large in ((2021, 22, 40), (2022, 25, 46)):
        (tmp_path / f"extras-{year}.csv").write_text(f"extra,per,price_eur\nTowel,visit,{small / 10}\nKey,month,2\n")
        (tmp_path / f"fees-{year}.md").write_text(
            f"# Harbour Pool: Locker fees {year}\n\n| Locker | Fee (EUR) | Height (cm) |\n| --- | --- | --- |\n"
            f"| Small locker | {small} | 60 |\n| Large locker | {large} | 180 |\n"
        )
    answer = Investigator(tmp_path, embedder=ScriptedEmbedder()).ask(question)
    assert (answer.status is AnswerStatus.ANSWERED) is (status is AnswerStatus.ANSWERED)
    assert figure in answer.text
