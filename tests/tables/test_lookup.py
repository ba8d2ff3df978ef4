"""The cell that a question requests, and figures computed from two cells."""

from __future__ import annotations

from pathlib import Path

import pytest

from investigator import Investigator, ScriptedEmbedder
from investigator.documents.readers.base import ReaderSettings, SourceFile
from investigator.documents.readers.registry import read
from investigator.evidence.cells import cell_standing
from investigator.records import AnswerStatus, Document, Operation
from investigator.research.table_cells import cell_matches, met_cells, nearest_cell, same_elsewhere
from investigator.tables.computing import asked_operation, computation
from investigator.tables.document_tables import DocumentTables
from investigator.tables.key_cells import key_cells
from investigator.tables.lookup import best_cells
from investigator.tables.times import TableTime, agrees, asked_times, header_time

REPORT = """# Harbour Works quarterly report

Segment results (in millions)

| | Three Months Ended June 30, 2024 | Three Months Ended June 30, 2023 | Six Months Ended June 30, 2024 |
| --- | --: | --: | --: |
| Docks |
| Net sales | 412 | 388 | 801 |
| Operating income | 51 | (7) | 88 |
| Ferries |
| Net sales | 97 | 102 | 190 |
| Operating income | 12 | 9 | 20 |
| Total net sales | 509 | 490 | 991 |
"""


@pytest.fixture(scope="module")
def report() -> Document:
    return _read("report.md", REPORT)


def _read(name: str, text: str) -> Document:
    return read(SourceFile(text.encode(), name), name, "h", ReaderSettings()).documents[0]


def _said(question: str, document: Document) -> list[str]:
    return [quote.said for quote in met_cells(question, document)]


def test_a_caption_that_names_several_rows_makes_the_total_none_of_them() -> None:
    text = "Products and Repairs margin:\n\n| | 2024 |\n| --- | --: |\n| Margin percentage: |\n| Products | 40.0 % |\n"
    margins = _read("m.md", f"{text}| Repairs | 71.0 % |\n| Total margin percentage | 45.0 % |\n")
    assert _said("What was the margin percentage of Repairs in 2024?", margins) == [
        "Margin percentage > Repairs | 2024 | 71.0 %"
    ]


def test_a_year_in_another_row_is_not_the_year_of_a_price() -> None:
    text = "wine,vintage,price EUR\nVerdicchio,2023,51.60\nAssyrtiko,2022,238.80\n"
    prices = _read("prices_2024.csv", text)
    assert _said("What did the Verdicchio cost in 2022?", prices) == []
    assert _said("What did the Verdicchio cost in 2024?", prices) == ["Verdicchio | price EUR | 51.60"]


def test_the_same_figure_is_found_in_another_table(report: Document) -> None:
    again = _read(
        "again.md",
        REPORT
        + "\nDocks\n\n| | Three Months Ended June 30, 2024 |\n| --- | --: |\n| Net sales | 412 |\n| Costs | 3 |\n",
    )
    question = "What were the net sales of Docks in the quarter ended June 30, 2024?"
    (cell, *_) = met_cells(question, again)
    assert [quote.text for quote in same_elsewhere(question, cell, again)] == ["Net sales | 412"]
    assert same_elsewhere(question, cell, report) == ()


def test_row_column_and_time_of_a_question_find_its_cell(report: Document) -> None:
    question = "What was the operating income of Docks in the quarter ended June 30, 2023?"
    assert _said(question, report) == [
        "Docks > Operating income | Three Months Ended June 30, 2023 | (7) million",
    ]
    assert _said("Ferries revenue in the six months to June 30, 2024?", report) == [
        "Ferries > Net sales | Six Months Ended June 30, 2024 | 190 million",
    ]


@pytest.mark.parametrize(
    ("question", "failing"),
    [
        ("What were the net sales of Docks in the quarter ended March 31, 2023?", {"march 31, 2023"}),
        ("What were the net sales of Airports in the quarter ended June 30, 2024?", {"airports"}),
    ],
)
def test_a_cell_that_is_only_near_is_told_with_what_it_fails(
    report: Document, question: str, failing: set[str]
) -> None:
    assert _said(question, report) == []
    near = nearest_cell(question, report)
    assert near is not None
    assert {match.constraint.text.lower() for match in near[1]} >= failing


