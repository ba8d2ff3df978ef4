"""One tiny example for each role, with the criteria for a sensible reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from investigator.bb3.records import Module, PhraseReply, Speaker, Turn, TurnsVariables
from investigator.engines.roles import Role
from investigator.records import (
    AnswerReply,
    AnswerVariables,
    AskReply,
    AskVariables,
    CheckedStatement,
    CheckReply,
    CheckVariables,
    DocumentReply,
    EvidenceDocument,
    EvidencePassage,
    EvidenceSpan,
    Memory,
    PlanDocument,
    PlanReply,
    PlanVariables,
    Record,
    ReflectVariables,
    ShownDocument,
    ShownPassage,
    Verdict,
)

SENDS: Mapping[Role, str] = {
    Role.PLAN: "the question, document titles, the beginnings of passages, and the replies so far",
    Role.ASK: "questions, and passages of the documents",
    Role.REFLECT: "questions, and the replies so far",
    Role.ANSWER: "the question, quotes from the documents with the text around them, and the replies so far",
    Role.CHECK: "the question, the answer, and its quotes with the text around them",
    Role.CHAT: "the conversation, its memories, and passages of the documents",
}
"""The data that an investigation or conversation sends to the engine of a role."""

_QUESTION = "How high is the annual rent of the boathouse?"
_MISSION = "Answer from the documents alone."
_STRATEGY = "Look for stated rents."
_DOCUMENT = "lease.txt"
_TITLE = "Lease of the boathouse"
_ANSWER = "The annual rent of the boathouse is EUR 4,800."
_WITH_ANSWER = f"{_ANSWER} It is payable on 1 March."
_WITHOUT = "The lighthouse was painted white in 1911 by two brothers from the village."
_EVIDENCE = "E1"


def _ask(text: str, match: float) -> AskVariables:
    passage = ShownPassage(text=text, start=0, match=match)
    document = ShownDocument(document_id=_DOCUMENT, title=_TITLE, question=_QUESTION, whole=True, passages=(passage,))
    return AskVariables(main_question=_QUESTION, mission=_MISSION, documents=(document,))


_PLAN = PlanVariables(
    question=_QUESTION,
    mission=_MISSION,
    strategy=_STRATEGY,
    documents=(PlanDocument(document_id=_DOCUMENT, title=_TITLE, pages=1, passages=(_WITH_ANSWER,), match=0.9),),
    document_count=1,
    step_limit=1,
)
_MEMORY = Memory(
    id=1, target_document_id=_DOCUMENT, question=_QUESTION, reply=_ANSWER, point=95, verdict=Verdict.ANSWERS
)
_REFLECT = ReflectVariables(question=_QUESTION, mission=_MISSION, parts=(_QUESTION,), memories=(_MEMORY,))
_EVIDENCE_DOCUMENT = EvidenceDocument(
    document_id=_DOCUMENT,
    title=_TITLE,
    passages=(EvidencePassage(spans=(EvidenceSpan(text=_ANSWER, id=_EVIDENCE),)),),
)
_ANSWER_FROM = AnswerVariables(
    question=_QUESTION, mission=_MISSION, parts=(_QUESTION,), documents=(_EVIDENCE_DOCUMENT,), read=1, total=1
)
_CHECK = CheckVariables(
    question=_QUESTION,
    parts=(_QUESTION,),
    statements=(CheckedStatement(number=1, text=_ANSWER, evidence=(_EVIDENCE,), verbatim=True),),
    documents=(_EVIDENCE_DOCUMENT,),
    read=1,
    total=1,
)
_CHAT = TurnsVariables(turns=(Turn(speaker=Speaker.PARTNER, text=_QUESTION),))

EXAMPLES: Mapping[Role, tuple[str, tuple[Record, ...]]] = {
    Role.PLAN: ("planner/plan", (_PLAN,)),
    Role.ASK: ("query/ask", (_ask(_WITH_ANSWER, 0.9), _ask(_WITHOUT, 0.05))),
    Role.REFLECT: ("reflection/reflect", (_REFLECT,)),
    Role.ANSWER: ("answer/answer", (_ANSWER_FROM,)),
    Role.CHECK: ("answer/check", (_CHECK,)),
    Role.CHAT: (Module.SGM.template, (_CHAT,)),
}
"""The template and the variables of each role's example; `ask` gets a passage that contains the answer, and one that
does not.
"""


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
