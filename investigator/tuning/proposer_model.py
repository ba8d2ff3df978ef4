"""The model that a proposer uses. The run's ceilings limit the model, and its replies are cached, so that no reply is
paid for twice.
"""

from __future__ import annotations

import time

from investigator.asking.budget import Budget, Budgeted
from investigator.asking.call import Journaled, TimedEngine, call_to
from investigator.asking.replies import read_reply
from investigator.engines.base import Engine, guessed_tokens
from investigator.errors import ReplyError
from investigator.records import FinishReason, Prompt, Record
from investigator.tuning.ledger import PROPOSE, TuningLedger
from investigator.tuning.proposing import ProposeReply


class ProposerText(Record):
    """A proposer's prompt, already filled in."""

    text: str


class ProposerModel:
    """Sends a prompt to an engine, and returns the template in the reply."""

    def __init__(self, engine: Engine, ledger: TuningLedger, budget: Budget) -> None:
        self._engine = engine
        self._layers = Journaled(Budgeted(TimedEngine(time.monotonic), budget), ledger)

    def __call__(self, text: str) -> str:
        """Return the new template; a reply that is not JSON is used unchanged, and a truncated reply is not used.

        Raises EngineError and BudgetSpent.
        """
        call = call_to(self._engine, Prompt(PROPOSE, ProposerText(text=text), text, ProposeReply))
        reply = self._layers(type(call)(call.prompt, call.engine, call.key, tokens=guessed_tokens(text)))
        if reply.finish_reason is FinishReason.LENGTH:
            return ""  # repairing a truncated template would mean inventing its end
        try:
            return read_reply(reply.text, ProposeReply).template
        except ReplyError:
            return reply.text
