"""Decides from names, settings and the folder's own ignore file which files are not documents, and counts them.

Patterns are those of `.gitignore`, translated by pathspec.
"""

from __future__ import annotations

import codecs
import re
import warnings
from bisect import insort
from collections import Counter
from collections.abc import Iterable, Iterator

from pydantic import Field

from investigator.documents.beneath import open_file
from investigator.documents.document_ids import document_id
from investigator.documents.readers.base import ReadFailure
from investigator.errors import FolderError, in_words
from investigator.records import LeftOut, LeftOutReason, Record

IGNORE_FILE = ".investigatorignore"
"""The file at the top of a folder that lists the files to exclude, like a `.gitignore`."""

_LONGEST_IGNORE_FILE = 1_000_000
_MOST_PATTERNS = 1_000  # a limit, because every pattern is matched against every name
_OWN_NAMES = frozenset({IGNORE_FILE, ".investigator"})  # files of this program at the top of the folder
_MOST_NAMES = 10  # maximum number of names listed for each reason
_LONGEST_NAME = 200


class FolderSettings(Record):
    """Settings that select which files in the folder are documents."""

    include: tuple[str, ...] = Field(default=(), description="patterns for files or folders to read; empty means all")
    exclude: tuple[str, ...] = Field(
        default=("~$*", "Thumbs.db", "desktop.ini", "__MACOSX", "node_modules", "__pycache__"),
        description="patterns for files or folders to leave out, as in .gitignore",
    )


class LeavingOut:
    """Decides which files are excluded, and counts them. Raises FolderError if the ignore file cannot be used."""

    def __init__(self, root: str, settings: FolderSettings) -> None:
        self._include = Patterns(settings.include)
        self._exclude = Patterns(settings.exclude)
        self._ignore = Patterns(_ignore_lines(root))
        self._files, self._folders = Counter[LeftOutReason](), Counter[LeftOutReason]()
        self._names: dict[LeftOutReason, list[str]] = {reason: [] for reason in LeftOutReason}

    def leaves_out(self, path: str, *, is_folder: bool) -> bool:
        """Return True if a path below the folder is neither a document nor a folder to search, and count it unless it
        belongs to this program.
        """
        reason = self._reason(path, is_folder=is_folder)
        if reason is not None:
            (self._folders if is_folder else self._files)[reason] += 1
            name = document_id(path) + "/" * is_folder
            insort(self._names[reason], name if len(name) <= _LONGEST_NAME else f"…{name[-_LONGEST_NAME:]}")
            del self._names[reason][_MOST_NAMES:]
            return True
        return path in _OWN_NAMES

    def total(self) -> tuple[LeftOut, ...]:
        """Return the files excluded so far, grouped by reason."""
        return tuple(
            LeftOut(reason=reason, files=self._files[reason], folders=self._folders[reason], names=tuple(names))
            for reason, names in self._names.items()
            if names
        )

    def _reason(self, path: str, *, is_folder: bool) -> LeftOutReason | None:
        if path in _OWN_NAMES:
            return None
        if path.rpartition("/")[2].startswith("."):
            return LeftOutReason.HIDDEN
        if self._exclude.match(path, is_folder=is_folder):
            return LeftOutReason.EXCLUDED
        if self._ignore.match(path, is_folder=is_folder):
            return LeftOutReason.IGNORE_FILE
        if not is_folder and self._include and not self._include.match_file(path):
            return LeftOutReason.NOT_INCLUDED
        return None


def _ignore_lines(root: str) -> Iterator[str]:
    """Return the lines of the folder's ignore file. Raises FolderError if the file cannot be used."""
    try:
        with open_file(root, IGNORE_FILE) as file:
            data = file.read(_LONGEST_IGNORE_FILE + 1)
        wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except FileNotFoundError:
        return iter(())
    except (ReadFailure, OSError, UnicodeDecodeError) as error:
        hint = f"Save it as a file of UTF-8 text that you may read, or remove it: {root}/{IGNORE_FILE}"
        reason = in_words(error) if isinstance(error, OSError) else "not a regular file of UTF-8 text"
        raise FolderError(f"{IGNORE_FILE} cannot be read ({reason})", hint=hint) from error
    lines = dict.fromkeys(text.splitlines())
    if len(data) > _LONGEST_IGNORE_FILE or "\0" in text or len(lines) > _MOST_PATTERNS:
        hint = f"Write one pattern per line, at most {_MOST_PATTERNS:,}, as in a .gitignore:  {root}/{IGNORE_FILE}"
        raise FolderError(f"{IGNORE_FILE} is not a list of patterns, or contains too many", hint=hint)
    return iter(lines)


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
