"""Which workspace a folder has: the named one, the sealed one inside it, its own, or that of a folder that moved."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from hashlib import file_digest
from pathlib import Path

from investigator.documents.beneath import open_file
from investigator.documents.folder import FolderSettings, scan
from investigator.documents.scanning import FoundFile
from investigator.errors import FolderError, InvestigatorError, SettingsError
from investigator.files import make_private_folder
from investigator.records import FileRecord
from investigator.store.corpus import Corpus
from investigator.store.locations import (
    INSIDE,
    default_workspace,
    is_sealed,
    left_behind,
    lies_in,
    note_folder,
    seal,
)
from investigator.store.workspace import Workspace, has_runs


def choose_workspace(
    folder: Path, chosen: Path | None, settings: FolderSettings, notice: Callable[[str], None]
) -> Path:
    """Return the workspace directory of a document folder; nothing that came with the folder is opened.

    Raises SettingsError if the chosen one lies inside the folder and this user has not sealed it.
    """
    inside = folder / INSIDE
    if chosen is not None:
        directory = Path(os.path.abspath(chosen.expanduser()))
        if lies_in(directory, folder) and not (_same(directory, inside) and is_sealed(inside)):
            raise SettingsError(
                f"the workspace {directory} lies inside the folder of documents, and not by a command of yours",
                hint=f"Name a place outside, or make one with: investigator index --workspace-in-folder {folder}",
            )
        return directory
    if is_sealed(inside):
        return inside.absolute()
    own = default_workspace(folder)
    if not has_runs(own):
        if os.path.lexists(inside):
            notice(
                f"{inside} is ignored: it came with the folder, or an earlier version made it. "
                f"If it is yours, take over its runs and memories with: investigator index --adopt {folder}"
            )
        _take_over(folder, own, settings, notice)
    return own


def make_workspace_inside(folder: Path) -> None:
    """Make a sealed workspace inside a folder, of what was kept of the folder so far.

    Raises FolderError if one is there that this user has not sealed, what `seal` does, and WorkspaceLockedError.
    """
    inside, own = folder / INSIDE, default_workspace(folder)
    if is_sealed(inside):
        return
    if os.path.lexists(inside):
        raise FolderError(
            f"{inside} is there already, and it is not known who made it",
            hint=f"If it is yours: investigator index --adopt {folder}, then delete it and give this command again.",
        )
    if has_runs(own):
        with Workspace(own, write=True):
            shutil.move(own, inside)
    seal(inside)
    note_folder(inside, folder)


def _take_over(folder: Path, own: Path, settings: FolderSettings, notice: Callable[[str], None]) -> None:
    """Rename the workspace of a folder that is gone and held exactly these files, if there is one."""
    found: dict[str, FoundFile] | None = None
    for candidate in left_behind():
        found = {file.id: file for file in scan(folder, settings).files} if found is None else found
        try:
            with Workspace(candidate, write=True) as workspace:
                if not _same_files(folder, found, Corpus(workspace.database).manifest()):
                    continue
                make_private_folder(own.parent)
                candidate.rename(own)
        except (OSError, InvestigatorError):  # in use, damaged, or made by a newer version: none of this folder's
            continue
        notice(f"The folder was moved or renamed: its index and its runs were found again, and are kept in {own}.")
        return


def _same_files(folder: Path, found: Mapping[str, FoundFile], kept: Mapping[str, FileRecord]) -> bool:
    """Return True if both have the same paths and sizes, and the same bytes wherever the stamp is another."""
    if not kept or {path: file.size for path, file in found.items()} != {p: record.size for p, record in kept.items()}:
        return False
    return all(_same_bytes(folder, file, kept[path]) for path, file in found.items() if not file.problem)


def _same_bytes(folder: Path, file: FoundFile, record: FileRecord) -> bool:
    if file.inode and (file.inode, file.mtime_ns) == (record.inode, record.mtime_ns):
        return True
    with open_file(str(folder), file.path) as stream:
        return file_digest(stream, "sha256").hexdigest() == record.content_hash


def _same(first: Path, second: Path) -> bool:
    return os.path.realpath(first) == os.path.realpath(second)
