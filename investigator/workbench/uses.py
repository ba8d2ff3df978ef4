"""Finds the uses of templates in a run or for a question, with the variables and replies of each use."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from investigator.asking.budget import BudgetSettings
from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.asking.repair import ReadReply, anything, read_once, read_or_repaired
from investigator.engines.base import Engine
from investigator.engines.roles import Role
from investigator.engines.stand_ins import AbsentEngine, ForeseeingEngine
from investigator.errors import ContextTooLongError, ReplayError, SettingsError, UserError
from investigator.investigator import Investigator
from investigator.records import (
    SUMMARY,
    Answered,
    Investigation,
    Prompt,
    QuestionVariables,
    Record,
    RepairVariables,
    Reply,
)
from investigator.research.loop import Research
from investigator.research.matrix import MatrixResearch
from investigator.retrieval.library import Library
from investigator.retrieval.retrieval_settings import RetrievalSettings
from investigator.services.index_service import IndexService
from investigator.services.matrix_run import MATRIX, trust_in_run
from investigator.services.open_folder import OpenFolder, open_folder
from investigator.services.run_records import MadeWith, RunOptions, as_it_began, day_of, new_record, settings_of
from investigator.store.journal import Runs
from investigator.store.past_calls import PastCalls
from investigator.tracing.base import Traces, WatchedCall

_UNBOUNDED = BudgetSettings(calls=None)
"""No limit, because replaying a run costs nothing."""


@dataclass(frozen=True)
class TemplateUse:
    """One rendering of a template: its input and, if an engine was called, its replies.

    A second reply answers a repair request.
    """

    name: str
    variables: Record
    text: str
    reply_type: type[Record] | None = None
    engine: str = ""
    replies: tuple[Reply, ...] = ()

    def first_reading(self) -> ReadReply[Record]:
        """Return the content of the first reply, or the parsing error."""
        return read_once(self._prompt, self.replies[0], self._prompt.reply_type, anything)

    def reading(self) -> ReadReply[Record]:
        """Return the reply that the method would use."""
        return read_or_repaired(
            self._prompt, self.replies[0], self._prompt.reply_type, anything, lambda _: self._repaired()
        )

    @property
    def _prompt(self) -> Prompt:
        return Prompt(self.name, self.variables, self.text, self.reply_type or Record)

    def _repaired(self) -> Reply:
        if len(self.replies) < 2:
            raise ContextTooLongError("without a repair request")
        return self.replies[1]


class WatchedCalls:
    """A trace that collects the answered calls, in order."""

    def __init__(self) -> None:
        self.calls: list[WatchedCall] = []
        self._adding = threading.Lock()

    @contextmanager
    def call(self, call: WatchedCall) -> Iterator[WatchedCall]:
        """Trace one call; a failed call is not collected."""
        yield call
        with self._adding:
            self.calls.append(call)

    def ended(self, investigation: Investigation) -> None:
        """Do nothing, because only calls are collected."""


@dataclass(frozen=True)
class FoundUses:
    """The uses of templates in a run, together with the run's record and its open folder."""

    record: Investigation
    uses: tuple[TemplateUse, ...]
    root: Path
    folder: OpenFolder
    library: Library
    engines: Mapping[Role, Engine]

    def of(self, name: str, number: int) -> TemplateUse:
        """Return the use of a template with the given number, counted from 1. Raises UserError if it does not exist."""
        uses = [use for use in self.uses if use.name == name]
        if number <= len(uses):
            return uses[number - 1]
        if uses:
            raise UserError(f"{name} was used {len(uses)} times", hint=f"Choose a --step from 1 to {len(uses)}.")
        there = ", ".join(dict.fromkeys(use.name for use in self.uses)) or "none"
        raise UserError(
            f"the run does not use {name}; it uses: {there}",
            hint="Ask another question, or choose another --run.",
        )


