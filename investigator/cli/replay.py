"""`investigator replay RUN [FOLDER]`: repeat a finished run without any model, and verify its quotes again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.options import Folder, RunId, Workspace
from investigator.cli.output import OutputOptions, print_json, print_styled, write_report
from investigator.investigator import Investigator
from investigator.reports.replayed import replayed_text
from investigator.reports.terminal import investigation_text


def replay(
    run: RunId,
    output: OutputOptions,
    folder: Folder = Path(),
    workspace: Workspace = None,
    prompts: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder of templates that the run used.")
    ] = None,
) -> None:
    """Repeat a finished run without any model: its replies come from the journal.

    Every prompt is rendered again, every decision made again, and every quote looked up in the current documents.

    Exit codes: 0 same outcome and every quote verified, 1 something differs, 2 wrong use.
    """
    output.check(folder)
    outcome = Investigator(folder, workspace=workspace, prompts=prompts).replay(run)
    if output.report is not None:
        write_report(output.report, outcome.investigation)
    if output.as_json:
        print_json(outcome.model_dump_json(indent=2))
    else:
        print_styled(investigation_text(outcome.investigation))
        print_styled(replayed_text(outcome))
    if not outcome.same:
        raise typer.Exit(1)
