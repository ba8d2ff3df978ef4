"""Plans which documents to examine, why, and from which points of view (seed: generative_agents, "Planner")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from pydantic import Field

from investigator.asking.client import EngineClient
from investigator.asking.fitting import less_to_plan
from investigator.engines.roles import Role
from investigator.language.relevance import stems
from investigator.language.terms import words
from investigator.records import (
    SUMMARY,
    DocumentCard,
    Plan,
    PlanReply,
    PlanStep,
    PlanVariables,
    ProposedStep,
    Record,
)
from investigator.research.asking_policy import LIKELY
from investigator.research.critical_thinking import repeats, without_instructions

_SMALL_FOLDER = 12  # maximum number of documents
_FALLBACK = "Ask the documents whose passages fit the question best, since the planner named no document."
_ONLY = "Ask the one document that the question is limited to."


class PlannerSettings(Record):
    """Settings for planning a round."""

    steps: int = Field(default=6, ge=1, le=50, description="maximum number of documents examined in one round")
    documents_shown: int = Field(
        default=20, ge=1, le=500, description="maximum number of documents shown to the planner"
    )


@dataclass(frozen=True)
class Proposal:
    """The planner's proposal: a strategy, steps without ids, and unknown document ids."""

    strategy: str
    steps: tuple[ProposedStep, ...]
    refused_document_ids: tuple[str, ...] = ()


def propose(
    client: EngineClient,
    request: PlanVariables,
    settings: PlannerSettings,
    known_ids: Sequence[str] = (),
    *,
    opens_all: bool = False,
) -> Proposal:
    """Return the plan for the next round; a language model's first plan starts with the most promising document.

    `request` contains all documents as cards; the planner sees as many as the settings allow. The plan names only these
    documents, or those in `known_ids` if the cards cover only part of a folder. With `opens_all`, the documents of a
    small folder that the engine left out are added at the end, up to the limit. Raises EngineError, and the signal
    BudgetSpent.
    """
    shown = request.changed(documents=without_instructions(request.documents[: settings.documents_shown]))
    reading = client.ask("planner/plan", shown, PlanReply, smaller=less_to_plan)
    reply = reading.value or PlanReply(steps=())
    known = tuple(dict.fromkeys((*known_ids, *(card.document_id for card in request.documents), SUMMARY)))
    prompt = client.prompts.own_words("planner/plan")
    accepted, refused = _sorted([_without_prompt(step, prompt) for step in reply.steps], known, request.step_limit)
    if opens_all and len(request.documents) <= _SMALL_FOLDER:
        named = {step.document_id for step in accepted}
        others = (step for step in _best_matching(request) if step.document_id not in named)
        accepted = (*accepted, *others)[: request.step_limit]
    if not accepted and (reading.value is None or not request.past_strategies):
        return Proposal(_FALLBACK, _best_matching(request), refused)
    # the plans of other engines are based on the search results anyway
    if client.traits(Role.PLAN).is_model and not request.past_strategies:
        accepted = _with_likeliest(accepted, request)
    return Proposal(reply.strategy.strip() or _FALLBACK, accepted, refused)


def without_choice(request: PlanVariables) -> Proposal:
    """Return the plan for a run that is limited to one document, without calling an engine."""
    return Proposal(_ONLY, _best_matching(request))


def _without_prompt(step: ProposedStep, prompt: str) -> ProposedStep:
    """Return the step after removing a purpose or perspectives that were copied from the prompt."""
    purpose = "" if repeats(step.purpose, prompt) else step.purpose
    return step.changed(purpose=purpose, perspectives="" if repeats(step.perspectives, prompt) else step.perspectives)


def _with_likeliest(steps: tuple[ProposedStep, ...], request: PlanVariables) -> tuple[ProposedStep, ...]:
    """Return the steps of a first round with the most promising document first, even if the engine omitted it."""
    best = max(request.documents, key=lambda card: card.match, default=None)
    if best is None or best.match < LIKELY:
        return steps
    own = tuple(step for step in steps if step.document_id == best.document_id) or (_step(best, request),)
    others = tuple(step for step in steps if step.document_id != best.document_id)
    return (*own, *others)[: request.step_limit]


def _sorted(
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


def _best_matching(request: PlanVariables) -> tuple[ProposedStep, ...]:
    fresh = sorted((card for card in request.documents if not card.asked), key=lambda card: -card.match)
    return tuple(_step(card, request) for card in fresh[: request.step_limit])


def _step(card: DocumentCard, request: PlanVariables) -> ProposedStep:
    terms = ", ".join(need.term for need in request.needs)
    return ProposedStep(document_id=card.document_id, purpose=request.question, perspectives=terms)


def resolved(document_id: str, known: Sequence[str]) -> str | None:
    """Return the id that a name refers to: an exact match, otherwise the only similar id; None if there is neither."""
    wanted = document_id.strip()
    if wanted in known:
        return wanted
    folded = wanted.casefold()
    same = [name for name in known if name.casefold() == folded]
    same = same or [name for name in known if PurePosixPath(name).name.casefold() == folded]
    same = same or [name for name in known if _as_shown(name) == _as_shown(wanted)]
    return same[0] if len(same) == 1 else None


def _as_shown(name: str) -> str:
    """Return a name as shown in prompts, with ' in place of quotation marks, and single spaces."""
    return " ".join(name.replace("\u200b", "").replace('"', "'").split()).casefold()


def _asked(purpose: str) -> frozenset[str]:
    """Return the stems of a purpose as a set, because reordering its words does not make it a new question."""
    return stems(words(purpose))


def continued(plan: Plan, proposal: Proposal, *, round_number: int) -> Plan:
    """Return the plan extended by the proposed steps that ask a document something new."""
    done = {(step.document_id, _asked(step.purpose)) for step in plan.steps}
    fresh = [step for step in proposal.steps if (step.document_id, _asked(step.purpose)) not in done]
    first = max((step.plan_id for step in plan.steps), default=0) + 1
    return plan.extended(
        PlanStep(
            plan_id=first + i,
            document_id=step.document_id,
            purpose=step.purpose,
            perspectives=step.perspectives,
            round=round_number,
        )
        for i, step in enumerate(fresh)
    )
