"""`investigator status FOLDER`: what the index holds, without bringing it up to date."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.index import print_files
from investigator.cli.output import print_styled
from investigator.investigator import Investigator
from investigator.reports.folder import changes_line, folder_text


def status(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of documents.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON record for each file, one a line.")] = False,
    workspace: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the index and the runs are kept.")
    ] = None,
) -> None:
    """Show what the index of a folder holds, and what has changed in the folder since. No file is opened."""

    kept = Investigator(folder, workspace=workspace).status()
    if as_json:
        print_files(kept.files)
    else:
        print_styled(folder_text(kept))
    if changes := changes_line(kept):
        typer.echo(changes, err=True)
