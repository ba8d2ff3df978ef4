"""Tests of the lines of data files."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel

from investigator.errors import DataError
from investigator.files.text_lines import json_lines, json_rows, text_lines


def test_lines_end_with_a_line_feed_and_with_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes("\ufeffone\u2028still one\x85\x0c\rhere\r\n\r\n   \nfour\n\nsix".encode())

    assert list(text_lines(path)) == [(1, "one\u2028still one\x85\x0c\rhere"), (4, "four"), (6, "six")]


def test_a_line_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"good\nb\xff\xffd\n")

    with pytest.raises(DataError, match=r"lines, line 2: byte 2 is not UTF-8"):
        list(text_lines(path))


def test_a_line_that_is_not_json_is_named_with_its_gist(tmp_path: Path) -> None:
    path = tmp_path / "values.jsonl"
    path.write_text('{"a": 1}\n\n["' + "x" * 500, encoding="utf-8")
    lines = json_lines(path)

    assert next(lines) == (1, '{"a": 1}', {"a": 1})
    with pytest.raises(DataError, match=r"values.jsonl, line 3: it is not JSON") as caught:
        next(lines)
    assert len(caught.value.message.partition("the line is: ")[2]) < 90


def test_json_that_is_nested_without_end_is_an_error_of_the_line(tmp_path: Path) -> None:
    path = tmp_path / "values.jsonl"
    path.write_text("[" * 200_000, encoding="utf-8")

    with pytest.raises(DataError, match="line 1"):
        list(json_lines(path))


def test_a_file_that_is_missing_or_a_folder_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(DataError, match="cannot be read"):
            list(text_lines(path))


class Name(BaseModel):
    """A row of a file."""

    name: str


def test_rows_are_records_and_the_caller_chooses_the_class_of_errors(tmp_path: Path) -> None:
    path = tmp_path / "names.jsonl"
    path.write_text('{"name": "Ida"}\n\n{"name": 5}\n', encoding="utf-8")
    rows = json_rows(path, Name, DataError)

    assert next(rows) == (1, Name(name="Ida"))
    with pytest.raises(DataError, match=r"names.jsonl, line 3: name: Input should be a valid string, in 5"):
        next(rows)
    with pytest.raises(DataError, match="cannot be read"):
        next(json_rows(tmp_path / "none", Name, DataError))


def test_a_line_that_is_too_long_is_refused_before_it_is_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("investigator.files.text_lines.LONGEST_LINE", 1_000)
    (tmp_path / "long").write_text("x" * 5_000, encoding="utf-8")
    with pytest.raises(DataError, match="line 1: it is longer than 1,000 bytes"):
        list(text_lines(tmp_path / "long"))
