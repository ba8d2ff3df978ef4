"""Defines Opt, the options of agents, teachers and worlds."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Self, TypeVar

from investigator.errors import DialogueError

Value = TypeVar("Value", str, int, bool)

Options = Mapping[str, object] | None
"""Options as they are given; None stands for no options."""


class Opt(dict[str, object]):
    """A dict of options as in ParlAI: `task`, `datatype`, `batchsize`, `model`, and each agent's own options. Its
    methods raise DialogueError for an option of the wrong type.
    """

    @classmethod
    def of(cls, options: Options) -> Opt:
        """Convert a mapping to options; None gives empty options."""
        return options if isinstance(options, Opt) else cls(options or {})

    def deepcopy(self) -> Self:
        """Return an independent copy."""
        return copy.deepcopy(self)

    def text(self, key: str, default: str = "") -> str:
        """Return a string option."""
        return self._of_kind(key, str, default, "a string")

    def number(self, key: str, default: int) -> int:
        """Return an integer option."""
        return self._of_kind(key, int, default, "a whole number")

    def switch(self, key: str, default: bool = False) -> bool:
        """Return a boolean option."""
        return self._of_kind(key, bool, default, "true or false")

    def choice(self, key: str, known: Collection[str], default: str) -> str:
        """Return a string option. Raises DialogueError if it is not one of the known values."""
        value = self.text(key, default)
        if value not in known:
            raise DialogueError(f"the option {key} cannot be {value!r}", hint=f"Choose one of {', '.join(known)}.")
        return value

    def _of_kind(self, key: str, kind: type[Value], default: Value, described: str) -> Value:
        value = self.get(key)
        if value is None:
            return default
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise DialogueError(f"the option {key} must be {described}, not {value!r}")
        return value


def number_in(text: str) -> int | float | None:
    """Return the number that the text is, if it is one."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return None
