"""`--quiet` and `--verbose`: options of every command that prints a result."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext, redirect_stderr
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Annotated

import typer

from investigator.errors import DamagedDatabaseError, SettingsError, WorkspaceLockedError
from investigator.reports.inert import inert

_BETWEEN_TRIES = 2.0  # interval in seconds


@dataclass(frozen=True)
class StreamOptions:
    """How much a command prints."""

    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print the result alone: no progress, no notes, no sources.")
    ] = False
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print a line for each step, and all details.")] = (
        False
    )

    def __call__(self, command: Callable[[], None], given: Mapping[str, object]) -> None:
        """Run a command, and wait first for another process that uses its folder. Raises SettingsError."""
        if self.quiet and self.verbose:
            raise SettingsError("--quiet and --verbose exclude each other", hint="Give one of them, or neither.")
        token = STREAMS.set(self)
        try:
            with redirect_stderr(io.StringIO()) if self.quiet else nullcontext():
                waited(command)
        finally:
            STREAMS.reset(token)


STREAMS: ContextVar[StreamOptions] = ContextVar("STREAMS", default=StreamOptions())  # noqa: B039 - frozen
"""The options of the command that is running."""


def waited(command: Callable[[], None], sleep: Callable[[float], None] = time.sleep) -> None:
    """Run a command, and retry it while another process is using the folder, and once after a damaged database was
    found, which is mended when it is opened again.
    """
    last, mended = "", False
    while True:
        try:
            command()
            return
        except DamagedDatabaseError as error:
            if mended:
                raise
            mended = True
            typer.echo(f"note: {inert(error.message)}; it is mended now", err=True)
            continue
        except WorkspaceLockedError as error:
            if error.message != last:
                typer.echo(f"note: {inert(error.message)}; waiting for it to end", err=True)
            last = error.message
        sleep(_BETWEEN_TRIES)
