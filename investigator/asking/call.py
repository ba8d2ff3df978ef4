"""A prompt on its way to an engine, and what keeps its reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from investigator.engines.base import Engine, Hear, prompt_key, traits_of
from investigator.records import Prompt

if TYPE_CHECKING:
    from investigator.store.in_memory import InMemoryJournal, JointLedger
    from investigator.store.journal import Journal

Ledger: TypeAlias = "Journal | JointLedger"
"""Counts the cost of calls. A call begins before its prompt is sent, and its reply is kept, or it is withdrawn."""

CallJournal: TypeAlias = "Journal | InMemoryJournal"
"""A ledger that also returns recorded replies, so that no reply is paid for twice."""


@dataclass(frozen=True)
class Call:
    """A prompt, the engine that answers it, and the key under which the reply is kept. `hear` receives the reply while
    it is being written. `tokens` are those of the prompt, counted only if the engine has to be asked.
    """

    prompt: Prompt
    engine: Engine
    key: str
    hear: Hear | None = None
    tokens: int = 0


def call_to(engine: Engine, prompt: Prompt, hear: Hear | None = None) -> Call:
    """Return the call that sends a prompt to an engine."""
    traits = traits_of(engine)
    key = prompt_key(engine.name, prompt, measures=traits.goes_by_measures, sampling=traits.sampling)
    return Call(prompt, engine, key, hear)
