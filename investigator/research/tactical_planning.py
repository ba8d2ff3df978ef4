"""Turns the steps of a plan into sub-questions (seed: generative_agents, "Tactical Planning")."""

from __future__ import annotations

from pathlib import Path

from investigator.asking.prompts import Prompts
from investigator.records import SUMMARY, Plan, PlanStep, QuestionVariables, Status


def prioritized(plan: Plan) -> tuple[PlanStep, ...]:
    """Return the open steps, ordered by plan id; those in progress come first."""
    open_steps = (step for step in plan.steps if step.status is not Status.DONE)
    return tuple(sorted(open_steps, key=lambda step: (step.status is not Status.DOING, step.plan_id)))


def sub_question(step: PlanStep, prompts: Prompts, template: Path | None = None, summary: Path | None = None) -> str:
    """Return the question that a step asks its document. `template` replaces the shipped template, and `summary` the
    template for the document id "summary". Raises TemplateError.
    """
    if step.document_id == SUMMARY:
        path = summary or prompts.path("tactical_planning/summary")
    else:
        path = template or prompts.path("tactical_planning/question")
    variables = QuestionVariables(document_id=step.document_id, purpose=step.purpose, perspectives=step.perspectives)
    return prompts.render(path, variables)