def test_a_label_is_known_by_its_words_side_by_side_and_without_what_stands_in_brackets() -> None:
    rows = ("Other income (expense), net | (443) | 7", "Net income (loss) | 3,172 | 8")
    text = "\n".join(f"| {row} |" for row in ("| 2024 | 2023", "--- | --: | --:", *rows))
    document = read(SourceFile(text.encode(), "a.md"), "a.md", "h", ReaderSettings()).documents[0]
    found = met_cells("What was the net income in 2024?", document)
    assert [quote.cell.value for quote in found if quote.cell] == ["3,172"]
    assert met_cells("How many stores are there in 2024?", document) == ()


def test_what_another_row_says_is_not_said_of_a_row() -> None:
    text = "month,item,amount,paid by\nJanuary,Electricity,96,Joan Webb\nMarch,Insurance,880,Priya Nair\n"
    document = read(SourceFile(text.encode(), "costs.csv"), "costs.csv", "h", ReaderSettings()).documents[0]
    assert met_cells("How much was spent on electricity in March?", document) == ()
    assert met_cells("How much did Joan Webb pay for insurance?", document) == ()


def test_words_that_stand_in_a_label_and_in_the_row_over_it_belong_together() -> None:
    table = _read(
        "shares.md",
        "| | 2024 | 2023 |\n| --- | --: | --: |\n| Shares used for earnings per share |\n| Basic | 10,250 | 9,900 |\n",
    )
    question = "How many basic shares were there in 2024?"
    (quote,) = met_cells(question, table)
    assert {match.state for match in cell_matches(question, quote, table)} == {"met"}
    apart = _read("apart.md", "| | 2024 |\n| --- | --: |\n| Basic earnings per share | 3.10 |\n| Other | 1 |\n")
    assert met_cells(question, apart) == ()


def test_an_abbreviation_that_the_document_explains_names_rows_and_columns() -> None:
    text = "We compared four-layer bandages (4LB) with short-stretch bandages (SSB).\n\n"
    head = "| | 4LB | SSB |\n| --- | --: | --: |\n"
    trial = _read("trial.md", f"{text}{head}| Bandages used | 24.0 (2.1) | 11.6 (1.2) |\n| Visits | 3 | 4 |\n")
    question = "How many more bandages did four-layer patients use than short-stretch patients?"
    cells = [quote.cell for quote in met_cells(question, trial)]
    assert [cell.value for cell in cells] == ["24.0 (2.1)", "11.6 (1.2)"]
    plain = computation(Operation.DIFFERENCE, *cells)
    means = computation(Operation.DIFFERENCE, *cells, wants_means=True)
    assert (plain, means.value) == (None, "12.4")


def test_a_row_below_a_limit_is_another_row() -> None:
    scores = _read("scores.md", "| | Drug |\n| --- | --: |\n| Motor score <85 | 2 |\n| Motor score scaled | 93.9 |\n")
    assert _said("What was the motor score with the drug?", scores) == ["Motor score scaled | Drug | 93.9"]
    assert _said("How many had a motor score <85 with the drug?", scores) == ["Motor score <85 | Drug | 2"]


def test_an_interval_is_no_share() -> None:
    table = "| | Responders, n (%) | OR (95% CI) |\n| --- | --: | --: |\n| Letter | 39 (61.9%) | 1.85 (0.9 - 3.8) |\n"
    trial = _read("trial.md", f"{table}| None | 29 (46.8%) | 1.00 |\n")
    question = "What share of them answered the letter?"
    (quote,) = met_cells(question, trial)
    assert quote.said == "Letter | Responders, n (%) | 39 (61.9%)"
    assert {match.state for match in cell_matches(question, quote, trial)} == {"met"}


