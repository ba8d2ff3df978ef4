"""The rows of a table that belong to a requested list."""

from __future__ import annotations

import pytest

from investigator.documents.readers.base import ReaderSettings, SourceFile
from investigator.documents.readers.registry import read
from investigator.research.table_cells import met_cells
from investigator.tables.document_tables import tables_of
from investigator.tables.listing import listed_cells, listed_rows

BREADS = """# Price list

| Product | Price | Vegan | Contains nuts |
| --- | --- | --- | --- |
| Rye loaf | 4.20 | yes | no |
| Brioche | 3.10 | no | no |
| Walnut bread | 4.80 | yes | yes |
"""


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which products are vegan?", ["Rye loaf", "Walnut bread"]),
        ("List the vegan products.", ["Rye loaf", "Walnut bread"]),
        ("Which products are not vegan?", ["Brioche"]),
        ("Which products contain nuts?", ["Walnut bread"]),
        ("Which products are organic?", []),
        ("Which dogs are vegan?", []),
        ("Is the rye loaf vegan?", []),
        ("What was the price of the bread with nuts?", []),  # one thing
    ],
)
def test_a_column_of_yes_and_no_tells_the_rows_that_are_asked_for(question: str, rows: list[str]) -> None:
    document = read(SourceFile(BREADS.encode(), "b.md"), "b.md", "h", ReaderSettings()).documents[0]
    found = listed_cells(question, tables_of(document))
    assert [view.row_labels(cell.row)[-1] for view, cell in found] == rows


BOATS = """# Fleet

| Boat | Hull | Condition | Rack |
| --- | --- | --- | --- |
| Heron | carbon | good | 1 |
| Swallow | wood | repair needed | 2 |
| Otter | carbon | no repair needed | 2 |
"""


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("List all boats.", ["Heron", "Swallow", "Otter"]),
        ("Which boats are carbon?", ["Heron", "Otter"]),
        ("Which boats need repair?", ["Swallow"]),
        ("Which boats are in rack 2?", ["Swallow", "Otter"]),
        ("Which carbon boats are in rack 2?", ["Otter"]),
        ("Which boats are not carbon?", []),
        ("Which boats are older than 2?", []),
        ("Which oars are carbon?", []),
    ],
)
def test_rows_with_a_value_are_listed(question: str, rows: list[str]) -> None:
    document = read(SourceFile(BOATS.encode(), "f.md"), "f.md", "h", ReaderSettings()).documents[0]
    found = listed_cells(question, tables_of(document))
    assert [view.row_labels(cell.row)[0] for view, cell in found] == rows


TOOLS = """Tool;Maker;EUR;In stock;Rented
Chain saw;Brandt KG;249,00;2;no
Hand saw;Olsen & Co;19,90;31;no
Hedge cutter;Brandt KG;129,50;0;yes
Rake;Pell Tools;30,00;12;no
Wheelbarrow;Olsen & Co;89,00;4;yes
"""


def tools(question: str, name: str = "price_list.csv") -> list[str]:
    document = read(SourceFile(TOOLS.encode(), name), name, "h", ReaderSettings()).documents[0]
    rows = listed_rows(question, tables_of(document))
    return [row.view.words(row.thing) for row in rows if row.belongs]


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("List the makers in the price list.", ["Brandt KG", "Olsen & Co", "Pell Tools"]),
        ("How many makers are in the price list?", ["Brandt KG", "Olsen & Co", "Pell Tools"]),
        ("How many tools are there in total?", ["Chain saw", "Hand saw", "Hedge cutter", "Rake", "Wheelbarrow"]),
        ("List the tools that cost more than 30.", ["Chain saw", "Hedge cutter", "Wheelbarrow"]),
        ("Which tools cost at least 30 euros?", ["Chain saw", "Hedge cutter", "Rake", "Wheelbarrow"]),
        ("How many tools are more expensive than €100?", ["Chain saw", "Hedge cutter"]),
        ("Which tools cost between 20 and 90 euros?", ["Rake", "Wheelbarrow"]),
        ("Which rented tools cost less than 100?", ["Wheelbarrow"]),
        ("Which tools of Brandt KG are rented?", ["Hedge cutter"]),
        ("List the tools with fewer than 3 in stock.", ["Chain saw", "Hedge cutter"]),
        ("Which tools cost more than 30 dollars?", []),
        ("Which tools cost more than 500 euros?", []),
        ("Which tools weigh more than 3 kg?", []),
        ("How many tools are in the rental contract?", []),
        ("How many customers are in the price list?", []),
        ("Which is the cheapest of the tools?", []),
    ],
)
def test_rows_within_an_amount_are_listed_and_each_thing_once(question: str, things: list[str]) -> None:
    assert tools(question) == things


