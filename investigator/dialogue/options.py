"""Opt: the options of agents, teachers and worlds."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Self

from investigator.errors import DialogueError


class Opt(dict[str, object]):
    """A dict of options as ParlAI has them: `task`, `datatype`, `batchsize`, `model`, and those of each agent."""

    @classmethod
    def of(cls, options: Mapping[str, object] | None) -> Opt:
        """The options of a mapping; of None there are none."""
        return options if isinstance(options, Opt) else cls(options or {})

    def deepcopy(self) -> Self:
        """A copy that shares nothing with this one."""
        return copy.deepcopy(self)

    def text(self, key: str, default: str = "") -> str:
        """An option that is a text. Raises DialogueError where it is something else."""
        value = self.get(key)
        if value is None:
            return default
        if not isinstance(value, str):
            raise DialogueError(f"the option {key} must be a text, it is {value!r}")
        return value

    def number(self, key: str, default: int) -> int:
        """An option that is a whole number. Raises DialogueError where it is something else."""
        value = self.get(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int):
            raise DialogueError(f"the option {key} must be a whole number, it is {value!r}")
        return value

    def switch(self, key: str, default: bool = False) -> bool:
        """An option that is on or off. Raises DialogueError where it is something else."""
        value = self.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise DialogueError(f"the option {key} must be true or false, it is {value!r}")
        return value
