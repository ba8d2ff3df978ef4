"""`investigator replay RUN [FOLDER]`: go through a finished run again without any model, and prove its quotes anew."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.output import check_report, print_json, print_styled, print_text, write_report
from investigator.investigator import Investigator
from investigator.reports.replayed import replayed_text


def replay(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of the run, or the beginning of it.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of documents.")] = Path(),
    workspace: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the index and the runs are kept.")
    ] = None,
    prompts: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder of templates that the run had.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Also write the report to this HTML file.")
    ] = None,
) -> None:
    """Go through a finished run again without any model: its replies come from the journal.

    Every prompt is made again, every decision taken again, and every quote looked up in the documents as they are now.

    Exit codes: 0 everything came out as it was and every quote stands, 1 something did not, 2 wrong use.
    """
    if report is not None:
        check_report(report, folder)

    outcome = Investigator(folder, workspace=workspace, prompts=prompts).replay(run)
    if report is not None:
        write_report(report, outcome.investigation)
    if as_json:
        print_json(outcome.model_dump_json(indent=2))
    else:
        print_text(outcome.investigation)
        print_styled(replayed_text(outcome))
    if not outcome.same:
        raise typer.Exit(1)
