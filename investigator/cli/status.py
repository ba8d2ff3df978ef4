"""`investigator status FOLDER`: what the index holds, without bringing it up to date."""

from __future__ import annotations

from pathlib import Path

from investigator.cli.index import print_files
from investigator.cli.options import AsJsonLines, Folder, Workspace
from investigator.cli.output import note, print_styled
from investigator.investigator import Investigator
from investigator.reports.folder import changes_line, folder_text


def status(folder: Folder = Path(), as_json: AsJsonLines = False, workspace: Workspace = None) -> None:
    """Show what the index of a folder holds, and what has changed in the folder since. No file is opened."""
    kept = Investigator(folder, workspace=workspace).status()
    if as_json:
        print_files(kept.files)
    else:
        print_styled(folder_text(kept))
    if changes := changes_line(kept):
        note(changes)
