"""Reads and writes the outline of a report as plain Markdown: a heading per part, and its questions as a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from investigator.errors import QuestionError
from investigator.files.text_lines import text_lines
from investigator.records import Investigation, OutlinePart
from investigator.research.report import distinct_parts
from investigator.services.run_records import valid_question

MOST_PARTS = 60
_HINT = "Write one heading per line, and below it its questions, if any, each on a line that begins with -."
_LINE = re.compile(r"\s*(#+|[-*+]|\d{1,3}[.)](?!\d)|)\s*(.*)", re.DOTALL)
_BULLETS = ("-", "*", "+")


def read_outline(file: Path) -> tuple[OutlinePart, ...]:
    """Return the parts of the outline in a file. Raises QuestionError as `outline_in`, or if it is not text."""
    return _outline_in(text_lines(file, QuestionError), str(file))


def outline_in(text: str) -> tuple[OutlinePart, ...]:
    """Return the parts of the outline in a text; none if it is blank. A line that begins with `#`, a number or no mark
    is a heading; another line that is indented, or begins with `-`, is a question. Lines without words are skipped.

    Raises QuestionError if there is no heading, or too many, or a line is too long.
    """
    return _outline_in(enumerate(text.splitlines(), start=1), "the outline") if text.strip() else ()


def _outline_in(numbered: Iterable[tuple[int, str]], called: str) -> tuple[OutlinePart, ...]:
    parts: list[OutlinePart] = []
    for number, line in numbered:
        mark, text = _LINE.fullmatch(line).groups()  # type: ignore[union-attr]
        if not any(map(str.isalnum, text)):
            continue
        try:
            words = valid_question(text, "line")
        except QuestionError as error:
            raise QuestionError(f"{called}, line {number}: {error.message}", hint=_HINT) from error
        if parts and (mark in _BULLETS or (line[0].isspace() and not mark.startswith("#"))):
            parts[-1] = parts[-1].changed(questions=(*parts[-1].questions, words))
        else:
            parts.append(OutlinePart(heading=words))
    return valid_outline(parts, called)


def valid_outline(parts: Sequence[OutlinePart], called: str = "the outline") -> tuple[OutlinePart, ...]:
    """Return the parts, those with the same heading as one. Raises QuestionError if there are none or too many."""
    distinct = distinct_parts(parts)
    if not distinct:
        raise QuestionError(f"{called} contains no heading", hint=_HINT)
    if len(distinct) > MOST_PARTS:
        raise QuestionError(
            f"{called} has {len(distinct):,} headings; the limit is {MOST_PARTS}",
            hint="Write several reports, or make some headings questions of others.",
        )
    return distinct


def outline_text(parts: Sequence[OutlinePart]) -> str:
    """Return an outline as `read_outline` reads it."""
    return "\n".join("\n- ".join((f"## {part.heading}", *part.questions)) + "\n" for part in parts)


def outline_of(report: Investigation) -> tuple[OutlinePart, ...]:
    """Return the outline of a report."""
    sections = report.answer.sections if report.answer is not None else ()
    return tuple(OutlinePart(heading=section.heading, questions=section.questions) for section in sections)
