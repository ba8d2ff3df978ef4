"""Finds the uses of templates in a run or for a question, with the variables and replies of each use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from investigator.asking.budget import BudgetSettings
from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.asking.repair import ReadReply, anything, read_once
from investigator.engines.roles import Role
from investigator.engines.stand_ins import AbsentEngine, ForeseeingEngine
from investigator.errors import ReplayError, SettingsError, UserError
from investigator.investigator import Investigator
from investigator.records import SUMMARY, Investigation, Prompt, QuestionVariables, Record, RepairVariables, Reply
from investigator.research.loop import Research
from investigator.research.matrix import MatrixResearch
from investigator.retrieval.library import Library
from investigator.services.matrix_run import trust_in_run
from investigator.services.run_records import MATRIX, MadeWith, RunOptions, as_it_began, day_of, new_record, settings_of
from investigator.store.database import Database
from investigator.store.past_calls import PastCalls
from investigator.tracing.base import WatchedCall

_UNBOUNDED = BudgetSettings(calls=None)  # replaying a run costs nothing


@dataclass(frozen=True)
class TemplateUse:
    """One use of a template: the prompt, and the engine and its replies; a second reply answers a repair request."""

    prompt: Prompt
    engine: str = ""
    replies: tuple[Reply, ...] = ()

    def readings(self) -> tuple[ReadReply[Record], ...]:
        """Return each reply after parsing."""
        return tuple(read_once(self.prompt, reply, self.prompt.reply_type, anything) for reply in self.replies)


class WatchedCalls:
    """Collects the answered calls by use: a second prompt for the same variables is a repair request."""

    def __init__(self) -> None:
        self._uses: dict[tuple[str, Record], TemplateUse] = {}

    def called(self, call: WatchedCall) -> None:
        """Collect a call, unless it failed."""
        prompt = call.prompt
        use = self._uses.get((prompt.template, prompt.variables))
        if call.reply is not None and (use is None or use.prompt.text != prompt.text):
            use = use or TemplateUse(prompt, call.engine)
            self._uses[prompt.template, prompt.variables] = replace(use, replies=(*use.replies, call.reply))

    def ended(self, investigation: Investigation) -> None:
        """Do nothing, because only calls are collected."""

    def uses(self) -> tuple[TemplateUse, ...]:
        """Return the uses, in order."""
        return tuple(self._uses.values())


@dataclass(frozen=True)
class FoundUses:
    """The uses of templates in a run, together with the run's record, the database of runs, and the open index."""

    record: Investigation
    uses: tuple[TemplateUse, ...]
    runs: Database
    library: Library

    def of(self, name: str, number: int) -> TemplateUse:
        """Return the use of a template with the given number, counted from 1. Raises UserError if it does not exist."""
        uses = [use for use in self.uses if use.prompt.template == name]
        if number <= len(uses):
            return uses[number - 1]
        if uses:
            raise UserError(f"{name} was used {len(uses)} times", hint=f"Choose a --step from 1 to {len(uses)}.")
        names = ", ".join(dict.fromkeys(use.prompt.template for use in self.uses)) or "none"
        hint = "Ask another question, or choose another --run."
        raise UserError(f"the run does not use {name}; it uses: {names}", hint=hint)


@contextmanager
def uses_in(investigator: Investigator, run_id: str, question: str) -> Iterator[FoundUses]:
    """Replay a run as far as its journal goes or, without a run, simulate the run of a question with the built-in
    engine; nothing is sent. The investigator must have the templates of the run; the prompts for a question are those
    that the investigator's engines would get.

    Raises NotFoundError, SettingsError, and the same errors as `Investigator.replay` and `Investigator.forecast`.
    """
    parts, engines = investigator.parts, investigator.engines
    if run_id:
        record = investigator.show(run_id)
        _check_templates(record, parts.prompts)
        engines = {Role(used.role): AbsentEngine(used.name, used.traits) for used in record.setup.engines}
    else:
        new = new_record(question, RunOptions(), engines, parts.settings, parts.trust_of)
        record = new.changed(setup=new.setup.changed(day=day_of(new, datetime.now(UTC))))
        engines = {role: ForeseeingEngine(engine, parts.extractive) for role, engine in engines.items()}
    settings, watched = settings_of(record, parts.settings), WatchedCalls()
    search = record.setup.search if run_id else None
    with (
        investigator.library(search=search, retrieval=settings.retrieval) as library,
        investigator.open_workspace(write=False) as workspace,
    ):
        journal = PastCalls(workspace.runs, record.id) if run_id else parts.memory_journal()
        client = parts.client(engines, journal, budget=_UNBOUNDED, trace=watched, day=record.setup.day)
        if record.id.startswith(MATRIX):
            _replay_rows(client, library, settings, record)
        else:
            record = _replay(client, library, settings, as_it_began(record))
        uses = (*watched.uses(), *_without_calls(record, watched.uses()))
        if not run_id:
            uses = tuple(replace(use, replies=()) for use in uses)
        yield FoundUses(record, uses, workspace.runs, library)


def _check_templates(record: Investigation, prompts: Prompts) -> None:
    if record.setup.templates != prompts.own():
        names = ", ".join(template.name for template in record.setup.templates)
        used = f"its own templates ({names})" if names else "the shipped templates"
        hint = "Pass the unchanged folder of these templates with --ran-with DIR." if names else "Omit --ran-with."
        raise SettingsError(f"the run {record.id} used {used}", hint=hint)


def _without_calls(record: Investigation, calls: tuple[TemplateUse, ...]) -> Iterator[TemplateUse]:
    """Yield the uses of templates to which no engine replies directly: those of sub-questions and of repairs."""
    for step in record.plan.steps:
        name = "tactical_planning/summary" if step.document_id == SUMMARY else "tactical_planning/question"
        variables = QuestionVariables(**step.model_dump(include=set(QuestionVariables.model_fields)))
        yield TemplateUse(Prompt(name, variables, "", Record))
    for use in calls:
        if problem := use.readings()[0].problem:
            repair = RepairVariables(prompt=use.prompt.text, reply=use.replies[0].text, problem=problem)
            yield TemplateUse(Prompt("asking/repair", repair, "", Record))


def _replay(client: EngineClient, library: Library, settings: MadeWith, blank: Investigation) -> Investigation:
    states = [blank]
    in_order = settings.research.changed(concurrency=1)
    research = Research(client, library, in_order, keep=states.append, is_checked=not settings.check.off)
    with suppress(ReplayError):  # the run ended here, or the folder has changed since then
        for _ in research.events(blank):
            pass
    return states[-1]


def _replay_rows(client: EngineClient, library: Library, settings: MadeWith, record: Investigation) -> None:
    in_order, trust = settings.research.changed(concurrency=1), trust_in_run(record, Role.ASK)
    research = MatrixResearch(client, library, in_order, record.setup.mission, trust, is_checked=not settings.check.off)
    answer = record.answer
    read = (*answer.coverage.read, *answer.coverage.searched) if answer is not None else library.document_ids()
    with suppress(ReplayError):
        for _ in research.rows(record.question.splitlines(), read):
            pass
