"""Typed values of a schema: a reader's replies are parsed, proven and checked; records are read from clear tables."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker
from power_plant import check
from pydantic import BaseModel, Field

from investigator import Investigator, ScriptedEngine
from investigator.errors import DataError
from investigator.records import CellStatus, Matrix, MatrixCell, Prompt, Support, Traits
from investigator.research.extraction import MOST_RECORDS, READ_FROM_TABLE
from investigator.research.schema import MOST_TOGETHER, read_schema

Make = Callable[..., Investigator]
LEASE = """This lease begins on 1 March 2024. The annual rent is GBP 48,000, payable quarterly.

The tenant may end the lease on the third anniversary. The tenants are Ada Byron and Mary Shelley.

Schedule: the annual rent is GBP 52 thousand.
"""
RENT, BEGINS = "The annual rent is GBP 48,000, payable quarterly.", "This lease begins on 1 March 2024."
OTHER_RENT = "Schedule: the annual rent is GBP 52 thousand."
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "rent": {
            "type": "number",
            "minimum": 0,
            "unit": "GBP",
            "units": {"GBP thousand": 1000},
            "description": "Rent?",
        },
        "begins": {"type": "string", "format": "date", "description": "On which day does it begin?"},
        "may_end": {"type": ["boolean", "null"], "description": "May the tenant end it early?"},
        "tenants": {"type": "array", "items": {"type": "string"}},
        "form": {"enum": ["lease", "sale"]},
        "garden": {"type": ["string", "null"], "description": "What is said of the garden?"},
    },
    "required": ["rent"],
}
NAMES = tuple(SCHEMA["properties"])


def entry(name: str, *values: str, quote: str = "", names: tuple[str, ...] = NAMES, **fields: Any) -> dict[str, Any]:
    """Return the reply on a column; without values it is not stated."""
    verdict = "answers" if values else "not_stated"
    quotes = [quote] if quote else []
    return {"column": names.index(name) + 1, "verdict": verdict, "values": values, "quotes": quotes, **fields}


GOOD = (
    entry("rent", "48000", quote=RENT, unit="GBP"),
    entry("begins", "2024-03-01", quote=BEGINS),
    entry("may_end", "true", quote="The tenant may end the lease on the third anniversary."),
    entry("tenants", "Ada Byron", "Mary Shelley", quote="The tenants are Ada Byron and Mary Shelley."),
    entry("form", "Lease", quote=BEGINS),
    entry("garden", reason="only a flat is let"),
)


def supported(prompt: Prompt) -> str:
    return check(*["supported"] * len(prompt.variables.statements))  # type: ignore[attr-defined]


class Read:
    """An extraction from one document by a scripted reader, whose replies are used in order."""

    def __init__(
        self, make: Make, *replies: Any, schema: Any = SCHEMA, text: str = LEASE, name: str = "a.txt", **parts: Any
    ) -> None:
        written = iter(reply if isinstance(reply, str) else json.dumps({"cells": reply}) for reply in replies)
        self.engine = ScriptedEngine(
            {"query/extract": lambda _: next(written), "answer/check": supported}, traits=Traits(is_model=True)
        )
        self.investigator = make({name: text}, **{"model": self.engine, **parts})
        self.extraction: Matrix = self.investigator.extract(schema)
        (self.document,) = self.extraction.documents
        self.values: Any = self.document.values

    def cell(self, name: str) -> MatrixCell:
        """Return the first cell of a column."""
        number = [column.name for column in self.extraction.columns].index(name) + 1
        return next(cell for cell in self.extraction.cells if cell.question == number)

    @property
    def calls(self) -> Counter[str]:
        return Counter(prompt.template for prompt in self.engine.asked)


def fits(values: object, schema: Mapping[str, Any]) -> bool:
    return Draft202012Validator(schema, format_checker=FormatChecker()).is_valid(values)


def test_a_document_is_read_once_and_its_values_have_the_types_of_the_schema(of_texts: Make) -> None:
    read = Read(of_texts, GOOD)
    assert read.calls == {"query/extract": 1, "answer/check": 1}
    assert read.values == {
        "rent": 48000,
        "begins": "2024-03-01",
        "may_end": True,
        "tenants": ["Ada Byron", "Mary Shelley"],
        "form": "lease",
        "garden": None,
    }
    assert fits(read.values, SCHEMA)
    assert read.document.problems == ()
    rent, garden = read.cell("rent"), read.cell("garden")
    assert ([quote.text for quote in rent.quotes], rent.unit, rent.support) == ([RENT], "GBP", Support.SUPPORTED)
    assert (garden.status, garden.reason) == (CellStatus.NOT_STATED, "only a flat is let")


def test_a_pydantic_class_gives_the_columns(of_texts: Make) -> None:
    class Lease(BaseModel):
        """A lease."""

        rent: float = Field(description="Rent?", json_schema_extra={"unit": "GBP"})
        ends: str | None = None

    names = ("rent", "ends")
    read = Read(of_texts, [entry("rent", "48000", quote=RENT, unit="GBP"), entry("ends", names=names)], schema=Lease)
    assert Lease.model_validate(read.values) == Lease(rent=48000.0)
    assert "1. rent (number; units: GBP): Rent?" in read.engine.asked[0].text


def test_a_unit_is_converted_only_by_a_factor_of_the_schema(of_texts: Make) -> None:
    stated = [entry("rent", "52", quote=OTHER_RENT, unit="thousand GBP"), *GOOD[1:]]
    read = Read(of_texts, stated)
    assert (read.values["rent"], read.cell("rent").text) == (52000, "52 thousand GBP")
    other_words = [entry("rent", "52", quote=OTHER_RENT, unit="£ thsd"), *GOOD[1:]]
    assert Read(of_texts, other_words).values["rent"] == 52000
    foreign = [entry("rent", "52", quote=OTHER_RENT, unit="EUR"), *GOOD[1:]]
    read = Read(of_texts, foreign)  # it is not asked again
    assert (read.values["rent"], read.cell("rent").status) == (None, CellStatus.UNCLEAR)
    assert "EUR" in read.cell("rent").reason
    assert read.document.problems == ("$.rent: it is required, but not stated",)


@pytest.mark.parametrize(
    ("name", "value"),
    [("rent", "about 48"), ("rent", "-3"), ("begins", "March 2024"), ("may_end", "perhaps"), ("form", "gift")],
)
def test_a_value_of_the_wrong_type_is_asked_for_once_more_and_is_null_then(
    of_texts: Make, name: str, value: str
) -> None:
    bad = [entry(name, value, quote=RENT, unit="GBP") if NAMES[each["column"] - 1] == name else each for each in GOOD]
    mended = Read(of_texts, bad, GOOD)
    assert mended.cell(name).status is CellStatus.STATED
    assert name in mended.engine.asked[1].text
    read = Read(of_texts, bad, bad)
    assert read.calls["query/extract"] == 2
    assert (read.values.get(name), read.cell(name).status) == (None, CellStatus.UNCLEAR)
    assert "not a value of its type" in read.cell(name).reason


def test_different_values_in_a_document_are_both_shown_and_neither_is_chosen(of_texts: Make) -> None:
    read = Read(of_texts, [*GOOD, entry("rent", "52", quote=OTHER_RENT, unit="GBP thousand")])
    cell = read.cell("rent")
    assert (cell.status, [quote.text for quote in cell.quotes]) == (CellStatus.UNCLEAR, [RENT, OTHER_RENT])
    assert "48000 GBP; 52 GBP thousand" in cell.reason
    assert read.values["rent"] is None
    same = Read(of_texts, [*GOOD, entry("rent", "48", quote=RENT, unit="GBP thousand")])
    assert same.values["rent"] == 48000  # the same value, in another unit


@pytest.mark.parametrize(
    ("quote", "value", "rent"),
    [
        (RENT, "48000", 48000),  # the quote has the unit
        (OTHER_RENT, "52000", 52000),
        (OTHER_RENT, "52", None),  # of 52 thousand
        ("Rent (GBP) | 7", "7", 7),
        ("Rent (GBP thousand) | 7", "7", 7000),
        ("Rent (GBP, in some thousands) | 7", "7", None),
        ("The rent is 48.", "48", None),
        ("The rent is 48 GBPs.", "48", None),
    ],
)
def test_a_number_without_a_unit_counts_only_if_its_quote_has_the_unit(
    of_texts: Make, quote: str, value: str, rent: int | None
) -> None:
    read = Read(of_texts, [entry("rent", value, quote=quote), *GOOD[1:]], text=f"{LEASE}\n{quote}\n")
    assert (read.values["rent"], read.calls["query/extract"]) == (rent, 1)  # a missing unit is not asked for again
    reason = read.cell("rent").reason
    assert rent is not None or "do not state GBP" in reason or "may multiply its numbers" in reason


@pytest.mark.parametrize(("unit", "power"), [("MW", 5), ("mW", None), ("mw", 5), ("megawatt", 5)])
def test_units_that_differ_in_case_alone_are_not_the_same(of_texts: Make, unit: str, power: int | None) -> None:
    schema = {"properties": {"power": {"type": ["number", "null"], "unit": "MW"}}}
    stated = [entry("power", "5", quote=BEGINS, unit=unit, names=("power",))]
    assert Read(of_texts, stated, schema=schema).values == {"power": power}


@pytest.mark.parametrize(
    ("said", "staff"),
    [("full-time staff.", 48), ("part-time staff.", None), ("full-time machines.", None), ("fulltime staff", None)],
)
def test_any_words_after_a_number_may_be_its_unit(of_texts: Make, said: str, staff: int | None) -> None:
    schema = {"properties": {"staff": {"type": ["number", "null"], "unit": "full-time staff"}}}
    text = f"It has 48 {said}"
    reply = [entry("staff", "48", quote=text, names=("staff",))]
    assert Read(of_texts, reply, schema=schema, text=text).values == {"staff": staff}


def test_each_entry_of_a_list_keeps_its_unit_its_verdict_and_its_quote(of_texts: Make) -> None:
    yard = "The same rent, GBP 48,000, is due for the yard."
    rents = {"type": "array", "items": {"type": "number"}, "unit": "GBP", "units": {"GBP thousand": 1000}}
    reply = [
        entry("rents", "48000", quote=RENT, unit="GBP", names=("rents",)),
        entry("rents", "52", quote=OTHER_RENT, unit="GBP thousand", names=("rents",)),
        entry("rents", "52000", quote=OTHER_RENT, unit="GBP", names=("rents",)),  # the same as before
        entry("rents", "48000", quote=yard, unit="GBP", names=("rents",)),
        entry("rents", "3", quote="The rent is GBP 3.", unit="GBP", names=("rents",)),
        entry("rents", "4", quote=RENT, unit="EUR", names=("rents",)),
    ]
    read = Read(of_texts, reply, schema={"properties": {"rents": rents}}, text=f"{LEASE}\n{yard}\n")
    cell = read.cell("rents")
    assert (cell.status, cell.text, read.values) == (
        *(CellStatus.STATED, "48000 GBP; 52000 GBP; 48000 GBP", {"rents": [48000, 52000, 48000]}),
    )
    assert [quote.text for quote in cell.quotes] == [RENT, OTHER_RENT, yard]
    assert "left out: 3 GBP: no quote supports it" in cell.reason
    assert "left out: 4 EUR: the unit 'EUR' is not one of" in cell.reason


def test_a_value_without_a_quote_that_stands_is_not_stated(of_texts: Make) -> None:
    read = Read(of_texts, [entry("rent", "99", quote="The rent is GBP 99.", unit="GBP"), *GOOD[1:]])
    assert (read.cell("rent").status, read.values["rent"]) == (CellStatus.UNCLEAR, None)


def test_a_figure_that_is_not_in_the_quotes_is_noted(of_texts: Make) -> None:
    read = Read(of_texts, [entry("rent", "77000", quote=RENT, unit="GBP"), *GOOD[1:]])
    assert "77000 is not in its quotes" in read.cell("rent").reason.replace(" GBP", "")


def test_a_column_that_the_reply_leaves_out_is_unclear(of_texts: Make) -> None:
    assert Read(of_texts, GOOD[:5]).cell("garden").status is CellStatus.UNCLEAR


LINE = {
    "type": "object",
    "properties": {
        "item": {"type": "string"},
        "unit_price": {"type": "number", "unit": "GBP"},
        "paid": {"type": ["string", "null"], "format": "date"},
    },
    "required": ["item"],
}
BILL = {"type": "object", "properties": {"number": {"type": "string"}, "lines": {"type": "array", "items": LINE}}}
TABLE = 'Item,"Unit price",Paid\nBolt,"GBP 1,200.50",2024-03-01\nNut,GBP 7,\n'


def test_records_are_read_from_a_table_whose_headings_are_the_names_and_cost_no_call(of_texts: Make) -> None:
    schema = {"type": "array", "items": LINE}
    read = Read(of_texts, schema=schema, text=TABLE, name="lines.csv")
    assert read.calls == {}
    assert read.values == [
        {"item": "Bolt", "unit_price": 1200.5, "paid": "2024-03-01"},
        {"item": "Nut", "unit_price": 7, "paid": None},
    ]
    assert fits(read.values, schema)
    cell = read.cell("unit_price")
    assert (cell.status, cell.support, cell.reason) == (CellStatus.STATED, Support.VERBATIM, READ_FROM_TABLE)
    assert (cell.text, "1,200.50" in cell.quotes[0].text, cell.quotes[0].line) == ("GBP 1,200.50", True, 2)


def test_a_table_is_read_without_a_model_and_other_columns_show_passages(of_texts: Make) -> None:
    schema = {"type": "array", "items": LINE}
    extraction = of_texts({"lines.csv": TABLE, "lease.txt": LEASE}).extract(schema)
    by_name = {document.id: document for document in extraction.documents}
    assert len(by_name["lines.csv"].values) == 2  # type: ignore[arg-type]
    assert by_name["lease.txt"].values == []
    assert {cell.value for cell in extraction.cells if cell.document_id == "lease.txt"} == {None}


@pytest.mark.parametrize(
    "table",
    [
        TABLE.replace("Paid", "Settled"),  # another heading
        "Item,Unit price,Paid,unit_price\nBolt,GBP 1,2024-03-01,GBP 2\n",  # two with the same name
        TABLE.replace("GBP 7", "EUR 7"),
        TABLE.replace("GBP 7", "7"),  # no unit
        TABLE.replace("GBP 7", "GBP 7 or 8"),
        TABLE.replace("GBP 7", "GBP 1.200"),  # 1200 or 1.2
        TABLE.replace("Nut,", ","),  # an item is missing: perhaps a sum
        TABLE.replace("2024-03-01", "05/06/2024"),
        f'{TABLE}Total,"GBP 1,207.50",\n',
        "Item,Unit price,Paid\nBolt,GBP 3,\nTotal,GBP 3,\n",
        "Item,Unit price,Paid\nAll,GBP 9,\nBolt,GBP 4,\nNut,GBP 5,\n",
        "Item,Unit price,Paid\nBolt,GBP 2,\nNut,GBP 5,\nPin,GBP 3,\nMean,GBP 3.33,\n",
        "Item,Unit price,Paid\nBolt,GBP 2,\nNut,GBP 5,\nBoth,GBP 7,\n" + "Pin,GBP 3,\n" * MOST_RECORDS,
    ],
)
def test_a_table_that_is_not_clear_is_left_to_the_reader(of_texts: Make, table: str) -> None:
    names = ("item", "unit_price", "paid")
    reply = [entry("item", "Bolt", quote="Bolt", names=names, record=1)]
    read = Read(of_texts, reply, schema={"type": "array", "items": LINE}, text=table, name="lines.csv")
    assert read.calls["query/extract"] == 1
    assert len(read.values) == 1


AMOUNT = {"type": "number", "unit": "GBP", "units": {"EUR": 0.5}}


@pytest.mark.parametrize(
    ("heading", "cell", "value"),
    [
        ("Amount (GBP million)", "5.5", 5_500_000),
        ("Amount GBP million", "5.5", 5_500_000),
        ("amount_gbp", "5.5", 5.5),
        ("Amount (GBP)", "5.5", 5.5),
        ("Amount (GBP thousands)", "5.5", 5_500),
        ("Amount (£m)", "5.5", 5_500_000),
        ("Amount (£'000)", "5.5", 5_500),
        ("Amount [million GBP]", "5.5", 5_500_000),
        ("Amount (EUR)", "5", 2.5),
        ("Amount (EUR million)", "5", 2_500_000),
        ("Amount", "GBP 5.5 million", 5_500_000),
        ("Amount", "5.5", None),
        ("Amount (GBPs)", "5.5", None),
        ("Amount (GBP in some way)", "5.5", None),
        ("Amount (USD million)", "GBP 5.5", None),
        ("Amount (GBP million)", "GBP 5.5", None),
        ("Amount (GBP million)", "5.5 million", None),
        ("Amount (GBP / m2)", "5.5", None),
        ("Amount (GBP m2)", "5.5", None),
        ("Amount (GBP, 000s)", "5.5", None),
        ("Amount (GBP million; thousand)", "5.5", None),
    ],
)
def test_a_heading_gives_whole_units_and_their_magnitudes_or_the_table_is_left(
    of_texts: Make, heading: str, cell: str, value: float | None
) -> None:
    amount = {**AMOUNT, "title": heading}
    schema = {"type": "array", "items": {"properties": {"item": {"type": "string"}, "amount": amount}}}
    (document,) = of_texts({"a.csv": f'Item,"{heading}"\nBolt,{cell}\n'}).extract(schema).documents
    assert document.values == [{} if value is None else {"item": "Bolt", "amount": value}]
    assert bool(value) is not any("were not read as records: " in problem for problem in document.problems)


NOTES = ("net", "million", "several million")


def test_a_unit_is_not_found_inside_a_word_and_a_note_above_the_table_counts(of_texts: Make) -> None:
    def values(name: str, text: str, unit: str) -> object:
        amount = {"type": "number", "unit": unit, "title": "Amount (GBP)"}
        schema = {"type": "array", "items": {"properties": {"item": {"type": "string"}, "amount": amount}}}
        return of_texts({name: text}).extract(schema).documents[0].values

    table = "| Item | Amount (GBP) |\n|---|---|\n| Bolt | 5.5 |\n"
    assert values("a.csv", "Item,Amount\nBolt,5.5\n", "m") == [{}]
    assert values("a.md", f"Costs\n\n{table}", "GBP") == [{"item": "Bolt", "amount": 5.5}]
    assert values("a.md", f"Costs (in millions)\n\n{table}", "GBP") == [{}]
    rows = (
        "<tr><th>Item</th><th>Amount (GBP)</th></tr><tr><th></th><th>{}</th></tr></thead><tr><td>Bolt</td><td>5.5</td>"
    )
    below = {note: values("a.html", f"<table><thead>{rows.format(note)}</tr></table>", "GBP") for note in NOTES}
    assert [value[0].get("amount") for value in below.values()] == [5.5, 5_500_000, None]  # type: ignore[index]


def test_a_reader_numbers_the_records_and_those_it_leaves_out_are_unclear(of_texts: Make) -> None:
    names = ("number", "item", "unit_price", "paid")
    text = "Invoice 77.\n\nWe sold you a bolt for GBP 3.\n\nWe sold you a nut for GBP 4.\n"
    bolt, nut = "We sold you a bolt for GBP 3.", "We sold you a nut for GBP 4."
    reply = [
        entry("number", "77", quote="Invoice 77.", names=names),
        entry("item", "bolt", quote=bolt, names=names, record=1),
        entry("unit_price", "3", quote=bolt, names=names, record=1, unit="GBP"),
        entry("paid", names=names, record=1),
        entry("item", "nut", quote=nut, names=names, record=2),
        entry("unit_price", "4", quote=nut, names=names, record=2, unit="GBP"),
    ]
    read = Read(of_texts, reply, schema=BILL, text=text)
    assert read.values == {
        "number": "77",
        "lines": [{"item": "bolt", "unit_price": 3, "paid": None}, {"item": "nut", "unit_price": 4, "paid": None}],
    }
    assert fits(read.values, BILL)
    assert read.extraction.cells[-1].reason == "the reply does not say"
    assert "2. lines.item (text; of each record): item" in read.engine.asked[0].text.lower()


def test_columns_of_the_document_are_read_beside_the_table_of_its_records(of_texts: Make) -> None:
    text = "# Invoice 77\n\n| Item | Unit price | Paid |\n|---|---|---|\n| Bolt | GBP 3 | 2024-01-02 |\n"
    reply = [entry("number", "77", quote="Invoice 77", names=("number",))]
    read = Read(of_texts, reply, schema=BILL, text=text, name="bill.md")
    assert read.values == {"number": "77", "lines": [{"item": "Bolt", "unit_price": 3, "paid": "2024-01-02"}]}
    assert "lines.item" not in read.engine.asked[0].text


def test_of_a_long_table_the_first_records_are_read_and_the_rest_is_named(of_texts: Make) -> None:
    rows = "".join(f"Part {number},GBP {number + 7},2024-01-02\n" for number in range(MOST_RECORDS + 500))
    read = Read(of_texts, schema={"type": "array", "items": LINE}, text=f"Item,Unit price,Paid\n{rows}", name="t.csv")
    assert len(read.values) == MOST_RECORDS
    assert read.document.problems == (f"only the first {MOST_RECORDS:,} rows of its table were read as records",)


def test_many_columns_are_read_in_several_calls(of_texts: Make) -> None:
    schema = {"properties": {f"p{number}": {"type": ["string", "null"]} for number in range(200)}}
    count = 200 // MOST_TOGETHER
    silent = [{"column": number, "verdict": "not_stated"} for number in range(1, MOST_TOGETHER + 1)]
    read = Read(of_texts, *[silent] * count, schema=schema)
    assert read.calls == {"query/extract": count}
    assert read.extraction.count(CellStatus.NOT_STATED) == 200
    assert fits(read.values, schema)


TREE = {"$defs": {"Node": {"properties": {"name": {"type": "string"}, "left": {"$ref": "#/$defs/Node"}}}}}


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("[1, 2]", "not a JSON object"),
        ("{nonsense", "not JSON"),
        ('{"properties": {"a": {"type": "string"}, "a": {"type": "number"}}}', "the name 'a' twice"),
        ({"type": "string"}, "of type string"),
        ({"properties": {}}, "no properties"),
        ({"properties": {"a": 3}}, "not valid at"),
        ({"properties": {"a b": {"title": "A"}, "a  b": {"title": "A"}}}, "two columns have the name 'a b'"),
        ({"properties": {"a.b": {}, "a": {"properties": {"b": {}}}}}, "two columns have the name 'a.b'"),
        ({"properties": {"a": {"type": "number", "units": {"kg": 1}}}}, "a has units to convert from, but no unit"),
        ({"properties": {"a": {"enum": []}}}, "a has an empty enum"),
        ({"properties": {"a": {"enum": ["x", 1]}}}, "a may be of several types"),
        ({"properties": {"a": {"allOf": [{"type": "string"}, {"maxLength": 3}]}}}, "a combines several schemas"),
        ({"properties": {"a": {"type": "array", "prefixItems": [{"type": "string"}]}}}, "a has prefixItems"),
        ({"properties": {"a": {"type": "array", "items": {"type": "object"}}}}, "^a has no properties"),
        ({"properties": {"a": {"type": "array", "items": LINE}, "b": {"type": "object"}}}, "^b has no properties"),
        ({"properties": {"a": {"type": "null"}}}, "a has the type null"),
        ({"properties": {"a": {"type": "strng"}}}, "not valid at"),
        ({"properties": {"a": {"$ref": "#"}}}, "refers to itself"),
        ({**TREE, "$ref": "#/$defs/Node"}, "refers to itself"),
        ({**TREE, "type": "array", "items": {"$ref": "#/$defs/Node"}}, "refers to itself"),
        ({"properties": {"a": {"$ref": "#/$defs/missing"}}}, "nothing at"),
        ({"properties": {"a": {"$ref": "other.json"}}}, "nothing at other.json"),
        ({"properties": {"a": {"not": {"$ref": "http://127.0.0.1:9/x.json"}}}}, "nothing at http"),
        ({"properties": {"a": {"$ref": "#a"}}}, "nothing at #a"),
        ({"properties": {"a": {"type": "string", "pattern": "("}}}, "not valid at"),
        ('{"a":' * 100_000, "not JSON"),
        ({"properties": {"a": {"type": ["string", "number"]}}}, "several types"),
        ({"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "number"}]}}}, "several types"),
        ({"properties": {"a": {"type": "number", "units": {"kg": "x"}}}}, "not an object of factors"),
        ({"properties": {name: {"type": "array", "items": LINE} for name in "ab"}}, "second array of objects"),
        ({"properties": {f"p{n}": {} for n in range(500)}}, "500 columns"),
        ({"type": "array", "items": {"properties": {f"p{n}": {} for n in range(50)}}}, "50 of them in records"),
        (int, "not a JSON object"),
    ],
)
def test_a_schema_that_cannot_be_used_is_an_error_that_says_why(schema: Any, message: str) -> None:
    with pytest.raises(DataError, match=message) as raised:
        read_schema(schema)
    assert raised.value.hint


def test_unknown_keywords_are_named_and_known_ones_are_not() -> None:
    schema = read_schema({"properties": {"a": {"type": "string", "maxLength": 9, "colour": "red", "title": "A"}}})
    assert schema.unknown == ("colour",)


def test_values_fit_keywords_that_refer_to_other_parts_of_the_schema(of_texts: Make) -> None:
    schema = {
        "$defs": {"Bad": {"const": "lease"}},
        "properties": {"form": {"type": "string", "not": {"$ref": "#/$defs/Bad"}}},
    }
    reply = [entry("form", "lease", quote=BEGINS, names=("form",))]
    assert Read(of_texts, reply, reply, schema=schema).cell("form").status is CellStatus.UNCLEAR


@pytest.mark.parametrize(("choices", "reply", "value"), [([1, 15, None], "1", 1), ([True, False], "true", True)])
def test_a_choice_may_be_a_number_or_true_or_false(
    of_texts: Make, choices: list[object], reply: str, value: object
) -> None:
    read = Read(
        of_texts, [entry("day", reply, quote=BEGINS, names=("day",))], schema={"properties": {"day": {"enum": choices}}}
    )
    assert read.values == {"day": value}


def test_nested_objects_and_references_keep_their_form(of_texts: Make) -> None:
    schema = {
        "$defs": {"Place": {"type": "object", "properties": {"city": {"type": "string"}, "zip": {"type": "string"}}}},
        "properties": {
            "seat": {"$ref": "#/$defs/Place"},
            "site": {"anyOf": [{"$ref": "#/$defs/Place"}, {"type": "null"}]},
        },
    }
    names = ("seat.city", "seat.zip", "site.city", "site.zip")
    assert tuple(column.name for column in read_schema(schema).columns) == names
    read = Read(of_texts, [entry("seat.city", "1 March", quote=BEGINS, names=names)], schema=schema)
    assert read.values == {"seat": {"city": "1 March"}}
    assert fits(read.values, schema)
