"""Finds the workspace of a folder in the user's data directory."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from platformdirs import user_data_path

from investigator.errors import ForeignFileError
from investigator.files import is_plain_file, read_private, write_private

INSIDE = ".investigator"
"""Name of a workspace inside its folder, where earlier versions kept it. It is opened only if the user names it."""

_FOLDER = "folder"


def default_workspace(folder: Path) -> Path:
    """Return the workspace directory for a document folder: in the user's data directory, named after the folder's real
    path.
    """
    real = os.path.realpath(folder)
    return _data("workspaces") / _directory_name(os.path.basename(real), real)


def place_of_copy(address: str) -> Path:
    """Return the path of the local copy of a folder in object storage, given the address of that folder."""
    return _data("objects") / _directory_name(address.rpartition("/")[2], address)


def lies_in(directory: Path, folder: Path) -> bool:
    """Return True if a directory is inside a folder after resolving links."""
    real = os.path.realpath(folder)
    try:
        return os.path.commonpath([real, os.path.realpath(directory)]) == real
    except ValueError:  # it is on another drive
        return False


def note_folder(directory: Path, folder: Path) -> None:
    """Record in a workspace which folder it belongs to, so that the workspace is found again if the folder moves."""
    real = os.fsencode(os.path.realpath(folder))
    if _folder_of(directory) != real:
        write_private(directory / _FOLDER, real)


def other_owner(directory: Path, folder: Path) -> str:
    """Return the folder that a workspace belongs to if it is not `folder` and still exists; otherwise ""."""
    noted = _folder_of(directory)
    is_other = noted != os.fsencode(os.path.realpath(folder)) and os.path.lexists(noted)
    return os.fsdecode(noted) if noted and is_other else ""


def shared_name(directory: Path) -> str:
    """Return the name of a workspace's folder in a shared database. The name is derived from the path of the folder, so
    it is different for every folder. `note_folder` must have been called.
    """
    return default_workspace(Path(os.fsdecode(_folder_of(directory)))).name


def left_behind() -> Iterator[Path]:
    """Yield the workspaces in the user's data directory whose folders are gone."""
    try:
        directories = sorted(_data("workspaces").iterdir())
    except OSError:
        return
    for directory in directories:
        folder = _folder_of(directory)
        if folder and not os.path.lexists(folder):
            yield directory


def _folder_of(directory: Path) -> bytes:
    if not is_plain_file(directory / _FOLDER):
        return b""
    try:
        return read_private(directory / _FOLDER, 10_000)
    except (OSError, ForeignFileError):
        return b""


def _data(folder: str) -> Path:
    return user_data_path("investigator", appauthor=False) / folder


def _directory_name(name: str, place: str) -> str:
    """Return a readable directory name that is unique to the given path."""
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:40] or "folder"
    digest = hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{readable}-{digest[:16]}"
