"""`investigator show RUN [FOLDER]`: show a kept investigation again."""

from __future__ import annotations

from pathlib import Path

from investigator.cli.options import Folder, RunId, Workspace
from investigator.cli.output import OutputOptions
from investigator.investigator import Investigator


def show(run: RunId, output: OutputOptions, folder: Folder = Path(), workspace: Workspace = None) -> None:
    """Show a kept investigation again, finished or not."""
    output.check(folder)
    output.show(Investigator(folder, workspace=workspace).show(run))
