"""Words as they are written."""

from __future__ import annotations

import re

_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0903\u093a-\u0963"
    "\u0981-\u0983\u09bc-\u09e3\u0a01-\u0a03\u0a3c-\u0a51\u0a81-\u0a83\u0abc-\u0ae3\u0b01-\u0b03\u0b3c-\u0b63\u0b82\u0bbe-\u0bd7"
    "\u0c00-\u0c04\u0c3c-\u0c63\u0c81-\u0c83\u0cbc-\u0ce3\u0d00-\u0d03\u0d3b-\u0d63\u0d81-\u0d83\u0dca-\u0df3\u0e31\u0e34-\u0e4e"
    "\u0eb1\u0eb4-\u0ece\u0f71-\u0f87\u102b-\u103e\u1056-\u1059\u17b4-\u17d3"
)
"""Vowel signs and accents, which belong to the word that they stand in."""
_WORD = rf"[^\W_](?:[^\W_]|[{_MARKS}\u200c\u200d])*"
TOKEN = re.compile(rf"{_WORD}(?:[-'’.&/]{_WORD})*")


def tokens(text: str) -> list[str]:
    """The words of a text as they are written; a word keeps its inner points, hyphens and apostrophes."""
    return TOKEN.findall(text)
