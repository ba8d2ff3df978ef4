"""The plan for an investigation (seed: generative_agents, "Plan")."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from investigator.records.base import Record

SUMMARY = "summary"
"""The document id that refers to all documents together."""


class EarlierQuestion(Record):
    """An earlier question and its answer, to which a question may refer."""

    question: str
    answer: str = ""


class Scope(StrEnum):
    """The documents that must be decided: some of them, or every one (lists, counts, "which documents")."""

    SOME = "some"
    EVERY = "every"


class Status(StrEnum):
    """The status of a plan step, named as in the seed."""

    NONE = "None"
    DOING = "Doing"
    DONE = "Done"


class PlanStep(Record):
    """One document to examine: the purpose, the points of view, and the results.

    `result_ids` are ids of memories in the MemoryStream.
    """

    plan_id: int = Field(ge=1)
    document_id: str
    purpose: str
    perspectives: str = ""
    result_ids: tuple[int, ...] = ()
    status: Status = Status.NONE
    round: int = Field(default=1, ge=1)


class Plan(Record):
    """The steps of an investigation in order; each change returns a new plan."""

    steps: tuple[PlanStep, ...] = ()

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        ids = [step.plan_id for step in self.steps]
        if len(ids) != len(set(ids)):
            raise ValueError("plan ids must be unique")
        return self

    def step(self, plan_id: int) -> PlanStep:
        """Return the step with that id. Raises KeyError if the step does not exist."""
        for step in self.steps:
            if step.plan_id == plan_id:
                return step
        raise KeyError(plan_id)

    def extended(self, steps: Iterable[PlanStep]) -> Plan:
        """Return this plan with the given steps appended."""
        return Plan(steps=(*self.steps, *steps))

    def with_status(self, plan_id: int, status: Status) -> Plan:
        """Return this plan with one step's status changed."""
        return self._replaced(self.step(plan_id).changed(status=status))

    def with_result(self, plan_id: int, memory_id: int) -> Plan:
        """Return this plan with one more result for a step."""
        step = self.step(plan_id)
        return self._replaced(step.changed(result_ids=(*step.result_ids, memory_id)))

    def _replaced(self, changed: PlanStep) -> Plan:
        return Plan(steps=tuple(changed if s.plan_id == changed.plan_id else s for s in self.steps))
