"""Finds the data files for tasks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from investigator.dialogue.datatypes import Datatype
from investigator.dialogue.options import Opt
from investigator.errors import DialogueError

FOLD_NAMES = {"train": ("train",), "valid": ("valid", "dev"), "test": ("test",)}
"""The words in file names that identify each fold."""


def fold_of(opt: Opt) -> str:
    """Return the fold of the datatype: `valid` for `valid:stream`, `train` by default."""
    return Datatype(opt.text("datatype", "train")).fold


def named_path(opt: Opt, needed: str = "a file of data") -> Path:
    """Return the path in `datafile`, otherwise in `datapath`.

    Raises DialogueError if neither is set, or the path is neither a file nor a folder.
    """
    task = opt.text("task", "task")
    named = _text(opt, "datafile") or _text(opt, "datapath")
    if not named:
        hint = f"Set it with {task}:datafile=PATH, or --datafile PATH"
        raise DialogueError(f"the task {task} needs {needed}", hint=hint)
    path = expanded(named)
    if not _is_there(path):
        raise DialogueError(f"file or folder not found: {path}", hint="Choose a file or folder that exists.")
    if not path.is_file() and not path.is_dir():
        raise DialogueError(
            f"{path} is neither a file nor a folder", hint="Save its contents to a file, and use that file."
        )
    return path


def expanded(named: str) -> Path:
    """Return the path in an option, with `~` expanded to a home folder; the path is unchanged if the user is
    unknown.
    """
    try:
        return Path(named).expanduser()
    except RuntimeError:
        return Path(named)


def files_in(folder: Path) -> list[Path]:
    """Return the contents of a folder. Raises DialogueError if the folder cannot be read."""
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        hint = "Choose a folder that can be read, or a file."
        raise DialogueError(f"the folder {folder} cannot be read: {error.strerror or error}", hint=hint) from error


def data_file(opt: Opt, *suffixes: str) -> Path:
    """Return the file named by `datafile`, otherwise by `datapath`. If the path is a folder, return its only file with
    one of the suffixes and the fold in its name, otherwise its only file with one of the suffixes. Raises DialogueError
    unless exactly one file fits.
    """
    path = named_path(opt)
    if path.is_file():
        return path
    return file_of_fold(opt, path, [file for file in files_in(path) if file.suffix in suffixes])


def file_of_fold(opt: Opt, folder: Path, files: Iterable[Path], kind: str = "data") -> Path:
    """Return the only file with the fold in its name, otherwise the only file. Raises DialogueError, with a description
    of the expected file, unless exactly one file fits.
    """
    fold = fold_of(opt)
    fitting = sorted(file for file in files if file.is_file())
    chosen = [file for file in fitting if _is_of_fold(file, fold)] or fitting
    if len(chosen) != 1:
        found = ", ".join(file.name for file in chosen[:5]) or "none"
        hint = f"Put {fold} into the name of one file, or choose the file with datafile=PATH. Suitable files: {found}"
        raise DialogueError(f"the folder {folder} does not have exactly one file of {kind} for {fold}", hint=hint)
    return chosen[0]


def _text(opt: Opt, name: str) -> str:
    """Return an option that is a path. Raises DialogueError if the path looks like a number, because task strings parse
    numbers.
    """
    value = opt.get(name)
    if isinstance(value, bool | int | float):
        hint = f"Write a path that is not a number: {name}=./{value}"
        raise DialogueError(f"the option {name} must be a path, not {value!r}", hint=hint)
    return opt.text(name)


def _is_there(path: Path) -> bool:
    """Return True if the path exists, and False if the name is invalid or access is denied."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _is_of_fold(file: Path, fold: str) -> bool:
    words = file.name.lower().replace("-", "_").replace(".", "_").split("_")
    return any(word.startswith(name) for word in words for name in FOLD_NAMES.get(fold, (fold,)))
