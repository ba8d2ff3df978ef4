"""Shows progress on standard error: a live line in a terminal; elsewhere lines, if `--verbose` asks for them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Self, TextIO

from rich.text import Text

from investigator.cli.output import is_terminal
from investigator.cli.streams import STREAMS
from investigator.errors import RunError
from investigator.records import Answered, Event, Investigation, Notice, Progressed, Started, Writing
from investigator.reports.inert import inert
from investigator.reports.steps import Pace, counted_step, sentence, what_follows, writing_line

if TYPE_CHECKING:
    from rich.progress import Progress

PLAIN_INTERVAL = 2.0
"""Minimum number of seconds between two plain lines that count the same work."""

WRITING_INTERVAL = 10.0
"""Minimum number of seconds between two plain lines about a model's progress."""

Watch = Callable[[Callable[[Writing], None] | None], None]
"""Receives the function that shows a model's progress, and None at the end."""


def follow(
    events: Iterable[Event],
    stream: TextIO,
    clock: Callable[[], float] = time.monotonic,
    watch: Watch = lambda _: None,
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
    watch: Watch = lambda _: None,
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


def show_all(events: Iterable[Event]) -> None:
    """Show events on standard error as they arrive."""
    for _ in shown(events, sys.stderr):
        pass


def display_on(stream: TextIO, clock: Callable[[], float] = time.monotonic) -> Display:
    """Return the display for a stream: a live line for a terminal, plain lines for anything else."""
    return Display(stream, clock, live=is_terminal(stream), verbose=STREAMS.get().verbose)


class Display:
    """Shows what happens now, and how long it may take: if `live`, as one line with a progress bar. If `verbose`, each
    step has a line of its own, and what is counted has one every two seconds and at the end of its phase. Notes are
    always shown.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float], *, live: bool, verbose: bool = False) -> None:
        self._stream, self._verbose = stream, verbose
        self._clock = clock
        self._pace = Pace()
        self._engine = ""
        self._phase = ""
        self._counted = 0.0
        self._wrote: float | None = None
        self._bar = _bar(stream) if live else None
        if self._bar is not None:
            self._task = self._bar.add_task("starting", total=None, detail="")

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, event: Event) -> None:
        """Show an event, if it is worth a line."""
        if isinstance(event, Started):
            self._engine = event.engine
        count = counted_step(event, self._engine)
        if count is not None:
            self._count(count, self._clock())
        elif (self._verbose or isinstance(event, Notice)) and (words := sentence(event, self._engine)):
            self._say(inert(words))
        if self._bar is not None and (count is None or count.is_last):
            self._bar.remove_task(self._task)  # the next phase, of unknown length, has its own clock
            self._task = self._bar.add_task(what_follows(event), total=None, detail="")

    def show_writing(self, writing: Writing) -> None:
        """Show the progress of a local model, in plain lines every ten seconds."""
        if self._bar is not None:
            self._bar.update(self._task, detail=writing_line(writing))
        elif self._verbose and self._wrote is None:
            self._wrote = self._clock()
        elif self._wrote is not None and self._clock() - self._wrote >= WRITING_INTERVAL:
            self._wrote = self._clock()
            self._say(writing_line(writing))

    def _count(self, count: Progressed, now: float) -> None:
        title, detail = inert(count.title), self._pace.detail(count, now)
        if self._bar is not None:
            self._bar.update(self._task, description=title, completed=count.done, total=count.total, detail=detail)
        elif self._verbose and (count.phase != self._phase or count.is_last or now - self._counted >= PLAIN_INTERVAL):
            self._phase, self._counted = count.phase, now
            self._say(f"{title}: {detail}".removesuffix(": "))

    def _say(self, line: str) -> None:
        if self._bar is not None:
            self._bar.console.print(Text(line, style="dim"))
        else:
            self._stream.write(f"{line}\n")
            self._stream.flush()


def _bar(stream: TextIO) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TimeElapsedColumn(),
        TextColumn("{task.fields[detail]}", style="dim", markup=False, table_column=Column(no_wrap=True)),
        console=Console(file=stream, highlight=False),
        transient=True,
        redirect_stdout=False,
    )
