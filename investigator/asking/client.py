"""The client: renders prompts, sends them to the engine of their role, and parses the replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from investigator.asking.budget import Budget, BudgetSettings, BudgetSpent
from investigator.asking.call import CallJournal, call_to
from investigator.asking.contracts import METHOD
from investigator.asking.prompts import Prompts
from investigator.asking.repair import ReadReply, anything, read_once
from investigator.asking.sender import CallSender, PromptTooLong
from investigator.engines.base import Engine, Hear, traits_of
from investigator.engines.roles import Role, role_of
from investigator.errors import ContextTooLongError
from investigator.records import Prompt, Record, RepairVariables, Usage
from investigator.scoring.prices import Price
from investigator.tracing.base import RunTrace, RunTraces

V = TypeVar("V", bound=Record)
R = TypeVar("R", bound=Record)

_MOST_REFUSALS = 8  # number of prompts that an engine may refuse before no shorter one is tried


class EngineClient:
    """Sends each prompt to the engine chosen for its role. Thread-safe.

    `price_of` returns an engine's price, given its name; `joint` is a budget shared with other clients; `day` is the
    day of the run, with which the prompts of the method end.
    """

    def __init__(
        self,
        engines: Mapping[Role, Engine],
        prompts: Prompts,
        journal: CallJournal,
        clock: Callable[[], float],
        budget: BudgetSettings | None = None,
        *,
        price_of: Callable[[str], Price | None] = lambda _: None,
        trace: RunTrace | None = None,
        joint: Budget | None = None,
        day: str = "",
    ) -> None:
        own = Budget(journal, budget or BudgetSettings(), price_of)
        self._sender = CallSender(journal, (own,) if joint is None else (joint, own), clock, trace or RunTraces())
        self._engines = engines
        self._day = day
        self.prompts = prompts
        self.usage: Callable[[], Usage] = journal.usage
        self.elapsed: Callable[[], float] = journal.elapsed

    def ask(
        self,
        name: str,
        variables: V,
        reply_type: type[R],
        *,
        template: Path | None = None,
        problem_with: Callable[[R], str] = anything,
        smaller: Callable[[V, float], V | None] = lambda *_: None,
        hear: Hear | None = None,
    ) -> ReadReply[R]:
        """Send a template to its engine and parse the reply; if it has a problem, ask once more. The second reply is
        used if it can be parsed, even if a problem is left.

        `problem_with` returns the problem with a parsed reply, or "". If the prompt is too long for the engine's
        context, `smaller` takes a fraction (0..1) and returns the variables reduced to about that fraction of their
        length, or None if nothing more can be omitted. `hear` receives the first reply while it is being written, if
        the engine supports that and no reply was recorded. Raises EngineError, TemplateError or StoreError;
        ContextTooLongError if the prompt cannot be shortened enough; and the signal BudgetSpent.
        """
        engine = self._engines[role_of(name)]
        shown, refusals = variables, 0
        while True:
            prompt = self._dated(self.prompts.prompt(name, shown, template))
            try:
                reply = self._sender.send(call_to(engine, prompt, hear))
                break
            except PromptTooLong as error:
                refusals += error.share is None  # an engine that does not declare its context may refuse several
                less = smaller(shown, error.share or 0.5) if refusals < _MOST_REFUSALS else None
                if less is None:
                    raise
                shown = less
        read = read_once(prompt, reply, reply_type, problem_with)
        if read.problem:
            text = prompt.undated or prompt.text
            repair = RepairVariables(prompt=text, reply=reply.text, problem=read.problem)
            text = self.prompts.render(self.prompts.path("asking/repair"), repair)
            with suppress(ContextTooLongError, BudgetSpent):  # the first reply stays
                call = call_to(engine, self._dated(replace(prompt, text=text, undated="")))
                second = read_once(prompt, self._sender.send(call), reply_type, problem_with)
                read = second if second.value is not None or read.value is None else read
        return replace(read, in_part=shown != variables)

    def _dated(self, prompt: Prompt) -> Prompt:
        """Return a prompt with the day of the run as its last line, if it belongs to the method."""
        if not self._day or prompt.template not in METHOD:
            return prompt
        return replace(prompt, text=f"{prompt.text}\nToday is {self._day}.", undated=prompt.text)

    def name(self, role: Role) -> str:
        """Return the name of the engine for a role."""
        return self._engines[role].name

    def room(self, role: Role) -> int | None:
        """Return the number of tokens that the engine for a role can read in one prompt; None if unknown."""
        return traits_of(self._engines[role]).context_tokens

    def concurrency(self, role: Role) -> int:
        """Return the useful number of concurrent calls to the engine for a role."""
        return traits_of(self._engines[role]).concurrency
