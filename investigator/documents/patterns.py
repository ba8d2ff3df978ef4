"""Patterns of paths, as `.gitignore` files write them. Pure.

`*` and `?` stay within one name, `**` spans folders, `[abc]` is one of these. A pattern with a slash at its beginning
or in its middle starts at the folder; any other fits a name anywhere. A slash at the end fits folders only. `!` takes
back what an earlier pattern left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import translate

_SPAN = "**"
_LONGEST = 1_000


@dataclass(frozen=True)
class _Rule:
    steps: tuple[re.Pattern[str] | None, ...]  # None is `**`
    anchored: bool
    folders_only: bool
    takes_back: bool


class Patterns:
    """An ordered list of patterns; of those that fit a path, the last one decides."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._rules = tuple(rule for line in lines if (rule := _rule(line)) is not None)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def fits(self, path: str, *, is_folder: bool) -> bool:
        """Whether the last pattern that fits this path (with forward slashes) names it, its folders not looked at."""
        names = path.split("/")
        for rule in reversed(self._rules):
            if rule.folders_only and not is_folder:
                continue
            if _follows(rule.steps, names if rule.anchored else names[-1:]):
                return not rule.takes_back
        return False

    def fits_below(self, path: str) -> bool:
        """Whether a file, or one of the folders it lies in, fits."""
        if self.fits(path, is_folder=False):
            return True
        return any(self.fits(path[:i], is_folder=True) for i, character in enumerate(path) if character == "/")


def lines_of(text: str) -> list[str]:
    """The patterns of an ignore file: without comments, empty lines, and blanks at the ends of lines."""
    kept = (line.rstrip() for line in text.splitlines())
    return [line for line in kept if line and not line.startswith("#")]


def _rule(line: str) -> _Rule | None:
    takes_back = line.startswith("!")
    pattern = line[takes_back:][:_LONGEST].removeprefix("\\")
    folders_only = pattern.endswith("/")
    anchored = "/" in pattern.rstrip("/")
    names = [name for name in pattern.split("/") if name]
    if not names:
        return None
    steps = tuple(None if name == _SPAN else re.compile(translate(name)) for name in names)
    return _Rule(steps, anchored, folders_only, takes_back)


def _follows(steps: Sequence[re.Pattern[str] | None], names: Sequence[str]) -> bool:
    """Whether the steps use up all the names: a set of places that can be reached, so that no pattern is slow."""
    reached = {0}
    for index, step in enumerate(steps):
        if step is None:
            first = min(reached)
            last_step = index == len(steps) - 1  # `folder/**` is what lies in the folder, not the folder
            reached = set(range(first + last_step, len(names) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(names) and step.match(names[at])}
        if not reached:
            return False
    return len(names) in reached
