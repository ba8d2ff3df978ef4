"""Typed values in reports: numbers stay numbers, text stays text, and each value has its quotes beside it."""

from __future__ import annotations

import csv
import datetime
import importlib.util
import io
import re
from zipfile import ZipFile

import pytest
from openpyxl import load_workbook
from pydantic import JsonValue

from investigator import secrets
from investigator.documents.own_results import is_own_result
from investigator.errors import SettingsError
from investigator.records import (
    CellStatus,
    Column,
    ColumnKind,
    Matrix,
    MatrixCell,
    MatrixDocument,
    Quote,
    Support,
)
from investigator.reports.export import MATRIX_FORMATS, matrix_csv, matrix_xlsx
from investigator.reports.matrix import matrix_text
from investigator.reports.typed_values import matrix_parquet

KINDS = {"title": ColumnKind.TEXT, "loss": ColumnKind.NUMBER, "paid": ColumnKind.DATE, "open": ColumnKind.BOOLEAN}
COLUMNS = tuple(Column(name=name, question="?", kind=kind) for name, kind in KINDS.items())
VALUES: tuple[JsonValue, ...] = ("=1+1", -3.5, "2024-02-01", True)


def cell(number: int, value: JsonValue, *, record: int = 0, **fields: object) -> MatrixCell:
    text = f"{value} in the text"
    quote = Quote(document_id="a.txt", page=2, line=3, start=0, end=len(text), text=text, source_hash="ab")
    stated = {"status": CellStatus.STATED, "support": Support.SUPPORTED, "text": str(value), "quotes": (quote,)}
    made = {**stated, "document_id": "a.txt", "question": number, "record": record, "value": value, **fields}
    return MatrixCell.model_validate(made)


def table(cells: list[MatrixCell], columns: tuple[Column, ...] = COLUMNS) -> Matrix:
    document = MatrixDocument(id="a.txt", title="A", values={}, problems=("$.x: missing",))
    questions = tuple(column.name for column in columns)
    return Matrix(questions=questions, columns=columns, documents=(document,), cells=tuple(cells), engine="scripted")


def made() -> Matrix:
    return table([cell(number, value) for number, value in enumerate(VALUES, start=1)])


def test_in_csv_a_negative_number_is_a_number_and_a_formula_is_text() -> None:
    written = matrix_csv(made())
    (row,) = csv.DictReader(io.StringIO(written))
    assert [row[name] for name in ("values.title", "loss", "paid", "open")] == ["'=1+1", "-3.5", "2024-02-01", "true"]
    assert (row["title"], row["loss quotes"]) == ("A", "'-3.5 in the text (a.txt:page 2)")
    assert is_own_result(written.encode())


@pytest.mark.parametrize(
    "text",
    [
        "document,title,record,notes\nA-1,Deed,5,old\n",
        "document,title,record,notes,price,quotes\nA-1,Deed,5,old,3,\n",
        f"document,title,record,notes,{'x' * 200_000}",
        "The generator.\n\nUsed: 3 h\nRun: 20250101-120000-abcdef\n",
        "Used: 4 min of talk. We looked at Run 20250101-120000-abcdef.\n",
        "Used: 12 calls to the office, 3 s\n\nRun: 20250101-120000-abcdef\n",
    ],
)
def test_files_of_users_that_look_like_results_are_evidence(text: str) -> None:
    assert not is_own_result(text.encode())


def test_in_a_workbook_values_have_types_and_their_quotes_are_comments() -> None:
    data = matrix_xlsx(made())
    sheet = load_workbook(io.BytesIO(data)).active
    assert sheet is not None
    _, row = list(sheet)
    assert [each.value for each in row if each.data_type != "d"] == ["a.txt", "=1+1", -3.5, True]
    assert str(row[3].value).startswith("2024-02-01")
    assert [each.data_type for each in row] == ["s", "s", "n", "d", "b"]
    assert row[2].comment is not None
    assert row[2].comment.text == "-3.5 in the text (a.txt:page 2)"
    assert is_own_result(data)
    old = table([cell(1, "1850-01-01")], COLUMNS[2:3])
    sheet = load_workbook(io.BytesIO(matrix_xlsx(old))).active
    assert sheet is not None
    assert sheet.cell(2, 2).value == "1850-01-01"


