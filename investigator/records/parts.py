"""What a question asks: its parts, what binds each, and how evidence meets that."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.records.base import Record
from investigator.records.documents import Quote


class ConstraintKind(StrEnum):
    """What a constraint binds."""

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
    """One of the questions that a question holds, complete by itself, and what evidence for it must meet."""

    question: str = Field(min_length=1)
    constraints: tuple[Constraint, ...] = ()


class MatchState(StrEnum):
    """Whether evidence meets a constraint."""

    MET = "met"
    NOT_MET = "not_met"
    CONTRADICTED = "contradicted"


class ConstraintMatch(Record):
    """Whether evidence meets a constraint, and the words that show it: of the evidence, or of what surrounds it."""

    constraint: Constraint
    state: MatchState
    words: str = ""


class NearMiss(Record):
    """A quote that meets most of what a part of a question asks, and what it does not meet."""

    part: str = Field(description="the part of the question")
    quote: Quote
    failing: tuple[ConstraintMatch, ...] = Field(min_length=1)
    says_opposite: bool = Field(default=False, description="the quote corrects what the question takes for granted")


class OpenPart(Record):
    """A part of the question that stayed unanswered, and the wordings that the documents were searched for."""

    question: str
    searched: tuple[str, ...] = ()
