"""Parses the text of a cell: a figure with its signs, a time, or text. Pure."""

from __future__ import annotations

import re

from investigator.language.terms import month_words, words

CURRENCY = r"US\$|HK\$|USD|EUR|GBP|CHF|JPY|CNY|RMB|INR|CAD|AUD|SEK|NOK|DKK|Rs\.?"
"""Pattern of currency codes before a figure; currency signs are `[$€£¥₹]`."""

CURRENCY_SIGN = re.compile(rf"[$€£¥₹]|{CURRENCY}")
_VALUE = re.compile(
    rf"[^\w\s]{{0,3}}\s?(?:(?:{CURRENCY})\s?)?[$€£¥₹]?\s?[-−–(]{{0,2}}\s?[$€£¥₹]?\s?\d[\d.,'’\u00a0\u2009\u202f ]*"
    r"(?:\s?[%‰xX]|\s?pts?|\s?bps)?[)*†‡%]{0,4}|[$€£¥₹]?\s?[-–—−]{1,3}\s?%?|n/?[am]\.?|nil|ns|nr|\*+",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:FY\s?)?(?:19|20)\d\d(?:[-/–]\d{2,4})?(?:\s?\(?[*†‡1-9]\)?)?")
_BEGINS = re.compile(rf"[^\w\s]{{0,3}}\s?(?:(?:{CURRENCY})\s?)?\d")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_LONGEST_VALUE = 40


def is_value(text: str) -> bool:
    """Return True for a figure with its signs, a dash, or a figure with few words, such as `39 (61.9 %)`."""
    if _VALUE.fullmatch(text):
        return True
    return _BEGINS.match(text) is not None and len(_LETTERS.findall(text)) <= 1 and len(text) <= _LONGEST_VALUE


def is_time(text: str) -> bool:
    """Return True for a year, a month or a date: such words name columns."""
    return _YEAR.fullmatch(text) is not None or not set(words(text)).isdisjoint(month_words())
