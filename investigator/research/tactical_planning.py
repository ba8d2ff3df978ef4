"""Turns the steps of a plan into sub-questions (seed: generative_agents, "Tactical Planning")."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from investigator.asking.prompts import Prompts
from investigator.records import SUMMARY, Plan, PlanStep, QuestionVariables, Status

Templates = str | Path | Mapping[str, str | Path]
"""One template for all documents, or a template for each document id, with "*" for all other documents."""

_OTHERS = "*"


class TacticalPlanning:
    """Takes the steps of a plan in order: first the steps under investigation, then the others by plan id.

    `plan` is the current plan. Plans are immutable, so the plan that is passed in is not changed. `prompts` are the
    templates of a run, by default the shipped ones; `db_dir` is kept for the caller.
    """

    def __init__(
        self, plan: Plan, db_dir: str | Path, summary_template_path: str | Path, *, prompts: Prompts | None = None
    ) -> None:
        self.plan = plan
        self.db_dir = Path(db_dir)
        self.summary_template_path = Path(summary_template_path)
        self._prompts = prompts or Prompts()

    def generate_question(self, prompt_templates: Templates) -> tuple[int, str, str] | None:
        """Return (plan id, document id, question) of the next step and mark it Doing; None if all are done.

        Raises TemplateError.
        """
        steps = self._prioritize_plan()
        return self._begin(steps[0], prompt_templates) if steps else None

    def generate_questions(self, prompt_templates: Templates) -> list[tuple[int, str, str]]:
        """Return all open steps and their questions."""
        return [self._begin(step, prompt_templates) for step in self._prioritize_plan()]

    def finish(self, plan_id: int, memory_id: int) -> None:
        """Record the result of a step, and mark the step Done."""
        self.plan = self.plan.with_result(plan_id, memory_id).with_status(plan_id, Status.DONE)

    def _prioritize_plan(self) -> tuple[PlanStep, ...]:
        open_steps = (step for step in self.plan.steps if step.status is not Status.DONE)
        return tuple(sorted(open_steps, key=lambda step: (step.status is not Status.DOING, step.plan_id)))

    def _begin(self, step: PlanStep, templates: Templates) -> tuple[int, str, str]:
        if not isinstance(templates, str | Path):
            templates = templates[step.document_id] if step.document_id in templates else templates[_OTHERS]
        question = self._generate_document_question(templates, step.document_id, step.purpose, step.perspectives)
        self.plan = self.plan.with_status(step.plan_id, Status.DOING)
        return step.plan_id, step.document_id, question

    def _generate_document_question(
        self, prompt_template_path: str | Path, document_id: str, purpose: str, perspectives: str
    ) -> str:
        path = self.summary_template_path if document_id == SUMMARY else Path(prompt_template_path)
        variables = QuestionVariables(document_id=document_id, purpose=purpose, perspectives=perspectives)
        return self._prompts.render(path, variables)