def test_people_are_known_by_other_words_where_a_document_says_whom_it_is_about() -> None:
    trial = _read("t.md", "# Maternal iodine\n\n| | Iodine |\n| --- | --: |\n| Cord blood | 9.1 |\n| Weight | 3 |\n")
    assert _said("What was cord blood of mothers given iodine?", trial) == ["Cord blood | Iodine | 9.1"]


def test_percentage_points_are_what_a_difference_is_counted_in() -> None:
    head = "| | June 30, 2024 | June 30, 2023 |\n| --- | --: | --: |\n"
    table = f"{head}| Margin of repairs | 70.5 % | 71.5 % |\n| Other | 1 % | 2 % |\n"
    question = "By how many percentage points did the margin of repairs fall from June 30, 2023 to June 30, 2024?"
    assert [quote.cell.value for quote in met_cells(question, _read("m.md", table))] == ["70.5 %", "71.5 %"]


def test_the_figure_of_another_firm_is_no_answer(report: Document) -> None:
    assert _said("What were Apple's net sales of Docks in the quarter ended June 30, 2024?", report) == []
    assert _said("What were Harbour Works' net sales of Docks in the quarter ended June 30, 2024?", report) != []


@pytest.mark.parametrize(
    "question",
    [
        "What drove the net sales of Docks in the quarter ended June 30, 2024?",
        "How did net sales of Docks in the quarter ended June 30, 2024 reflect the risks?",
        "Summarise the net sales of Docks in the quarter ended June 30, 2024.",
    ],
)
def test_a_cell_answers_no_question_after_reasons_or_risks(report: Document, question: str) -> None:
    assert _said(question, report) == []
    assert nearest_cell(question, report) is None


def test_a_cell_quotes_its_row_and_stands_only_under_the_same_names(report: Document) -> None:
    (quote,) = met_cells("What were the net sales of Ferries in the quarter ended June 30, 2024?", report)
    assert report.text[quote.start : quote.end] == quote.text == "Net sales | 97 | 102 | 190"
    assert cell_standing(quote, report) == quote
    moved = _read("report.md", "A line before it.\n\n" + REPORT).changed(content_hash="h")
    assert cell_standing(quote, moved).cell.line == quote.cell.line
    renamed = _read("report.md", REPORT.replace("Three Months Ended June 30, 2024", "Three Months Ended June 30, 2022"))
    assert cell_standing(quote, renamed) is None
    forged = quote.changed(cell=quote.cell.changed(value="102"))
    assert cell_standing(forged, report) is None


def test_a_difference_needs_both_times_and_one_length(report: Document) -> None:
    question = (
        "How much did net sales of Docks grow from the quarter ended June 30, 2023 to the one ended June 30, 2024?"
    )
    quotes = met_cells(question, report)
    cells = [quote.cell for quote in quotes]
    assert [cell.value for cell in cells] == ["412", "388"]
    result = computation(Operation.DIFFERENCE, *cells)
    assert (result.value, result.formula) == ("24 million", "412 − 388 = 24 million")
    longer = best_cells("Docks net sales six months ended June 30, 2024", DocumentTables(report))[0]
    assert computation(Operation.DIFFERENCE, longer.view.quoted(longer.cell), cells[0]) is None


def test_units_that_differ_are_not_computed(report: Document) -> None:
    cell = met_cells("What were the net sales of Docks in the quarter ended June 30, 2024?", report)[0].cell
    assert computation(Operation.SUM, cell, cell.changed(measure="thousand")) is None
    assert computation(Operation.SUM, cell, cell.changed(value="4 %")) is None
    assert computation(Operation.SUM, cell.changed(value="$ 1"), cell.changed(value="€ 1")) is None
    assert computation(Operation.DIFFERENCE, cell.changed(value="2.30 (0.75)"), cell.changed(value="2.41 ± 1")) is None
    growth = computation(Operation.GROWTH, cell, cell.changed(value="400"))
    assert growth.value == "3.0 %"


def test_one_cell_is_no_answer_to_a_question_after_a_difference(report: Document) -> None:
    question = "By how much did the net sales of Docks change from Q2 2023 to Q2 2024?"
    (quote, *_) = met_cells("What were the net sales of Docks in the quarter ended June 30, 2024?", report)
    failing = [match.constraint.text for match in cell_matches(question, quote, report) if match.state != "met"]
    assert "a figure computed from two cells" in failing


