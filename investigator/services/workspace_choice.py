"""Chooses the workspace of a folder: the workspace that the user named, a sealed workspace inside the folder, the
folder's own workspace, or the workspace of a moved folder.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from hashlib import file_digest
from pathlib import Path

from investigator.documents.beneath import open_file
from investigator.documents.file_records import same_stamp
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
    other_owner,
    seal,
)
from investigator.store.workspace import Workspace, foreign_names, has_runs

_CLEAR_MAJORITY = Fraction(2, 3)
"""Minimum share of common contents at which two folders count as one folder that was moved."""


def choose_workspace(
    folder: Path, chosen: Path | None, settings: FolderSettings, notice: Callable[[str], None]
) -> Path:
    """Return the workspace directory of a document folder; a workspace that somebody else put into the folder is never
    opened.

    Raises SettingsError if the chosen directory is inside the folder and this user has not sealed it, belongs to
    another folder, or contains other files.
    """
    inside = folder / INSIDE
    if chosen is not None:
        directory = Path(os.path.abspath(chosen.expanduser()))
        if lies_in(directory, folder) and not (
            os.path.realpath(directory) == os.path.realpath(inside) and is_sealed(inside)
        ):
            raise SettingsError(
                f"the workspace {directory} is inside the folder of documents, and none of your commands created it",
                hint=f"Choose a place outside the folder, or run: investigator index --workspace-in-folder {folder}",
            )
        _check_chosen(directory, folder, settings)
        return directory
    if is_sealed(inside):
        return inside.absolute()
    own = default_workspace(folder)
    if not has_runs(own):
        if os.path.lexists(inside):
            notice(f"{inside} is ignored: it came with the folder, or another user or machine created it.")
        _take_over(folder, own, settings, notice)
    return own


def _check_chosen(directory: Path, folder: Path, settings: FolderSettings) -> None:
    """Raise SettingsError if a directory is the workspace of another folder, or contains other files.

    A copy of a folder may use a copy of its workspace.
    """
    hint = "The directory was not changed. Choose an empty or new directory, or omit --workspace."
    owner = other_owner(directory, folder)
    kept = _indexed(directory) if owner else {}
    if kept and _shared(folder, _with_contents(folder, settings), kept) < _CLEAR_MAJORITY:
        raise SettingsError(f"the workspace {directory} belongs to another folder, {owner}", hint=hint)
    if names := foreign_names(directory):
        shown = f"{names[0]}{f' and {len(names) - 1:,} more' if len(names) > 1 else ''}"
        raise SettingsError(f"{directory} is not a workspace: it contains {shown}", hint=hint)


def make_workspace_inside(folder: Path) -> None:
    """Create a sealed workspace inside a folder, from the folder's existing workspace if there is one.

    Raises FolderError if the folder contains a workspace that this user has not sealed, WorkspaceLockedError, and the
    same errors as `seal`.
    """
    inside, own = folder / INSIDE, default_workspace(folder)
    if is_sealed(inside):
        return
    if os.path.lexists(inside):
        raise FolderError(
            f"{inside} already exists, and it is unknown who created it",
            hint="Move it away, and then run this command again.",
        )
    if has_runs(own):
        with Workspace(own, write=True):
            shutil.move(own, inside)
    seal(inside)
    note_folder(inside, folder)


def _take_over(folder: Path, own: Path, settings: FolderSettings, notice: Callable[[str], None]) -> None:
    """Take over the workspace of a deleted folder with mostly the same contents, because the folder was probably
    moved.
    """
    left = tuple(left_behind())
    if not left:
        return
    found = _with_contents(folder, settings)
    shared = {candidate: _shared(folder, found, _indexed(candidate)) for candidate in left}
    best = max(left, key=lambda candidate: shared[candidate])
    if shared[best] < _CLEAR_MAJORITY:
        return
    try:
        with Workspace(best, write=True):
            make_private_folder(own.parent)
            best.rename(own)
    except (OSError, InvestigatorError):  # for example, another process has begun to use it
        return
    moved = "moved or renamed" if shared[best] == 1 else "moved, and some of its files have changed"
    notice(f"The folder was {moved}: its index and its runs were found, and are now in {own}.")


def _with_contents(folder: Path, settings: FolderSettings) -> Sequence[FoundFile]:
    return [file for file in scan(folder, settings).files if file.size and not file.problem]


def _indexed(workspace: Path) -> Mapping[str, FileRecord]:
    """Return the files indexed by a workspace, except empty ones; no files if the workspace cannot be used."""
    try:
        with Workspace(workspace, write=False) as opened:
            return {path: record for path, record in Corpus(opened.index).manifest().items() if record.size}
    except (OSError, InvestigatorError):  # the workspace is in use, damaged, or from a newer version
        return {}


def _shared(folder: Path, found: Sequence[FoundFile], kept: Mapping[str, FileRecord]) -> Fraction:
    """Return how many files a folder and a workspace have in common, as a share of the larger of the two.

    Equal files count once.
    """
    sizes, hashes = {record.size for record in kept.values()}, {record.content_hash for record in kept.values()} - {""}
    same, others = set[str](), 0
    for file in found:
        content = _content_hash(folder, file, kept.get(file.id)) if file.size in sizes else ""
        if content in hashes:
            same.add(content)
        else:
            others += 1
    return Fraction(len(same), max(len(hashes), len(same) + others, 1))


def _content_hash(folder: Path, file: FoundFile, record: FileRecord | None) -> str:
    """Return the sha256 of a file, from the record of its path if size and times are unchanged; "" if it cannot be
    read.
    """
    if record is not None and file.inode and same_stamp(file, record):
        return record.content_hash
    try:
        with open_file(str(folder), file.path) as stream:
            return file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""
