"""Path patterns as in `.gitignore`, translated by pathspec. Pure."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable

_EVERYTHING_BELOW = {".": "^.+", "/": "^.+/.+", "(?P<ps_d>/)": "^.+/"}  # pathspec's short forms for `**`, `*/**`, `*/`
_OVER_FOLDERS = "(?:/.+)?"  # pathspec's form of `/**`
_FROM_ANYWHERE = "^(?:.+/)?"  # pathspec's form for a leading `**/`
_PLAIN = re.compile(r"(?!\.+$)[\w.~$-]+\*?")
_STAR_AND_MORE = re.compile(r"\[\^/\]\*((?:\[\^/\]|[^/])*?)(?=\[\^/\]\*)")  # `*` and the text up to the next one


class Patterns:
    """An ordered list of patterns; the last one that matches a path decides."""

    def __init__(self, lines: Iterable[str]) -> None:
        translated = [rule for line in lines if (rule := _translated(line)) is not None]
        self._rules = tuple(reversed(translated))

    def __bool__(self) -> bool:
        return bool(self._rules)

    def match(self, path: str, *, is_folder: bool) -> bool:
        """Return True if this path (with forward slashes) is matched, regardless of its parent folders.

        Git does not descend into an excluded folder, so a caller that walks a tree must not either.
        """
        name = f"{path}/" if is_folder else path
        return next((include for regex, include in self._rules if regex.fullmatch(name)), False)

    def match_file(self, path: str) -> bool:
        """Return True if a file, or one of its parent folders, is matched."""
        folders = (path[:at] for at, character in enumerate(path) if character == "/")
        return self.match(path, is_folder=False) or any(self.match(folder, is_folder=True) for folder in folders)


def _translated(line: str) -> tuple[re.Pattern[str], bool] | None:
    """Return the pattern in a line, and True unless it is negated with `!`; None for a comment or an empty line."""
    if _PLAIN.fullmatch(line):
        name = re.escape(line.removesuffix("*")) + "[^/]*" * line.endswith("*")
        return re.compile(f"{_FROM_ANYWHERE}{name}/?", re.DOTALL), True
    from pathspec.patterns.gitignore import GitIgnorePatternError  # slow to import; plain names do not need it
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    if line.rstrip().endswith("/**/"):  # pathspec would match the folder itself
        line = f"{line.rstrip()}*/"
    try:
        regex, include = GitIgnoreSpecPattern.pattern_to_regex(line)
        if regex is None or include is None:
            return None
        regex = _EVERYTHING_BELOW.get(regex, f"{regex}.+" if regex.endswith("/") else regex)
        with warnings.catch_warnings(action="ignore", category=FutureWarning):  # `[[a]` is a literal bracket
            return re.compile(_without_backtracking(regex), re.DOTALL), include
    except (GitIgnorePatternError, re.error):  # git ignores invalid patterns, too
        return None


def _without_backtracking(regex: str) -> str:
    """Limit each wildcard of the regex except the last to its first match, so that a hostile ignore file cannot make it
    hang.

    The text between two `*` has a fixed length, and the text between two `**` has a fixed number of names. If the rest
    of the regex does not match after the first match of such a part, it therefore does not match after a later one
    either.
    """
    first, *others = _STAR_AND_MORE.sub(r"(?>[^/]*?\1)", regex).split(_OVER_FOLDERS)
    if not others:
        return first
    if first.startswith(_FROM_ANYWHERE):
        first = f"^(?>(?:.+?/)??{first.removeprefix(_FROM_ANYWHERE)}(?=/))"
    middle = [f"(?>(?:/.+?)??{part}(?=/))" for part in others[:-1]]
    return "".join([first, *middle, _OVER_FOLDERS, others[-1]])
