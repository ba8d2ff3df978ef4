"""Finds the multiplier of a table's figures in a unit note, a header or a label. Pure."""

from __future__ import annotations

import re
from functools import cache

from investigator.language.late_patterns import late
from investigator.language.units import magnitude_pattern

_THOUSANDS = "thousand"
_PLURAL = {
    "hundreds": "hundred",
    "thousands": _THOUSANDS,
    "millions": "million",
    "billions": "billion",
    "trillions": "trillion",
}
_SHARES = late(r"\b(?:shares?|rsus?|units|options|awards)\b", re.IGNORECASE)
MONEY_SIGN = late(r"[$€£¥₹]")
_PER = late(r"\bper\b|/\s*share\b|\bprice\b", re.IGNORECASE)
_EXCEPTED = late(r"\bexcept\b.*", re.IGNORECASE | re.DOTALL)
_SHARES_IN = late(r"\bshares?\b[^.;]{0,60}?\bin (thousands|millions|billions)\b", re.IGNORECASE)
_WORDED = late(r"[a-z]{3}|(?<![\d.,])(?:19|20)\d\d(?![\d.,])")  # no multiplier: another unit, text, a year
_NO_MULTIPLE = late(r"%|‰|\bpercent\w*|\bbasis points?\b", re.IGNORECASE)


@cache
def _in() -> re.Pattern[str]:
    """Return the pattern for unit notes: In millions; $ millions; USD m; (thousands)."""
    return re.compile(
        rf"(?:\b(?:in|en|of)\s+(?:[^\W\d_]+\s+){{0,3}}?|(?:[($€£¥]|(?<!\d),)\s*|\b[A-Z]{{3}}\s*|[’']\s*)(thousands|hundreds|{magnitude_pattern()}|000)(?![^\W_])",
        re.IGNORECASE,
    )


def is_unit_note(text: str) -> bool:
    """Return True if the text gives the unit of a table's figures, such as "(in millions)"."""
    return len(text) <= 300 and _in().search(text) is not None


def measure_of(value: str, row: tuple[str, ...], column: tuple[str, ...], unit: str) -> str:
    """Return the multiplier of a value, as a word; "" if it has none or is exempt. The nearest note counts: first
    the row's, then the column's, then the table's. Percentages and per-share amounts are exempt from a table's
    note "in millions, except per share amounts".
    """
    if _NO_MULTIPLE.search(value) or _WORDED.search(value) or not any(char.isdigit() for char in value):
        return ""
    for near in (row, column):
        for text in reversed(near):
            if found := _in().search(text):
                return _named(found[1])
    names = " ".join((*row, *column))
    if _PER.search(names) or _NO_MULTIPLE.search(names):
        return ""
    if (
        _SHARES.search(names)
        and not MONEY_SIGN.search(value)
        and (excepted := _EXCEPTED.search(unit))
        and "share" in excepted.group().lower()
    ):
        own = _SHARES_IN.search(excepted.group())
        return _PLURAL[own[1].lower()] if own else ""
    found = _in().search(_EXCEPTED.sub("", unit))
    return _named(found[1]) if found else ""


def _named(magnitude: str) -> str:
    word = magnitude.casefold().strip(".")
    return _THOUSANDS if word == "000" else _PLURAL.get(word, word)
