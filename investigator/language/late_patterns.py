"""Compiles patterns on first use, because a command needs only a few of the hundreds in this package."""

from __future__ import annotations

import re
from typing import Any, cast


class _Late:
    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags
        self._compiled: re.Pattern[str] | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        self._compiled = self._compiled or re.compile(self.pattern, self._flags)
        self.__dict__[name] = method = getattr(self._compiled, name)  # later look-ups then skip `__getattr__`
        return method

    def __reduce__(self) -> tuple[object, tuple[str, int]]:
        return late, (self.pattern, self._flags)


def late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when one of its methods is first used; the functions in `re` do not accept such
    patterns.
    """
    return cast("re.Pattern[str]", _Late(pattern, flags))
