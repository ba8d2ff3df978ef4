"""Results on standard output, and the report file."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from investigator.documents.readers.markup.html import is_own_report
from investigator.errors import RunError, UserError
from investigator.records import Investigation
from investigator.reports.html import html_report
from investigator.reports.terminal import investigation_text

if TYPE_CHECKING:
    from rich.text import Text


_BEGINNING = 16_384  # bytes, of which a report says that it is one in the first
REPORT_SUFFIXES = frozenset({".html", ".htm"})


def print_json(text: str) -> None:
    """Print JSON and nothing else on standard output. Raises RunError."""
    with _writing():
        typer.echo(text)


def print_text(investigation: Investigation) -> None:
    """Print an investigation for a person."""

    print_styled(investigation_text(investigation))


def print_styled(text: Text) -> None:
    """Print text: styled and folded at words on a terminal, plain and unfolded anywhere else. Raises RunError."""
    with _writing():
        if is_terminal(sys.stdout):
            from rich.console import Console

            Console(file=sys.stdout, highlight=False).print(text, end="")
            sys.stdout.flush()
        else:
            typer.echo(text.plain, nl=False)


def is_terminal(stream: object) -> bool:
    """Whether the stream is a terminal that can move its cursor and show styles."""
    isatty = getattr(stream, "isatty", None)
    return isatty is not None and bool(isatty()) and os.environ.get("TERM") != "dumb"


def check_report(path: Path, folder: Path) -> None:
    """Find out now, before anything is paid for, whether the report can be written. Raises UserError."""
    if path.suffix.lower() not in REPORT_SUFFIXES:
        raise UserError(
            f"the report is an HTML file, and the name {path} does not end in .html",
            hint="Name it like --report answer.html, so that no other file is overwritten by mistake.",
        )
    if path.is_file() and not _is_own_report(path):
        raise UserError(
            f"{path} is there already, and is no report of this program",
            hint="Name another file: a report only takes the place of an older report.",
        )
    if path.is_dir():
        raise UserError(f"the report cannot be written: {path} is a folder", hint="Name a file inside it.")
    if not path.parent.is_dir():
        raise UserError(
            f"the report cannot be written: there is no folder {path.parent}",
            hint="Create the folder first, or name another file.",
        )
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise UserError(
            f"the report cannot be written to {path.parent}: {error.strerror}",
            hint="Name a file in a folder that you may write to.",
        ) from error
    if path.resolve().is_relative_to(folder.resolve()):
        typer.echo(f"note: {path} lies inside the folder of documents; keep reports elsewhere.", err=True)


def _is_own_report(path: Path) -> bool:

    with path.open("rb") as file:
        return is_own_report(file.read(_BEGINNING).decode("utf-8", "replace"))


def write_report(path: Path, investigation: Investigation) -> None:
    """Write the HTML report, whole or not at all. Raises RunError."""

    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        draft.write_text(html_report(investigation), encoding="utf-8", newline="\n")
        draft.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        raise RunError(
            f"the report could not be written to {path}: {error.strerror}",
            hint=f"The investigation is kept: investigator show {investigation.id} --report FILE.html",
        ) from error


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # the reader has seen enough
        raise
    except OSError as error:
        raise RunError(
            f"the result could not be written to standard output: {error.strerror}",
            hint="The investigation is kept: see it with investigator runs FOLDER and investigator show RUN FOLDER",
        ) from error
