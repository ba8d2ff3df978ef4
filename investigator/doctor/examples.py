"""One tiny example for each role, with the criteria for a sensible reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from investigator.bb3.records import KnowledgeReply, Module, PassagesVariables, Speaker, Turn
from investigator.engines.roles import Role
from investigator.records import (
    AnswerReply,
    AnswerVariables,
    AskReply,
    AskVariables,
    DocumentCard,
    Evidence,
    Memory,
    Need,
    Passage,
    PlanReply,
    PlanVariables,
    Record,
    ReflectReply,
    ReflectVariables,
    TermFrequency,
    ThinkReply,
    ThinkVariables,
)

SENDS: Mapping[Role, str] = {
    Role.THINK: "the question, the mission and strategy, and the titles of documents",
    Role.PLAN: "the question, document titles, the beginnings of passages, and the replies so far",
    Role.ASK: "questions, and passages of the documents",
    Role.REFLECT: "questions, replies and quotes so far",
    Role.ANSWER: "the question, and quotes from the documents",
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
_NEED = Need(term="annual rent of the boathouse", reason="The question asks for it.")
_EVIDENCE = "E1"


def _passage(text: str, match: float) -> Passage:
    return Passage(
        document_id=_DOCUMENT,
        start=0,
        end=len(text),
        text=text,
        line=1,
        score=match,
        similarity=match,
        overlap=match,
        document_match=match,
    )


_CARD = DocumentCard(document_id=_DOCUMENT, title=_TITLE, pages=1, match=0.9, snippet=_WITH_ANSWER)


def _ask(passage: Passage) -> AskVariables:
    return AskVariables(
        main_question=_QUESTION,
        mission=_MISSION,
        sub_question=_QUESTION,
        document_id=_DOCUMENT,
        document_title=_TITLE,
        needs=(_NEED,),
        passages=(passage,),
    )


_THINK = ThinkVariables(
    question=_QUESTION,
    mission=_MISSION,
    strategy=_STRATEGY,
    documents=(_CARD,),
    document_count=1,
    term_frequencies=(TermFrequency(term="rent", document_share=1.0),),
)
_PLAN = PlanVariables(
    question=_QUESTION,
    mission=_MISSION,
    strategy=_STRATEGY,
    needs=(_NEED,),
    documents=(_CARD,),
    history=(),
    unknown_infos=(),
    past_strategies=(),
    step_limit=1,
)
_MEMORY = Memory(id=1, target_document_id=_DOCUMENT, question=_QUESTION, reply=_ANSWER, point=95)
_REFLECT = ReflectVariables(question=_QUESTION, mission=_MISSION, needs=(_NEED,), memories=(_MEMORY,))
_FOUND = Evidence(id=_EVIDENCE, text=_ANSWER, document_id=_DOCUMENT, place=f"{_DOCUMENT}, line 1", point=95)
_CHAT = PassagesVariables(
    turns=(Turn(speaker=Speaker.PARTNER, text=_QUESTION),), passages=(_passage(_WITH_ANSWER, 0.9),)
)

EXAMPLES: Mapping[Role, tuple[str, tuple[Record, ...]]] = {
    Role.THINK: ("critical_thinking/think", (_THINK,)),
    Role.PLAN: ("planner/plan", (_PLAN,)),
    Role.ASK: ("query/ask", (_ask(_passage(_WITH_ANSWER, 0.9)), _ask(_passage(_WITHOUT, 0.05)))),
    Role.REFLECT: ("reflection/reflect", (_REFLECT,)),
    Role.ANSWER: (
        "answer/answer",
        (AnswerVariables(question=_QUESTION, mission=_MISSION, evidence=(_FOUND,), unknown_infos=()),),
    ),
    Role.CHAT: (Module.SKM.template, (_CHAT,)),
}
"""The template and the variables of each role's example; `ask` gets a passage that contains the answer, and one that
does not.
"""


def doubt(replies: Sequence[Record]) -> str:
    """Return the problem with the replies to an example, or ""."""
    match replies[0]:
        case AskReply() as reply:
            return _doubt_about_points([reply, *(other for other in replies[1:] if isinstance(other, AskReply))])
        case ThinkReply(needs=()):
            return "it names nothing that must be known"
        case PlanReply(steps=steps) if _DOCUMENT not in {step.document_id for step in steps}:
            return "its plan leaves out the only document"
        case ReflectReply(knowledge=()):
            return "it repeats nothing from its input"
        case AnswerReply(claims=claims) if _EVIDENCE not in {cited for claim in claims for cited in claim.evidence}:
            return "its answer is not based on the given evidence"
        case KnowledgeReply(sentences=()):
            return "it finds nothing in a passage that contains the answer"
        case _:
            return ""


def _doubt_about_points(replies: Sequence[AskReply]) -> str:
    with_answer, without = (reply.point for reply in replies)
    if with_answer is None or without is None:
        return "it gives no score"
    if with_answer <= without:
        return f"it gives {with_answer} points to a passage with the answer, and {without} to one without it"
    if not any(quote and quote in _WITH_ANSWER for quote in replies[0].quotes):
        return "its quotes are not in the passage"
    return ""
