"""Reads a file of questions: one question per line, a CSV column, or a field of JSON lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from investigator.errors import QuestionError
from investigator.services.run_records import valid_question

MOST_BYTES = 10_000_000
_COLUMN = "question"
_SHOWN = 40  # maximum number of characters shown of a skipped line
_HINT = (
    'Write one question per line (.txt), a column named question (.csv), or lines like {"question": "..."} (.jsonl).'
)

Numbered = Iterator[tuple[int, str]]
"""Questions with their line numbers, counted from 1."""


def read_question_file(file: Path, on_skipped: Callable[[str], None] = lambda _: None) -> tuple[str, ...]:
    """Return the questions of a .txt, .csv or .jsonl file, each once, in order.

    Empty lines, and lines of a .txt file that begin with `#`, are skipped. A line without any word, such as `?`, is
    skipped with a message to `on_skipped`.

    Raises QuestionError if a line is not a question (the message gives the line number), or if the file contains no
    questions.
    """
    rows = _FORMATS.get(file.suffix.lower())
    if rows is None:
        raise QuestionError(
            f"{file} is not a file of questions: its name does not end in {', '.join(_FORMATS)}", hint=_HINT
        )
    questions: dict[str, str] = {}
    for number, words in rows(_text(file)):
        if not any(map(str.isalnum, words)):
            on_skipped(f"line {number} of {file} is skipped: it contains no words ({words.strip()[:_SHOWN]!r})")
            continue
        try:
            question = valid_question(words)
        except QuestionError as error:
            raise QuestionError(f"line {number} of {file}: {error.message}", hint=_HINT) from error
        questions.setdefault(" ".join(question.split()), question)
    if not questions:
        raise QuestionError(f"the file {file} contains no question", hint=_HINT)
    return tuple(questions.values())


def _text(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise QuestionError(f"the file {file} cannot be read: {error.strerror}", hint=_HINT) from error
    if len(data) > MOST_BYTES:
        raise QuestionError(f"the file {file} has more than {MOST_BYTES:,} bytes", hint="Split it into several files.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise QuestionError(f"line {line} of {file} is not UTF-8 text", hint="Save the file as UTF-8.") from error


def _lines(text: str) -> Numbered:
    return ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())


def _plain_lines(text: str) -> Numbered:
    return ((number, line) for number, line in _lines(text) if not line.lstrip().startswith("#"))


def _columns(text: str) -> Numbered:
    """Yield the `question` column; the header shows whether commas, semicolons or tabs separate the columns."""
    heading = text.partition("\n")[0]
    delimiter = max(",;\t", key=heading.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: list[str] = []
    try:
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if not names:
                names = [cell.strip().lower() for cell in row]
                if _COLUMN not in names:
                    raise QuestionError(f"line {rows.line_num}: no column is named {_COLUMN}", hint=_HINT)
                continue
            place = names.index(_COLUMN)
            yield rows.line_num, row[place] if place < len(row) else ""
    except csv.Error as error:
        raise QuestionError(f"line {rows.line_num} is not CSV: {error}", hint=_HINT) from error


def _json_lines(text: str) -> Numbered:
    for number, line in _lines(text):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise QuestionError(f"line {number} is not JSON: {error}", hint=_HINT) from error
        question = row.get(_COLUMN) if isinstance(row, dict) else None
        if not isinstance(question, str):
            raise QuestionError(f"line {number} has no text in the field {_COLUMN}", hint=_HINT)
        yield number, question


_FORMATS: Mapping[str, Callable[[str], Numbered]] = {".txt": _plain_lines, ".csv": _columns, ".jsonl": _json_lines}
