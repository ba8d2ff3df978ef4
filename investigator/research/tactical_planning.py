"""TacticalPlanning: from the plan to the next sub-question (seed: generative_agents, "Tactical Planning").

Pure but for reading its templates: it calls no engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from investigator.asking.prompts import Prompts
from investigator.records import SUMMARY, Plan, PlanStep, QuestionVariables, Status

Templates = str | Path | Mapping[str, str | Path]
"""One template for all documents, or one for each document id with "*" for the rest."""

_OTHERS = "*"


class TacticalPlanning:
    """Takes the steps of a plan in their order: one under investigation first, then the smallest plan id.

    `plan` holds the plan as it stands now; plans are values, so the one that was given is not changed.
    """

    def __init__(
        self, plan: Plan, db_dir: str | Path, summary_template_path: str | Path, *, prompts: Prompts | None = None
    ) -> None:
        self.plan = plan
        self.db_dir = Path(db_dir)
        self.summary_template_path = Path(summary_template_path)
        self._prompts = prompts or Prompts()

    def generate_question(self, prompt_templates: Templates) -> tuple[int, str, str] | None:
        """(plan id, document id, question) of the step that comes next, which is then Doing; None when all are done.

        Raises TemplateError.
        """
        steps = self._prioritize_plan()
        return self._begin(steps[0], prompt_templates) if steps else None

    def generate_questions(self, prompt_templates: Templates, limit: int | None = None) -> list[tuple[int, str, str]]:
        """The next steps that are still to be done, all or `limit` of them, each with its question; then all Doing."""
        return [self._begin(step, prompt_templates) for step in self._prioritize_plan()[:limit]]

    def finish(self, plan_id: int, memory_id: int) -> None:
        """Note the result of a step, which is then Done."""
        self.plan = self.plan.with_result(plan_id, memory_id).with_status(plan_id, Status.DONE)

    def _prioritize_plan(self) -> list[PlanStep]:
        open_steps = [step for step in self.plan.steps if step.status is not Status.DONE]
        return sorted(open_steps, key=lambda step: (step.status is not Status.DOING, step.plan_id))

    def _begin(self, step: PlanStep, templates: Templates) -> tuple[int, str, str]:
        template = _template_for(step.document_id, templates)
        question = self._generate_document_question(template, step.document_id, step.purpose, step.perspectives)
        self.plan = self.plan.with_status(step.plan_id, Status.DOING)
        return step.plan_id, step.document_id, question

    def _generate_document_question(
        self, prompt_template_path: str | Path, document_id: str, purpose: str, perspectives: str
    ) -> str:
        template = self.summary_template_path if document_id == SUMMARY else Path(prompt_template_path)
        variables = QuestionVariables(document_id=document_id, purpose=purpose, perspectives=perspectives)
        return self._prompts.render(template, variables)


def _template_for(document_id: str, templates: Templates) -> str | Path:
    if isinstance(templates, str | Path):
        return templates
    return templates[document_id] if document_id in templates else templates[_OTHERS]
