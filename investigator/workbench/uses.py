"""Finds the uses of templates in a run or for a question, with the variables and replies of each use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from investigator.asking.budget import BudgetSettings
from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.asking.repair import ReadReply, anything, read_once, read_or_repaired
from investigator.engines.roles import Role
from investigator.engines.stand_ins import AbsentEngine, ForeseeingEngine
from investigator.errors import ContextTooLongError, ReplayError, SettingsError, UserError
from investigator.investigator import Investigator
from investigator.records import (
    SUMMARY,
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
        return read_or_repaired(self._prompt, self.replies[0], self._prompt.reply_type, anything, self._repaired)

    @property
    def _prompt(self) -> Prompt:
        return Prompt(self.name, self.variables, self.text, self.reply_type or Record)

    def _repaired(self, _: RepairVariables) -> Reply:
        if len(self.replies) < 2:
            raise ContextTooLongError("without a repair request")
        return self.replies[1]


class WatchedCalls:
    """A trace that collects the answered calls, in order."""

    def __init__(self) -> None:
        self.calls: list[WatchedCall] = []

    def called(self, call: WatchedCall) -> None:
        """Collect a call, unless it failed."""
        if call.reply is not None:
            self.calls.append(call)

    def ended(self, investigation: Investigation) -> None:
        """Do nothing, because only calls are collected."""

    def uses(self) -> tuple[TemplateUse, ...]:
        """Group the calls into uses: a second prompt for the same variables is a repair request."""
        uses: dict[tuple[str, Record], TemplateUse] = {}
        for call in self.calls:
            prompt, reply = call.prompt, call.reply
            use = uses.get((prompt.template, prompt.variables))
            if reply is None or (use is not None and use.text == prompt.text):
                continue
            use = use or TemplateUse(prompt.template, prompt.variables, prompt.text, prompt.reply_type, call.engine)
            uses[prompt.template, prompt.variables] = replace(use, replies=(*use.replies, reply))
        return tuple(uses.values())


@dataclass(frozen=True)
class FoundUses:
    """The uses of templates in a run, together with the run's record and its open folder."""

    record: Investigation
    uses: tuple[TemplateUse, ...]
    folder: OpenFolder
    library: Library

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


@contextmanager
def uses_in_run(investigator: Investigator, run_id: str) -> Iterator[FoundUses]:
    """Replay a run as far as its journal goes; no engine is called. The investigator must have the templates of the
    run.

    Raises UnknownRunError, SettingsError, and the same errors as `Investigator.replay`.
    """
    parts = investigator.parts
    with _opened(investigator) as folder:
        record = Runs(folder.runs).investigation(run_id)
        if record.setup.templates != parts.prompts.own():
            names = ", ".join(template.name for template in record.setup.templates)
            used = f"its own templates ({names})" if names else "the shipped templates"
            hint = "Pass the unchanged folder of these templates with --ran-with DIR." if names else "Omit --ran-with."
            raise SettingsError(f"the run {record.id} used {used}", hint=hint)
        settings, watched = settings_of(record, parts.settings), WatchedCalls()
        library = _library(investigator, folder, record, settings)
        engines = {Role(used.role): AbsentEngine(used.name, used.traits) for used in record.setup.engines}
        journal = PastCalls(folder.runs, record.id)
        client = parts.client(engines, journal, budget=_UNBOUNDED, trace=watched, day=record.setup.day)
        if record.id.startswith(MATRIX):
            _replay_rows(client, library, settings, record)
        else:
            _replay(client, library, settings, as_it_began(record))
        yield FoundUses(record, _all_uses(record, watched.uses(), parts.prompts), folder, library)


@contextmanager
def uses_for_question(investigator: Investigator, question: str) -> Iterator[FoundUses]:
    """Simulate the run of a question with the built-in engine, like a forecast; nothing is sent. The prompts are those
    that the investigator's engines would get. Raises the same errors as `Investigator.forecast`.
    """
    parts = investigator.parts
    with _opened(investigator) as folder:
        new = new_record(question, RunOptions(), investigator.engines, parts.settings, parts.trust_of)
        setup = new.setup.changed(search=folder.index.best_search(), day=day_of(new, datetime.now(UTC)))
        blank = new.changed(setup=setup)
        settings, watched = settings_of(blank, parts.settings), WatchedCalls()
        library = _library(investigator, folder, blank, settings)
        engines = {role: ForeseeingEngine(engine, parts.extractive) for role, engine in investigator.engines.items()}
        client = parts.client(engines, parts.memory_journal(), budget=_UNBOUNDED, trace=watched, day=blank.setup.day)
        record = _replay(client, library, settings, blank)
        uses = tuple(replace(use, replies=()) for use in _all_uses(record, watched.uses(), parts.prompts))
        yield FoundUses(record, uses, folder, library)


@contextmanager
def _opened(investigator: Investigator) -> Iterator[OpenFolder]:
    index = IndexService(investigator.folder, investigator.workspace, investigator.parts)
    index.check_files()
    with open_folder(index, investigator.parts, investigator.engines, Traces()) as folder:
        for _ in folder.read():
            pass
        yield folder


def _library(investigator: Investigator, folder: OpenFolder, record: Investigation, settings: MadeWith) -> Library:
    for _ in folder.prepare(record.setup.search):
        pass
    return folder.index.library(record.setup.search, investigator.parts.caching_embedder, settings.retrieval)


def _all_uses(record: Investigation, calls: Iterable[TemplateUse], prompts: Prompts) -> tuple[TemplateUse, ...]:
    """Return the uses found in the calls, and the uses of templates to which no engine replies directly."""
    calls = tuple(calls)
    given: list[tuple[str, Record]] = []
    for step in record.plan.steps:
        name = "tactical_planning/summary" if step.document_id == SUMMARY else "tactical_planning/question"
        given.append((name, QuestionVariables(**step.model_dump(include=set(QuestionVariables.model_fields)))))
    for use in calls:
        if problem := use.first_reading().problem:
            repair = RepairVariables(prompt=use.text, reply=use.replies[0].text, problem=problem)
            given.append(("asking/repair", repair))
    return (*calls, *(TemplateUse(name, values, prompts.render(prompts.path(name), values)) for name, values in given))


def _replay(client: EngineClient, library: Library, settings: MadeWith, blank: Investigation) -> Investigation:
    """Replay a run step by step until a reply is missing, and return its record."""
    states = [blank]
    in_order = settings.research.changed(concurrency=1)
    research = Research(client, library, in_order, keep=states.append, is_checked=not settings.check.off)
    with suppress(ReplayError):  # the run ended here, or the folder has changed since then
        for _ in research.investigate(blank):
            pass
    return states[-1]


def _replay_rows(client: EngineClient, library: Library, settings: MadeWith, record: Investigation) -> None:
    """Replay the readings of a matrix until a reply is missing."""
    in_order, trust = settings.research.changed(concurrency=1), trust_in_run(record, Role.ASK)
    research = MatrixResearch(client, library, in_order, record.setup.mission, trust, is_checked=not settings.check.off)
    read = record.answer.coverage.read if record.answer is not None else library.document_ids()
    with suppress(ReplayError):
        for _ in research.rows(record.question.splitlines(), read):
            pass
