"""Writes results to standard output, notes to standard error, and reports to files."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.text import Text

from investigator.cli.streams import ForFile, check_place
from investigator.documents.own_results import is_own_result
from investigator.errors import RunError, UserError
from investigator.files import write_private
from investigator.investigator import Investigator
from investigator.records import Investigation, Record
from investigator.reports.enclosures import Enclosures
from investigator.reports.inert import inert, inert_json, inert_json_prose
from investigator.reports.schemas import Printed, stamped
from investigator.reports.terminal import investigation_text, question_text

_Printed = TypeVar("_Printed", bound=Record)

REPORT_SUFFIXES = (".html", ".htm")


@dataclass(frozen=True)
class OutputOptions:
    """Options for showing the outcome of an investigation."""

    as_json: Annotated[bool, typer.Option("--json", help="Print the whole outcome as JSON.")] = False
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Also write the report to this HTML file.")
    ] = None
    export: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Also write Markdown, JSON and the evidence as CSV into DIR."),
    ] = None

    def check(self, folder: Path) -> None:
        """Check that the report and the export can be written before any paid call is made. Raises UserError."""
        if self.report is not None:
            check_report(self.report, folder)
        if self.export is not None:
            check_export(self.export, folder)

    def write(self, investigation: Investigation, investigator: Investigator) -> None:
        """Write the requested report and export of an investigation. Raises RunError."""
        if self.report is not None:
            write_report(self.report, investigation, investigator.enclosures(investigation))
        if self.export is not None:
            from investigator.reports.export import exported  # imported here because few commands need it

            write_export(self.export, exported(investigation))

    def show(self, investigation: Investigation, investigator: Investigator, *, again: bool = False) -> None:
        """Write the requested files, and print the investigation. Raises RunError."""
        self.write(investigation, investigator)
        if self.as_json:
            print_record(Printed.INVESTIGATION, investigation)
            return
        if again or isinstance(sys.stdout, ForFile):  # on a terminal, the user's question is visible just above
            print_styled(question_text(investigation))
        print_styled(investigation_text(investigation))


def tell(text: str) -> None:
    """Print a line on standard error, with control characters escaped."""
    typer.echo(inert(text), err=True)


def note(text: str) -> None:
    """Print a note on standard error."""
    tell(f"note: {text}")


def print_plain(text: str) -> None:
    """Print text on standard output, with control characters escaped. Raises RunError."""
    with _writing():
        typer.echo(inert(text))


def print_record(kind: Printed, record: Record, *, own: bool = False) -> None:
    """Print a record as JSON to standard output, including the name of its schema, with all strings escaped. In the
    user's `own` text, only control characters are escaped. Raises RunError.
    """
    _print_json(stamped(kind, record, indent=2), own=own)


def print_result(
    kind: Printed, record: _Printed, text: Callable[[_Printed], Text], *, as_json: bool, own: bool = False
) -> None:
    """Print a record as JSON, or as text for people. Raises RunError."""
    if as_json:
        print_record(kind, record, own=own)
    else:
        print_styled(text(record))


@contextlib.contextmanager
def resumable(kept: str) -> Iterator[None]:
    """On an interrupt, print what is `kept` and how to resume; then exit with the code for interrupts."""
    try:
        yield
    except KeyboardInterrupt as stop:
        tell(f"interrupted: {kept}")
        raise typer.Exit(130) from stop


def print_lines(records: Iterable[tuple[Printed, Record]], *, own: bool = False) -> None:
    """Print records as lines of JSON, like `print_record`; without records, print nothing. Raises RunError."""
    if lines := "\n".join(stamped(kind, record) for kind, record in records):
        _print_json(lines, own=own)


def _print_json(text: str, *, own: bool) -> None:
    with _writing():
        typer.echo(inert_json(text) if own else inert_json_prose(text))


def print_styled(text: Text) -> None:
    """Print text: styled and wrapped on a terminal, plain and unwrapped anywhere else. Raises RunError."""
    harmless = inert(text.plain)
    if harmless != text.plain:  # something had to be escaped
        text = Text(harmless)
    with _writing():
        if is_terminal(sys.stdout):
            from rich.console import Console

            Console(file=sys.stdout, highlight=False).print(text, end="")
            sys.stdout.flush()
        else:
            typer.echo(text.plain, nl=False)


def is_terminal(stream: object) -> bool:
    """Return True if the stream is a terminal that can move its cursor and show styles."""
    isatty = getattr(stream, "isatty", None)
    return isatty is not None and bool(isatty()) and os.environ.get("TERM") != "dumb"


def check_report(path: Path, folder: Path, suffixes: Sequence[str] = REPORT_SUFFIXES) -> None:
    """Check that the report can be written, and that its suffix is one of `suffixes`. Raises UserError."""
    if path.suffix.lower() not in suffixes:
        if suffixes is REPORT_SUFFIXES:
            problem = f"the report is an HTML file, but {path} does not end in .html"
        else:
            problem = f"the report {path} does not end in one of {', '.join(suffixes)}"
        raise UserError(problem, hint=f"Choose another file name, e.g. --report answer{suffixes[0]}")
    if path.is_file() and not is_own_result(path.read_bytes()):
        raise UserError(
            f"{path} exists and is not a report of this program",
            hint="Choose another file: only an older report is overwritten.",
        )
    check_place(path)
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise UserError(
            f"the report cannot be written to {path.parent}: {error.strerror}",
            hint="Choose a file in a folder that you may write to.",
        ) from error
    if path.resolve().is_relative_to(folder.resolve()):
        # without the report marker, the file would be indexed as a document
        if path.suffix.lower() not in REPORT_SUFFIXES:
            raise UserError(f"{path} is inside the folder of documents", hint="Choose a file outside the folder.")
        note(f"{path} is inside the folder of documents; keep reports elsewhere.")


def write_report(path: Path, investigation: Investigation, enclosures: Enclosures) -> None:
    """Write the HTML report. Raises RunError."""
    from investigator.reports.html import html_report

    kept = f"The investigation is saved; try again with: investigator show {investigation.id} --report FILE.html"
    write_file(path, html_report(investigation, enclosures).encode("utf-8"), kept)


def check_export(directory: Path, folder: Path) -> None:
    """Check that an export can be written. Raises UserError."""
    from investigator.reports.export import EXPORTED, RECORD

    if directory.resolve().is_relative_to(folder.resolve()):
        raise UserError(f"{directory} is inside the folder of documents", hint="Choose a folder outside it.")
    if not directory.parent.is_dir():
        raise UserError(f"the export cannot be written: no folder {directory.parent}", hint="Create this folder first.")
    try:
        directory.mkdir(mode=0o700)
        directory.rmdir()
    except FileExistsError:
        if not directory.is_dir():
            raise UserError(f"{directory} is not a folder", hint="Choose another path.") from None
    except OSError as error:
        raise UserError(f"{directory} cannot be created: {error.strerror}", hint="Choose another folder.") from error
    record = directory / RECORD
    there = [name for name in EXPORTED if (directory / name).exists()]
    if there and not (record.is_file() and is_own_result(record.read_bytes())):
        raise UserError(
            f"{directory} contains {there[0]}, which is not an export of this program",
            hint="Choose another folder: only an older export is overwritten.",
        )


def write_export(directory: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of an export into a folder, creating it if needed. Raises RunError."""
    kept = "The investigation is saved; try again with: investigator show RUN FOLDER --export DIR"
    try:
        directory.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise RunError(f"the folder {directory} could not be created: {error.strerror}", hint=kept) from error
    for name, data in files.items():
        write_file(directory / name, data, kept)


def write_file(path: Path, data: bytes, kept: str) -> None:
    """Write a report atomically, readable only by its owner; `kept` is the hint if it fails. Raises RunError."""
    try:
        write_private(path, data)
    except OSError as error:
        raise RunError(f"the report could not be written to {path}: {error.strerror}", hint=kept) from error


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # the reader has closed the pipe
        raise
    except OSError as error:
        raise RunError(
            f"the result could not be written to standard output: {error.strerror}",
            hint=(
                "The investigation is saved: find it with investigator runs FOLDER, then show it with "
                "investigator show RUN FOLDER."
            ),
        ) from error