COSTS = """# Accounts of the choir

Costs (thousand euros)

| Item | 2021 | 2022 |
| --- | --: | --: |
| Hall | 31 | 36 |
| Scores | 4 | 9 |
| Travel | 12 | 40 |
| Total | 47 | 85 |
"""


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("List all cost items.", ["Hall", "Scores", "Travel"]),
        ("List the cost items in 2021.", ["31", "4", "12"]),
        ("Which cost items were above 35 in 2022?", ["36", "40"]),
        ("Which cost items were above 35?", ["36", "40"]),  # of the newest year
        ("Which cost items exceeded 10,000 euros in 2021?", ["31", "12"]),
        ("Which cost items were above 35 in 2019?", []),
    ],
)
def test_a_total_is_no_item_and_a_year_has_its_column(question: str, values: list[str]) -> None:
    document = read(SourceFile(COSTS.encode(), "c.md"), "c.md", "h", ReaderSettings()).documents[0]
    assert [view.words(cell) for view, cell in listed_cells(question, tables_of(document))] == values


TWO_TABLES = """# Report of the library

| Costs (EUR thousand) | 2022 | 2023 |
| --- | --: | --: |
| Wages | 142 | 151 |
| Rent | 48 | 52 |
| Total costs | 190 | 203 |

| Income (EUR thousand) | 2022 | 2023 |
| --- | --: | --: |
| Grants | 121 | 148 |
| Total | 121 | 148 |
"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("List the cost items in 2023.", ["Wages | 2023 | 151 thousand", "Rent | 2023 | 52 thousand"]),
        ("Which costs were above 60 thousand euros in 2022?", ["Wages | 2022 | 142 thousand"]),
        ("Which costs were above 60 in 2022?", ["Wages | 2022 | 142 thousand"]),
        ("List the items in the income table.", ["Grants"]),
    ],
)
def test_rows_are_those_of_the_table_that_is_named_so(question: str, said: list[str]) -> None:
    document = read(SourceFile(TWO_TABLES.encode(), "r.md"), "r.md", "h", ReaderSettings()).documents[0]
    cells = (view.quoted(cell) for view, cell in listed_cells(question, tables_of(document)))
    assert [cell.line if cell.column != ("Income (EUR thousand)",) else cell.value for cell in cells] == said


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("List the staff.", ["Paul Ember", "Rita Cole", "Amir Shah"]),
        ("How many people work in the harbour branch?", ["Paul Ember", "Rita Cole"]),
        ("Who works in the harbour branch?", ["Paul Ember", "Rita Cole"]),
        ("Which people work in the market branch?", ["Amir Shah"]),
        ("Who is it?", []),
        ("Which booksellers are there?", ["Paul Ember", "Amir Shah"]),
        ("How many booksellers work in the harbour branch?", ["Paul Ember"]),
        ("Which booksellers are based in Leeds?", []),
    ],
)
def test_people_are_rows_under_a_name(question: str, names: list[str]) -> None:
    staff = "Name;Role;Branch\nPaul Ember;bookseller;Harbour\nRita Cole;manager;Harbour\nAmir Shah;bookseller;Market\n"
    document = read(SourceFile(staff.encode(), "staff.csv"), "staff.csv", "h", ReaderSettings()).documents[0]
    rows = [row for row in listed_rows(question, tables_of(document)) if row.belongs]
    assert [row.view.words(row.thing) for row in rows] == names


def test_a_figure_of_another_row_does_not_show_which_things_have_an_amount() -> None:
    document = read(SourceFile(TWO_TABLES.encode(), "r.md"), "r.md", "h", ReaderSettings()).documents[0]
    assert met_cells("Which books cost more than 30?", document) == ()
    assert met_cells("How many books cost more than 30?", document) == ()


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How many lamps does Ohm Ltd supply?", ["Desk lamp", "Floor lamp"]),
        ("Which lamps are supplied by Volta?", ["Wall lamp"]),
        ("How many lamps does Watt & Co supply?", []),
    ],
)
def test_a_verb_is_met_by_the_column_of_who_does_it(question: str, names: list[str]) -> None:
    lamps = "Lamp;Supplier\nDesk lamp;Ohm Ltd\nWall lamp;Volta\nFloor lamp;Ohm Ltd\n"
    document = read(SourceFile(lamps.encode(), "l.csv"), "l.csv", "h", ReaderSettings()).documents[0]
    rows = [row for row in listed_rows(question, tables_of(document)) if row.belongs]
    assert [row.view.words(row.thing) for row in rows] == names


UNITS = """Unit,Tenant,Pieces,Price
1,Bell Joinery,100,32.00
2,Vacant,250,41.00
3,vacant since May,500,56.00
"""


def test_who_the_tenants_are_is_a_list_without_vacant_rows() -> None:
    document = read(SourceFile(UNITS.encode(), "u.csv"), "u.csv", "h", ReaderSettings()).documents[0]
    for question in ("Who are the tenants?", "List the tenants"):
        assert [view.words(cell) for view, cell in listed_cells(question, tables_of(document))] == ["Bell Joinery"]
