"""`investigator show RUN [FOLDER]`: show a kept investigation again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.output import check_report, print_json, print_text, write_report
from investigator.investigator import Investigator


def show(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of the run, or the beginning of it.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of documents.")] = Path(),
    workspace: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the index and the runs are kept.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole investigation as JSON.")] = False,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Also write the report to this HTML file.")
    ] = None,
) -> None:
    """Show a kept investigation again, finished or not."""
    if report is not None:
        check_report(report, folder)

    investigation = Investigator(folder, workspace=workspace).show(run)
    if report is not None:
        write_report(report, investigation)
    if as_json:
        print_json(investigation.model_dump_json(indent=2))
    else:
        print_text(investigation)
