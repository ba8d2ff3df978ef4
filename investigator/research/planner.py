"""Plans which documents to read, and what to ask each of them (seed: generative_agents, "Planner")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from investigator.asking.client import EngineClient
from investigator.asking.fitting import less_to_plan
from investigator.documents.document_ids import known_id
from investigator.language.normalise import one_line
from investigator.records import (
    SUMMARY,
    DocumentCard,
    Memory,
    Part,
    Plan,
    PlanDocument,
    PlanReply,
    PlanStep,
    PlanVariables,
    ProposedStep,
    Scope,
)
from investigator.research.research_settings import PlannerSettings
from investigator.research.standalone import default_client

_UNPLANNED = "The planner's reply could not be used"
_MOST_PARTS, _MOST_WORDINGS = 20, 6
_BULLET = re.compile(r"^\s*(?:[-*•–]|\d+[.)])\s+")
_TITLE = re.compile(r"\s*(?:: | [-–—] |\t)\s*")


@dataclass(frozen=True)
class Proposal:
    """The proposal of a planner: the question as it stands alone, its parts, the scope, other wordings, and the steps.

    `refused` are document ids that do not exist.
    """

    question: str
    parts: tuple[Part, ...]
    scope: Scope
    wordings: tuple[str, ...]
    strategy: str
    steps: tuple[ProposedStep, ...]
    refused: tuple[str, ...] = ()


class Planner:
    """Makes a plan for a question.

    `document_list` contains documents, cards or plain document ids, or is a string that lists the documents, one per
    line or separated by commas; a colon or dash and a title may follow each. `history` contains the selected memories,
    or is a string with known facts. Without `client` the built-in finder plans. `request` replaces all of these.
    `known` are further document ids that a plan may name.
    """

    def __init__(
        self,
        main_question: str,
        mission: str,
        strategy: str,
        document_list: str | Sequence[PlanDocument | DocumentCard | str],
        history: str | Sequence[Memory] = (),
        *,
        client: EngineClient | None = None,
        settings: PlannerSettings | None = None,
        request: PlanVariables | None = None,
        known: Sequence[str] = (),
    ) -> None:
        self._client = client or default_client()
        self._known = known
        documents = listed(document_list)
        self._request = request or PlanVariables(
            question=main_question,
            mission=mission,
            strategy=strategy,
            documents=documents,
            document_count=len(documents),
            history=remembered(history, main_question),
            step_limit=(settings or PlannerSettings()).steps,
        )

    def generate_plan(self) -> Plan:
        """Return a new plan, whose ids start at 1. Raises EngineError, and the signal BudgetSpent."""
        return continued(Plan(), self.propose().steps, round_number=1)

    def propose(self) -> Proposal:
        """Return what the engine proposes. If its reply cannot be used in the first round, read the best matches.

        Raises EngineError, TemplateError, StoreError, and the signal BudgetSpent.
        """
        request = self._request
        reading = self._client.ask("planner/plan", request, PlanReply, smaller=less_to_plan)
        is_first = not request.open_parts
        instead = ", so the documents that match best are read." if is_first else "."
        reply = reading.value or PlanReply(strategy=f"{_UNPLANNED}{instead}")
        known = (*dict.fromkeys((*(document.document_id for document in request.documents), *self._known)), SUMMARY)
        steps, refused = _accepted(reply.steps, known, request.step_limit)
        if not steps and is_first and not request.fits:
            steps = best_matching(request.documents, request.question, request.step_limit)
        question = one_line(reply.question) if request.earlier and is_first else ""
        parts = [part for text in reply.parts if (part := one_line(text))]
        wordings = [text for wording in reply.wordings if (text := one_line(wording))]
        return Proposal(
            question=question,
            parts=tuple(Part(question=part) for part in dict.fromkeys(parts or [question or request.question]))[
                :_MOST_PARTS
            ],
            scope=reply.scope,
            wordings=tuple(dict.fromkeys(wordings))[:_MOST_WORDINGS],
            strategy=one_line(reply.strategy),
            steps=steps,
            refused=refused,
        )


def best_matching(documents: Sequence[PlanDocument], question: str, limit: int) -> tuple[ProposedStep, ...]:
    """Return a step for each of the unread documents that match best; each is asked the question itself."""
    unread = sorted((each for each in documents if not each.times_read), key=lambda each: -each.match)
    return tuple(ProposedStep(document_id=document.document_id, purpose=question) for document in unread[:limit])


def continued(plan: Plan, steps: Sequence[ProposedStep], *, round_number: int) -> Plan:
    """Return the plan extended by the proposed steps that ask a document something new."""
    done = {(step.document_id, one_line(step.purpose).casefold()) for step in plan.steps}
    fresh = [step for step in steps if (step.document_id, one_line(step.purpose).casefold()) not in done]
    first = max((step.plan_id for step in plan.steps), default=0) + 1
    return plan.extended(
        PlanStep(
            plan_id=first + number,
            document_id=step.document_id,
            purpose=step.purpose,
            perspectives=step.perspectives,
            round=round_number,
        )
        for number, step in enumerate(fresh)
    )


def _accepted(
    steps: Sequence[ProposedStep], known: Sequence[str], most: int
) -> tuple[tuple[ProposedStep, ...], tuple[str, ...]]:
    """Separate the steps for existing documents, without duplicates, from the unknown document ids."""
    accepted: dict[tuple[str, str], ProposedStep] = {}
    refused: list[str] = []
    for step in steps:
        document_id = resolved(step.document_id, known)
        if document_id is None:
            refused.append(step.document_id)
        else:
            accepted.setdefault((document_id, step.purpose), step.changed(document_id=document_id))
    return tuple(accepted.values())[:most], tuple(dict.fromkeys(refused))


def resolved(document_id: str, known: Sequence[str]) -> str | None:
    """Return the id that a name refers to: an exact match, otherwise the only similar id; None if there is neither."""
    wanted = document_id.strip()
    if (own := known_id(wanted, known)) is not None:
        return own
    folded = wanted.casefold()
    same = [name for name in known if name.casefold() == folded]
    same = same or [name for name in known if PurePosixPath(name).name.casefold() == folded]
    same = same or [name for name in known if _as_shown(name) == _as_shown(wanted)]
    return same[0] if len(same) == 1 else None


def _as_shown(name: str) -> str:
    """Return a name as shown in prompts, with ' in place of quotation marks, and single spaces."""
    return " ".join(name.replace("\u200b", "").replace('"', "'").split()).casefold()


