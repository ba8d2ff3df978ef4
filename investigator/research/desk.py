"""The desk: where every prompt goes out and every reply comes back.

Rendering, the journal, the budget, reading and the one repair of a reply sit here, once, for all engines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from investigator.engines.base import Engine, Traits, prompt_key, traits_of
from investigator.engines.roles import Role, role_of
from investigator.errors import ReplyError
from investigator.prompts import Prompts
from investigator.records import Prompt, Record, RepairVariables, Reply, Usage
from investigator.replies import read_reply
from investigator.research.budget import BudgetSettings, BudgetSpent, ceiling_reached

R = TypeVar("R", bound=Record)


class CallJournal(Protocol):
    """Where calls are kept; `keep` returns only when the call is safe."""

    def find(self, key: str) -> Reply | None: ...
    def keep(self, key: str, prompt: Prompt, engine: str, reply: Reply) -> None: ...
    def usage(self) -> Usage: ...
    def elapsed(self) -> float: ...


@dataclass(frozen=True)
class Reading(Generic[R]):
    """What was read from a reply: its value, or None with the problem; and the raw text."""

    value: R | None
    raw: str
    problem: str = ""


def anything(_: Record) -> str:
    """Accepts every value that could be read."""
    return ""


class Desk:
    """Asks the engine of each role. Safe to use from several threads."""

    def __init__(
        self,
        engines: Mapping[Role, Engine],
        prompts: Prompts,
        journal: CallJournal,
        clock: Callable[[], float],
        budget: BudgetSettings | None = None,
    ) -> None:
        self._engines = engines
        self._journal = journal
        self._clock = clock
        self._budget = budget or BudgetSettings()
        self.prompts = prompts

    def ask(
        self,
        name: str,
        variables: Record,
        reply_type: type[R],
        *,
        template: Path | None = None,
        problem_with: Callable[[R], str] = anything,
    ) -> Reading[R]:
        """Put a template to its engine and read the reply; one that cannot be read is asked for once more.

        `problem_with` names what is wrong with a reply that could be read, or gives an empty text; after the second
        asking such a reply is taken as it is. Raises EngineError, TemplateError, StoreError, and the signal
        BudgetSpent.
        """
        prompt = self.prompts.prompt(name, variables, template)
        first = _read(self._reply(prompt), reply_type, problem_with)
        if not first.problem:
            return first
        again = RepairVariables(prompt=prompt.text, reply=first.raw, problem=first.problem)
        text = self.prompts.render(self.prompts.path("desk/repair"), again)
        second = _read(self._reply(Prompt(name, variables, text, reply_type)), reply_type, problem_with)
        return second if second.value is not None or first.value is None else first

    def traits(self, role: Role) -> Traits:
        """What is special about the engine of a role."""
        return traits_of(self._engines[role])

    def usage(self) -> Usage:
        """What the calls so far have cost."""
        return self._journal.usage()

    def elapsed(self) -> float:
        """Seconds since the run began."""
        return self._journal.elapsed()

    def _reply(self, prompt: Prompt) -> Reply:
        engine = self._engines[role_of(prompt.template)]
        key = prompt_key(engine.name, prompt, measures=traits_of(engine).goes_by_measures)
        if (kept := self._journal.find(key)) is not None:
            return kept
        if reason := ceiling_reached(self._budget, self._journal.usage(), self._journal.elapsed()):
            raise BudgetSpent(reason)
        began = self._clock()
        reply = engine.reply(prompt)
        reply = reply.model_copy(update={"seconds": round(self._clock() - began, 3)})
        self._journal.keep(key, prompt, engine.name, reply)
        return reply


def _read(reply: Reply, reply_type: type[R], problem_with: Callable[[R], str]) -> Reading[R]:
    try:
        value = read_reply(reply.text, reply_type)
    except ReplyError as error:
        return Reading(None, reply.text, error.message)
    return Reading(value, reply.text, problem_with(value))
