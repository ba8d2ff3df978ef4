"""Typed values in reports: numbers stay numbers, text stays text, and each value has its quotes beside it."""

from __future__ import annotations

import csv
import datetime
import importlib.util
import io
import re

import pytest
from openpyxl import load_workbook
from pydantic import JsonValue

from investigator.documents.own_results import is_own_result
from investigator.errors import SettingsError
from investigator.records import (
    CellStatus,
    Column,
    ColumnKind,
    ExtractedCell,
    ExtractedDocument,
    Extraction,
    Quote,
    Support,
)
from investigator.reports.extraction import extraction_csv, extraction_parquet, extraction_text, extraction_xlsx

KINDS = {"title": ColumnKind.TEXT, "loss": ColumnKind.NUMBER, "paid": ColumnKind.DATE, "open": ColumnKind.BOOLEAN}
COLUMNS = tuple(Column(name=name, question="?", kind=kind) for name, kind in KINDS.items())
VALUES: tuple[JsonValue, ...] = ("=1+1", -3.5, "2024-02-01", True)


def cell(number: int, value: JsonValue, *, record: int = 0, **fields: object) -> ExtractedCell:
    text = f"{value} in the text"
    quote = Quote(document_id="a.txt", page=2, line=3, start=0, end=len(text), text=text, source_hash="ab")
    stated = {"status": CellStatus.STATED, "support": Support.SUPPORTED, "text": str(value), "quotes": (quote,)}
    made = {**stated, "document_id": "a.txt", "question": number, "record": record, "value": value, **fields}
    return ExtractedCell.model_validate(made)


def extraction(cells: list[ExtractedCell], columns: tuple[Column, ...] = COLUMNS) -> Extraction:
    document = ExtractedDocument(document="a.txt", title="A", values={}, cells=tuple(cells), problems=("$.x: missing",))
    return Extraction(columns=columns, documents=(document,), engine="scripted")


def made() -> Extraction:
    return extraction([cell(number, value) for number, value in enumerate(VALUES, start=1)])


def test_in_csv_a_negative_number_is_a_number_and_a_formula_is_text() -> None:
    written = extraction_csv(made())
    (row,) = csv.DictReader(io.StringIO(written))
    assert [row[name] for name in ("values.title", "loss", "paid", "open")] == ["'=1+1", "-3.5", "2024-02-01", "true"]
    assert (row["title"], row["loss quotes"]) == ("A", "'-3.5 in the text (a.txt:page 2)")
    assert is_own_result(written.encode())


def test_in_a_workbook_values_have_types_and_their_quotes_are_comments() -> None:
    data = extraction_xlsx(made())
    sheet = load_workbook(io.BytesIO(data)).active
    assert sheet is not None
    _, row = list(sheet)
    assert [each.value for each in row[4:] if each.data_type != "d"] == ["=1+1", -3.5, True]
    assert str(row[6].value).startswith("2024-02-01")
    assert [each.data_type for each in row[4:]] == ["s", "n", "d", "b"]
    assert row[5].comment is not None
    assert row[5].comment.text == "-3.5 in the text (a.txt:page 2)"
    assert is_own_result(data)
    old = extraction([cell(3, "1850-01-01")])
    sheet = load_workbook(io.BytesIO(extraction_xlsx(old))).active
    assert sheet is not None
    assert sheet.cell(2, 7).value == "1850-01-01"


def test_a_value_that_is_missing_or_noted_says_why() -> None:
    unclear = cell(2, None, status=CellStatus.UNCLEAR, reason="two values: 3; 4")
    noted = cell(3, "2024-02-01", reason="2024 is not in its quotes")
    (row,) = csv.DictReader(io.StringIO(extraction_csv(extraction([cell(1, "x"), unclear, noted]))))
    assert row["notes"] == "loss: unclear: two values: 3; 4; paid: 2024 is not in its quotes"
    assert (row["loss"], row["open"]) == ("", "")


def test_records_repeat_the_values_of_their_document() -> None:
    columns = (COLUMNS[0], Column(name="lines.amount", question="?", kind=ColumnKind.NUMBER, of_records=True))
    own = extraction([cell(1, "x"), cell(2, 5, record=1), cell(2, 6, record=2)], columns)
    rows = list(csv.DictReader(io.StringIO(extraction_csv(own))))
    assert [(row["record"], row["values.title"], row["lines.amount"]) for row in rows] == [
        ("1", "x", "5"),
        ("2", "x", "6"),
    ]


def test_a_terminal_shows_a_table_of_few_columns_a_list_of_many_and_the_first_records() -> None:
    few = extraction_text(made()).plain
    assert re.search(r"^a\.txt +=1\+1 +-3\.5 +2024-02-01 +true$", few, re.MULTILINE)
    assert "a.txt: $.x: missing" in few
    many = tuple(Column(name=f"c{number}", question="?") for number in range(9))
    listed = extraction_text(extraction([cell(number, f"v{number}") for number in range(1, 10)], many)).plain
    assert re.search(r"^c8 +v9 +a\.txt:page 2$", listed, re.MULTILINE)
    records = extraction([cell(1, f"v{number}", record=number) for number in range(1, 101)], (COLUMNS[0],))
    assert "40 more records" in extraction_text(records).plain


@pytest.mark.skipif(importlib.util.find_spec("pyarrow") is not None, reason="pyarrow is installed")
def test_without_its_package_a_parquet_file_is_refused_with_a_hint() -> None:
    with pytest.raises(SettingsError, match="pyarrow") as raised:
        extraction_parquet(made())
    assert "parquet" in raised.value.hint


def test_a_parquet_file_has_typed_columns() -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    data = extraction_parquet(made())
    (row,) = parquet.read_table(io.BytesIO(data)).to_pylist()
    assert (row["values.title"], row["loss"], row["paid"], row["open"]) == (
        *("=1+1", -3.5, datetime.date(2024, 2, 1), True),
    )
    assert is_own_result(data)
