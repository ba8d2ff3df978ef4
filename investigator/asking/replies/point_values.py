"""Parses the value of a point at a known position: numbers, scales, ranges, and words for "no value".

All functions expect text normalised by `folded`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from investigator.language.late_patterns import late

_MARKUP = str.maketrans(
    {
        **dict.fromkeys("*_`#", " "),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"'),
        "\u066b": ".",
        "\u066a": "%",
    }
)
_HTML = late(r"</?(?:b|strong|i|em|u|p|br|span|li|td|th|tr|code|div|h[1-6])\s*/?>", re.IGNORECASE)

_NUMBER = r"\d+(?:[.,]\d+)*+"
_SCALE = r"(?:(?:on|in)\s+(?:a|the)\s+)?(?:scale\s*:?\s*)?(?:of\s+|from\s+)?[01]\s*(?:-|to)\s*(?P<top>\d{1,4})(?!\d)"
_OF = r"(?:/|out\s+of|of|von|sur)\s*(?P<of>\d{1,6})(?![\d.,/-]*\d)"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s"
_LEAD = late(
    r"[\s\"'\\(\[{<$]*(?:boxed\s*\{)?(?:(?:about|around|approximately|approx\.|roughly|circa|ca\.|maybe|perhaps"
    r"|probably|an?|between|etwa|~|≈|≥|≤|>|<)\s*){0,2}[\"'(\[{]*",
    re.IGNORECASE,
)
_VALUE = late(
    rf"(?P<sign>[+-]?)(?P<low>{_NUMBER})"
    rf"(?:\s*(?P<join>-|to|and|bis)\s*(?P<high>{_NUMBER}))?"
    rf"(?:[\s\"'$}}]*[(\[]?\s*(?:{_OF}|(?P<percent>%|per\s?cent\b|prozent\b)|{_SCALE}))?",
    re.IGNORECASE,
)
_SPOILED = late(rf"[.,:/-]\d|(?:st|nd|rd|th)\b|(?!(?:points?|pts?|p|punkte)\b)[A-Za-z]|\s+{_MONTH}", re.IGNORECASE)
_WORDS_BEFORE = late(r"[ \t]*[^\s\d(:]{1,20}(?:[ \t][^\s\d(:]{1,20})?[ \t]*\((?=\d)")
_ENUMERATION = late(r"[.)]\s+\S")
_NO_VALUE = late(
    r"[\s\"'(\[<]*(?:n\s?/\s?a\b|na\b|nan\b|none\b|null\b|nil\b|unknown\b|undefined\b|unscored\b|tbd\b|not\s|no\s"
    r"|cannot\b|can't\b|unable\b|nicht\s|keine?\b|entfällt\b|\?+|-+\s*$|-+\n)",
    re.IGNORECASE,
)
_HINT = late(rf"{_SCALE}|(?:/|out\s+of|of|max(?:imum)?\.?:?)\s*(?P<of>\d{{1,4}})", re.IGNORECASE)


@dataclass(frozen=True)
class Value:
    """A score and the offset at which its text ends; `point` is None if the reply says that it has none."""

    point: int | None
    end: int


def folded(text: str) -> str:
    """Return the text with uniform dashes, quotation marks and whitespace, and with spaces in place of Markdown and
    HTML emphasis.
    """
    text = unicodedata.normalize("NFKC", text).translate(_MARKUP)
    return _HTML.sub(" ", text)


def scale_of(hint: str) -> int | None:
    """Return the upper end of the scale in a hint such as "0-100", "out of 10" or "/ 5"."""
    found = _HINT.search(hint)
    return int(found["top"] or found["of"]) if found else None


def value_at(text: str, start: int, scale: int | None = None) -> Value | None:
    """Return the point at a position; None if there is neither a point nor a word for "no value".

    `scale` is the upper end of the scale named earlier.
    """
    if _NO_VALUE.match(text, start):
        return Value(None, start)
    lead = _LEAD.match(text, start)
    begin = lead.end() if lead else start
    found = _VALUE.match(text, begin)
    if found and found["high"] and not _is_range(found, text[start:begin]):
        found = _without_high(found)
    if not found or _SPOILED.match(text, found.end()):
        return None
    if "\n" in text[start:begin] and _ENUMERATION.match(text, found.end()):
        return None
    point = _point(found, scale)
    return None if point is None else Value(point, found.end())


def value_in_parentheses(text: str, start: int) -> Value | None:
    """Return the point in parentheses after one or two words at a position: "high (85)"."""
    words = _WORDS_BEFORE.match(text, start)
    value = value_at(text, words.end()) if words else None
    return value if value and text[value.end : value.end + 1] == ")" else None


def _is_range(found: re.Match[str], lead: str) -> bool:
    """Return True if two numbers are the ends of a range of points, not unrelated numbers or the template's scale."""
    low, high = _number(found["low"]), _number(found["high"])
    if low is None or high is None or found["sign"] or not low < high <= 100 or _is_scale(low, high):
        return False
    return found["join"].lower() != "and" or "between" in lead.lower()


def _is_scale(low: float, high: float) -> bool:
    return low <= 1 and high in (1, 5, 10, 100)


def _without_high(found: re.Match[str]) -> re.Match[str] | None:
    """Return only the first number if the second is not the end of a range: "85 - 3 plants", but not "2023-05-01"."""
    low, high, end = _number(found["low"]), _number(found["high"]), found.end("low")
    if not found.string[end].isspace() or low is None or high is None or _is_scale(low, high):
        return None
    return _VALUE.match(found.string, found.start(), end)


def _point(found: re.Match[str], scale: int | None) -> int | None:
    low, high = _number(found["low"]), _number(found["high"] or found["low"])
    if low is None or high is None:
        return None
    value = (low + high) / 2
    if found["sign"] == "-":
        value = -value
    if found["of"]:
        return _within(value, int(found["of"]))
    if found["percent"]:
        return _within(value, 100)
    top = int(found["top"]) if found["top"] else scale
    if top and value <= top:
        return _within(value, top)
    if 0 < value < 1:  # 0.85 out of 100 is not a plausible score, so it is a fraction
        return _within(value, 1)
    return _within(value, 100)


def _within(value: float, top: int) -> int | None:
    """Return the point converted to 0..100, rounded half up. Values slightly out of range are clamped; any other value
    out of range is not a point.
    """
    if top <= 0:
        return None
    point = value / top * 100
    if not -100 <= point <= 150:
        return None
    return min(100, max(0, int(point + 0.5)))


def _number(digits: str) -> float | None:
    if len(digits) > 12:
        return None
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        return float(digits.replace(",", ""))
    if len(re.findall(r"[.,]", digits)) > 1:
        return None
    return float(digits.replace(",", "."))
