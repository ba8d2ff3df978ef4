"""The interface of tracing: what a tracer receives about a run and its engine calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Protocol

from investigator.records import Investigation, Prompt, Reply


def encodable(text: str) -> str:
    """Return the text in a form that UTF-8 can encode; lone surrogates, which occur in some file names, are escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


@dataclass
class WatchedCall:
    """One engine call: the prompt, the engine's name, the key under which the reply is stored and, once it has arrived,
    the reply.

    `reused` means that the reply came from the journal without calling the engine.
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
    """One run being traced. Thread-safe."""

    def call(self, call: WatchedCall) -> AbstractContextManager[WatchedCall]:
        """Trace one call until the context manager exits; an error raised inside it is recorded as the call's error."""
        ...

    def ended(self, investigation: Investigation) -> None:
        """Record the end of the run; nothing is traced after it."""
        ...


class Tracer(Protocol):
    """Traces runs. An error in tracing itself never breaks a run."""

    def run(
        self, run_id: str, question: str, engine: str, *, resumed: bool = False
    ) -> AbstractContextManager[RunTrace]:
        """Trace one run until the context manager exits; an error raised inside it is recorded as the run's error.

        If a generator holds the context manager, it may exit in a different thread from the one that entered it.
        """
        ...


@dataclass(frozen=True)
class Traces:
    """Traces runs with any number of tracers."""

    tracers: tuple[Tracer, ...] = ()

    @contextmanager
    def run(self, run_id: str, question: str, engine: str, *, resumed: bool = False) -> Iterator[RunTraces]:
        """Trace the run with each tracer."""
        with ExitStack() as stack:
            begun = [tracer.run(run_id, question, engine, resumed=resumed) for tracer in self.tracers]
            yield RunTraces(tuple(stack.enter_context(run) for run in begun))


@dataclass(frozen=True)
class RunTraces:
    """One run being traced by any number of tracers."""

    runs: tuple[RunTrace, ...] = ()

    @contextmanager
    def call(self, call: WatchedCall) -> Iterator[WatchedCall]:
        """Trace the call with each tracer."""
        with ExitStack() as stack:
            for run in self.runs:
                stack.enter_context(run.call(call))
            yield call

    def ended(self, investigation: Investigation) -> None:
        """Record the end of the run with each tracer."""
        for run in self.runs:
            run.ended(investigation)