@pytest.mark.parametrize(
    ("question", "operation"),
    [
        ("By how much did sales rise?", Operation.DIFFERENCE),
        ("By what percentage did sales rise?", Operation.GROWTH),
        ("What is the sum of both?", Operation.SUM),
        ("What were the sales?", None),
    ],
)
def test_what_is_to_be_computed_is_known_by_its_words(question: str, operation: Operation | None) -> None:
    assert asked_operation(question) is operation


@pytest.mark.parametrize(
    ("asked", "header", "agreed"),
    [
        ("in the quarter ended July 1, 2023", "Three Months Ended July 1, 2023", True),
        ("in the quarter ended July 1, 2023", "Nine Months Ended July 1, 2023", False),
        ("in the quarter ended July 1, 2023", "Three Months Ended June 25, 2022", False),
        ("in Q3 2023", "Three Months Ended September 30, 2023", True),
        ("in the March 2023 quarter", "Three Months Ended April 1, 2023", True),
        ("on December 31, 2022", "December 31, 2022", True),
        ("on December 31, 2022", "Twelve Months Ended December 31, 2022", False),
        ("in the first nine months of 2022", "Nine Months Ended June 25, 2022", True),
        ("in 2022", "2022", True),
        ("in 2022", "2021", False),
    ],
)
def test_a_time_agrees_with_a_header_of_the_same_length_and_end(asked: str, header: str, agreed: bool) -> None:
    (wanted,) = asked_times(f"What were net sales {asked}?")
    assert agrees(wanted, header_time(header)) is agreed


def test_a_year_earlier_is_a_second_time() -> None:
    first, second = asked_times("How much more than a year earlier was it in Q3 2023?")
    assert (first.year, second.year, second.quarter) == (2023, 2022, 3)
    assert TableTime(2023, 7, 1).a_year_before().month == 6


def test_a_price_is_what_a_thing_costs_and_a_weight_what_it_weighs() -> None:
    breads = _read(
        "b.md",
        "# Breads\n\n| | Price | Weight |\n| --- | --: | --: |\n| Rye loaf | 4.20 | 800 |\n| Brioche | 3.10 | 300 |\n",
    )
    assert _said("How much does the rye loaf cost?", breads) == ["Rye loaf | Price | 4.20"]
    assert _said("How much does the brioche weigh?", breads) == ["Brioche | Weight | 300"]


SIDE_BY_SIDE = """Fruit      Price        Vegetable    Price
Apple      1.20         Carrot       0.80
Pear       1.50         Leek         1.10
Plum       2.40         Onion        0.60
"""
TITLED = """Opening hours              Prices

Day        Hours           Ticket      Euros
Monday     9-17            Adult       12
Tuesday    9-18            Child       6
"""
ENDED = """Team       Staff           Depot       Lorries
Sales      12              Leeds       4
Repairs    15              York        6
                           Bath        9
"""
ONE = """Country    Population   Capital      Area
France     67           Paris        551
Chad       17           Ndjamena     1284
"""


@pytest.mark.parametrize(
    ("text", "question", "value"),
    [
        (SIDE_BY_SIDE, "What is the price of an apple?", "1.20"),
        (SIDE_BY_SIDE, "What is the price of a leek?", "1.10"),
        (TITLED, "How many euros is a child?", "6"),
        (TITLED, "How many euros on Monday?", None),
        (ENDED, "How many lorries has York?", "6"),
        (ENDED, "How many lorries has Sales?", None),
        (ONE, "What is the area of France?", "551"),
    ],
)
def test_of_tables_side_by_side_the_cell_is_that_of_the_same_table(text: str, question: str, value: str | None) -> None:
    document = _read("tables.txt", text)
    found = best_cells(question, DocumentTables(document))[:1]
    assert [document.text[one.cell.start : one.cell.end] for one in found if one.is_met] == ([value] if value else [])


