"""Option files: the options that an agent was made with, kept as JSON beside its model file (`model_file.opt`)."""

from __future__ import annotations

import json
from pathlib import Path

from investigator.dialogue.options import Opt
from investigator.errors import DialogueError, DialogueFormatError


def option_file(model_file: str | Path) -> Path:
    """Where the options of a model file lie."""
    return Path(f"{model_file}.opt").expanduser()


def read_options(path: Path) -> Opt:
    """The options of a file.

    Raises DialogueError where the file cannot be read, and DialogueFormatError where it is no JSON object.
    """
    try:
        options = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise DialogueError(f"the options {path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise _broken(path, str(error)) from error
    if not isinstance(options, dict):
        raise _broken(path, f"it holds a {type(options).__name__}, not an object")
    return Opt(options)


def write_options(opt: Opt, path: Path) -> None:
    """Keep options in a file. Raises DialogueError where one of them is no JSON value or the file cannot be written."""
    try:
        text = json.dumps(opt, ensure_ascii=False, indent=2, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise DialogueError(
            f"the options cannot be kept: {error}", hint="Keep texts, numbers and lists only."
        ) from error
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    except (OSError, UnicodeEncodeError) as error:
        raise DialogueError(f"the options {path} cannot be written: {error}") from error


def _broken(path: Path, gist: str) -> DialogueFormatError:
    hint = "Correct the file: it must hold one JSON object with the options."
    return DialogueFormatError(f"the options {path} cannot be used: {gist}", hint=hint)
