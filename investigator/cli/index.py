"""`investigator index FOLDER`: read a folder without asking anything."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.chosen_settings import chosen_settings
from investigator.cli.output import print_json, print_styled
from investigator.cli.progress import shown
from investigator.investigator import Investigator
from investigator.records import FileRead, FileRecord, FileStatus
from investigator.reports.folder import folder_text

FILE_FIELDS = {"path", "status", "reason", "pages", "characters", "chunks", "seconds"}
"""What `--json` tells of each file."""


def index(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of documents.")],
    vectors: Annotated[
        bool, typer.Option("--vectors", help="Also make all vectors, for the search by meaning over everything.")
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Open every file: finds changes that kept size and time.")
    ] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Read again what could not be read.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON record for each file, one a line.")] = False,
    workspace: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the index and the runs are kept.")
    ] = None,
    settings: Annotated[Path | None, typer.Option(metavar="FILE", help="A settings file.")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", metavar="PART.FIELD=VALUE", help="Change one setting; repeatable.")
    ] = None,
) -> None:
    """Bring the index of a folder up to date: new and changed files are read, the rest is left as it is.

    Questions can be asked as soon as the text is read; they do the same first. Vectors are made for the passages that
    questions need, or all at once with --vectors, during which questions can be asked.
    """

    investigator = Investigator(folder, settings=chosen_settings(settings, overrides or ()), workspace=workspace)
    told: dict[str, FileRecord] = {}
    try:
        for event in shown(investigator.index(vectors=vectors, verify=verify, retry=retry), sys.stderr):
            if isinstance(event, FileRead):
                told |= {file.path: file for file in event.files}
    except KeyboardInterrupt as stop:
        typer.echo("interrupted: what was read is kept; run the same command again to go on.", err=True)
        raise typer.Exit(130) from stop
    status = investigator.status(compare=False)
    files = tuple(told.get(file.path) or _unchanged(file) for file in status.files)
    if as_json:
        print_files(files)
    else:
        print_styled(folder_text(status.changed(files=files)))


def print_files(files: tuple[FileRecord, ...]) -> None:
    """One JSON record for each file, one a line."""
    if files:
        print_json("\n".join(file.model_dump_json(include=FILE_FIELDS) for file in files))


def _unchanged(file: FileRecord) -> FileRecord:
    if file.status is not FileStatus.INDEXED:
        return file
    return file.changed(status=FileStatus.UNCHANGED)
