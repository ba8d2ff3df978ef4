"""Writes results to standard output, notes to standard error, and reports to files."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from rich.text import Text

from investigator.cli.streams import STREAMS
from investigator.documents.own_results import is_own_result
from investigator.errors import RunError, UserError
from investigator.files import write_private
from investigator.investigator import Investigator
from investigator.records import Investigation, Record
from investigator.reports.inert import inert, inert_json, inert_json_prose
from investigator.reports.schemas import Printed, stamped
from investigator.reports.terminal import answer_text, investigation_text, question_text

if TYPE_CHECKING:
    from investigator.reports.html import Enclosures

_Printed = TypeVar("_Printed", bound=Record)

HTML = (".html", ".htm")
EXPORTS = (".md", ".docx", ".json", ".csv")
_SAVED = "The investigation is saved; "


@dataclass(frozen=True)
class OutputOptions:
    """Options for showing the outcome of an investigation."""

    as_json: Annotated[bool, typer.Option("--json", help="Print the whole outcome as JSON.")] = False
    report: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Also write the answer to this file: .html, .md, .docx, .json, or .csv (the evidence); repeatable.",
        ),
    ] = None

    def check(self, folder: Path, suffixes: Sequence[str] = (*HTML, *EXPORTS)) -> None:
        """Check that the reports can be written before any paid call is made. Raises UserError."""
        for path in self.report or ():
            check_report(path, folder, suffixes)

    def show(self, investigation: Investigation, investigator: Investigator, *, again: bool = False) -> None:
        """Write the requested files, and print the investigation. Raises RunError."""
        for path in self.report or ():
            write_report(path, investigation, investigator.enclosures(investigation))
        if STREAMS.get().quiet and investigation.answer is not None:
            text = answer_text(investigation.answer)
        else:  # after `ask`, the question is visible just above
            shown = investigation_text(investigation, details=STREAMS.get().verbose)
            text = Text.assemble(question_text(investigation) if again else "", shown)
        print_result(Printed.INVESTIGATION, investigation, lambda _: text, as_json=self.as_json)


def tell(text: str) -> None:
    """Print a line on standard error, with control characters escaped."""
    typer.echo(inert(text), err=True)


def note(text: str) -> None:
    """Print a note on standard error."""
    tell(f"note: {text}")


def again_to_resume(*, fresh: bool) -> str:
    """Return how to resume a command that was given with or without `--fresh`."""
    return f"run the same command {'without --fresh' if fresh else 'again'} to resume."


@contextlib.contextmanager
def resumable(kept: str | Callable[[], str]) -> Iterator[None]:
    """On an interrupt, print what is `kept` and how to resume; then exit with the code for interrupts."""
    try:
        yield
    except KeyboardInterrupt as stop:
        tell(f"interrupted: {kept if isinstance(kept, str) else kept()}")
        raise typer.Exit(130) from stop


def print_plain(text: str) -> None:
    """Print text on standard output, with control characters escaped. Raises RunError."""
    _print(inert(text))


def print_record(kind: Printed, record: Record, *, own: bool = False) -> None:
    """Print a record as JSON to standard output, including the name of its schema, with all strings escaped. In the
    user's `own` text, only control characters are escaped. Raises RunError.
    """
    _print_json(stamped(kind, record, indent=2), own=own)


def print_lines(records: Iterable[tuple[Printed, Record]], *, own: bool = False) -> None:
    """Print records as lines of JSON, like `print_record`; without records, print nothing. Raises RunError."""
    if lines := "\n".join(stamped(kind, record) for kind, record in records):
        _print_json(lines, own=own)


def print_result(
    kind: Printed, record: _Printed, text: Callable[[_Printed], Text], *, as_json: bool, own: bool = False
) -> None:
    """Print a record as JSON, or as text for people. Raises RunError."""
    if as_json:
        print_record(kind, record, own=own)
    else:
        print_styled(text(record))


def print_styled(text: Text) -> None:
    """Print text: styled and wrapped on a terminal, plain and unwrapped anywhere else. Raises RunError."""
    harmless = inert(text.plain)
    if harmless != text.plain:  # something had to be escaped
        text = Text(harmless)
    if not is_terminal(sys.stdout):
        _print(text.plain, nl=False)
        return
    from rich.console import Console

    with _writing():
        Console(file=sys.stdout, highlight=False).print(text, end="")
        sys.stdout.flush()


def is_terminal(stream: object) -> bool:
    """Return True if the stream is a terminal that can move its cursor and show styles."""
    isatty = getattr(stream, "isatty", None)
    return isatty is not None and bool(isatty()) and os.environ.get("TERM") != "dumb"


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


def check_report(path: Path, folder: Path, suffixes: Sequence[str] = HTML) -> None:
    """Check that the report can be written, in a format among `suffixes` whose package is there. Raises UserError."""
    if path.suffix.lower() not in suffixes:
        raise UserError(
            f"the report {path} does not end in {' or '.join(suffixes)}",
            hint=f"Choose another file name, such as --report answer{suffixes[0]}",
        )
    if path.suffix.lower() == ".parquet":
        from investigator.reports.typed_values import parquet_library  # needed for this format alone

        parquet_library()
    if path.is_file() and not is_own_result(path.read_bytes()):
        raise UserError(
            f"{path} exists and is not a report of this program",
            hint="Choose another file: only an older report is overwritten.",
        )
    check_place(path)
    if path.resolve().is_relative_to(folder.resolve()):
        # without the report marker, the file would be indexed as a document
        if path.suffix.lower() not in HTML:
            raise UserError(f"{path} is inside the folder of documents", hint="Choose a file outside the folder.")
        note(f"{path} is inside the folder of documents; keep reports elsewhere.")


def write_report(path: Path, investigation: Investigation, enclosures: Enclosures) -> None:
    """Write an investigation to a file, in the format that its suffix names. Raises RunError."""
    from investigator.reports.export import exported
    from investigator.reports.html import html_report

    again = f"{_SAVED}try again with: investigator show {investigation.id} --report {path.name}"
    suffix = path.suffix.lower()
    page = html_report(investigation, enclosures).encode("utf-8") if suffix in HTML else exported(investigation, suffix)
    write_file(path, page, again)


def write_file(path: Path, data: bytes, kept: str) -> None:
    """Write a report atomically, readable only by its owner; `kept` is the hint if it fails. Raises RunError."""
    try:
        write_private(path, data)
    except OSError as error:
        raise RunError(f"the report could not be written to {path}: {error.strerror}", hint=kept) from error


def _print_json(text: str, *, own: bool) -> None:
    _print(inert_json(text) if own else inert_json_prose(text))


def _print(text: str, *, nl: bool = True) -> None:
    with _writing():
        typer.echo(text, nl=nl)


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    """Translate errors of standard output, except that its reader has closed the pipe. Raises RunError."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        again = "to list and show it: investigator show FOLDER [RUN]"
        raise RunError(
            f"the result could not be written to standard output: {error.strerror}", hint=f"{_SAVED}{again}"
        ) from error