def listed(documents: str | Sequence[PlanDocument | DocumentCard | str]) -> tuple[PlanDocument, ...]:
    """Return documents as the planner sees them; a string lists them one per line or separated by commas."""
    if isinstance(documents, str):
        lines = [line for line in documents.splitlines() if line.strip()]
        documents = lines if len(lines) > 1 or _TITLE.search(documents) else re.split(r"\s*[,;]\s*", documents.strip())
        documents = [_BULLET.sub("", entry).strip() for entry in documents]
    return tuple(_plan_document(entry) for entry in documents if entry)


def remembered(history: str | Sequence[Memory], question: str) -> tuple[Memory, ...]:
    """Return the selected memories; a string counts as one memory without a point."""
    if not isinstance(history, str):
        return tuple(history)
    reply = history.strip()
    return (Memory(id=1, target_document_id="history", question=question, reply=reply),) if reply else ()


def _plan_document(entry: PlanDocument | DocumentCard | str) -> PlanDocument:
    if isinstance(entry, PlanDocument):
        return entry
    if isinstance(entry, str):
        document_id, *title = _TITLE.split(entry, maxsplit=1)
        return PlanDocument(document_id=document_id, title=title[0] if title and title[0] else document_id)
    return PlanDocument(
        document_id=entry.document_id,
        title=entry.title,
        pages=entry.pages,
        passages=(entry.snippet,) if entry.snippet else (),
        match=entry.match,
        times_read=entry.times_read,
    )
