"""Reads the whole numbers of attributes, and writes those of lists: decimal, letters, Roman numerals. Pure."""

from __future__ import annotations

_VALUES = (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1)
_SIGNS = ("m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i")
_LARGEST_ROMAN = 3_999
_LARGEST_LETTERS = 780  # thirty times the alphabet
_MOST_DIGITS = 7


def whole_number(written: str | None, default: int = 1) -> int:
    """Return the number given in an attribute, such as the rows that a cell covers; the default if there is none."""
    value = (written or "").strip()
    return int(value) if value.isdecimal() and len(value) <= _MOST_DIGITS else default


def roman(number: int) -> str:
    """Return a lower-case Roman numeral, or the decimal number if there is none."""
    if not 0 < number <= _LARGEST_ROMAN:
        return str(number)
    numeral = ""
    for value, sign in zip(_VALUES, _SIGNS, strict=True):
        count, number = divmod(number, value)
        numeral += sign * count
    return numeral


def letters(number: int, *, repeats: bool) -> str:
    """Return a lower-case letter: a to z, then aa, bb if it `repeats` (Word), else aa, ab (HTML)."""
    if not 0 < number <= _LARGEST_LETTERS:
        return str(number)
    if repeats:
        count, at = divmod(number - 1, 26)
        return chr(ord("a") + at) * (count + 1)
    numeral = ""
    while number:
        number, at = divmod(number - 1, 26)
        numeral = chr(ord("a") + at) + numeral
    return numeral
