"""The classes of the source document, with the same signatures (seed: generative_agents).

They are adapters that open a workspace directory and template files, and pass them on to the implementation.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.errors import FolderError
from investigator.evidence.quotes import Sources
from investigator.records import DocumentCard, Finding, Memory, Plan, PlanStep, PlanVariables, PointStatus, Status
from investigator.research.critical_thinking import own_words
from investigator.research.memory_stream import MemoryStream
from investigator.research.method_settings import DEFAULT_MISSION
from investigator.research.planner import PlannerSettings, continued, propose
from investigator.research.query import DocumentQuery
from investigator.research.tactical_planning import prioritized, sub_question
from investigator.services.parts import standalone_client, standalone_library

_log = logging.getLogger(__name__)

Templates = str | Path | Mapping[str, str | Path]
"""One template for all documents, or a template for each document id, with "*" for all other documents."""

_OTHERS = "*"
_BULLET = re.compile(r"^\s*(?:[-*•–]|\d+[.)])\s+")
_TITLE = re.compile(r"\s*(?:: | [-–—] |\t)\s*")


class Planner:
    """Makes a plan for a question.

    `document_list` contains cards or plain document ids, or is a string that lists the documents, one per line or
    separated by commas; a colon or dash and a title may follow each. `history` contains the selected memories, or is a
    string with known facts. Without `client` the built-in engine plans.
    """

    def __init__(
        self,
        main_question: str,
        mission: str,
        strategy: str,
        document_list: str | Sequence[DocumentCard | str],
        history: str | Sequence[Memory] = (),
        *,
        client: EngineClient | None = None,
        settings: PlannerSettings | None = None,
    ) -> None:
        self._client = client or standalone_client()
        self._settings = settings or PlannerSettings()
        self._request = PlanVariables(
            question=main_question,
            mission=mission,
            strategy=strategy,
            needs=own_words(main_question),
            documents=listed(document_list),
            history=told(history, main_question),
            unknown_infos=(),
            past_strategies=(),
            step_limit=self._settings.steps,
        )

    def generate_plan(self) -> Plan:
        """Return a new plan, whose ids start at 1. Raises EngineError, and the signal BudgetSpent."""
        return continued(Plan(), propose(self._client, self._request, self._settings), round_number=1)


class TacticalPlanning:
    """Takes the steps of a plan in order: first the steps under investigation, then the others by plan id.

    `plan` is the current plan. Plans are immutable, so the plan that is passed in is not changed.
    """

    def __init__(self, plan: Plan, db_dir: str | Path, summary_template_path: str | Path) -> None:
        self.plan = plan
        self.db_dir = Path(db_dir)
        self.summary_template_path = Path(summary_template_path)
        self._prompts = Prompts()

    def generate_question(self, prompt_templates: Templates) -> tuple[int, str, str] | None:
        """Return (plan id, document id, question) of the next step and mark it Doing; None if all are done.

        Raises TemplateError.
        """
        steps = self._prioritize_plan()
        return self._begin(steps[0], prompt_templates) if steps else None

    def generate_questions(self, prompt_templates: Templates, limit: int | None = None) -> list[tuple[int, str, str]]:
        """Return the next open steps and their questions: all of them, or at most `limit`."""
        return [self._begin(step, prompt_templates) for step in self._prioritize_plan()[:limit]]

    def finish(self, plan_id: int, memory_id: int) -> None:
        """Record the result of a step, and mark the step Done."""
        self.plan = self.plan.with_result(plan_id, memory_id).with_status(plan_id, Status.DONE)

    def _prioritize_plan(self) -> tuple[PlanStep, ...]:
        return prioritized(self.plan)

    def _begin(self, step: PlanStep, templates: Templates) -> tuple[int, str, str]:
        if not isinstance(templates, str | Path):
            templates = templates[step.document_id] if step.document_id in templates else templates[_OTHERS]
        question = self._generate_document_question(templates, step.document_id, step.purpose, step.perspectives)
        self.plan = self.plan.with_status(step.plan_id, Status.DOING)
        return step.plan_id, step.document_id, question

    def _generate_document_question(
        self, prompt_template_path: str | Path, document_id: str, purpose: str, perspectives: str
    ) -> str:
        step = PlanStep(plan_id=1, document_id=document_id, purpose=purpose, perspectives=perspectives)
        return sub_question(step, self._prompts, Path(prompt_template_path), self.summary_template_path)


class Query:
    """Queries one document in a workspace directory or, with the document id "summary", all documents together.

    Without `client` the built-in engine answers.
    """

    def __init__(
        self,
        target_doc_id: str,
        main_question: str,
        memory_stream: MemoryStream,
        db_dir: str | Path,
        *,
        client: EngineClient | None = None,
        mission: str = DEFAULT_MISSION,
    ) -> None:
        self.target_doc_id = target_doc_id
        self.main_question = main_question
        self.memory_stream = memory_stream
        self._client = client or standalone_client()
        self._mission = mission
        self._library = standalone_library(Path(db_dir))

    def run(self, prompt_template_path: str | Path, sub_question: str) -> bool:
        """Ask, and remember the reply. Return False if the reply's point could not be read; the reply is kept anyway.

        Raises FolderError for an unknown document, EngineError, TemplateError, StoreError, and the signal BudgetSpent.
        """
        query = DocumentQuery(
            self.main_question,
            self._mission,
            own_words(self.main_question),
            self._client,
            self._library,
            Sources(self._library.document),
            template=Path(prompt_template_path),
        )
        try:
            finding = query.examine(self.target_doc_id, sub_question)
        except KeyError as error:
            if self.target_doc_id in self._library.document_ids():
                raise
            raise FolderError(
                f"unknown document {self.target_doc_id}",
                hint="To list the documents, run: investigator status FOLDER --json",
            ) from error
        self.memory_stream.add(self.target_doc_id, sub_question, finding)
        if finding.point is None:
            _log.warning("the reply of %s contains no readable score: %.200s", self.target_doc_id, finding.reply)
        return finding.point is not None

    def save(self, sub_question: str, reply: str, point: int | None) -> Memory:
        """Remember a reply and its point (0..100; None if it could not be read)."""
        return self.memory_stream.add(self.target_doc_id, sub_question, Finding(reply=reply, point=point))


def listed(documents: str | Sequence[DocumentCard | str]) -> tuple[DocumentCard, ...]:
    """Return the documents as cards; a string lists them one per line or separated by commas."""
    if isinstance(documents, str):
        lines = [line for line in documents.splitlines() if line.strip()]
        documents = lines if len(lines) > 1 or _TITLE.search(documents) else re.split(r"\s*[,;]\s*", documents.strip())
        documents = [_BULLET.sub("", entry).strip() for entry in documents]
    return tuple(_card(entry) if isinstance(entry, str) else entry for entry in documents if entry)


def told(history: str | Sequence[Memory], question: str) -> tuple[Memory, ...]:
    """Return the selected memories; a string counts as one memory without a point."""
    if not isinstance(history, str):
        return tuple(history)
    if not history.strip():
        return ()
    reply = history.strip()
    return (Memory(id=1, target_document_id="history", question=question, reply=reply, status=PointStatus.UNPARSED),)


def _card(entry: str) -> DocumentCard:
    document_id, *title = _TITLE.split(entry, maxsplit=1)
    return DocumentCard(document_id=document_id, title=title[0] if title and title[0] else document_id)
