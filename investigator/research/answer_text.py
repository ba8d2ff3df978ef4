"""Writes an answer as Markdown: the answer first, then what the documents do not state. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from investigator.language.addresses import defanged
from investigator.language.normalise import one_line
from investigator.records import (
    Answer,
    Decision,
    Disagreement,
    NotStated,
    Quote,
    Section,
    Statement,
    Support,
    SurveyRow,
)

MOST_MARKS = 8
_MARK = re.compile(r"\[(\d+)\]")
"""Matches a number in brackets, which in a statement's own text would look like a citation."""
_SUPPORT: Mapping[Support, str] = {Support.IN_PART: "supported in part", Support.UNCHECKED: "unchecked"}


def answer_text(answer: Answer) -> str:
    """Return the lead, the details, the table, the sections, what is not stated and the disagreements.

    Citations are numbered from 1 in the order of `answer.citations`. Addresses and markup are escaped.
    """
    numbers = {quote: number for number, quote in enumerate(answer.citations, start=1)}
    blocks = [
        "" if answer.lead is None else _line(answer.lead, numbers),
        "\n".join(f"- {_line(statement, numbers)}" for statement in answer.details),
        "\n".join(_rows(answer.table, numbers)),
        *(block for section in answer.sections for block in _section(section, numbers)),
        "\n".join(f"- {_not_stated(entry, numbers)}" for entry in answer.not_stated),
        "\n".join(f"- {_disagreement(entry, numbers)}" for entry in answer.disagreements),
    ]
    return "\n\n".join(block for block in blocks if block)


def plain(text: str) -> str:
    """Return a text of a document or a model on one line, without active addresses and markup."""
    return _MARK.sub(r"(\1)", one_line(defanged(text)))


def marks_of(quotes: tuple[Quote, ...], numbers: Mapping[Quote, int]) -> str:
    """Return the citation marks of its quotes, at most eight: "[1][2]"."""
    return "".join(f"[{numbers[quote]}]" for quote in quotes[:MOST_MARKS])


def support_note(statement: Statement) -> str:
    """Return how a statement was checked, if that must be said beside it: "supported in part: only two quarters"."""
    word = _SUPPORT.get(statement.support, "")
    return f"{word}: {plain(statement.reason)}" if word and statement.reason else word


def _line(statement: Statement, numbers: Mapping[Quote, int]) -> str:
    head = f"**{plain(statement.head)}**: " if statement.head else ""
    note = support_note(statement)
    marks = marks_of(statement.quotes, numbers)
    return f"{head}{plain(statement.text)}{' ' if marks else ''}{marks}{f' ({note})' if note else ''}"


def _section(section: Section, numbers: Mapping[Quote, int]) -> Iterator[str]:
    yield f"## {plain(section.heading)}"
    yield from (" ".join(_line(statement, numbers) for statement in paragraph) for paragraph in section.paragraphs)
    yield "\n".join(f"- {_line(statement, numbers)}" for statement in section.rows)
    yield plain(section.reason)


def _rows(table: tuple[SurveyRow, ...], numbers: Mapping[Quote, int]) -> Iterator[str]:
    titles = [row.title for row in table]
    for row in table:
        if row.statement is not None and row.decision in (Decision.YES, Decision.UNCLEAR):
            unclear = " (unclear)" if row.decision is Decision.UNCLEAR else ""
            label = row.statement.head or (row.title if titles.count(row.title) == 1 else "") or row.document_id
            statement = row.statement.changed(head="")
            yield f"- **{plain(label)}**{unclear}: {_line(statement, numbers)}"


def _not_stated(entry: NotStated, numbers: Mapping[Quote, int]) -> str:
    marks = marks_of(entry.quotes, numbers)
    return f"Not stated: {plain(entry.text)}{' ' if marks else ''}{marks}"


def _disagreement(entry: Disagreement, numbers: Mapping[Quote, int]) -> str:
    sides = "; ".join(
        f"{plain(side.text)}{f' ({side.date})' if side.date else ''} {marks_of(side.quotes, numbers)}".rstrip()
        for side in entry.sides
    )
    explanation = f" {plain(entry.explanation)}" if entry.explanation else ""
    return f"The documents disagree{f' on {plain(entry.about)}' if entry.about else ''}: {sides}.{explanation}"
