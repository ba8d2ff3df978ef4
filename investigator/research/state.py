"""The state of an investigation, and the choice of the next step. Pure: this module asks no engine and writes nothing.

plan ──► ask ──► answer ──► check ──► (done)
 ▲                 │ ▲        │ │
 │                 │ └────────┘ │  a lead that the check refuses is written once more
 └──── reflect ◄───┴────────────┘  while a part is open, and documents or wordings are left

A plan without new steps, and a review that names nothing to search for, go on to the answer if there is only a sketch
of it, or else to its check.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from investigator.proof.coverage import coverage
from investigator.records import (
    SUMMARY,
    Coverage,
    DocumentCard,
    Fit,
    Investigation,
    LeftOut,
    Memory,
    PlanStep,
    Scope,
    Status,
    StopReason,
    SurveyRow,
    Unreadable,
    Verdict,
)
from investigator.research.answer import Draft
from investigator.research.evidence import Evidence
from investigator.research.history_selector import HistorySelector
from investigator.research.research_settings import Effort, ResearchSettings


class Step(Enum):
    """The steps of the method: plan | ask | answer | reflect | check."""

    PLAN = auto()
    ASK = auto()
    ANSWER = auto()
    REFLECT = auto()
    CHECK = auto()


@dataclass(frozen=True)
class State:
    """The state of an investigation between two steps.

    `run` is its record so far; `document_ids`, `unreadable` and `left_out` are all files of the folder, and `cards`
    the documents as the last search ranked them; `planned_from` are those that a planner has seen. `fits` is True
    if every document is read whole. `draft`, `evidence` and `rows` are the last answer written; `undecided` are
    documents of a survey that were not read. `fit` and `failure` are the outcome of the last check, `refused` the
    reasons for which it refused the lead, `rewritten` is True while the lead is written again, `is_written` once a
    draft is complete (not only a sketch, because another round may find more), and `is_judged` once it has its
    judgements. `spent` is the ceiling that was reached.
    """

    run: Investigation
    settings: ResearchSettings
    document_ids: tuple[str, ...]
    unreadable: tuple[Unreadable, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    cards: tuple[DocumentCard, ...] = ()
    planned_from: frozenset[str] = frozenset()
    fits: bool = False
    is_checked: bool = True
    last: Step | None = None
    draft: Draft | None = None
    evidence: Evidence = field(default_factory=Evidence)
    rows: tuple[SurveyRow, ...] = ()
    undecided: tuple[str, ...] = ()
    fit: Fit = Fit.UNCHECKED
    failure: str = ""
    refused: tuple[str, ...] = ()
    is_written: bool = False
    rewritten: bool = False
    is_judged: bool = False
    spent: StopReason | None = None

    @property
    def history(self) -> tuple[Memory, ...]:
        """Return the memories worth keeping in mind, selected by their points."""
        return HistorySelector(self.run.memories).select(self.settings.threshold)

    @property
    def others(self) -> tuple[Memory, ...]:
        """Return the memories that are not in the history."""
        kept = {memory.id for memory in self.history if memory.verdict.is_evidence}
        return tuple(memory for memory in self.run.memories if memory.id not in kept)

    @property
    def open_steps(self) -> tuple[PlanStep, ...]:
        """Return the steps of the plan that are not done yet."""
        return tuple(step for step in self.run.plan.steps if step.status is not Status.DONE)

    @property
    def read(self) -> frozenset[str]:
        """Return the documents of which a reply could be used."""
        usable = (memory for memory in self.run.memories if memory.verdict is not Verdict.UNREAD)
        return frozenset(memory.target_document_id for memory in usable).intersection(self.document_ids)

    @property
    def read_whole(self) -> frozenset[str]:
        """Return the documents that were read from beginning to end."""
        return frozenset(memory.target_document_id for memory in self.run.memories if memory.whole) & self.read

    @property
    def searched(self) -> tuple[str, ...]:
        """Return everything that was searched for: the question and its other wordings."""
        return tuple(dict.fromkeys((self.run.full_question, *self.run.wordings)))

    @property
    def surveys(self) -> bool:
        """Return True if every document of the folder must be decided."""
        return self.run.decides is Scope.EVERY

    @property
    def is_quick(self) -> bool:
        """Return True if one reading of the best documents is enough."""
        return self.settings.effort is Effort.QUICK

    @property
    def coverage(self) -> Coverage:
        """Return which documents of the folder were read, only searched, not opened, unreadable or excluded. What the
        built-in search finds, nobody has read.
        """
        unread = {memory.target_document_id for memory in self.run.memories} - self.read
        planned = {step.document_id for step in self.open_steps}
        missed = (unread | planned | set(self.undecided)) - {SUMMARY}
        return coverage(
            self.document_ids, self.read if self.run.setup.is_read else (), missed, self.unreadable, self.left_out
        )

    @property
    def may_search_on(self) -> bool:
        """Return True if a part is open, and another round may close it."""
        if self.is_quick or self.draft is None or len(self.run.rounds) >= self.settings.rounds:
            return False
        if len(self.run.reflections) >= len(self.run.rounds):  # the round was reviewed, and nothing came of it
            return False
        is_all_read = self.read_whole >= frozenset(self.document_ids)
        is_decided = self.surveys and not self.undecided
        is_left = bool(self.draft.search) or self.read < frozenset(self.document_ids)
        return bool(self.draft.open_parts) and is_left and not is_all_read and not is_decided


def next_step(state: State) -> Step | None:
    """Return the next step, or None if the answer is complete."""
    if state.spent is not None:
        return None
    match state.last:
        case None:
            return Step.PLAN
        case Step.PLAN if state.open_steps:
            return Step.ASK
        case Step.PLAN:
            return _check(state) if state.is_written else Step.ANSWER
        case Step.ASK:
            return Step.ASK if state.open_steps else Step.ANSWER
        case Step.ANSWER:
            return Step.REFLECT if state.may_search_on and not state.rewritten else _check(state)
        case Step.REFLECT:
            finds_more = bool(state.run.reflections[-1].wordings)  # otherwise another plan would find nothing
            return Step.PLAN if finds_more else _check(state) if state.is_written else Step.ANSWER
        case Step.CHECK if not state.is_judged:  # the lead was refused, and is written once more
            return Step.ANSWER
        case Step.CHECK:
            is_reopened = state.fit in (Fit.NO, Fit.IN_PART)
            return Step.REFLECT if is_reopened and state.may_search_on else None


def stop_reason(state: State) -> StopReason:
    """Return the reason why no further round was planned."""
    if state.spent is not None:
        return state.spent
    if state.draft is not None and not state.draft.open_parts and state.run.setup.is_read:
        return StopReason.ANSWERED
    return StopReason.ROUNDS if len(state.run.rounds) >= state.settings.rounds else StopReason.SATURATED


def _check(state: State) -> Step | None:
    """Return the check, unless it is turned off, the draft is judged, or there is nothing to check: no statement, and
    no quote that could be an answer after all.
    """
    says_something = state.draft is not None and (state.draft.statements or state.rows or state.evidence.supports)
    return Step.CHECK if state.is_checked and not state.is_judged and says_something else None
