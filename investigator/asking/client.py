"""The client: where every prompt goes out and every reply comes back.

Rendering, fitting to the context, the journal, the budget, reading and the one repair of a reply sit here, once, for
all engines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from investigator.asking.budget import BudgetSettings, BudgetSpent, Ledger
from investigator.asking.prompts import Prompts
from investigator.asking.replies import read_reply
from investigator.engines.base import Engine, Hear, Streams, Traits, prompt_key, tokens_of, traits_of
from investigator.engines.roles import Role, role_of
from investigator.errors import ContextTooLongError, ReplyError
from investigator.records import FinishReason, Prompt, Record, RepairVariables, Reply, StopReason, Usage
from investigator.scoring.prices import Price
from investigator.tracing.base import NoTrace, RunTrace

V = TypeVar("V", bound=Record)
R = TypeVar("R", bound=Record)

_MARGIN = 0.05  # of a context, for what a chat template puts around a prompt
_MOST_REFUSALS = 8


class CallJournal(Protocol):
    """Where calls are kept; `keep` and `keep_too_long` return only when it is safe.

    `too_long` gives the tokens of a prompt that did not fit into the engine's context, 0 of one that was refused
    without a count and is not to be tried again.
    """

    def find(self, key: str) -> Reply | None: ...
    def keep(self, key: str, prompt: Prompt, engine: str, reply: Reply) -> None: ...
    def too_long(self, key: str) -> int | None: ...
    def keep_too_long(self, key: str, tokens: int) -> None: ...
    def usage(self) -> Usage: ...
    def elapsed(self) -> float: ...


@dataclass(frozen=True)
class Reading(Generic[R]):
    """What was read from a reply: its value, or None with the problem; and the raw text.

    `in_part` says that something was left out of the prompt, for the context was too small.
    """

    value: R | None
    raw: str
    problem: str = ""
    in_part: bool = False


def anything(_: Record) -> str:
    """Accepts every value that could be read."""
    return ""


def no_smaller(_: Record, share: float) -> None:
    """For variables of which nothing can be left out."""


class _TooLong(ContextTooLongError):
    """A prompt does not fit; `share` (0..1) of it would, None where the engine has not told."""

    def __init__(self, message: str, *, hint: str = "", share: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.share = share


class EngineClient:
    """Asks the engine of each role. Safe to use from several threads.

    `second` judges beside a language model, without cost; `price_of` gives the price of an engine by its name.
    `no_repair_for` is the ceiling that has forbidden the repair of a reply, None while none has.
    """

    def __init__(
        self,
        engines: Mapping[Role, Engine],
        prompts: Prompts,
        journal: CallJournal,
        clock: Callable[[], float],
        budget: BudgetSettings | None = None,
        *,
        second: Engine | None = None,
        price_of: Callable[[str], Price | None] = lambda _: None,
        trace: RunTrace | None = None,
    ) -> None:
        self._engines = engines
        self._journal = journal
        self._clock = clock
        self._second = second
        self._price_of = price_of
        self._trace = trace or NoTrace()
        self._ledger = Ledger(budget or BudgetSettings(), journal.usage, journal.elapsed)
        self.prompts = prompts
        self.no_repair_for: StopReason | None = None

    def ask(
        self,
        name: str,
        variables: V,
        reply_type: type[R],
        *,
        template: Path | None = None,
        problem_with: Callable[[R], str] = anything,
        smaller: Callable[[V, float], V | None] = no_smaller,
        hear: Hear | None = None,
    ) -> Reading[R]:
        """Put a template to its engine and read the reply; one that cannot be read is asked for once more.

        `problem_with` names what is wrong with a reply that could be read, or gives an empty text; after the second
        asking such a reply is taken as it is. Where the prompt does not fit into the engine's context, `smaller` gives
        variables of about that share (0..1) of the length, or None. `hear` is told of the first reply while it is being
        written, where the engine can do so; a reply that was kept is not told. Raises EngineError, ContextTooLongError
        where nothing more can be left out, TemplateError, StoreError, and the signal BudgetSpent.
        """
        prompt, reply = self._fitted(name, variables, template, smaller, hear)
        in_part = prompt.variables != variables
        first = replace(_read(reply, reply_type, problem_with), in_part=in_part)
        if not first.problem:
            return first
        again = RepairVariables(prompt=prompt.text, reply=first.raw, problem=first.problem)
        text = self.prompts.render(self.prompts.path("asking/repair"), again)
        try:
            repaired = self._reply(Prompt(name, prompt.variables, text, reply_type))
        except ContextTooLongError:
            return first
        except BudgetSpent as spent:  # the first reply was paid for, and is kept as it came
            self.no_repair_for = spent.reason
            return first
        second = replace(_read(repaired, reply_type, problem_with), in_part=in_part)
        return second if second.value is not None or first.value is None else first

    def opinion(self, name: str, variables: Record, reply_type: type[R]) -> R | None:
        """What the engine that judges beside a language model says; None where no language model is asked."""
        if self._second is None or not self.traits(role_of(name)).is_model:
            return None
        return read_reply(self._second.reply(Prompt(name, variables, "", reply_type)).text, reply_type)

    def name(self, role: Role) -> str:
        """The name of the engine of a role."""
        return self._engines[role].name

    def traits(self, role: Role) -> Traits:
        """What is special about the engine of a role."""
        return traits_of(self._engines[role])

    def usage(self) -> Usage:
        """What the calls so far have cost."""
        return self._journal.usage()

    def elapsed(self) -> float:
        """Seconds since the run began."""
        return self._journal.elapsed()

    def _fitted(
        self,
        name: str,
        variables: V,
        template: Path | None,
        smaller: Callable[[V, float], V | None],
        hear: Hear | None,
    ) -> tuple[Prompt, Reply]:
        """The prompt that fits, and its reply; an engine that does not tell its context may still refuse one."""
        refusals = 0
        while True:
            prompt = self.prompts.prompt(name, variables, template)
            try:
                return prompt, self._reply(prompt, hear)
            except _TooLong as error:
                refusals += error.share is None
                less = smaller(variables, error.share or 0.5) if refusals < _MOST_REFUSALS else None
                if less is None:
                    raise
                variables = less

    def _reply(self, prompt: Prompt, hear: Hear | None = None) -> Reply:
        """The kept reply of a prompt, else the engine's. Raises _TooLong and what `ask` does."""
        engine = self._engines[role_of(prompt.template)]
        traits = traits_of(engine)
        key = prompt_key(engine.name, prompt, measures=traits.goes_by_measures, sampling=traits.sampling)
        if (kept := self._journal.find(key)) is not None:
            self._ledger.learn(kept.output_tokens)
            with self._trace.call(prompt, engine.name, key) as call:
                call.done(kept, reused=True)
            return kept
        tokens = self._tokens_that_fit(engine, prompt, key)
        paid = self._ledger.call(tokens, self._price_of(engine.name))
        with paid as entered, self._trace.call(prompt, engine.name, key) as call:
            began = self._clock()
            try:
                reply = _asked(engine, prompt, hear)
            except ContextTooLongError as error:
                self._journal.keep_too_long(key, 0)
                raise _TooLong(error.message, hint=error.hint) from error
            reply = reply.changed(seconds=round(self._clock() - began, 3))
            call.done(reply)
            entered(lambda: self._journal.keep(key, prompt, engine.name, reply))
        self._ledger.learn(reply.output_tokens)
        return reply

    def _tokens_that_fit(self, engine: Engine, prompt: Prompt, key: str) -> int:
        """The tokens of a prompt; _TooLong is raised of one that does not fit, as it was counted the first time."""
        limit = traits_of(engine).context_tokens
        room = None if limit is None else int(limit * (1 - _MARGIN))
        known = self._journal.too_long(key)
        if known == 0:
            raise _TooLong(f"{engine.name} has refused a prompt of this length")
        tokens = tokens_of(engine, prompt.text) if known is None else known
        if room is not None and tokens > room:
            if known is None:
                self._journal.keep_too_long(key, tokens)
            message = f"the prompt of {tokens} tokens does not fit into the {room} that {engine.name} can read"
            raise _TooLong(message, share=room / tokens)
        return tokens


def _asked(engine: Engine, prompt: Prompt, hear: Hear | None) -> Reply:
    return engine.reply(prompt) if hear is None or not isinstance(engine, Streams) else engine.reply_aloud(prompt, hear)


def _read(reply: Reply, reply_type: type[R], problem_with: Callable[[R], str]) -> Reading[R]:
    try:
        value = read_reply(reply.text, reply_type)
    except ReplyError as error:
        cut = " It was cut off: make it shorter." if reply.finish_reason is FinishReason.LENGTH else ""
        return Reading(None, reply.text, error.message + cut)
    return Reading(value, reply.text, problem_with(value))
