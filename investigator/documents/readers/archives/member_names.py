"""Makes the names of files inside a file safe, readable and unique. Pure."""

from __future__ import annotations

import re

_DRIVE = re.compile(r"^[A-Za-z]:")
_LONGEST_PART = 200
_MOST_PARTS = 20
_UNNAMED = "unnamed"


def inner_path(name: str) -> str:
    """Return the path of a file inside another file, as part of a document id: with forward slashes, and never empty.

    The path cannot escape its target folder: no drive, no leading slash, no `..`. Unprintable characters become U+FFFD;
    overlong parts are shortened in the middle, overlong paths at the beginning.
    """
    parts = _DRIVE.sub("", name).replace("\\", "/").split("/")
    kept = [_printable(part.strip()) for part in parts if part.strip() not in ("", ".", "..")]
    return "/".join(kept[-_MOST_PARTS:]) or _UNNAMED


class UniqueNames:
    """Makes names unique: the second `name` becomes `name~2`."""

    def __init__(self) -> None:
        self._given: dict[str, int] = {}

    def take(self, name: str) -> str:
        """Return the name, with a number appended if needed to make it unique."""
        count = self._given.get(name, 0) + 1
        unique = name if count == 1 else f"{name}~{count}"
        while unique in self._given and unique != name:
            count += 1
            unique = f"{name}~{count}"
        self._given[name] = count
        self._given.setdefault(unique, 1)
        return unique


def _printable(part: str) -> str:
    if len(part) > _LONGEST_PART:
        half = _LONGEST_PART // 2
        part = f"{part[:half]}…{part[-half:]}"
    return "".join(character if character.isprintable() else "\ufffd" for character in part)
