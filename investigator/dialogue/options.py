"""Defines Opt, the options of agents, teachers and worlds, and reads the files that store them next to a model
(`model_file.opt`).
"""

from __future__ import annotations

import copy
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Self, TypeVar

from investigator.errors import DialogueError, DialogueFormatError, DialogueValueError

Value = TypeVar("Value", str, int, bool)


class Opt(dict[str, object]):
    """A dict of options as in ParlAI: `task`, `datatype`, `batchsize`, `model`, and each agent's own options."""

    @classmethod
    def of(cls, options: Mapping[str, object] | None) -> Opt:
        """Convert a mapping to options; None gives empty options."""
        return options if isinstance(options, Opt) else cls(options or {})

    def deepcopy(self) -> Self:
        """Return an independent copy."""
        return copy.deepcopy(self)

    def text(self, key: str, default: str = "") -> str:
        """Return a string option. Raises DialogueError if it is of a different type."""
        return self._of_kind(key, str, default, "a string")

    def number(self, key: str, default: int) -> int:
        """Return an integer option. Raises DialogueError if it is of a different type."""
        return self._of_kind(key, int, default, "a whole number")

    def switch(self, key: str, default: bool = False) -> bool:
        """Return a boolean option. Raises DialogueError if it is of a different type."""
        return self._of_kind(key, bool, default, "true or false")

    def choice(self, key: str, known: Collection[str], default: str) -> str:
        """Return the value of a string option, which must be one of the given values. Raises DialogueValueError if it
        does not.
        """
        value = self.text(key, default)
        if value not in known:
            raise DialogueValueError(f"the option {key} cannot be {value!r}", hint=f"Choose one of {', '.join(known)}.")
        return value

    def _of_kind(self, key: str, kind: type[Value], default: Value, called: str) -> Value:
        value = self.get(key)
        if value is None:
            return default
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise DialogueError(f"the option {key} must be {called}, not {value!r}")
        return value


def option_file(model_file: str | Path) -> Path:
    """Return the path of the file that stores the options for a model file."""
    return Path(f"{model_file}.opt").expanduser()


def read_options(path: Path) -> Opt:
    """Read options from a file. Raises DialogueError if the file cannot be read, and DialogueFormatError if it is not
    a JSON object.
    """
    try:
        options = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise DialogueError(f"the options {path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise _broken(path, str(error)) from error
    if not isinstance(options, dict):
        raise _broken(path, f"it contains a {type(options).__name__}, not an object")
    return Opt(options)


def _broken(path: Path, gist: str) -> DialogueFormatError:
    hint = "Correct the file: it must contain one JSON object with the options."
    return DialogueFormatError(f"the options {path} cannot be used: {gist}", hint=hint)
