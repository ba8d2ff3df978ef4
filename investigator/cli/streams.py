"""`--quiet`, `--output` and `--wait`: options of every command that prints a result."""

from __future__ import annotations

import functools
import inspect
import io
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, get_type_hints

import typer

from investigator.errors import RunError, UserError, WorkspaceLockedError
from investigator.files import write_private
from investigator.reports.inert import inert
from investigator.secrets import redacted

_BETWEEN_TRIES = 2.0  # interval in seconds
_DOCUMENTS = ("folder", "docs")
"""The parameters that name a folder of documents."""


class ForFile(io.StringIO):
    """Replaces standard output while a command prints to a file."""


@dataclass(frozen=True)
class StreamOptions:
    """Options for standard output and standard error."""

    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors, no progress or notes.")] = False
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the result to FILE instead of printing it."),
    ] = None

    wait: Annotated[
        bool, typer.Option("--wait", help="Wait while another run uses the folder, instead of failing.")
    ] = False

    def check(self, folder: Path | None) -> None:
        """Check, before doing any work, that the result can be written. Raises UserError."""
        if self.output is None:
            return
        if self.output.is_dir():
            raise UserError(f"{self.output} is a folder", hint="Choose a file inside this folder.")
        if not self.output.parent.is_dir():
            raise UserError(f"no folder {self.output.parent}", hint="Create the folder first, or name another file.")
        if folder is not None and self.output.resolve().is_relative_to(folder.resolve()):
            raise UserError(
                f"{self.output} is inside the folder of documents", hint="Choose a file outside the folder."
            )

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Run a command with these streams: its output goes to the file when it ends, unless it fails.

        Raises RunError if the file cannot be written.
        """
        with redirect_stderr(io.StringIO()) if self.quiet else nullcontext():
            if self.output is None:
                yield
                return
            printed, ended = ForFile(), True
            screen, sys.stdout = sys.stdout, printed
            try:
                yield
            except typer.Exit:  # a code such as "not found", which the printed result explains
                raise
            except BaseException:
                ended = False
                raise
            finally:
                sys.stdout = screen
                if ended and printed.getvalue():
                    self._write(self.output, redacted(printed.getvalue()))

    @staticmethod
    def _write(path: Path, text: str) -> None:
        try:
            if path.exists() and not path.is_file():  # a pipe or a device such as /dev/null is not replaced
                path.write_text(text, encoding="utf-8")
            else:
                write_private(path, text.encode("utf-8"))
        except OSError as error:
            hint = "Choose another file, or omit --output."
            raise RunError(f"the result could not be written to {path}: {error.strerror}", hint=hint) from error


def with_streams(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with the additional options of `StreamOptions`."""

    @functools.wraps(command)
    def piped(streams: StreamOptions, **given: object) -> None:
        folder = next((path for name in _DOCUMENTS if isinstance(path := given.get(name), Path)), None)
        streams.check(folder)
        with streams.applied():
            if streams.wait:
                waited(functools.partial(command, **given))
            else:
                command(**given)

    own = inspect.signature(command)
    added = inspect.Parameter("streams", inspect.Parameter.KEYWORD_ONLY, annotation=StreamOptions)
    named = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own.parameters.values()]
    piped.__dict__["__signature__"] = own.replace(parameters=[*named, added])
    piped.__annotations__ = {**get_type_hints(command, include_extras=True), "streams": StreamOptions}
    return piped


def waited(command: Callable[[], None], sleep: Callable[[float], None] = time.sleep) -> None:
    """Run a command, and retry it while another process is using the folder."""
    told = ""
    while True:
        try:
            command()
            return
        except WorkspaceLockedError as error:
            if error.message != told:
                typer.echo(f"note: {inert(error.message)}; waiting for it to end", err=True)
            told = error.message
        sleep(_BETWEEN_TRIES)
