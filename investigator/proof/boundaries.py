"""Finds the boundaries of words and numbers, so that no quote cuts through a word or number."""

from __future__ import annotations

import re
import unicodedata

from investigator.language.late_patterns import late

_HYPHENS = "-\u2010\u2011"
_DASHES = _HYPHENS + "\u2012\u2013\u2212"
_APOSTROPHES = "'\u2019\u02bc"
_SIGNS = "-+\u2212\u2013\u00b1"
_UNSPACED = late("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_LINE_END = late(r"[^\S\n]{0,20}\n[^\S\n]{0,20}")
_LINE_END_BEFORE = late(r"[^\S\n]{0,20}\n[^\S\n]{0,20}$")
_MAGNITUDE = late(
    r"\s?(?:hundred|thousand|million|billion|trillion|millionen|milliarden|mio|mrd|bn|mn|percent|per cent|prozent"
    r"|%|万|億|亿|萬)(?![^\W_])|\s?[万億亿萬]",
    re.IGNORECASE,
)
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"


def cuts_into_word(text: str, start: int, end: int) -> bool:
    """Return True if the span `[start, end)` begins or ends inside a word or a number.

    A hyphenated compound is one word ("non-profit"), a range or date is one number ("80-90", "2021-05-05"), and a sign,
    currency or per cent mark belongs to its number. Scripts without spaces have no inner boundaries.
    """
    return _joined(text, start) or _joined(text, end) or _sign_cut_off(text, start) or _unit_cut_off(text, end)


def _joined(text: str, place: int) -> bool:
    """Return True if a word or number continues across a position."""
    if not 0 < place < len(text):
        return False
    before, after = text[place - 1], text[place]
    if before in _INVISIBLE or after in _INVISIBLE:
        return _is_word(_visible(text, place - 1, -1)) and _is_word(_visible(text, place, 1))
    if _is_word(before) and _is_word(after):
        return _belong_together(before, after)
    if _is_word(before):
        return _connects(before, after, _next(text, place + 1, after), at_end=True)
    if not _is_word(after):
        return False
    broken = _LINE_END_BEFORE.search(text[max(0, place - 42) : place])
    mark_at = place - 1 if broken is None else place - 1 - len(broken.group())
    mark = text[mark_at] if mark_at >= 0 else ""
    if broken and mark not in _DASHES:
        return False
    return _connects(text[mark_at - 1] if mark_at > 0 else "", mark, after, at_end=False)


def _next(text: str, place: int, mark: str) -> str:
    """Return the character at a position; after a hyphen at the end of a line, the first character of the next line."""
    broken = _LINE_END.match(text, place) if mark in _DASHES else None
    place = broken.end() if broken else place
    return text[place : place + 1]


def _belong_together(before: str, after: str) -> bool:
    if _UNSPACED.match(before) or _UNSPACED.match(after):
        return before.isdecimal() and after.isdecimal()
    # an exponent is part of its number, but a footnote mark is not part of its word
    if unicodedata.category(after) == "No":
        return before.isdecimal()
    return True


def _connects(before: str, mark: str, after: str, *, at_end: bool) -> bool:
    """Return True if a mark joins the characters on both sides of it."""
    if not _is_word(before) or not _is_word(after):
        return False
    if before.isdecimal() and after.isdecimal():
        return mark in ".,:/" or mark in _DASHES or mark in _APOSTROPHES
    if mark in _APOSTROPHES:  # "isn't" is not "is", but "l'entreprise" may be quoted without its article
        return at_end
    return mark in _HYPHENS or mark in "_@"


def _sign_cut_off(text: str, start: int) -> bool:
    """Return True if a number begins at `start` and the sign or currency before it would be cut off."""
    if start == 0:
        return False
    before, first = text[start - 1], text[start : start + 1]
    if first and unicodedata.category(first) == "Sc":
        return before.isalpha()
    if not first.isdecimal():
        return False
    if unicodedata.category(before) == "Sc":
        return True
    return before in _SIGNS and (start == 1 or not _is_word(text[start - 2]))


def _unit_cut_off(text: str, end: int) -> bool:
    """Return True if a number ends at `end` and the unit, currency or magnitude after it would be cut off."""
    if not 0 < end < len(text) or not text[end - 1].isdecimal():
        return False
    if text[end] in "%\u2030\u00b0" or unicodedata.category(text[end]) == "Sc":
        return True
    return _MAGNITUDE.match(text, end) is not None


def _is_word(char: str) -> bool:
    return char.isalnum() or (char != "" and unicodedata.category(char)[0] == "M")


def _visible(text: str, place: int, step: int) -> str:
    while 0 <= place < len(text):
        if text[place] not in _INVISIBLE:
            return text[place]
        place += step
    return ""