def test_a_value_that_is_missing_or_noted_says_why() -> None:
    unclear = cell(2, None, status=CellStatus.UNCLEAR, reason="two values: 3; 4")
    noted = cell(3, "2024-02-01", reason="2024 is not in its quotes")
    (row,) = csv.DictReader(io.StringIO(matrix_csv(table([cell(1, "x"), unclear, noted], COLUMNS[:3]))))
    assert row["notes"] == "loss: unclear: two values: 3; 4; paid: 2024 is not in its quotes; $.x: missing"
    assert row["loss"] == ""


def test_records_repeat_the_values_of_their_document() -> None:
    columns = (COLUMNS[0], Column(name="lines.amount", question="?", kind=ColumnKind.NUMBER, of_records=True))
    own = table([cell(1, "x"), cell(2, 5, record=1), cell(2, 6, record=2)], columns)
    rows = list(csv.DictReader(io.StringIO(matrix_csv(own))))
    assert [(row["record"], row["values.title"], row["lines.amount"]) for row in rows] == [
        ("1", "x", "5"),
        ("2", "x", "6"),
    ]


def test_a_terminal_shows_values_side_by_side_or_a_list_for_each_column_and_what_does_not_fit() -> None:
    cells = [cell(number, value, unit="GBP" * (number == 2)) for number, value in enumerate(VALUES[:3], start=1)]
    few = matrix_text(table(cells, COLUMNS[:3])).plain
    assert re.search(r"^a\.txt +=1\+1 +-3\.5 GBP +2024-02-01$", few, re.MULTILINE)
    assert "a.txt: $.x: missing" in few
    many = tuple(Column(name=f"c{number}", question="?") for number in range(9))
    records = [cell(number, f"v{number}", record=record) for record in (1, 2) for number in range(1, 10)]
    listed = matrix_text(table(records, many)).plain
    assert re.search(r"^Q9  c8\na\.txt #1  v9  a\.txt:page 2\na\.txt #2  v9", listed, re.MULTILINE)


@pytest.mark.skipif(importlib.util.find_spec("pyarrow") is not None, reason="pyarrow is installed")
def test_without_its_package_a_parquet_file_is_refused_with_a_hint() -> None:
    with pytest.raises(SettingsError, match="pyarrow") as raised:
        matrix_parquet(made())
    assert "parquet" in raised.value.hint or "pyarrow" in raised.value.hint


def test_a_parquet_file_has_typed_columns() -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    data = matrix_parquet(made())
    (row,) = parquet.read_table(io.BytesIO(data)).to_pylist()
    assert (row["values.title"], row["loss"], row["paid"], row["open"]) == (
        *("=1+1", -3.5, datetime.date(2024, 2, 1), True),
    )
    assert is_own_result(data)


@pytest.mark.parametrize("suffix", sorted(MATRIX_FORMATS))
def test_a_known_secret_is_in_no_form_of_a_saved_matrix(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_known", frozenset({"opensesame-1234"}))
    listed = Column(name="names", question="?", is_list=True)
    cells = [cell(1, "opensesame-1234"), *made().cells[1:], cell(5, ["x", "opensesame-1234"], text="x")]
    named = table(cells, (*COLUMNS, listed))
    try:
        data = MATRIX_FORMATS[suffix](named)
    except SettingsError:
        pytest.skip("a package is missing")
    parts = [data]
    if data.startswith(b"PK"):
        with ZipFile(io.BytesIO(data)) as package:
            parts = [package.read(name) for name in package.namelist()]
    assert all(b"opensesame-1234" not in part for part in parts)
