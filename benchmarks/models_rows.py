"""The questions of `models.py`, and the row that each side's answer to one of them becomes."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path

from investigator.evaluation.answer_text import number_recall, says
from investigator.evaluation.lines import RecordFile
from investigator.evaluation.questions import Question
from investigator.files.text_lines import json_rows
from investigator.records import AnswerStatus, Quote, Record, Statement, Support

LONG_KINDS = ("comparison", "contradiction", "count", "list", "mention", "summary", "trend", "why")
SURVEY_KINDS = ("list", "mention")
TABLE_KINDS = ("table_cell", "table_difference", "table_near_miss")
_SHORT = 5
"""Number of words up to which a known answer is looked for in an answer; longer ones are left to the judge."""
MARK = re.compile(r"\s?\[(\d+(?:, ?\d+)*)\]")
"""Matches citation numbers, such as [2] and [1, 3]."""


class Side(StrEnum):
    """The compared sides: the method as shipped, the same without reading small folders whole, and one prompt."""

    ASK = "ask"
    SEARCHED = "ask, whole_tokens=0"
    ONE_PROMPT = "one prompt"

    @property
    def overrides(self) -> tuple[str, ...]:
        """Return the settings of this side."""
        return ("research.whole_tokens=0",) if self is Side.SEARCHED else ()


class SetQuestion(Question):
    """A question of a set. `set` names the set whose folder it is about, `twin` the question that resembles it."""

    set: str = ""
    twin: str = ""


class Task(Record):
    """One question for one side. `group` names the table in which it is counted."""

    group: str
    folder: Path
    side: Side
    question: SetQuestion

    @property
    def key(self) -> tuple[str, str, str]:
        """Return what tells the task apart from the others."""
        return self.group, self.question.id, self.side


class ShownQuote(Record):
    """A quote as the row gives it."""

    document: str
    text: str
    page: int | None = None


class ShownStatement(Record):
    """A statement as the row gives it; see `Statement`."""

    text: str
    head: str = ""
    support: Support
    reason: str = ""
    notes: tuple[str, ...] = ()
    quotes: tuple[ShownQuote, ...] = ()


class Row(Record):
    """One side's answer to one question, with what is known of the right answer.

    `text` is the answer as shown. `sources` are the places of its citations, in the order of their numbers, and
    `documents` the documents that it names as belonging to the answer. `is_right` is True if it contains a known short
    answer; None means that a person must judge it. `standing` counts the quotes that were found in the documents.
    """

    group: str
    set: str
    id: str
    side: Side
    kind: str = ""
    question: str
    answerable: bool
    gold: tuple[str, ...] = ()
    key_points: tuple[str, ...] = ()
    right_documents: tuple[str, ...] = ()
    model: str = ""
    run_id: str = ""
    status: AnswerStatus | None = None
    reason: str = ""
    text: str = ""
    sources: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    statements: tuple[ShownStatement, ...] = ()
    withheld: tuple[ShownStatement, ...] = ()
    not_stated: tuple[str, ...] = ()
    quotes: int = 0
    standing: int = 0
    rounds: int = 0
    is_right: bool | None = None
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    failure: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """Return the key of the task that this row is the outcome of."""
        return self.group, self.id, self.side

    @property
    def tokens(self) -> int:
        """Return the sum of input and output tokens."""
        return self.input_tokens + self.output_tokens

    @property
    def is_answered(self) -> bool:
        """Return True if the question is called answered; conflicting values count as an answer."""
        return self.status in (AnswerStatus.ANSWERED, AnswerStatus.CONFLICTING)

    @property
    def is_silent(self) -> bool:
        """Return True if nothing is claimed to answer the question."""
        silent = (AnswerStatus.NOT_FOUND, AnswerStatus.NOT_FOUND_SO_FAR, AnswerStatus.PREMISE_WRONG)
        return self.status in silent

    @property
    def unsupported(self) -> int:
        """Return the number of shown statements of which a check did not support all."""
        supported = (Support.VERBATIM, Support.SUPPORTED)
        return sum(statement.support not in supported for statement in self.statements)


def blank_row(task: Task, model: str) -> Row:
    """Return the row of a task that has not been asked yet."""
    question = task.question
    return Row(
        group=task.group,
        set=question.set,
        id=question.id,
        side=task.side,
        kind=question.kind or "",
        question=question.wording,
        answerable=bool(question.answerable),
        gold=question.answers or (),
        key_points=tuple(point.text for point in question.key_points or () if point.text),
        right_documents=question.doc_ids or (),
        model=model,
    )


def shown_statement(statement: Statement) -> ShownStatement:
    """Return a statement in the form of a row."""
    return ShownStatement(
        text=statement.text,
        head=statement.head,
        support=statement.support,
        reason=statement.reason,
        notes=statement.notes,
        quotes=tuple(shown_quote(quote) for quote in statement.quotes),
    )


def shown_quote(quote: Quote) -> ShownQuote:
    """Return a quote in the form of a row."""
    return ShownQuote(document=quote.document_id, text=quote.text, page=quote.page)


def right_by_text(question: Question, text: str) -> bool | None:
    """Return True if a text contains the known numbers or a known short answer, otherwise None: a person must judge."""
    bare = MARK.sub("", text)
    if question.key_numbers:
        return number_recall(bare, question.key_numbers) == 1 or None
    short = (answer for answer in question.answers or () if len(answer.split()) <= _SHORT)
    return any(says(bare, answer) for answer in short) or None


def near_miss_pairs(sets: Path, split: str) -> list[tuple[SetQuestion, SetQuestion]]:
    """Return the pairs of near misses, the answerable one first."""
    rows = {row.id: row for _, row in json_rows(sets / "near_miss" / f"near_miss.{split}.jsonl", SetQuestion)}
    return [(row, rows[row.twin]) for row in rows.values() if row.answerable and row.twin in rows]


def synthesis_rows(sets: Path, split: str, kinds: Iterable[str]) -> list[SetQuestion]:
    """Return the questions of these kinds that need several sentences, tables or documents."""
    wanted = frozenset(kinds)
    every = json_rows(sets / "synthesis" / f"synthesis.{split}.jsonl", SetQuestion)
    return [row for _, row in every if row.kind in wanted]


def folder_questions(folder: Path, split: str) -> list[SetQuestion]:
    """Return the questions of a folder such as those of `everyday`."""
    every = json_rows(folder / f"questions.{split}.jsonl", SetQuestion)
    return [row.changed(set=folder.name) for _, row in every]


Item = SetQuestion | tuple[SetQuestion, SetQuestion]


def drawn(items: Sequence[Item], count: int, seed: int) -> list[SetQuestion]:
    """Return the questions of up to `count` items, drawn at random by a seed; a pair is one item."""
    chosen = random.Random(seed).sample(list(items), min(count, len(items)))
    return [question for item in chosen for question in (item if isinstance(item, tuple) else (item,))]


def kept_rows(file: Path) -> list[Row]:
    """Return the rows of a file; the last one counts if a question was asked again after a failure."""
    return list({row.key: row for row in RecordFile(file, Row, "an answer").read()}.values())


def keep_row(file: Path, row: Record) -> None:
    """Append a row to a file."""
    RecordFile(file, Record, "a row").append(row)
