"""`investigator show` and `verify`: stored investigations, and reports of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from investigator.cli.batch import KEPT
from investigator.cli.options import AsJson, Folder, SettingsOptions, Workspace, folder_and_run, kept_of
from investigator.cli.output import OutputOptions, print_record, print_result, print_styled, tell, write_file
from investigator.errors import UserError
from investigator.records import CheckedQuote, Matrix, Quote, QuoteState, RunList, VerifiedReport
from investigator.reports.inert import inert_line
from investigator.reports.matrix import matrix_text
from investigator.reports.schemas import Printed
from investigator.reports.terminal import investigation_text, replayed_text, runs_text
from investigator.services.verification import verify_report


def show(
    output: OutputOptions,
    folder: Folder = Path(),
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="Run id, the beginning of one, or 'last'; without it: list the runs.")
    ] = "",
    workspace: Workspace = None,
) -> None:
    """List the investigations of a folder, newest first, or show one of them again, finished or not.

    RUN alone shows a run of the current folder.
    """
    folder, run = folder_and_run(folder, run)
    investigator = kept_of(folder, workspace)
    if run:
        record = investigator.show(run)
        if record.matrix is not None:
            _show_matrix(Matrix.of(investigator.current(record)), output, folder)
            return
        output.check(folder)
        output.show(investigator.current(record), investigator, again=True)
        return
    if output.report:
        raise UserError("--report needs a run", hint=f"For example: investigator show {folder} last --report a.html")
    summaries = investigator.runs()
    if output.as_json:
        print_record(Printed.RUNS, RunList(runs=summaries), own=True)
    elif summaries:
        print_styled(runs_text(summaries))
    else:
        tell("no investigations yet")


def _show_matrix(matrix: Matrix, output: OutputOptions, folder: Path) -> None:
    from investigator.reports.export import MATRIX_FORMATS  # needed for a matrix alone

    output.check(folder, tuple(MATRIX_FORMATS))
    for path in output.report or ():
        write_file(path, MATRIX_FORMATS[path.suffix.lower()](matrix), KEPT)
    print_result(Printed.MATRIX, matrix, matrix_text, as_json=output.as_json)


def verify(
    settings: SettingsOptions,
    report: Annotated[
        Path | None, typer.Argument(metavar="REPORT.json", help="JSON that ask, matrix or show printed with --json.")
    ] = None,
    docs: Annotated[Path, typer.Option("--docs", metavar="FOLDER", help="Folder of documents.")] = Path(),
    run: Annotated[
        str, typer.Option(metavar="RUN", help="Repeat this stored run instead: its id, the beginning of it, or 'last'.")
    ] = "",
    prompts: Annotated[
        Path | None, typer.Option(metavar="DIR", help="With --run: folder of the templates that the run used.")
    ] = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Look up every quote of a report in the files of a folder, and report changes; or repeat a stored run.

    The files are read again. No index is needed, and nothing is written. The statements themselves are not judged. A
    quote that is not in its file is reported as changed if the file differs from the one that the report cites.
    Otherwise it is reported as not in the file: the report was altered, or text recognition used other settings.

    With --run, a finished run is repeated without any model: its replies come from the journal, every prompt is
    rendered again, every decision is repeated, and every quote is looked up in the current documents.

    Exit codes: 0 every quote is in its place, and the run has the same outcome; 1 a quote was moved, is not in its
    file, or its file cannot be read, or the outcome differs; 2 usage error.
    """
    if (report is None) == (not run):
        raise UserError(
            "expected a report or a run",
            hint="For example: investigator verify answer.json --docs FOLDER, or: --run last --docs FOLDER",
        )
    if report is not None:
        verified = verify_report(report.expanduser(), docs.expanduser(), settings.load())
        print_result(Printed.VERIFICATION, verified, verified_text, as_json=as_json)
        same = verified.all_stand
    else:
        outcome = kept_of(docs, workspace, prompts=prompts, settings=settings.load()).replay(run)
        text = Text.assemble(investigation_text(outcome.investigation), replayed_text(outcome))
        print_result(Printed.REPLAY, outcome, lambda _: text, as_json=as_json)
        same = outcome.same
    if not same:
        raise typer.Exit(1)


_LIMIT = 300
_WORDS = {
    QuoteState.STANDS: ("in place", "green"),
    QuoteState.FILE_CHANGED: ("in place, in a file that has changed", "green"),
    QuoteState.MOVED: ("moved", "yellow"),
    QuoteState.CHANGED: ("changed", "bold red"),
    QuoteState.NOT_IN_FILE: ("not in the file", "bold red"),
    QuoteState.UNREADABLE: ("file unreadable", "bold red"),
    QuoteState.MISSING: ("file missing", "bold red"),
}
_CAUSES = {
    QuoteState.CHANGED: "The file has changed since the report.",
    QuoteState.NOT_IN_FILE: "The file is unchanged, but the quote is not in it: the report was altered.",
}


def verified_text(verified: VerifiedReport) -> Text:
    """Return the state of each quote, with its text if it is no longer there, and the number of quotes in place."""
    lines = [line for quote in verified.quotes for line in _lines(quote)]
    total = len(verified.quotes)
    summary = f"Quotes in place: {verified.standing} of {total}." if total else "The report contains no quotes."
    lines.append(Text(summary, style="bold green" if verified.all_stand else "bold yellow"))
    return Text("\n").join(lines).append("\n")


def _lines(checked: CheckedQuote) -> Iterator[Text]:
    words, style = _WORDS[checked.state]
    place = inert_line(checked.quote.place)
    if checked.state is QuoteState.MOVED and checked.now is not None:
        place += f" -> {_place(checked.now)}"
    yield Text.assemble(
        (words, style), ": ", place, f" ({inert_line(checked.reason, _LIMIT)})" if checked.reason else ""
    )
    if checked.state in _CAUSES:
        yield Text(f"  {_CAUSES[checked.state]}")
    if checked.state in (*_CAUSES, QuoteState.UNREADABLE, QuoteState.MISSING):
        yield Text(f'  report: "{inert_line(checked.quote.text, _LIMIT)}"')
    if checked.nearest:
        yield Text(f'  file:   "{inert_line(checked.nearest, _LIMIT)}"')


def _place(quote: Quote) -> str:
    """Return the new place of a quote that was moved: its line, after its page if it has one."""
    return inert_line(quote.place if quote.page is None else f"{quote.place}, line {quote.line}")
