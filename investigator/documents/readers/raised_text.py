"""Decides what raised or lowered text is: an exponent, an index, or the mark of a note. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection

_LETTER_MARK = re.compile(r"[a-z](?:\s?,\s?[a-z])*")
_SIGN_MARK = re.compile(r"[*†‡§¶#]+")
_NUMBERS = re.compile(r"\d+(?:\s?[,–-]\s?\d+)*")
_POWER = re.compile(r"[-+−–]?\d+(?:[.,/]\d+)?|[-+−–]|[-+−–]?[nmkxij]")
_BASE = re.compile(r"(?:^|[^\w.,])(?:\d[\d.,]*\s?[×x·*]\s?)?10$")
_LONGEST_UNIT = 3
"""A unit or a variable has at most this many letters; behind a longer word, a raised number is the mark of a note."""


def shifted_text(
    before: str, text: str, notes: Collection[str], *, blank: bool = False, lowered: bool = False
) -> tuple[bool, str]:
    """Return whether a raised or lowered text stands apart from the text before it, and how it is written: 10^6, m^2,
    SO4, "150 2" for the mark of a note. `notes` are the marks with which notes of the document begin.
    """
    if blank or not before or before[-1].isspace():
        return blank, text
    last = before[-1]
    if lowered:
        return False, f"_{text}" if last.isdigit() and text[0].isdigit() else text
    if is_note_mark(before, text, notes):
        return True, text
    if _POWER.fullmatch(text) and (last.isalnum() or last in ")]²³"):
        return False, f"^{text}"
    return False, text


def is_note_mark(before: str, text: str, notes: Collection[str]) -> bool:
    """Return True if a raised text refers to a note."""
    word = re.search(r"[^\W\d_]*$", before)
    letters = len(word.group()) if word is not None else 0
    if _SIGN_MARK.fullmatch(text):
        return True
    if _LETTER_MARK.fullmatch(text) and letters > 1:
        return True
    if not _NUMBERS.fullmatch(text):
        return False
    if before[-1] in ".,;:!?\"'”’":
        return True
    return letters > _LONGEST_UNIT or (text in notes and not letters and _BASE.search(before) is None)
