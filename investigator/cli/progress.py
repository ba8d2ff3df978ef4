"""Shows progress on standard error, live in a terminal and line by line elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Self, TextIO

from rich.text import Text

from investigator.cli.output import is_terminal
from investigator.errors import RunError
from investigator.records import Answered, Event, Investigation, Started, Writing
from investigator.reports.inert import inert
from investigator.reports.steps import Count, Pace, counted_step, sentence, what_follows, writing_line

PLAIN_INTERVAL = 2.0
"""Minimum number of seconds between two plain lines that count the same work."""

WRITING_INTERVAL = 10.0
"""Minimum number of seconds between two plain lines about a model's progress."""


def follow(
    events: Iterable[Event],
    stream: TextIO,
    clock: Callable[[], float] = time.monotonic,
    watch: Callable[[Callable[[Writing], None] | None], None] = lambda _: None,
) -> Investigation:
    """Show all events on a stream as they arrive, and return the investigation of the last event. Raises RunError."""
    investigation: Investigation | None = None
    for event in shown(events, stream, clock, watch):
        if isinstance(event, Answered):
            investigation = event.investigation
    if investigation is None:
        raise RunError("the investigation ended without an outcome", hint="Run the same command again to resume.")
    return investigation


def shown(
    events: Iterable[Event],
    stream: TextIO,
    clock: Callable[[], float] = time.monotonic,
    watch: Callable[[Callable[[Writing], None] | None], None] = lambda _: None,
) -> Iterator[Event]:
    """Show events on a stream as they arrive, and pass them on; `watch` receives the display, to show a model's
    progress.
    """
    with display_on(stream, clock) as display:
        watch(display.show_writing)
        try:
            for event in events:
                display.show(event)
                yield event
        finally:
            watch(None)


def display_on(stream: TextIO, clock: Callable[[], float]) -> LiveDisplay | PlainDisplay:
    """Return the display for a stream: a live line for a terminal, plain lines for anything else."""
    return LiveDisplay(stream, clock) if is_terminal(stream) else PlainDisplay(stream, clock)


class PlainDisplay:
    """Writes a line for each event; counted events get a line every two seconds, and a line at the end."""

    def __init__(self, stream: TextIO, clock: Callable[[], float], interval: float = PLAIN_INTERVAL) -> None:
        self._stream = stream
        self._clock = clock
        self._interval = interval
        self._pace = Pace()
        self._engine = ""
        self._kind = ""
        self._shown = 0.0
        self._wrote: float | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.flush()

    def show(self, event: Event) -> None:
        """Write the line for an event, if one is due."""
        if isinstance(event, Started):
            self._engine = event.engine
        count = counted_step(event, self._engine)
        self._write(sentence(event, self._engine) if count is None else self._line(count, self._clock()))

    def show_writing(self, writing: Writing) -> None:
        """Write the progress of a local model, every ten seconds."""
        now = self._clock()
        if self._wrote is None:
            self._wrote = now
        if now - self._wrote >= WRITING_INTERVAL:
            self._wrote = now
            self._write(writing_line(writing))

    def _write(self, line: str) -> None:
        if line:
            self._stream.write(inert(line) + "\n")
            self._stream.flush()

    def _line(self, count: Count, now: float) -> str:
        speed = self._pace.speed(count, now)
        if count.kind == self._kind and not count.last and now - self._shown < self._interval:
            return ""
        self._kind, self._shown = count.kind, now
        return count.line(speed)


class LiveDisplay:
    """Shows a live line with phase, progress bar, documents, calls, and elapsed and remaining time; messages scroll
    above it.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float]) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self._clock = clock
        self._pace = Pace()
        self._engine = ""
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            TimeElapsedColumn(),
            TextColumn("{task.fields[detail]}", style="dim", markup=False),
            console=Console(file=stream, highlight=False),
            transient=True,
            redirect_stdout=False,
        )
        self._task = self._progress.add_task("starting", total=None, detail="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def show(self, event: Event) -> None:
        """Update the line, or print the event's message above it."""
        if isinstance(event, Started):
            self._engine = event.engine
        count = counted_step(event, self._engine)
        if count is not None:
            detail = count.detail(self._pace.speed(count, self._clock()))
            self._progress.update(
                self._task, description=inert(count.title), completed=count.done, total=count.total, detail=detail
            )
        elif words := sentence(event, self._engine):
            self._progress.console.print(Text(inert(words), style="dim"))
        if count is None or count.last:
            self._await(what_follows(event))

    def show_writing(self, writing: Writing) -> None:
        """Show the progress of a local model in the live line."""
        self._progress.update(self._task, detail=writing_line(writing))

    def _await(self, phase: str) -> None:
        """Begin a phase of unknown length."""
        self._progress.remove_task(self._task)
        self._task = self._progress.add_task(phase, total=None, detail="")
