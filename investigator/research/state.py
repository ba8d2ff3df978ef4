"""The state of an investigation, and the choice of the next step. Pure: this module asks no engine and writes nothing.

think ──► plan ──► ask ──► reflect ──► answer
  │        ▲        ▲ │      │ │         │
  │        │        └─┴──────┘ │         │  the rest of a plan is asked if its beginning proved nothing,
  │        └───────────────────┘         │  or if the writer finds the evidence insufficient after all
  │                 ▲────────────────────┘
  └──► survey ──► answer     the index decides every document; those that only a model can decide
          └──► plan ──► ask ──► answer                                are planned and asked first
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from investigator.evidence.coverage import coverage
from investigator.evidence.taint import without_untrusted_replies
from investigator.records import (
    SUMMARY,
    Answer,
    Coverage,
    DocumentCard,
    Investigation,
    Knowledge,
    LeftOut,
    Memory,
    PlanStep,
    QuestionKind,
    Reflection,
    Round,
    RowVerdict,
    Status,
    StopReason,
    Unreadable,
)
from investigator.research.asking_policy import AskingPolicy, known_from
from investigator.research.history_selector import HistorySelector
from investigator.research.planner import Proposal, continued
from investigator.research.tables import to_be_read
from investigator.scoring.model_points import scores_alike, with_reliable_points


class Step(Enum):
    """The steps of the method: think | survey | plan | ask | reflect | answer."""

    THINK = auto()
    SURVEY = auto()
    PLAN = auto()
    ASK = auto()
    REFLECT = auto()
    ANSWER = auto()


@dataclass(frozen=True)
class Bounds:
    """The rules that are fixed before the investigation begins.

    `threshold` is the minimum score (0..100) of a reply, and `worth_asking` is the minimum probability (0..1) at which
    a document is asked; `workers` documents are asked concurrently, and `reads` is True if a language model reads them.
    `thinks_and_plans_at_once` saves waiting time if language models do both; the first plan is then made from the words
    of the question.
    """

    rounds: int
    threshold: int
    worth_asking: float
    workers: int
    policy: AskingPolicy
    thinks_and_plans_at_once: bool
    reads: bool = False


@dataclass(frozen=True)
class State:
    """The state of an investigation between two steps.

    `run` is its record so far; `cards` are the documents as the last search ranked them, `document_ids` and
    `unreadable` are all documents of the folder, and `left_out` are the excluded files. `last` is the last step
    performed, `first_plan` is a plan made while thinking, and `memories_reflected` is the number of memories at the
    last reflection. `spent` is the ceiling that was reached, and `answer` is the last answer written. `follow_ups` are
    the questions of the next round, if no language model reads the documents. `promising` are the documents that a
    search for another wording of the question found worth asking.
    """

    run: Investigation
    bounds: Bounds
    document_ids: tuple[str, ...]
    unreadable: tuple[Unreadable, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    cards: tuple[DocumentCard, ...] = ()
    last: Step | None = None
    first_plan: Proposal | None = None
    memories_reflected: int = 0
    spent: StopReason | None = None
    answer: Answer | None = None
    follow_ups: tuple[str, ...] = ()
    promising: tuple[str, ...] = ()

    @property
    def history(self) -> tuple[Memory, ...]:
        """Return the memories worth keeping in mind, selected by their effective points."""
        return self._selected(self.run.memories)

    @property
    def open_steps(self) -> tuple[PlanStep, ...]:
        """Return the steps of the plan that are not done yet."""
        return tuple(step for step in self.run.plan.steps if step.status is not Status.DONE)

    @property
    def asked_in_this_round(self) -> bool:
        """Return True if a document was asked in the round in progress."""
        return any(step.result_ids for step in self.run.plan.steps if step.round == len(self.run.rounds))

    @property
    def unknown_infos(self) -> tuple[str, ...]:
        """Return the open questions of the last reflection."""
        return self.run.reflections[-1].unknown_infos if self.run.reflections else ()

    @property
    def shown_cards(self) -> tuple[DocumentCard, ...]:
        """Return the cards, completed with the number of times that each document was asked; documents that were not
        asked come first.
        """
        asked = [step.document_id for step in self.run.plan.steps if step.result_ids]
        cards = [card.changed(asked=asked.count(card.document_id)) for card in self.cards]
        return tuple(sorted(cards, key=lambda card: card.asked > 0))

    @property
    def coverage(self) -> Coverage:
        """Return which documents of the folder were asked, not asked, unreadable or excluded."""
        done = {step.document_id for step in self.run.plan.steps if step.result_ids} & set(self.document_ids)
        planned = [step.document_id for step in self.open_steps if step.document_id != SUMMARY]
        if self.run.kind.is_exhaustive:  # the index examines every document, and the likely ones are read
            done |= {row.document_id for row in self.run.survey if row.verdict is not RowVerdict.NO} - set(planned)
            worth = [] if self.run.survey else list(self.document_ids)
            return coverage(self.document_ids, done, (*worth, *planned), self.unreadable, self.left_out)
        worth = [card.document_id for card in self.cards if card.match >= self.bounds.worth_asking]
        return coverage(self.document_ids, done, (*worth, *planned, *self.promising), self.unreadable, self.left_out)

    @property
    def in_doubt(self) -> bool:
        """Return True if the writer found the evidence insufficient although it seemed to suffice, and documents are
        left to ask.
        """
        seemed = self.spent is None and self.run.reflections and reason_to_stop(self) is StopReason.ANSWERED
        return bool(seemed and self.answer is not None and not self.answer.claims and self.open_steps)

    @property
    def knows_evidence(self) -> bool:
        """Return True if a memory contains a proven quote from a document that does not address a model."""
        return any(memory.quotes and not memory.addressed for memory in self.history)

    @property
    def learned(self) -> bool:
        """Return True if the current round found a new quote."""
        known = {
            quote for memory in self._selected(self.run.memories[: self.memories_reflected]) for quote in memory.quotes
        }
        new = any(quote not in known for memory in self.history for quote in memory.quotes)
        return new or self.run.rounds[-1].learned

    @property
    def scores_alike_now(self) -> bool:
        """Return True if a model has turned out, since the last reflection, to give all documents the same score."""
        return scores_alike(self.run.memories) and not scores_alike(self.run.memories[: self.memories_reflected])

    def _selected(self, memories: tuple[Memory, ...]) -> tuple[Memory, ...]:
        trusted = without_untrusted_replies(with_reliable_points(memories))
        return HistorySelector(trusted).select(self.bounds.threshold)


def next_step(state: State) -> Step | None:
    """Return the next step, or None if the answer is complete."""
    if state.last is Step.ANSWER:
        return Step.ASK if state.in_doubt else None
    if state.spent is not None:
        return Step.ANSWER
    if state.run.kind.is_exhaustive and state.last is not None:
        return _next_of_survey(state)
    match state.last:
        case None:
            return Step.THINK
        case Step.THINK:
            return Step.PLAN
        case Step.PLAN:
            return Step.ASK if state.open_steps else Step.REFLECT
        case Step.ASK:
            return Step.REFLECT if state.knows_evidence or not state.open_steps else Step.ASK
    if reason_to_stop(state) is not None:
        return Step.ANSWER
    return Step.ASK if state.open_steps else Step.PLAN


def _next_of_survey(state: State) -> Step:
    """Return the next step of a survey, which reaches a verdict on every document."""
    if state.last is Step.THINK:
        return Step.SURVEY
    if state.last is Step.SURVEY and state.bounds.reads and to_be_read(state.run, 1):
        return Step.PLAN
    return Step.ASK if state.open_steps else Step.ANSWER


def reason_to_stop(state: State) -> StopReason | None:
    """Return the reason to stop after a reflection, or None if the search continues.

    A round without new knowledge ends the search, unless nothing at all is known and documents are left to ask. Without
    a language model, the remaining follow-up questions are asked first, and a summary takes a single round.
    """
    if state.spent is not None:
        return state.spent
    if state.follow_ups and not state.open_steps and len(state.run.rounds) < state.bounds.rounds:
        return None
    is_chosen = state.run.kind is QuestionKind.SUMMARY and not state.bounds.reads
    if state.history and (is_chosen or not state.unknown_infos):
        return StopReason.ANSWERED
    if state.open_steps:
        return None
    gave_nothing = not state.run.rounds[-1].learned and (state.history or not state.coverage.not_opened)
    if not state.asked_in_this_round or gave_nothing:
        return StopReason.SATURATED
    return StopReason.ROUNDS if len(state.run.rounds) >= state.bounds.rounds else None


def how_many_to_ask(state: State) -> int:
    """Return how many open steps to ask at once: as many as the policy chooses for a new plan, otherwise all of them.

    A comparison always asks all of them, because each side needs its own reply.
    """
    if state.last is Step.PLAN and state.answer is None and not state.run.kind.is_side_by_side:
        return state.bounds.policy.first_wave(state.run.question, state.open_steps, state.cards)
    return len(state.open_steps)


def what_suffices(state: State) -> tuple[Knowledge, ...] | None:
    """If proven quotes cover the question, return the resulting knowledge, which makes asking an engine unnecessary;
    otherwise None. The policy is not consulted if the writer has found the evidence insufficient.
    """
    run, titles = state.run, {card.document_id: f"{card.title} {card.document_id}" for card in state.cards}
    if state.answer is None and state.bounds.policy.suffices(run.question, run.needs, state.history, titles):
        return known_from(run.needs, state.history)
    return None


def with_plan(state: State, proposal: Proposal) -> Investigation:
    """Return the record with the next round and its steps; unpromising steps of the first round are marked done at
    once.
    """
    run, number = state.run, len(state.run.rounds) + 1
    plan = continued(run.plan, proposal, round_number=number)
    if number == 1:  # a document's match does not predict how well it answers later questions
        worth = state.bounds.policy.without_hopeless(plan.steps, state.cards)
        for step in plan.steps:
            if step not in worth:
                plan = plan.with_status(step.plan_id, Status.DONE)
    this = Round(number=number, strategy=proposal.strategy, refused_document_ids=proposal.refused_document_ids)
    return run.changed(plan=plan, rounds=(*run.rounds, this))


def with_reflection(state: State, reflection: Reflection) -> Investigation:
    """Return the record with a reflection added; the reflection shows whether the round found anything new."""
    this = state.run.rounds[-1].changed(learned=state.learned)
    rounds = (*state.run.rounds[:-1], this)
    return state.run.changed(rounds=rounds, reflections=(*state.run.reflections, reflection))
