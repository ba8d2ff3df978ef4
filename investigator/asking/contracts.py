"""What each template of the method is given, and what must come back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from investigator.records import (
    AnswerReply,
    AnswerVariables,
    AskReply,
    AskVariables,
    PlanReply,
    PlanVariables,
    QuestionVariables,
    Record,
    ReflectReply,
    ReflectVariables,
    RepairVariables,
    ThinkReply,
    ThinkVariables,
)


@dataclass(frozen=True)
class Contract:
    """The record of a template's variables and, if an engine answers it, the record of the reply."""

    variables: type[Record]
    reply: type[Record] | None = None


METHOD: Mapping[str, Contract] = {
    "critical_thinking/think": Contract(ThinkVariables, ThinkReply),
    "planner/plan": Contract(PlanVariables, PlanReply),
    "tactical_planning/question": Contract(QuestionVariables),
    "tactical_planning/summary": Contract(QuestionVariables),
    "query/ask": Contract(AskVariables, AskReply),
    "reflection/reflect": Contract(ReflectVariables, ReflectReply),
    "answer/answer": Contract(AnswerVariables, AnswerReply),
    "asking/repair": Contract(RepairVariables),
}
"""The templates of the method, by their names `owner/name`."""
