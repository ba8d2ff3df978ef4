"""`--quiet`, `--output` and `--wait`: options of every command that prints a result."""

from __future__ import annotations

import io
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stderr
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

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


def check_place(path: Path) -> None:
    """Check that a result can become a file at this path. Raises UserError."""
    if path.is_dir():
        raise UserError(f"cannot write to {path}: it is a folder", hint="Choose a file inside this folder.")
    if not path.parent.is_dir():
        raise UserError(
            f"cannot write to {path}: no folder {path.parent}", hint="Create the folder first, or name another file."
        )
    if path.exists() and not path.is_file():  # a pipe or a device such as /dev/null
        return
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise UserError(
            f"the result cannot be written to {path.parent}: {error.strerror}",
            hint="Choose a file in a folder that you may write to.",
        ) from error


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

    def __call__(self, command: Callable[[], None], given: Mapping[str, object]) -> None:
        """Run a command, given its options, with these streams. Raises UserError if the result cannot be written, which
        is checked first, and the errors of `applied`.
        """
        folder = next((path for name in _DOCUMENTS if isinstance(path := given.get(name), Path)), None)
        if self.output is not None:
            check_place(self.output)
            if folder is not None and self.output.resolve().is_relative_to(folder.resolve()):
                problem = f"{self.output} is inside the folder of documents"
                raise UserError(problem, hint="Choose a file outside the folder.")
        with self.applied():
            waited(command) if self.wait else command()

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Run a command with these streams: its output goes to the file when it ends, unless it fails.

        Raises RunError if the file cannot be written.
        """
        with redirect_stderr(io.StringIO()) if self.quiet else nullcontext():
            if self.output is None:
                yield
                return
            printed, screen = ForFile(), sys.stdout
            sys.stdout = printed
            code: typer.Exit | None = None
            try:
                yield
            except typer.Exit as end:  # a code such as "not found", which the printed result explains
                code = end
            finally:
                sys.stdout = screen
            _write(self.output, redacted(printed.getvalue()))
            if code is not None:
                raise code


def waited(command: Callable[[], None], sleep: Callable[[float], None] = time.sleep) -> None:
    """Run a command, and retry it while another process is using the folder."""
    last = ""
    while True:
        try:
            command()
            return
        except WorkspaceLockedError as error:
            if error.message != last:
                typer.echo(f"note: {inert(error.message)}; waiting for it to end", err=True)
            last = error.message
        sleep(_BETWEEN_TRIES)


def _write(path: Path, text: str) -> None:
    if not text:
        return
    try:
        if path.exists() and not path.is_file():  # a pipe or a device is not replaced
            path.write_text(text, encoding="utf-8")
        else:
            write_private(path, text.encode("utf-8"))
    except OSError as error:
        hint = "Choose another file, or omit --output."
        raise RunError(f"the result could not be written to {path}: {error.strerror}", hint=hint) from error