class UseFinder:
    """Finds the uses of templates; `investigator` must have the same templates as the runs."""

    def __init__(self, investigator: Investigator) -> None:
        self._parts, self._engines = investigator.parts, investigator.engines
        self._index = IndexService(investigator.folder, investigator.workspace, investigator.parts)

    @contextmanager
    def of_run(self, run_id: str) -> Iterator[FoundUses]:
        """Replay a run as far as its journal goes; no engine is called.

        Raises UnknownRunError, and the same errors as `Investigator.replay`.
        """
        with self._opened() as folder:
            record = Runs(folder.runs).investigation(run_id)
            self._check_templates(record)
            settings = settings_of(record, self._parts.settings)
            library = self._library(folder, record, settings.retrieval)
            engines = {Role(used.role): AbsentEngine(used.name, used.traits) for used in record.setup.engines}
            watched = WatchedCalls()
            client = self._parts.client(
                engines, PastCalls(folder.runs, record.id), budget=_UNBOUNDED, trace=watched, day=record.setup.day
            )
            if record.id.startswith(MATRIX):
                _gone_through_rows(client, library, settings, record)
            else:
                _gone_through(client, library, settings, as_it_began(record))
            uses = _all_uses(record, watched.calls, self._parts.prompts)
            yield FoundUses(record, uses, self._index.folder, folder, library, engines)

    @contextmanager
    def of_question(self, question: str) -> Iterator[FoundUses]:
        """Simulate the run of a question with the built-in engine, like a forecast; nothing is sent. The prompts are
        those that the investigator's engines would get. Raises the same errors as `Investigator.forecast`.
        """
        with self._opened() as folder:
            new = new_record(question, RunOptions(), self._engines, self._parts.settings, self._parts.trust_of)
            setup = new.setup.changed(search=folder.index.best_search(), day=day_of(new, datetime.now(UTC)))
            blank = new.changed(setup=setup)
            library = self._library(folder, blank, self._parts.settings.retrieval)
            engines = {role: ForeseeingEngine(one, self._parts.extractive) for role, one in self._engines.items()}
            watched = WatchedCalls()
            journal = self._parts.memory_journal()
            client = self._parts.client(engines, journal, budget=_UNBOUNDED, trace=watched, day=blank.setup.day)
            record = _gone_through(client, library, settings_of(blank, self._parts.settings), blank)
            uses = (replace(use, replies=()) for use in _all_uses(record, watched.calls, self._parts.prompts))
            yield FoundUses(record, tuple(uses), self._index.folder, folder, library, self._engines)

    def _check_templates(self, record: Investigation) -> None:
        """Raise SettingsError if the current templates differ from the templates that a run used."""
        if record.setup.templates != self._parts.prompts.own():
            named = ", ".join(one.name for one in record.setup.templates)
            used = f"its own templates ({named})" if named else "the shipped templates"
            hint = "Pass the unchanged folder of these templates with --ran-with DIR." if named else "Omit --ran-with."
            raise SettingsError(f"the run {record.id} used {used}", hint=hint)

    @contextmanager
    def _opened(self) -> Iterator[OpenFolder]:
        self._index.check_files()
        with open_folder(self._index, self._parts, self._engines, Traces()) as folder:
            for _ in folder.read():
                pass
            yield folder

    def _library(self, folder: OpenFolder, record: Investigation, retrieval: RetrievalSettings) -> Library:
        for _ in folder.prepare(record.setup.search):
            pass
        return folder.index.library(record.setup.search, self._parts.caching_embedder, retrieval)


def uses_in(calls: Iterable[WatchedCall]) -> tuple[TemplateUse, ...]:
    """Group calls into uses: a second prompt for the same variables is a repair request."""
    uses: dict[tuple[str, Record], TemplateUse] = {}
    for call in calls:
        prompt, reply = call.prompt, call.reply
        known = uses.get((prompt.template, prompt.variables))
        if reply is None or (known is not None and known.text == prompt.text):
            continue
        if known is None:
            known = TemplateUse(prompt.template, prompt.variables, prompt.text, prompt.reply_type, call.engine)
        uses[prompt.template, prompt.variables] = replace(known, replies=(*known.replies, reply))
    return tuple(uses.values())


def _all_uses(record: Investigation, calls: Iterable[WatchedCall], prompts: Prompts) -> tuple[TemplateUse, ...]:
    """Return the uses found in the calls, and the uses of templates to which no engine replies directly."""
    asked = uses_in(calls)
    given: list[tuple[str, Record]] = []
    for step in record.plan.steps:
        name = "tactical_planning/summary" if step.document_id == SUMMARY else "tactical_planning/question"
        given.append((name, QuestionVariables(**step.model_dump(include=set(QuestionVariables.model_fields)))))
    for use in asked:
        if problem := use.first_reading().problem:
            repair = RepairVariables(prompt=use.text, reply=use.replies[0].text, problem=problem)
            given.append(("asking/repair", repair))
    unanswered = (TemplateUse(name, values, prompts.render(prompts.path(name), values)) for name, values in given)
    return (*asked, *unanswered)


def _gone_through(client: EngineClient, library: Library, settings: MadeWith, blank: Investigation) -> Investigation:
    """Replay a run step by step until a reply is missing, and return its record."""
    kept = [blank]
    one_by_one = settings.research.changed(concurrency=1)
    research = Research(client, library, one_by_one, keep=kept.append, is_checked=not settings.check.off)
    with suppress(ReplayError):  # the run ended here, or the folder has changed since then
        for event in research.investigate(blank):
            if isinstance(event, Answered):
                return event.investigation
    return kept[-1]


def _gone_through_rows(client: EngineClient, library: Library, settings: MadeWith, record: Investigation) -> None:
    """Replay the readings of a matrix until a reply is missing."""
    one_by_one = settings.research.changed(concurrency=1)
    trust = trust_in_run(record, Role.ASK)
    research = MatrixResearch(
        client, library, one_by_one, record.setup.mission, trust, is_checked=not settings.check.off
    )
    read = record.answer.coverage.read if record.answer is not None else library.document_ids()
    with suppress(ReplayError):
        for _ in research.rows(record.question.splitlines(), read):
            pass
