"""Finds the caption of a table, with the note on its units, in the text above it. Pure."""

from __future__ import annotations

import re
from functools import cache

from investigator.language.terms import BRACKETS
from investigator.language.units import magnitude_pattern
from investigator.records import TextSpan

_LINES_ABOVE = 6
_LONGEST = 300
_SENTENCE_END = re.compile(r"[.!?]\s+(?=[A-Z(])")
_PROSE = re.compile(r"[.!?]$")
_PAGE_FURNITURE = re.compile(r"table of contents|\d{1,4}|page \d+( of \d+)?|index", re.IGNORECASE)
_FIGURE = re.compile(r"[$€£(]\s?\d|\d,\d{3}|\d\.\d|\d\s?%|(?<!\S)[—–](?!\S)")
_FIGURES_OF_A_ROW = 2
_WIDE = 90  # minimum number of characters in a line of running text


def caption_above(text: str, start: int, floor: int = 0) -> TextSpan | None:
    """Return the caption above the table that begins at `start`; `floor` is the start of its page.

    A caption consists of the lines above the table that are not running text, or of the sentence before the table if it
    ends in a colon.
    """
    lines = _lines_above(text, start, floor)
    taken: list[tuple[int, int]] = []
    for begin, end in lines:
        line = text[begin:end].strip()
        if (
            _PAGE_FURNITURE.fullmatch(line)
            or _is_row(line)
            or (len(line) > _WIDE and not line.endswith(":") and not is_unit_note(line))
        ):
            break
        if _PROSE.search(line) and not taken:
            break
        if line.endswith((":", "):")) or (_PROSE.search(line) and taken):
            if not taken or line.endswith(":"):
                taken.append(_leading_sentence(text, end, floor))
            break
        taken.append((begin, end))
    if not taken:
        return None
    return _trimmed(text, min(begin for begin, _ in taken), max(end for _, end in taken))


def _lines_above(text: str, start: int, floor: int) -> list[tuple[int, int]]:
    """Return the spans of the lines above, nearest first, up to an empty line that is not above a unit note."""
    spans: list[tuple[int, int]] = []
    end = text.rfind("\n", floor, start)
    while end > floor and len(spans) < _LINES_ABOVE:
        begin = max(text.rfind("\n", floor, end) + 1, floor)
        if text[begin:end].strip():
            spans.append((begin, end))
        elif any(not BRACKETS.fullmatch(text[first:last].strip()) for first, last in spans):
            break
        end = begin - 1
    return spans


def _leading_sentence(text: str, end: int, floor: int) -> tuple[int, int]:
    """Return the span of the sentence that ends at `end`, excluding short lines and lines of tables."""
    low = max(floor, end - _LONGEST)
    line_start = text.rfind("\n", low, end) + 1
    while line_start > low:
        above = max(low, text.rfind("\n", low, line_start - 1) + 1)
        line = text[above : line_start - 1]
        if len(line) < _WIDE * 0.6 or _is_row(line):
            low = line_start
            break
        line_start = above
    begin = low
    for stop in _SENTENCE_END.finditer(text, low, end - 1):
        begin = stop.end()
    if begin == low and text[begin - 1 : begin] not in ("", "\n"):
        begin = text.find(" ", low, end) + 1 or low
    return begin, end


def _is_row(line: str) -> bool:
    return len(_FIGURE.findall(line)) >= _FIGURES_OF_A_ROW


def _trimmed(text: str, begin: int, end: int) -> TextSpan | None:
    words = text[begin:end]
    begin += len(words) - len(words.lstrip())
    end -= len(words) - len(words.rstrip())
    return TextSpan(start=begin, end=end) if end > begin else None


def is_unit_note(text: str) -> bool:
    """Return True if the text gives the unit of a table's figures, such as "(in millions)"."""
    return len(text) <= 300 and _unit_pattern().search(text) is not None


@cache
def _unit_pattern() -> re.Pattern[str]:
    """Return the pattern for unit notes: In millions; $ millions; USD m; (thousands)."""
    return re.compile(
        r"(?:\b(?:in|en|of)\s+(?:[^\W\d_]+\s+){0,3}?|(?:[($€£¥]|(?<!\d),)\s*|\b[A-Z]{3}\s*|[’']\s*)"
        rf"(?:thousands|hundreds|{magnitude_pattern()}|000)(?![^\W_])",
        re.IGNORECASE,
    )
