"""Finds abbreviations that are explained in text, as in "indocyanine green (ICG)" or "SP, sulphadoxine-pyrimethamine;".
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from investigator.language.terms import words

_BRACKETED = re.compile(r"\(\s*[\"'“‘”’]?([A-Z0-9][A-Za-z0-9-]{1,9}?)s?[\"'”’]?\s*\)")
_LISTED = re.compile(r"(?<![\w-])([A-Z0-9][A-Za-z0-9-]{1,9})\s?[,=:]\s([^;.,\n]{4,80})(?=[;.\n]|$)")
_BEFORE = 160  # number of characters searched before the bracket
_PARTS = re.compile(r"[.;:!?()\[\]|\n]\s")
_MORE_WORDS = 5  # maximum number of words without a letter in the abbreviation, such as stop words
_DIGITS = dict(zip("123456789", ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine"), strict=True))


def abbreviations(text: str) -> Iterator[tuple[str, str]]:
    """Yield each abbreviation that the text explains, with the words that it stands for.

    The abbreviation is either in brackets after these words or, as in the legend of a table, before them. The words are
    the shortest run that contains its letters in order, with the first letter at the beginning of a word (A. Schwartz
    and M. Hearst, 2003); a digit matches the first letter of its name.
    """
    for found in _BRACKETED.finditer(text):
        before = _PARTS.split(text[max(0, found.start() - _BEFORE) : found.start()])[-1]
        if _is_short(found[1]) and (words_for := _explained(found[1], before)):
            yield found[1], words_for
    for found in _LISTED.finditer(text):
        said = " ".join(found[2].lower().split())
        if _is_short(found[1]) and _explained(found[1], said) == said:
            yield found[1], said


def _is_short(text: str) -> bool:
    return sum(char.isupper() for char in text) + text[0].isdigit() >= 2


def _explained(short: str, before: str) -> str:
    """Return the words at the end of the text that match an abbreviation; "" if they do not contain its letters."""
    letters = "".join(_DIGITS.get(char, char)[0] for char in short if char.isalnum()).lower()
    said = " ".join(before.lower().split()[-min(len(letters) + _MORE_WORDS, 2 * len(letters)) :])
    at = len(said)
    for place in range(len(letters) - 1, -1, -1):
        at -= 1
        while at >= 0 and (said[at] != letters[place] or (place == 0 and at > 0 and said[at - 1].isalnum())):
            at -= 1
        if at < 0:
            return ""
    explained = said[at:].strip(" \"'“‘”’,")
    return explained if len(explained) > len(short) and words(explained) != words(short) else ""
