"""Reads and writes the outline of a report as plain Markdown: a heading per part, and its questions as a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from investigator.errors import QuestionError
from investigator.files.text_lines import text_lines
from investigator.records import Investigation, OutlinePart
from investigator.services.run_records import valid_question

MOST_PARTS = 60
_HINT = "Write one heading per line, and below it its questions, if any, each on a line that begins with -."
_LINE = re.compile(r"(?P<indent>\s*)(?P<mark>#+|[-*+]|\d{1,3}[.)])?\s*(?P<text>.*)")


def read_outline(file: Path) -> tuple[OutlinePart, ...]:
    """Return the parts of the outline in a file. Raises QuestionError as `parsed_outline`, or if it is not text."""
    return parsed_outline(text_lines(file, QuestionError), str(file))


def outline_in(text: str) -> tuple[OutlinePart, ...]:
    """Return the parts of the outline in a text; none if it is blank. Raises QuestionError as `parsed_outline`."""
    return parsed_outline(enumerate(text.splitlines(), start=1)) if text.strip() else ()


def parsed_outline(numbered: Iterable[tuple[int, str]], called: str = "the outline") -> tuple[OutlinePart, ...]:
    """Return the parts of an outline, given its lines with their numbers: a line that begins with `#` or with no mark
    is a heading; list items and indented lines are questions. In an outline of nothing but list items, those that are
    not indented are headings. Lines without words are skipped.

    Raises QuestionError if there is no heading or too many, or a line is no question.
    """
    lines = [(number, *_parsed(line)) for number, line in numbered]
    lines = [line for line in lines if any(map(str.isalnum, line[-1]))]
    is_list = all(is_item for _, is_item, _, _ in lines)
    parts: list[OutlinePart] = []
    for number, is_item, is_indented, text in lines:
        try:
            words = " ".join(valid_question(text, "line").split())
        except QuestionError as error:
            raise QuestionError(f"{called}, line {number}: {error.message}", hint=_HINT) from error
        if parts and (is_indented or (is_item and not is_list)):
            parts[-1] = parts[-1].changed(questions=(*parts[-1].questions, words))
        else:
            parts.append(OutlinePart(heading=words))
    return valid_outline(parts, called)


def valid_outline(parts: Sequence[OutlinePart], called: str = "the outline") -> tuple[OutlinePart, ...]:
    """Return the parts, each once. Raises QuestionError if there are none or too many."""
    distinct = tuple(dict.fromkeys(parts))
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
    return "\n".join(_lines(parts))


def outline_of(report: Investigation) -> tuple[OutlinePart, ...]:
    """Return the outline of a report."""
    sections = report.answer.sections if report.answer is not None else ()
    return tuple(OutlinePart(heading=section.heading, questions=section.questions) for section in sections)


def _lines(parts: Sequence[OutlinePart]) -> Iterator[str]:
    for part in parts:
        yield f"## {part.heading}"
        yield from (f"- {question}" for question in part.questions)
        yield ""


def _parsed(line: str) -> tuple[bool, bool, str]:
    """Return True if a line is a list item, True if it is indented, and its text."""
    parsed = _LINE.fullmatch(line.rstrip())
    if parsed is None:  # it contains an odd line separator
        return False, False, line
    mark = parsed["mark"] or ""
    is_heading = mark.startswith("#")
    return bool(mark) and not is_heading, bool(parsed["indent"]) and not is_heading, parsed["text"]