def test_a_cell_without_a_unit_of_time_does_not_say_how_long() -> None:
    budget = _read("budget.csv", "Item,Actual 2023\nRegatta income,3870\nCoaching,2750\n")
    assert _said("How long is the regatta?", budget) == []
    trial = _read("trial.csv", "Item,Value\nFollow-up,12 months\nDose,20 mg\n")
    assert _said("What was the actual cost of coaching in 2023?", budget) == ["Coaching | Actual 2023 | 2750"]
    assert _said("What was the actual cost of the regatta in 2023?", budget) == []
    assert _said("Has the coaching changed?", budget) == []
    assert _said("How long was the follow-up?", trial) == ["Follow-up | Value | 12 months"]


BOUND = {
    "i.csv": "Invoice,Customer,Amount,Paid on\nK-1,Adler,100,2026-01-05\nK-2,Bruno,200,\nK-3,Bruno,200,2026-03-01\n",
    "exams.md": "# Exams, winter 2026\n\n| Course | Date | Duration | Points | Aids |\n| --- | --- | --- | --- | --- |"
    "\n| Soil physics | 8 February 2027 | 90 minutes | 60 | calculator |\n"
    "| Hydrology | 15 February 2027 | 90 minutes | | none |\n",
}


@pytest.mark.parametrize(
    ("name", "question", "said"),
    [
        ("i.csv", "When did Bruno pay?", ["K-3 > Bruno | Paid on | 2026-03-01"]),  # the other cell is empty
        ("i.csv", "How much did Adler pay?", ["K-1 > Adler | Amount | 100"]),
        ("i.csv", "What is the total amount of the invoices of Bruno?", []),  # two rows
        ("i.csv", "When did Adler visit?", []),  # no time is an amount
        ("exams.md", "When is the Hydrology exam?", ["Hydrology | Date | 15 February 2027"]),
        ("exams.md", "What may be used in the Hydrology exam?", []),
        ("exams.md", "Where does the Soil physics exam take place?", []),
    ],
)
def test_a_cell_answers_from_the_row_and_the_column_that_the_question_binds(
    name: str, question: str, said: list[str]
) -> None:
    assert _said(question, _read(name, BOUND[name])) == said


def test_a_cell_that_says_that_there_is_no_value_is_only_near() -> None:
    head = "| item | 2023 | 2024 |\n| --- | --: | --: |\n"
    document = _read("prices.md", f"{head}| Training day | 1150 | on request |\n| Licence | 90 | 95 |\n")
    assert _said("What did a training day cost in 2023?", document) == ["Training day | 2023 | 1150"]
    assert met_cells("What does a training day cost in 2024?", document) == ()
    near = nearest_cell("What does a training day cost in 2024?", document)
    assert near is not None
    assert near[0].said == "Training day | 2024 | on request"
    assert [match.words for match in near[1]] == ["on request"]


def test_a_letter_tells_one_column_from_another() -> None:
    rows = "| Mean days of sick leave | 1.9 | not analysed |\n| Visits | 3 | 4 |\n"
    document = _read("arms.md", f"| | Arm A | Arm B |\n| --- | --: | --: |\n{rows}")
    asked = "How many days of sick leave did arm {} have?"
    assert _said(asked.format("A"), document) == ["Mean days of sick leave | Arm A | 1.9"]
    assert met_cells(asked.format("B"), document) == ()


def test_a_short_text_does_not_say_for_its_tables_what_is_asked() -> None:
    notes = "The restore test is to be made in April. Staff of the office reported it by phone, as they had in May."
    document = _read(
        "incident.md", f"# Incident\n\n| Reported | by Ruth Abel |\n| --- | --- |\n| Site | Leer |\n\n{notes}\n"
    )
    assert met_cells("What was the result of the restore test that was reported?", document) == ()
    total = _read("trip.md", "# 7b at the lake\n\n| | Euros per pupil |\n| --- | --: |\n| Total | 130 |\n| Bus | 9 |\n")
    assert met_cells("How many pupils of 7b were at the lake?", total) == ()


