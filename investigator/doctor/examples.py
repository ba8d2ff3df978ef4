"""One tiny example for each role, with the criteria for a sensible reply."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache

from investigator.bb3.records import CONTRACTS, Module, PhraseReply
from investigator.engines.roles import Role
from investigator.records import AnswerReply, AskReply, CheckReply, DocumentReply, PlanReply, Record
from investigator.resources import data_text

SENDS: Mapping[Role, str] = {
    Role.PLAN: "the question, document titles, the beginnings of passages, and the replies so far",
    Role.ASK: "questions, and passages of the documents",
    Role.REFLECT: "questions, and the replies so far",
    Role.ANSWER: "the question, quotes from the documents with the text around them, and the replies so far",
    Role.CHECK: "the question, the answer, and its quotes with the text around them",
    Role.CHAT: "the conversation, its memories, and passages of the documents",
}
"""The data that an investigation or conversation sends to the engine of a role."""

# in data/doctor_examples.json
_DOCUMENT, _EVIDENCE = "lease.txt", "E1"
_WITH_ANSWER = "The annual rent of the boathouse is EUR 4,800. It is payable on 1 March."
_TEMPLATES: Mapping[Role, str] = {
    Role.PLAN: "planner/plan",
    Role.ASK: "query/ask",
    Role.REFLECT: "reflection/reflect",
    Role.ANSWER: "answer/answer",
    Role.CHECK: "answer/check",
    Role.CHAT: Module.SGM.template,
}


@cache
def examples() -> Mapping[Role, tuple[str, tuple[Record, ...]]]:
    """Return the template and the variables of each role's example; `ask` gets a passage that contains the answer, and
    one that does not.
    """
    shipped = json.loads(data_text("doctor_examples.json"))
    return {
        role: (name, tuple(CONTRACTS[name].variables.model_validate(values) for values in shipped[role.value]))
        for role, name in _TEMPLATES.items()
    }


def doubt(replies: Sequence[Record]) -> str:
    """Return what is not sensible about the replies to an example, or ""."""
    match replies[0]:
        case AskReply():
            return _doubt_about_points([reply for reply in replies if isinstance(reply, AskReply)])
        case PlanReply(steps=steps) if _DOCUMENT not in {step.document_id for step in steps}:
            return "its plan leaves out the only document"
        case AnswerReply() as reply if _EVIDENCE not in _cited(reply):
            return "its answer is not based on the given evidence"
        case CheckReply(statements=()):
            return "it checks no statement"
        case PhraseReply(text=""):
            return "it does not know what to search for"
        case _:
            return ""


def _cited(reply: AnswerReply) -> set[str]:
    statements = (*((reply.lead,) if reply.lead is not None else ()), *reply.details)
    return {name for statement in statements for name in statement.evidence}


def _doubt_about_points(replies: Sequence[AskReply]) -> str:
    nothing = DocumentReply(point=0)  # a document that is left out says nothing
    readings = [reply.readings[0] if reply.readings else nothing for reply in replies]
    with_answer, without = (reading.point for reading in readings)
    if with_answer is None or without is None:
        return "it gives no score"
    if with_answer <= without:
        return f"it gives {with_answer} points to a passage with the answer, and {without} to one without it"
    if not any(quote and quote in _WITH_ANSWER for quote in readings[0].quotes):
        return "its quotes are not in the passage"
    return ""
