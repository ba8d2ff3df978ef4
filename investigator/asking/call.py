"""A prompt on its way to an engine, and what keeps its reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from investigator.engines.base import Engine, Hear, prompt_key, traits_of
from investigator.records import Prompt, Reply, Usage


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


class Ledger(Protocol):
    """Tracks the usage so far and records calls; `begin` and `keep` return only after the record is safely stored.

    `begin` is called before a prompt is sent, with the engine and the estimated number of tokens in the prompt; `keep`
    or `withdraw` ends the call. If the process dies during a call, or a `sent` call gets no reply, it counts as one
    call that used only the tokens of its prompt.
    """

    def begin(self, key: str, engine: str, tokens: int) -> None: ...
    def withdraw(self, key: str, *, sent: bool) -> None: ...
    def keep(self, key: str, prompt: Prompt, engine: str, reply: Reply) -> None: ...
    def usage(self) -> Usage: ...
    def elapsed(self) -> float: ...


class CallJournal(Ledger, Protocol):
    """A ledger that also returns recorded replies, so that no reply is paid for twice.

    `too_long` returns the number of tokens in a prompt that did not fit into the engine's context, or 0 if the engine
    rejected it without a count; such a prompt must not be sent again.
    """

    def find(self, key: str) -> Reply | None: ...
    def too_long(self, key: str) -> int | None: ...
    def keep_too_long(self, key: str, tokens: int) -> None: ...
