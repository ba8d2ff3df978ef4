"""Planner: which documents to examine, why, and from which points of view (seed: generative_agents, "Planner")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from pydantic import Field

from investigator.asking.client import EngineClient
from investigator.asking.fitting import less_to_plan
from investigator.engines.roles import Role
from investigator.records import (
    SUMMARY,
    DocumentCard,
    Memory,
    Need,
    Plan,
    PlanReply,
    PlanStep,
    PlanVariables,
    ProposedStep,
    Record,
)
from investigator.research.critical_thinking import own_words
from investigator.research.defaults import default_client
from investigator.research.quiet_cards import quieted
from investigator.research.sufficiency import LIKELY

_FALLBACK = "Ask the documents whose passages fit the question best, since the planner named none of them."


class PlannerSettings(Record):
    """How the planner plans."""

    steps: int = Field(default=6, ge=1, le=50, description="documents examined in one round, at most")
    documents_shown: int = Field(default=20, ge=1, le=500, description="documents that the planner may choose from")


@dataclass(frozen=True)
class Proposal:
    """What the planner wants: a strategy, steps without ids, and the document ids that it invented."""

    strategy: str
    steps: tuple[ProposedStep, ...]
    refused_document_ids: tuple[str, ...] = ()


class Planner:
    """Plans one round.

    `document_list` holds cards or plain document ids; `history` the memories worth knowing. The plan names only
    documents of the list, or of `known_ids` where the list is a part of a folder.
    """

    def __init__(
        self,
        main_question: str,
        mission: str,
        strategy: str,
        document_list: Sequence[DocumentCard | str],
        history: Sequence[Memory] = (),
        *,
        client: EngineClient | None = None,
        settings: PlannerSettings | None = None,
        needs: Sequence[Need] | None = None,
        unknown_infos: Sequence[str] = (),
        past_strategies: Sequence[str] = (),
        known_ids: Sequence[str] = (),
    ) -> None:
        self._cards = tuple(_card(entry) for entry in document_list)
        self._client = client or default_client()
        self._settings = settings or PlannerSettings()
        self._known = tuple(dict.fromkeys((*known_ids, *(card.document_id for card in self._cards), SUMMARY)))
        self._variables = PlanVariables(
            question=main_question,
            mission=mission,
            strategy=strategy,
            needs=tuple(needs if needs is not None else own_words(main_question)),
            documents=quieted(self._cards[: self._settings.documents_shown]),
            history=tuple(history),
            unknown_infos=tuple(unknown_infos),
            past_strategies=tuple(past_strategies),
            step_limit=self._settings.steps,
        )

    def generate_plan(self) -> Plan:
        """A new plan, its ids counted from 1. Raises EngineError, and the signal BudgetSpent."""
        return continued(Plan(), self.propose(), round_number=1)

    def propose(self) -> Proposal:
        """What to do in the next round; a language model's first one examines the likeliest document before others.

        Raises EngineError, and the signal BudgetSpent.
        """
        reading = self._client.ask("planner/plan", self._variables, PlanReply, smaller=less_to_plan)
        reply = reading.value or PlanReply(steps=())
        accepted, refused = self._sorted(reply.steps)
        if not accepted and (reading.value is None or not self._variables.past_strategies):
            return Proposal(_FALLBACK, self._best_matching(), refused)
        return Proposal(reply.strategy.strip() or _FALLBACK, self._with_likeliest(accepted), refused)

    def _with_likeliest(self, steps: tuple[ProposedStep, ...]) -> tuple[ProposedStep, ...]:
        """The steps of a first round, the likeliest document first, also where the engine left it out."""
        best = max(self._cards, key=lambda card: card.match, default=None)
        is_model = self._client.traits(Role.PLAN).is_model  # others plan by what the search found
        if not is_model or self._variables.past_strategies or best is None or best.match < LIKELY:
            return steps
        own = tuple(step for step in steps if step.document_id == best.document_id) or (self._step(best),)
        others = tuple(step for step in steps if step.document_id != best.document_id)
        return (*own, *others)[: self._settings.steps]

    def _sorted(self, steps: Sequence[ProposedStep]) -> tuple[tuple[ProposedStep, ...], tuple[str, ...]]:
        accepted: dict[tuple[str, str], ProposedStep] = {}
        refused: list[str] = []
        for step in steps:
            document_id = resolved(step.document_id, self._known)
            if document_id is None:
                refused.append(step.document_id)
            else:
                kept = step.changed(document_id=document_id)
                accepted.setdefault((document_id, step.purpose), kept)
        return tuple(accepted.values())[: self._settings.steps], tuple(dict.fromkeys(refused))

    def _best_matching(self) -> tuple[ProposedStep, ...]:
        fresh = sorted((card for card in self._cards if not card.asked), key=lambda card: -card.match)
        return tuple(self._step(card) for card in fresh[: self._settings.steps])

    def _step(self, card: DocumentCard) -> ProposedStep:
        terms = ", ".join(need.term for need in self._variables.needs)
        return ProposedStep(document_id=card.document_id, purpose=self._variables.question, perspectives=terms)


def resolved(document_id: str, known: Sequence[str]) -> str | None:
    """The known id that is meant, or None: by the id itself, else by case, file name or looks where one fits."""
    wanted = document_id.strip()
    if wanted in known:
        return wanted
    folded = wanted.casefold()
    same = [name for name in known if name.casefold() == folded]
    same = same or [name for name in known if PurePosixPath(name).name.casefold() == folded]
    same = same or [name for name in known if _as_shown(name) == _as_shown(wanted)]
    return same[0] if len(same) == 1 else None


def _as_shown(name: str) -> str:
    """A name as prompts show it: with ' for quotation marks, and one blank for several."""
    return " ".join(name.replace("\u200b", "").replace('"', "'").split()).casefold()


def continued(plan: Plan, proposal: Proposal, *, round_number: int) -> Plan:
    """The plan with the proposal's steps added; a step that stands in the plan already is left out."""
    done = {(step.document_id, step.purpose, step.perspectives) for step in plan.steps}
    fresh = [s for s in proposal.steps if (s.document_id, s.purpose, s.perspectives) not in done]
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


def _card(entry: DocumentCard | str) -> DocumentCard:
    return entry if isinstance(entry, DocumentCard) else DocumentCard(document_id=entry, title=entry)
