"""`investigator runs [FOLDER]`: list the investigations of a folder."""

from __future__ import annotations

from pathlib import Path

import typer
from pydantic import TypeAdapter

from investigator.cli.options import AsJson, Folder, Workspace
from investigator.cli.output import print_json, print_styled
from investigator.investigator import Investigator
from investigator.records import RunSummary
from investigator.reports.terminal import runs_text


def runs(folder: Folder = Path(), workspace: Workspace = None, as_json: AsJson = False) -> None:
    """List the investigations of a folder, newest first."""
    summaries = Investigator(folder, workspace=workspace).runs()
    if as_json:
        print_json(TypeAdapter(tuple[RunSummary, ...]).dump_json(summaries, indent=2).decode("utf-8"))
    elif summaries:
        print_styled(runs_text(summaries))
    else:
        typer.echo("no investigations yet", err=True)
