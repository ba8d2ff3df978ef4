"""A prompt on its way to an engine, and the layers that it passes through: journal, trace, engine.

The context and budget layers are in separate files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from investigator.engines.base import Engine, Hear, Streams, prompt_key, traits_of
from investigator.errors import EngineError
from investigator.records import Prompt, Reply, Usage
from investigator.tracing.base import RunTrace, WatchedCall


@dataclass(frozen=True)
class Call:
    """A prompt, the engine that answers it, and the key under which the reply is kept.

    `hear` receives the reply while it is being written. `tokens` is the number of prompt tokens; it is counted only if
    the engine has to be asked.
    """

    prompt: Prompt
    engine: Engine
    key: str
    hear: Hear | None = None
    tokens: int = 0


Layer = Callable[[Call], Reply]
"""A layer has one job and wraps the next layer; the innermost layer calls the engine."""


def call_to(engine: Engine, prompt: Prompt, hear: Hear | None = None) -> Call:
    """Return the call that sends a prompt to an engine."""
    traits = traits_of(engine)
    key = prompt_key(engine.name, prompt, measures=traits.goes_by_measures, sampling=traits.sampling)
    return Call(prompt, engine, key, hear)


class TimedEngine:
    """The innermost layer, which calls the engine and measures the duration with `clock`."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock

    def __call__(self, call: Call) -> Reply:
        """Return the engine's reply. Raises EngineError."""
        began = self._clock()
        if call.hear is not None and isinstance(call.engine, Streams):
            reply = call.engine.reply_aloud(call.prompt, call.hear)
        else:
            reply = call.engine.reply(call.prompt)
        if not isinstance(reply, Reply):  # an engine from another package may return anything
            raise EngineError(
                f"{call.engine.name} returned {type(reply).__name__}, not a Reply",
                hint="Its reply(prompt) must return investigator.records.Reply(text=...).",
            )
        return reply.changed(seconds=round(self._clock() - began, 3))


class Traced:
    """Reports each call to the trace of the run, whether it was sent or its reply was reused."""

    def __init__(self, inner: Layer, trace: RunTrace, clock: Callable[[], float]) -> None:
        self._inner = inner
        self._trace = trace
        self._clock = clock

    def __call__(self, call: Call) -> Reply:
        """Return and trace the inner layer's reply; report an error and let it propagate."""
        began = self._clock()
        watched = WatchedCall(call.prompt, call.engine.name, call.key)
        try:
            reply = self._inner(call)
        except BaseException as error:
            self._trace.called(replace(watched, seconds=self._clock() - began, error=error))
            raise
        self._trace.called(replace(watched, seconds=self._clock() - began, reply=reply))
        return reply

    def reused(self, call: Call, reply: Reply) -> None:
        """Report a reply that was reused."""
        self._trace.called(WatchedCall(call.prompt, call.engine.name, call.key, reply=reply, reused=True))


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


class Journaled:
    """Returns the recorded reply of a call, if any, and passes it to each function in `on_reuse`.

    The budget layer (`Budgeted`) records new replies, because the cost of a call must be recorded when the call ends.
    """

    def __init__(
        self, inner: Layer, journal: CallJournal, on_reuse: Sequence[Callable[[Call, Reply], None]] = ()
    ) -> None:
        self._inner = inner
        self._journal = journal
        self._on_reuse = on_reuse

    def __call__(self, call: Call) -> Reply:
        """Return the recorded reply if there is one, otherwise the inner layer's reply. Raises StoreError."""
        kept = self._journal.find(call.key)
        if kept is None:
            return self._inner(call)
        for tell in self._on_reuse:
            tell(call, kept)
        return kept
