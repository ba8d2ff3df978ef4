"""The analysis of a question: its parts, their constraints, and how evidence meets them."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.records.base import Record
from investigator.records.documents import Quote


class QuestionKind(StrEnum):
    """The kind of answer that a question asks for; the plan depends on it.

    fact: something that a sentence or a cell says; which_documents, list, count: a decision on each document of the
    folder; comparison: the same of several sides; trend: the same over time; contradiction: whether
    statements agree; why: a cause; summary: what a text says on the whole; yes_no: a yes-or-no question.
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
        """Return True if every document of the folder must be decided."""
        return self in (QuestionKind.WHICH, QuestionKind.LIST, QuestionKind.COUNT)

    @property
    def is_side_by_side(self) -> bool:
        """Return True if the answer puts sides, periods or documents side by side."""
        return self in (QuestionKind.COMPARISON, QuestionKind.TREND)


class ConstraintKind(StrEnum):
    """The kind of thing that a constraint binds."""

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


class Constraint(Record):
    """One thing that evidence must be about to answer: its kind, and the words of the question for it."""

    kind: ConstraintKind
    text: str = Field(min_length=1)


class Part(Record):
    """One of the questions that a question holds, complete by itself, and what evidence for it must meet.

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
    """The match of a constraint, and the words that show it: of the evidence, or of what surrounds it."""

    constraint: Constraint
    state: MatchState
    words: str = ""


class NearMiss(Record):
    """A quote that meets most constraints of a part of a question, and those that it does not meet."""

    part: str = Field(description="the part of the question")
    quote: Quote
    failing: tuple[ConstraintMatch, ...] = Field(min_length=1)
    says_opposite: bool = Field(default=False, description="the quote corrects what the question takes for granted")


class MissingEdition(Record):
    """A document that the question asks for and the folder does not hold: one of another period, or of another name.

    `nearest` are the documents that come next to it.
    """

    asked: str
    nearest: tuple[str, ...] = ()


class OpenPart(Record):
    """A part of the question that stayed unanswered, and the wordings that the documents were searched for."""

    question: str
    searched: tuple[str, ...] = ()


class RowVerdict(StrEnum):
    """The verdict of a row of a table.

    yes: a quote shows it; no: the document was searched, and nothing in it does; unclear: a quote may show it;
    missing: nothing was found for the row.
    """

    YES = "yes"
    NO = "no"
    UNCLEAR = "unclear"
    MISSING = "missing"


class TableRow(Record):
    """One row of an answer: a document, or a side or period, with what is found for it and the quotes that show it."""

    label: str = Field(min_length=1)
    document_id: str = ""
    verdict: RowVerdict
    value: str = Field(default="", description="what stands in the cell: words of a quote, or a statement it proves")
    quotes: tuple[Quote, ...] = ()
    missing: tuple[str, ...] = Field(default=(), description="words of the question that the quotes do not hold")


class AnswerTable(Record):
    """An answer as a table, `asked` is what its cells answer: a row for each document, or for each side or period."""

    asked: str
    rows: tuple[TableRow, ...] = ()

    @property
    def is_of_documents(self) -> bool:
        """Return True if the rows are the documents of the folder, each decided."""
        return all(row.label == row.document_id for row in self.rows)

    def with_verdict(self, *verdicts: RowVerdict) -> tuple[TableRow, ...]:
        """Return the rows that say so."""
        return tuple(row for row in self.rows if row.verdict in verdicts)