def test_a_budget_is_not_what_was_spent_and_year_2_is_no_year_of_the_calendar() -> None:
    rows = "Pond,500,0,500,\nPaths,900,870,950,910\n"
    document = _read("budget.csv", f"heading,budget_2022_23,actual_2022_23,budget_2023_24,actual_2023_24\n{rows}")
    assert _said("How much was budgeted for the pond in 2023/24?", document) == ["Pond | budget_2023_24 | 500"]
    assert met_cells("How much was spent on the pond in 2023/24?", document) == ()
    grant = _read("grant.md", "| Line | 2022/23 | 2023/24 |\n| --- | --: | --: |\n| Travel | 11,000 | 12,000 |\n")
    assert met_cells("How much was there for travel in year 2?", grant) == ()
    assert _said("How much was there for travel in 2022/23?", grant) == ["Travel | 2022/23 | 11,000"]


GROWTH = """# Harbour Works growth

(in millions)

| | Three Months Ended June 30, 2024 | Three Months Ended June 30, 2023 | Three Months Ended Change |
| --- | --: | --: | --: |
| Net sales: |
| Docks | $ 412 | $ 388 | 6 % |
| Ferries | 97 | 102 | (5)% |
| Cost of sales: |
| Docks | 301 | 290 | 4 % |
| Growth, excluding currencies: |
| Docks | 8 % | 3 % | |
| Ferries | (2) | 11 | |
| Research | 40 | 31 | 29 % |
| Percentage of net sales | 8 % | 6 % | |
| Total other income | 5 | 6 | |
| Total income | 9 | 7 | |
"""
YEARS = "# Works\n\n| Period | Revenue | Staff |\n| --- | --: | --: |\n| 2022 | 455 | 34 |\n| Q1 2023 | 110 | 36 |\n"


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What were the sales of Docks in the quarter ended June 30, 2024?", "$ 412 million"),  # not the cost of sales
        ("How fast did sales of Ferries fall in the quarter ended June 30, 2024?", "(5)%"),
        ("How fast did Ferries grow excluding currencies in the quarter ended June 30, 2023?", "11 %"),
        ("What share of net sales was research in the quarter ended June 30, 2024?", "8 %"),
        ("What was total income in the quarter ended June 30, 2024?", "9 million"),
    ],
)
def test_a_figure_is_told_from_those_beside_it(question: str, value: str) -> None:
    (found, *_) = met_cells(question, _read("growth.md", GROWTH))
    assert found.cell is not None
    assert found.cell.figure == value


def test_a_row_may_be_a_time() -> None:
    years = _read("years.md", YEARS)
    assert _said("What was the revenue in 2022?", years) == ["2022 | Revenue | 455"]
    assert _said("How many staff were there in the first quarter of 2023?", years) == ["Q1 2023 | Staff | 36"]
    assert _said("What was the revenue in 2021?", years) == []


def test_shares_are_subtracted_as_shares_below_zero_too() -> None:
    (first,) = met_cells("How fast did Ferries fall in the quarter ended June 30, 2024?", _read("g.md", GROWTH))
    second = first.cell.changed(value="3", measure="%")
    assert computation(Operation.DIFFERENCE, second, first.cell).value == "8 percentage points"


def test_totals_of_the_newest_column_represent_a_table_and_all_rows_one_without_totals(report: Document) -> None:
    without = _read("w.md", "| Event | Place | Crew |\n| --- | --: | --- |\n| Eights | 1 | A |\n| Sculls | 3 | B |\n")
    found = {name: key_cells(DocumentTables(name), 5) for name in (report, without)}
    said = [[view.quoted(cell).line for view, cell in cells] for cells in found.values()]
    assert said[0][-1] == "Total net sales | Three Months Ended June 30, 2024 | 509 million"
    assert said[1] == ["Eights | Place | 1", "Sculls | Place | 3"]


def test_a_cell_of_figures_names_nobody_and_its_mean_counts_nothing_else() -> None:
    rows = "| Breast milk iodine | 106.0 (84.0-146.0) |\n| Age | 30.1 (4.2) |\n"
    document = _read("trial.md", f"# Women in the iodine trial\n\n| | Iodine, n = 19 |\n| --- | --: |\n{rows}")
    assert met_cells("Who funded the iodine trial?", document) == ()
    assert met_cells("How many women were in the iodine trial?", document) == ()


