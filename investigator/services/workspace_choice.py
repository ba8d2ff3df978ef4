"""Chooses the workspace of a folder: the workspace that the user named, the folder's own workspace, or the workspace of
a moved folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from hashlib import file_digest
from pathlib import Path

from investigator.documents.beneath import open_file
from investigator.documents.folder import FolderSettings, same_stamp, scan
from investigator.documents.scanning import FoundFile
from investigator.errors import InvestigatorError, SettingsError
from investigator.files import make_private_folder
from investigator.records import FileRecord
from investigator.store.corpus import Corpus
from investigator.store.locations import INSIDE, default_workspace, left_behind, lies_in, other_owner
from investigator.store.workspace import Workspace, foreign_names, has_runs

_CLEAR_MAJORITY = Fraction(2, 3)
"""Minimum share of common contents at which two folders count as one folder that was moved."""


def choose_workspace(
    folder: Path, chosen: Path | None, settings: FolderSettings, notice: Callable[[str], None]
) -> Path:
    """Return the workspace directory of a document folder. A workspace inside the folder is used only if it is chosen;
    opening it then checks that this user owns it, and that nobody else may write to it.

    Raises SettingsError if the chosen directory is visible inside the folder, so that its files would be read as
    documents; or if it belongs to another folder or contains other files.
    """
    if chosen is not None:
        directory = Path(os.path.abspath(chosen.expanduser()))
        _check_chosen(directory, folder, settings)
        return directory
    own = default_workspace(folder)
    if not has_runs(own):
        if os.path.lexists(folder / INSIDE):
            notice(f"{folder / INSIDE} is ignored. If it is yours, name it: --workspace {folder / INSIDE}")
        _take_over(folder, own, settings, notice)
    return own


def _check_chosen(directory: Path, folder: Path, settings: FolderSettings) -> None:
    """Raise SettingsError if a directory cannot be the workspace of a folder.

    A copy of a folder may use a copy of its workspace.
    """
    hint = "The directory was not changed. Choose an empty or new directory, or omit --workspace."
    if lies_in(directory, folder) and not _is_hidden(directory, folder):
        raise SettingsError(f"the workspace {directory} is inside the folder of documents", hint=hint)
    owner = other_owner(directory, folder)
    kept = _indexed(directory) if owner else {}
    if kept and _shared(folder, _with_contents(folder, settings), kept) < _CLEAR_MAJORITY:
        raise SettingsError(f"the workspace {directory} belongs to another folder, {owner}", hint=hint)
    if names := foreign_names(directory):
        shown = f"{names[0]}{f' and {len(names) - 1:,} more' if len(names) > 1 else ''}"
        raise SettingsError(f"{directory} is not a workspace: it contains {shown}", hint=hint)


def _is_hidden(directory: Path, folder: Path) -> bool:
    inside = os.path.relpath(os.path.realpath(directory), os.path.realpath(folder))
    return any(part.startswith(".") and part != "." for part in Path(inside).parts)


def _take_over(folder: Path, own: Path, settings: FolderSettings, notice: Callable[[str], None]) -> None:
    """Take over the workspace of a deleted folder with mostly the same contents, because the folder was probably
    moved.
    """
    left = tuple(left_behind())
    if not left:
        return
    files = _with_contents(folder, settings)
    shared = {candidate: _shared(folder, files, _indexed(candidate)) for candidate in left}
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


def _shared(folder: Path, files: Sequence[FoundFile], kept: Mapping[str, FileRecord]) -> Fraction:
    """Return how many files a folder and a workspace have in common, as a share of the larger of the two.

    Equal files count once.
    """
    sizes, hashes = {record.size for record in kept.values()}, {record.content_hash for record in kept.values()} - {""}
    same, others = set[str](), 0
    for file in files:
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
