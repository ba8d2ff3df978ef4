"""Reads a file of questions: one question per line, a CSV column, or a field of JSON lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from investigator.errors import QuestionError, in_words
from investigator.files.text_lines import decoded, json_lines, text_lines
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
    if file.is_file() and file.stat().st_size > MOST_BYTES:
        raise QuestionError(f"the file {file} has more than {MOST_BYTES:,} bytes", hint="Split it into several files.")
    try:
        numbered = list(rows(file))
    except QuestionError as error:
        raise QuestionError(error.message, hint=_HINT if error.hint == error.default_hint else error.hint) from error
    questions: dict[str, str] = {}
    for number, words in numbered:
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


def _plain_lines(file: Path) -> Numbered:
    return ((number, line) for number, line in text_lines(file, QuestionError) if not line.lstrip().startswith("#"))


def _columns(file: Path) -> Numbered:
    """Yield the `question` column; the header shows whether commas, semicolons or tabs separate the columns."""
    try:
        text = decoded(file, file.read_bytes(), error=QuestionError)
    except OSError as error:
        raise QuestionError(f"the file {file} cannot be read: {in_words(error)}") from error
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
                    raise QuestionError(f"line {rows.line_num}: no column is named {_COLUMN}")
                continue
            place = names.index(_COLUMN)
            yield rows.line_num, row[place] if place < len(row) else ""
    except csv.Error as error:
        raise QuestionError(f"line {rows.line_num} is not CSV: {error}") from error


def _json_questions(file: Path) -> Numbered:
    for number, _, row in json_lines(file, QuestionError):
        question = row.get(_COLUMN) if isinstance(row, dict) else None
        if not isinstance(question, str):
            raise QuestionError(f"line {number} has no text in the field {_COLUMN}")
        yield number, question


_FORMATS: Mapping[str, Callable[[Path], Numbered]] = {".txt": _plain_lines, ".csv": _columns, ".jsonl": _json_questions}
