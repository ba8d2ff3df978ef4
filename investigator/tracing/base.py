"""The port of tracing: what a tracer learns of a run, and of each engine call in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Protocol

from investigator.records import Investigation, Prompt, Reply


def encodable(text: str) -> str:
    """Return the text as UTF-8 can encode it: halves of surrogate pairs, as in some file names, are written out."""
    return text.encode("utf-8", "backslashreplace").decode()


class CallTrace(Protocol):
    """One engine call that is being watched."""

    def done(self, reply: Reply, *, reused: bool = False) -> None:
        """Record the reply; `reused` if it was kept from before and the engine was not called."""
        ...


class RunTrace(Protocol):
    """One run that is being watched. Safe to use from several threads."""

    def call(self, prompt: Prompt, engine: str, key: str) -> AbstractContextManager[CallTrace]:
        """Watch one call, as long as the context lasts; an error that leaves it is that of the call.

        `engine` is the name of the engine, `key` the key under which the reply is kept.
        """
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


class NoTrace:
    """Watches nothing: tracer, run and call in one."""

    @contextmanager
    def run(self, run_id: str, question: str, engine: str, *, resumed: bool = False) -> Iterator[NoTrace]:
        """Do nothing."""
        yield self

    @contextmanager
    def call(self, prompt: Prompt, engine: str, key: str) -> Iterator[NoTrace]:
        """Do nothing."""
        yield self

    def done(self, reply: Reply, *, reused: bool = False) -> None:
        """Do nothing."""

    def ended(self, investigation: Investigation) -> None:
        """Do nothing."""


class Traces:
    """Watches with several tracers."""

    def __init__(self, tracers: Sequence[Tracer]) -> None:
        self._tracers = tuple(tracers)

    @contextmanager
    def run(self, run_id: str, question: str, engine: str, *, resumed: bool = False) -> Iterator[RunTrace]:
        """Watch the run with each tracer."""
        with ExitStack() as stack:
            begun = [tracer.run(run_id, question, engine, resumed=resumed) for tracer in self._tracers]
            yield _Runs([stack.enter_context(run) for run in begun])


class _Runs:
    def __init__(self, runs: Sequence[RunTrace]) -> None:
        self._runs = runs

    @contextmanager
    def call(self, prompt: Prompt, engine: str, key: str) -> Iterator[CallTrace]:
        with ExitStack() as stack:
            yield _Calls([stack.enter_context(run.call(prompt, engine, key)) for run in self._runs])

    def ended(self, investigation: Investigation) -> None:
        for run in self._runs:
            run.ended(investigation)


class _Calls:
    def __init__(self, calls: Sequence[CallTrace]) -> None:
        self._calls = calls

    def done(self, reply: Reply, *, reused: bool = False) -> None:
        for call in self._calls:
            call.done(reply, reused=reused)
