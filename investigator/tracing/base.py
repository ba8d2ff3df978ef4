"""The interface of tracing: what a tracer learns about a run and its engine calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Protocol

from investigator.records import Investigation, Prompt, Reply


def encodable(text: str) -> str:
    """Return the text as UTF-8 can encode it: halves of surrogate pairs, as in some file names, are written out."""
    return text.encode("utf-8", "backslashreplace").decode()


@dataclass
class WatchedCall:
    """One engine call: the prompt, the engine's name, the key under which the reply is kept, and later the reply.

    `reused` says that the reply came from the journal and the engine was not called.
    """

    prompt: Prompt
    engine: str
    key: str
    reply: Reply | None = None
    reused: bool = False

    def done(self, reply: Reply, *, reused: bool = False) -> None:
        """Record the reply."""
        self.reply, self.reused = reply, reused


class RunTrace(Protocol):
    """One run that is being watched. Safe to use from several threads."""

    def call(self, call: WatchedCall) -> AbstractContextManager[WatchedCall]:
        """Watch one call, as long as the context lasts; an error that leaves it is that of the call."""
        ...

    def ended(self, investigation: Investigation) -> None:
        """Record the end of the run; nothing is watched after it."""
        ...


class Tracer(Protocol):
    """Watches runs. An error in the watching itself never breaks a run."""

    def run(
        self, run_id: str, question: str, engine: str, *, resumed: bool = False
    ) -> AbstractContextManager[RunTrace]:
        """Watch one run, as long as the context lasts; an error that leaves it is that of the run.

        The context may be left in another thread than it was entered, as that of a generator may.
        """
        ...


@dataclass(frozen=True)
class Traces:
    """Watches with several tracers, or with none."""

    tracers: tuple[Tracer, ...] = ()

    @contextmanager
    def run(self, run_id: str, question: str, engine: str, *, resumed: bool = False) -> Iterator[RunTraces]:
        """Watch the run with each tracer."""
        with ExitStack() as stack:
            begun = [tracer.run(run_id, question, engine, resumed=resumed) for tracer in self.tracers]
            yield RunTraces(tuple(stack.enter_context(run) for run in begun))


@dataclass(frozen=True)
class RunTraces:
    """One run that is being watched by several tracers, or by none."""

    runs: tuple[RunTrace, ...] = ()

    @contextmanager
    def call(self, call: WatchedCall) -> Iterator[WatchedCall]:
        """Watch the call with each tracer."""
        with ExitStack() as stack:
            for run in self.runs:
                stack.enter_context(run.call(call))
            yield call

    def ended(self, investigation: Investigation) -> None:
        """Record the end with each tracer."""
        for run in self.runs:
            run.ended(investigation)
