"""The interface for a proposer, which creates candidates during a search, the model that it uses, and the ledger of a
tuning run's calls.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import cast

from pydantic import Field

from investigator.asking.budget import Budget
from investigator.asking.call import call_to
from investigator.asking.contracts import METHOD, Contract
from investigator.asking.replies import read_reply
from investigator.asking.sender import CallSender
from investigator.engines.base import Engine
from investigator.errors import ReplyError, SettingsError
from investigator.evaluation.lines import RecordFile
from investigator.evaluation.measures import Measure
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question
from investigator.plugins import load, plug_ins
from investigator.records import FinishReason, Prompt, Record, Reply, Usage, usage_of
from investigator.resources.distribution import install_command
from investigator.scoring.prices import Prices, priced
from investigator.store.in_memory import InMemoryJournal
from investigator.tuning.candidates import Variant

PROPOSE = "tuning/propose"
"""The template of a proposer's prompt; replies to it are stored in the ledger, all other replies in their runs."""

GEPA = "gepa"
"""The proposer of this package."""

_GROUP = "investigator.proposers"  # the entry point group for proposers, including our own


class ProposeVariables(Record):
    """The variables of a proposer's prompt: a template, its results, and its contract."""

    template: str
    results: str
    must_use: tuple[str, ...]
    variables: tuple[str, ...]
    must_name: tuple[str, ...]


class ProposeReply(Record):
    """The reply of a proposer: the full text of a template."""

    template: str = Field(min_length=1)


class ProposerText(Record):
    """A proposer's prompt, already filled in."""

    text: str


PROPOSING: Mapping[str, Contract] = {
    PROPOSE: Contract(ProposeVariables, ProposeReply, ("template", "results"), ("template",))
}


@dataclass(frozen=True)
class Workshop:
    """The tools of a proposer. `try_out` asks a candidate the questions with the given ids; `refusal` returns the
    reason if a candidate breaks its contract, otherwise "". `ask` sends a filled-in `prompts/tuning/propose.j2` to the
    proposer's model and returns the new text. They raise BudgetSpent when a ceiling is reached; once `is_spent` is
    True, the budget for proposing is used up.
    """

    templates: Mapping[str, str]
    questions: tuple[Question, ...]
    measure: Measure
    seed: int
    try_out: Callable[[Variant, Sequence[str]], Mapping[str, Outcome]]
    refusal: Callable[[Variant], str]
    ask: Callable[[str], str]
    is_spent: Callable[[], bool]

    def variables(self, name: str, text: str, results: str) -> ProposeVariables:
        """Return the variables that `prompts/tuning/propose.j2` needs for a text of the template with this name."""
        contract = METHOD[name]
        return ProposeVariables(
            template=text,
            results=results,
            must_use=contract.must_use,
            variables=tuple(contract.variables.model_fields),
            must_name=contract.must_name,
        )


Proposer = Callable[[Workshop], Iterable[Variant]]
"""Creates candidates; another package adds one with an entry point in the group `investigator.proposers`."""


def proposer_named(name: str) -> Proposer:
    """Return the proposer with the given name. Raises SettingsError if none has it, or its package is missing."""
    points = plug_ins(_GROUP)
    if name not in points:
        raise SettingsError(f"unknown proposer {name!r}", hint=f"The known proposers are: {', '.join(points)}.")
    if name == GEPA and find_spec(GEPA) is None:
        hint = f"Install it with: {install_command('tune')}"
        raise SettingsError("--search gepa needs the package gepa", hint=hint)
    return cast("Proposer", load(points[name]))


class LedgerLine(Record):
    """The usage that a step of a call adds; only the proposer's lines have a `reply`."""

    key: str
    usage: Usage = Usage()
    reply: Reply | None = None


class TuningLedger(InMemoryJournal):
    """Records the calls of all processes of a tuning run, and the replies of its proposer, in an append-only file. A
    call counts from its start, and its cost is corrected at its end, so that a call ended by a kill also counts.
    Thread-safe. Raises StoreError and DataError.
    """

    def __init__(self, path: Path, prices: Prices) -> None:
        super().__init__(prices.price_of)
        self._file = RecordFile(path, LedgerLine, "a call of a tuning run")
        self._begun: dict[str, Usage] = {}
        for line in self._file.read():
            self._count(line)

    def begin(self, key: str, engine: str, tokens: int) -> None:
        self._begun[key] = priced(Usage(calls=1, input_tokens=tokens, unanswered=1), self._price_of(engine))
        self._add(LedgerLine(key=key, usage=self._begun[key]))

    def withdraw(self, key: str, *, sent: bool) -> None:
        if not sent:
            self._add(LedgerLine(key=key, usage=_less(Usage(), self._begun[key])))

    def keep(self, key: str, prompt: Prompt, engine: str, reply: Reply) -> None:
        usage = _less(priced(usage_of(reply), self._price_of(engine)), self._begun[key])
        self._add(LedgerLine(key=key, usage=usage, reply=reply if prompt.template == PROPOSE else None))

    def _add(self, line: LedgerLine) -> None:
        with self._changing:
            self._file.append(line)
        self._count(line)

    def _count(self, line: LedgerLine) -> None:
        self.spent_before(line.usage)
        if line.reply is not None:
            self._replies[line.key] = line.reply


def _less(usage: Usage, begun: Usage) -> Usage:
    return Usage(**{name: value - getattr(begun, name) for name, value in usage})


class ProposerModel:
    """Sends a prompt to an engine, within the run's ceilings, and returns the template in the reply."""

    def __init__(self, engine: Engine, ledger: TuningLedger, budget: Budget) -> None:
        self._engine = engine
        self._sender = CallSender(ledger, (budget,), time.monotonic)

    def __call__(self, text: str) -> str:
        """Return the template of a reply, JSON or plain; "" if it is cut off. Raises EngineError and BudgetSpent."""
        prompt = Prompt(PROPOSE, ProposerText(text=text), text, ProposeReply)
        reply = self._sender.send(call_to(self._engine, prompt))
        if reply.finish_reason is FinishReason.LENGTH:
            return ""  # repairing a truncated template would mean inventing its end
        try:
            return read_reply(reply.text, ProposeReply).template
        except ReplyError:
            return reply.text
