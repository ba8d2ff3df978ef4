"""The analysis of a question: its parts, their constraints, and the evidence that meets them."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.records.base import Record
from investigator.records.documents import Quote


class QuestionKind(StrEnum):
    """The kind of answer that a question asks for; it determines the plan.

    fact: something that a sentence or a cell says; which_documents, list, count: a decision on each document of the
    folder; comparison: the same fact about several sides; trend: the same fact over time; contradiction: a check that
    statements agree; why: a cause; summary: the main content of a text; yes_no: a yes-or-no question.
    """

    FACT = "fact"
    WHICH = "which_documents"
    LIST = "list"
    COUNT = "count"
    COMPARISON = "comparison"
    TREND = "trend"
    CONTRADICTION = "contradiction"
    WHY = "why"
    SUMMARY = "summary"
    YES_NO = "yes_no"

    @property
    def is_exhaustive(self) -> bool:
        """Return True if the answer requires a decision on every document of the folder."""
        return self in (QuestionKind.WHICH, QuestionKind.LIST, QuestionKind.COUNT)

    @property
    def is_side_by_side(self) -> bool:
        """Return True if the answer compares sides, periods or documents."""
        return self in (QuestionKind.COMPARISON, QuestionKind.TREND)


class ConstraintKind(StrEnum):
    """The kind of thing that a constraint refers to."""

    ATTRIBUTE = "attribute"
    ANSWER_TYPE = "answer_type"
    ENTITY = "entity"
    PERIOD = "period"
    PLACE = "place"
    CONDITION = "condition"
    QUANTITY = "quantity"
    MODALITY = "modality"
    DIRECTION = "direction"
    ROLE = "role"
    PHASE = "phase"


class Constraint(Record):
    """A condition that evidence must meet, with its kind and the question's words for it."""

    kind: ConstraintKind
    text: str = Field(min_length=1)


class Part(Record):
    """One of the questions that a question contains, complete by itself, and the constraints on its evidence.

    `side` names its side if the question compares several things.
    """

    question: str = Field(min_length=1)
    side: str = ""
    constraints: tuple[Constraint, ...] = ()


class MatchState(StrEnum):
    """The state of a constraint: met, not met, or contradicted by the evidence."""

    MET = "met"
    NOT_MET = "not_met"
    CONTRADICTED = "contradicted"


class ConstraintMatch(Record):
    """A constraint and its state, with the words of the evidence or its surroundings that show the state."""

    constraint: Constraint
    state: MatchState
    words: str = ""


class NearMiss(Record):
    """A quote that meets most constraints of a part of a question, and the constraints that it does not meet."""

    part: str = Field(description="the part of the question")
    quote: Quote
    failing: tuple[ConstraintMatch, ...] = Field(min_length=1)
    says_opposite: bool = Field(default=False, description="the quote corrects an assumption of the question")


class MissingEdition(Record):
    """A document that the question asks for but the folder does not contain, identified by its period or name.

    `nearest` are the most similar documents.
    """

    asked: str
    nearest: tuple[str, ...] = ()


class OpenPart(Record):
    """An unanswered part of the question, and the wordings that were searched for."""

    question: str
    searched: tuple[str, ...] = ()


class RowVerdict(StrEnum):
    """The verdict of a table row.

    yes: a quote shows it; no: the document was searched, and nothing in it shows it; unclear: a quote may show it;
    missing: nothing was found for the row.
    """

    YES = "yes"
    NO = "no"
    UNCLEAR = "unclear"
    MISSING = "missing"


class TableRow(Record):
    """One row of an answer: a document, side or period, with its result and the quotes that support it."""

    label: str = Field(min_length=1)
    document_id: str = ""
    verdict: RowVerdict
    value: str = Field(default="", description="contents of the cell: words of a quote, or a statement that it proves")
    quotes: tuple[Quote, ...] = ()
    missing: tuple[str, ...] = Field(default=(), description="words of the question that the quotes do not contain")


class AnswerTable(Record):
    """An answer as a table: a row for each document, or for each side or period. `asked` describes the cells."""

    asked: str
    rows: tuple[TableRow, ...] = ()

    @property
    def is_of_documents(self) -> bool:
        """Return True if the rows are the documents of the folder, each with a verdict."""
        return all(row.label == row.document_id for row in self.rows)

    def with_verdict(self, *verdicts: RowVerdict) -> tuple[TableRow, ...]:
        """Return the rows with one of the given verdicts."""
        return tuple(row for row in self.rows if row.verdict in verdicts)
