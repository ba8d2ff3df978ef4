"""Undoes tricks that hide words from a search but not from a language model, and folds the text. Pure. Every character
can be traced back to the original.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

_TAGS = range(0xE0020, 0xE007F)
"""Unicode tag characters, which are invisible, but which models read as the ASCII characters that they encode."""
_NOTHING = frozenset({"Cf", "Mn", "Me"})
_SCRIPTS_MEET = re.compile("[a-z][\u0370-\u052f]|[\u0370-\u052f][a-z]")
_WORD = re.compile("[a-z\u0370-\u052f]+")
_LOOKALIKES = str.maketrans(
    "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0455\u0456\u0458\u04bb\u0501"
    "\u03b1\u03b2\u03b5\u03b7\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7",
    "abekmhopctyxsijhdabenikvoptux",
)
"""Lower-case Cyrillic and Greek letters, and the Latin letters that they look like."""


@dataclass(frozen=True)
class Undisguised:
    """Folded text; `origins` gives the original position of each character, or is None if no position changed."""

    text: str
    origins: tuple[int, ...] | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original that corresponds to a non-empty span of the folded text."""
        if self.origins is None:
            return start, end
        return self.origins[start], self.origins[end - 1] + 1


def undisguised(text: str) -> Undisguised:
    """Return the text in lower case and compatibility form, without accents and invisible characters. Tag characters
    become the ASCII characters that they hide, decimal digits of every script become 0 to 9, and in words of mixed
    scripts Cyrillic and Greek letters become the Latin letters that they look like. Takes linear time.
    """
    if text.isascii():
        return Undisguised(text.lower())
    table = {ord(char): plain(char) for char in set(text)}
    folded = _one_script(text.translate(table))
    if all(len(form) == 1 for form in table.values()):
        return Undisguised(folded)
    return Undisguised(folded, tuple(place for place, char in enumerate(text) for _ in table[ord(char)]))


def _one_script(text: str) -> str:
    """Return the text with its words of mixed scripts written in Latin letters."""
    if not _SCRIPTS_MEET.search(text):
        return text
    return _WORD.sub(
        lambda word: word.group().translate(_LOOKALIKES) if _SCRIPTS_MEET.search(word.group()) else word.group(), text
    )


@cache
def plain(char: str) -> str:
    """Return the folded form of one character, which may be empty or have several characters."""
    if char.isascii():
        return char.lower()
    if ord(char) in _TAGS:
        return chr(ord(char) - 0xE0000).lower()
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    if unicodedata.category(char) in _NOTHING:
        return ""
    parts = unicodedata.normalize("NFKD", char)
    if len(parts) > 1 and all(unicodedata.combining(part) for part in parts[1:]):
        parts = parts[0]
    else:
        parts = unicodedata.normalize("NFKC", char)
    return parts.lower()
