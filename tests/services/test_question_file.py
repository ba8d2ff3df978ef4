"""Files of questions: three formats, each question once, and errors that name the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from investigator.errors import QuestionError
from investigator.services.question_file import read_question_file


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "\ufeffWho paid?\r\n\r\n# when?\n  How long?\nWho  paid?\n"),
        ("a.csv", 'id;Question;x\n1;Who paid?;"a\nb"\n\n2;How long?;\n3;Who paid?;\n'),
        ("a.jsonl", '{"question": "Who paid?", "id": 1}\n\n{"question": "How long?"}\n{"question": "Who paid? "}\n'),
    ],
)
def test_each_format_gives_each_question_once(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    assert read_question_file(tmp_path / name) == ("Who paid?", "How long?")


@pytest.mark.parametrize(
    ("name", "data", "complaint"),
    [
        ("a.txt", b"\n \n", "contains no question"),
        ("a.txt", b"Who?\n\xff\xfe\n", "line 2: byte 1 is not UTF-8"),
        ("a.txt", b"Who?\n" + b"x" * 10_001, "line 2 of .*10,001 characters"),
        ("a.csv", b"id,words\n1,Who?\n", "line 1: no column is named question"),
        ("a.csv", b'question\nWho?\n"How', "line 3 is not CSV"),
        ("a.jsonl", b'{"question": "Who?"}\n{"question": \n', "line 2: it is not JSON"),
        ("a.jsonl", b'{"question": "Who?"}\n["How?"]\n', "line 2 has no text in the field question"),
        ("a.docx", b"Who?", "does not end in .txt"),
        ("a.txt", None, "No such file"),
    ],
)
def test_a_file_that_cannot_be_used_is_complained_of_by_its_line(
    tmp_path: Path, name: str, data: bytes | None, complaint: str
) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(QuestionError, match=complaint) as raised:
        read_question_file(tmp_path / name)
    assert raised.value.hint


@pytest.mark.parametrize(
    ("name", "data", "line"),
    [
        ("a.txt", b"Who paid?\n?\nHow long?\n", 2),
        ("a.csv", b"id,question\n1,Who paid?\n2,\n3,How long?\n", 3),
        ("a.jsonl", b'{"question": "Who paid?"}\n{"question": "..."}\n{"question": "How long?"}\n', 2),
    ],
)
def test_a_line_without_words_is_skipped_and_reported(tmp_path: Path, name: str, data: bytes, line: int) -> None:
    (tmp_path / name).write_bytes(data)
    skipped: list[str] = []
    assert read_question_file(tmp_path / name, skipped.append) == ("Who paid?", "How long?")
    assert len(skipped) == 1
    assert skipped[0].startswith(f"line {line} of ")
