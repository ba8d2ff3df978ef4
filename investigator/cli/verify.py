"""`investigator verify REPORT.json --docs FOLDER`: looks up the quotes of a report in the files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.options import AsJson, SettingsOptions
from investigator.cli.output import print_result
from investigator.reports.schemas import Printed
from investigator.reports.verification import verified_text
from investigator.services.verification import verify_report


def verify(
    report: Annotated[
        Path,
        typer.Argument(metavar="REPORT.json", help="JSON that ask, matrix, show or replay printed with --json."),
    ],
    docs: Annotated[Path, typer.Option("--docs", metavar="FOLDER", help="Folder of documents.")],
    settings: SettingsOptions,
    as_json: AsJson = False,
) -> None:
    """Look up every quote of a report in the files of a folder, and report changes.

    The files are read again. No index is needed, and nothing is written. The statements themselves are not judged.

    A quote that is not in its file is reported as changed if the file differs from the one that the report cites.
    Otherwise it is reported as not in the file: the report was altered, or text recognition used other settings.

    Exit codes: 0 every quote is in its place, 1 a quote was moved, is not in its file, or its file cannot be read, 2
    usage error.
    """
    verified = verify_report(report.expanduser(), docs.expanduser(), settings.load())
    print_result(Printed.VERIFICATION, verified, verified_text, as_json=as_json)
    if not verified.all_stand:
        raise typer.Exit(1)