def test_the_header_of_the_labels_says_what_kind_of_thing_the_rows_are() -> None:
    staff = _read("staff.csv", "Studio,Potters,Apprentices\nHarbour,6,2\nMill,4,1\nCastle,3,3\n")
    assert _said("How many apprentices are in the Castle studio?", staff) == ["Castle | Apprentices | 3"]
    assert _said("How many apprentices are in the Castle school?", staff) == []


COSTS = """# Costs of the bakery

| Item | 2022 | 2023 |
| --- | --: | --: |
| Rent | 12,000 | 12,600 |
| Insurance | 800 | 850 |
| Travel | 3,100 | 2,900 |
| Total costs | 21,400 | 22,150 |
"""


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("What is the sum of the rent and the insurance in 2023?", "12,600 + 850 = 13,450"),
        ("How much did rent and travel cost together in 2022?", "12,000 + 3,100 = 15,100"),
        ("What share of total costs was rent in 2022?", "12,000 / 21,400 = 56.1 %"),
        ("Travel as a percentage of total costs in 2023", "2,900 / 22,150 = 13.1 %"),
        ("How much more did the rent cost than the insurance in 2023?", "12,600 − 850 = 11,750"),
        ("By how much did the rent rise from 2022 to 2023?", "12,600 − 12,000 = 600"),
    ],
)
def test_figures_of_two_rows_are_computed_as_those_of_two_columns(tmp_path: Path, question: str, line: str) -> None:
    (tmp_path / "costs.md").write_text(COSTS, encoding="utf-8")
    answer = Investigator(tmp_path, embedder=ScriptedEmbedder()).ask(question)
    assert answer.status is AnswerStatus.ANSWERED
    assert line in answer.claims[0].text
    assert len(answer.claims[0].quotes) == 2


@pytest.mark.parametrize(
    "question",
    [
        "What is the sum of the rent and the wages in 2023?",
        "What share of total costs was travel in 2021?",
        "How much more was the rent than the insurance in 2024?",
        "What is the sum of rent, insurance and wages in 2023?",
    ],
)
def test_nothing_is_computed_with_a_row_or_year_that_is_not_there(tmp_path: Path, question: str) -> None:
    (tmp_path / "costs.md").write_text(COSTS, encoding="utf-8")
    answer = Investigator(tmp_path, embedder=ScriptedEmbedder()).ask(question)
    assert answer.status is not AnswerStatus.ANSWERED
    assert not any(claim.computation for claim in answer.claims)


HEATING = """# Accounts of the swimming hall

Costs (thousand euros)

| | 2021 | 2022 | 2023 |
| --- | --: | --: | --: |
| Heating | 88 | 131 | 104 |
| Cleaning | 60 | 60 | 64 |
"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("In which year did heating cost 131?", ["Heating | 2022 | 131 thousand"]),
        ("In which year did heating cost 131,000 euros?", ["Heating | 2022 | 131 thousand"]),
        ("When was the cost of heating 88 thousand euros?", ["Heating | 2021 | 88 thousand"]),
        ("In which years did cleaning cost 60?", ["Cleaning | 2021 | 60 thousand", "Cleaning | 2022 | 60 thousand"]),
        (
            "In which years did heating cost more than 100?",
            ["Heating | 2022 | 131 thousand", "Heating | 2023 | 104 thousand"],
        ),
        ("In which year did heating cost 60?", []),  # cleaning did
        ("In which year did heating cost 131 dollars?", []),
        ("What did heating cost in 2022?", ["Heating | 2022 | 131 thousand"]),
    ],
)
def test_the_year_of_an_amount_is_that_of_its_cell(question: str, said: list[str]) -> None:
    assert _said(question, _read("hall.md", HEATING)) == said


def test_an_amount_that_no_cell_has_is_only_near() -> None:
    near = nearest_cell("In which year did heating cost 200?", _read("hall.md", HEATING))
    assert near is not None
    assert [match.constraint.text for match in near[1]] == ["200"]
