"""`investigator runs [FOLDER]`: list the investigations of a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.output import print_json, print_styled
from investigator.investigator import Investigator
from investigator.records import RunSummary
from investigator.reports.terminal import runs_text


def runs(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of documents.")] = Path(),
    workspace: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the index and the runs are kept.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List the investigations of a folder, the newest first."""
    from pydantic import TypeAdapter

    summaries = Investigator(folder, workspace=workspace).runs()
    if as_json:
        print_json(TypeAdapter(tuple[RunSummary, ...]).dump_json(summaries, indent=2).decode("utf-8"))
    elif summaries:
        print_styled(runs_text(summaries))
    else:
        typer.echo("no investigations yet", err=True)
