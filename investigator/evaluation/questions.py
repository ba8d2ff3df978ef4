"""Reads files of questions about a folder, with known facts about their answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from pydantic import AliasChoices, AliasPath, Field, StrictBool, StrictStr

from investigator.errors import DataError
from investigator.evaluation.lines import ForeignRow, RowWithId, rows_by_id
from investigator.files.text_lines import json_lines


class KeyPoint(ForeignRow):
    """A statement that an answer must contain, with the evidence for it and the document that contains the evidence."""

    text: str = ""
    doc_id: str | None = None
    evidence: str | None = None


class Question(RowWithId):
    """One question. Facts about the answer may be missing; measures that need such facts are then omitted."""

    question: StrictStr = Field(min_length=1)
    answers: tuple[str, ...] | None = Field(default=None, description="wordings of the answer")
    answerable: StrictBool | None = Field(default=None, description="True if there are answers")
    doc_ids: tuple[str, ...] | None = Field(default=None, description="the documents that answer the question")
    evidence: tuple[str, ...] | None = Field(default=None, description="sentences from these documents")
    evidence_pages_one_based: tuple[Annotated[int, Field(ge=1)], ...] | None = None
    evidence_pages_zero_based: tuple[Annotated[int, Field(ge=0)], ...] | None = None
    key_numbers: tuple[str, ...] | None = Field(default=None, description="numbers that the answer must contain")
    key_points: tuple[KeyPoint, ...] | None = None
    answer_choices: tuple[str, ...] | None = None
    kind: str | None = None
    scope: str | None = Field(
        default=None,
        validation_alias=AliasChoices("scope", AliasPath("meta", "scope")),
        description="the document that the question is about, if only one",
    )

    @property
    def wording(self) -> str:
        """Return the question as a user would ask it; if it is about one document, it names the document."""
        return f"In {self.scope}: {self.question}" if self.scope else self.question

    @property
    def named_documents(self) -> frozenset[str]:
        """Return the ids of all documents that the row names, even if the question is unanswerable."""
        return frozenset((*(self.doc_ids or ()), *((self.scope,) if self.scope else ())))

    @property
    def documents(self) -> frozenset[str]:
        """Return the ids of the right documents; empty if there are none or they are unknown."""
        if self.answerable is False:
            return frozenset()
        return frozenset(self.doc_ids) if self.doc_ids else self.named_documents

    @property
    def pages(self) -> frozenset[int]:
        """Return the numbers, from 1, of the pages that contain the evidence; empty if unknown."""
        from_zero = (page + 1 for page in self.evidence_pages_zero_based or ())
        return frozenset((*(self.evidence_pages_one_based or ()), *from_zero))


def read_questions(file: Path, on_ignored: Callable[[str], None] = lambda _: None) -> tuple[Question, ...]:
    """Read the questions in a JSONL file; `on_ignored` gets a sentence that names the fields that no question has.
    Raises DataError if a line is invalid, an id is duplicated, or the file has no questions.
    """
    questions = rows_by_id(file, Question, "questions").values()
    for question in questions:
        if not question.question.strip():
            raise DataError(f"{file}: the question {question.id} is empty")
        if question.answers and question.answerable is False:
            raise DataError(f"{file}: the question {question.id} has answers, but is marked as unanswerable")
    rows = (row for _, _, row in json_lines(file) if isinstance(row, dict))
    if ignored := sorted({name for row in rows for name in row} - {*Question.model_fields, "meta"}):
        on_ignored(f"fields of {file} that are not known are ignored: {', '.join(ignored)}")
    return tuple(question.changed(answerable=True) if question.answers else question for question in questions)
