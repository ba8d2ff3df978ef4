"""The contracts of the method's templates, which define the variables and the expected reply of each template."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from investigator.records import (
    AnswerReply,
    AnswerVariables,
    AskReply,
    AskVariables,
    CheckReply,
    CheckVariables,
    PlanReply,
    PlanVariables,
    QuestionVariables,
    Record,
    ReflectReply,
    ReflectVariables,
    RepairVariables,
    RowReply,
    RowVariables,
)
from investigator.resources import data_text


@dataclass(frozen=True)
class Contract:
    """The record type that holds a template's variables and, if an engine replies to the template, the record type of
    the reply.

    `must_use` lists the variables without which the engine would lack information, and `must_name` lists the field
    names without which its reply could not be parsed.
    """

    variables: type[Record]
    reply: type[Record] | None = None
    must_use: tuple[str, ...] = ()
    must_name: tuple[str, ...] = ()


METHOD: Mapping[str, Contract] = {
    "planner/plan": Contract(
        PlanVariables, PlanReply, ("question", "documents"), ("parts", "scope", "steps", "document_id", "purpose")
    ),
    "tactical_planning/question": Contract(QuestionVariables, must_use=("purpose",)),
    "tactical_planning/summary": Contract(QuestionVariables, must_use=("purpose",)),
    "query/ask": Contract(
        AskVariables,
        AskReply,
        ("main_question", "documents"),
        ("readings", "document", "verdict", "point", "quotes", "reply"),
    ),
    "query/row": Contract(
        RowVariables, RowReply, ("questions", "document"), ("answers", "question", "verdict", "quotes", "answer")
    ),
    "reflection/reflect": Contract(
        ReflectVariables, ReflectReply, ("question", "memories"), ("known", "unknown", "wordings")
    ),
    "answer/answer": Contract(
        AnswerVariables, AnswerReply, ("question", "documents"), ("lead", "details", "text", "evidence", "parts")
    ),
    "answer/check": Contract(
        CheckVariables, CheckReply, ("question", "statements", "documents"), ("statements", "number", "support")
    ),
    "asking/repair": Contract(RepairVariables, must_use=("prompt",)),
}
"""The method's templates, keyed by name (`owner/name`)."""


@cache
def example_of(variables: type[Record]) -> Record:
    """Return example values for the variables of a contract, for display and for testing a template before use."""
    return variables.model_validate(json.loads(data_text("template_examples.json"))[variables.__name__])
