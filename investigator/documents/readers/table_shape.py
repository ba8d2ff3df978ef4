"""Parses the text of cells, and infers which rows of a table are headers and which columns are labels. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from investigator.language.normalise import with_european_digits
from investigator.language.terms import month_words, words

_MOST_HEADERS = 5
_MOST_LABELS = 3
_MOSTLY = 0.6
_SAMPLED = 200

Row = Mapping[int, str]
"""The text of the cells in a row, keyed by column; empty cells are omitted."""
CURRENCY = r"US\$|HK\$|USD|EUR|GBP|CHF|JPY|CNY|RMB|INR|CAD|AUD|SEK|NOK|DKK|Rs\.?"
"""Pattern for the currency codes that may precede a figure; the currency signs are `[$€£¥₹]`."""
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


def header_rows_of(rows: Sequence[Row], marked: int = 0) -> int:
    """Return the number of header rows at the top: the `marked` rows, and rows without figures above rows with figures.

    In a table without figures, the first row is the header.
    """
    if len(rows) < 2:
        return min(marked, len(rows))
    figures = (
        number
        for number, row in enumerate(rows)
        if any(column and is_value(text) and not is_time(text) for column, text in row.items())
    )
    first = next(figures, None)
    if first is None:
        return marked or 1
    if first <= max(marked, _MOST_HEADERS):
        while first > max(marked, 1) and len(rows[first - 1]) <= 1 < max(len(row) for row in rows):
            first -= 1  # this row is a heading for the first rows
        return max(first, marked)
    return marked or 1


def label_columns_of(rows: Sequence[Row]) -> int:
    """Return the number of label columns on the left: columns of words below the header, at least one."""
    sample = [row for row in rows[:_SAMPLED] if len(row) > 1]
    width = max((max(row) for row in sample), default=0)
    count = 1
    while count < min(_MOST_LABELS, width):
        own = [row[count] for row in sample if count in row]
        later = [text for row in sample for column, text in row.items() if column > count]
        if not own or not any(map(is_value, later)) or sum(map(is_value, own)) > (1 - _MOSTLY) * len(own):
            break
        count += 1
    return count


def is_value(text: str) -> bool:
    """Return True if the text is a figure with its signs, a figure with few words, such as `39 (61.9 %)`, or a dash."""
    if _VALUE.fullmatch(text):
        return True
    return _BEGINS.match(text) is not None and len(_LETTERS.findall(text)) <= 1 and len(text) <= _LONGEST_VALUE


def is_time(text: str) -> bool:
    """Return True if the text names a year, a month or a date, any of which may name a column."""
    return _YEAR.fullmatch(with_european_digits(text)) is not None or not set(words(text)).isdisjoint(month_words())
