"""The interface of tracing: what is reported about a run and its engine calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Protocol

from pydantic import Field

from investigator.records import Investigation, Prompt, Record, Reply


class TraceSettings(Record):
    """Settings for recording each engine call, in addition to the workspace's journal."""

    file: str | None = Field(default=None, description="file to which each engine call is appended as a line of JSON")
    prompts: bool = Field(default=False, description="also write the texts of prompts and replies to that file")


def encodable(text: str) -> str:
    """Return the text in a form that UTF-8 can encode; lone surrogates, which occur in some file names, are escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


@dataclass(frozen=True)
class WatchedCall:
    """An engine call that has ended: the prompt, the engine's name, the key under which the reply is stored, and the
    reply or the error. A `reused` reply came from the journal without calling the engine.
    """

    prompt: Prompt
    engine: str
    key: str
    seconds: float = 0.0
    reply: Reply | None = None
    reused: bool = False
    error: BaseException | None = None


class RunTrace(Protocol):
    """One run being traced. Thread-safe; an error in tracing itself never breaks a run."""

    def called(self, call: WatchedCall) -> None: ...
    def ended(self, investigation: Investigation) -> None: ...


class Tracer(Protocol):
    """Traces a run until the context manager exits; an error raised inside it is recorded as the run's error."""

    def run(
        self, run_id: str, question: str, engine: str, *, resumed: bool = False
    ) -> AbstractContextManager[RunTrace]: ...


@dataclass(frozen=True)
class Traces:
    """Traces runs with any number of tracers."""

    tracers: tuple[Tracer, ...] = ()

    @contextmanager
    def run(self, run_id: str, question: str, engine: str, *, resumed: bool = False) -> Iterator[RunTraces]:
        """Trace the run with each tracer."""
        with ExitStack() as stack:
            begun = [tracer.run(run_id, question, engine, resumed=resumed) for tracer in self.tracers]
            yield RunTraces(tuple(map(stack.enter_context, begun)))


@dataclass(frozen=True)
class RunTraces:
    """One run being traced by any number of tracers."""

    runs: tuple[RunTrace, ...] = ()

    def called(self, call: WatchedCall) -> None:
        """Report a call to each tracer."""
        for run in self.runs:
            run.called(call)

    def ended(self, investigation: Investigation) -> None:
        """Report the end of the run to each tracer."""
        for run in self.runs:
            run.ended(investigation)
