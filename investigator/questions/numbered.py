"""Recognises things identified by a number: week 12, section 3, the third season, 24 months."""

from __future__ import annotations

import re
from typing import NamedTuple

from investigator.language.terms import folded, stem, stop_words
from investigator.questions.periods import without_periods

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_CARDINALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ORDINAL = rf"(?:{'|'.join(_ORDINALS)}|\d+(?:st|nd|rd|th))"
_JOINED = re.compile(rf"\b({_ORDINAL})((?:\s*,\s*{_ORDINAL})*),?\s+(?:and|or)\s+({_ORDINAL}\s+([a-z]{{3,}}))")
_WORDED = "|".join(_CARDINALS)
_NUMBER = rf"(?:\d+(?:[.,]\d+)*|{_WORDED})"
_COUNTED = (
    "week|month|day|year|hour|section|phase|part|stage|step|grade|type|group|article|chapter|item|season|episode|round"
    "|volume|level|form|table|figure|track|book"
)
_UNITS = r"weeks?|months?|days?|years?|hours?|h|minutes?|percent|%|mg|km|dollars?"
_NTH = re.compile(rf"\b({'|'.join(_ORDINALS)}|\d+(?:st|nd|rd|th))\s+(?!{_WORDED})([a-z]{{3,}})")
_AFTER = re.compile(rf"\b({_COUNTED})s?\s(\d+)\b")
_BEFORE = re.compile(rf"\b({_NUMBER})\s*-?\s*({_UNITS})\b")


class Numbered(NamedTuple):
    """A numbered thing: its stem, its number, and its words."""

    thing: str
    number: str
    text: str

    @property
    def is_ordinal(self) -> bool:
        """Return True if the number is an ordinal."""
        first = self.text.split()[0]
        return first in _ORDINALS or (first[:1].isdigit() and first[-2:].isalpha())

    def is_same(self, other: Numbered) -> bool:
        """Return True if both refer to the same thing by the same number, such as "season 2" and "the second season",
        or "week 12" and "after 12 weeks".
        """
        is_named = self.text[-1:].isdigit() or other.text[-1:].isdigit()
        return (self.thing, self.number) == (other.thing, other.number) and (
            is_named or self.is_ordinal == other.is_ordinal
        )


def numbered(text: str) -> list[Numbered]:
    """Return the numbered things in the text, in order; periods such as years and quarters are excluded."""
    left = _JOINED.sub(_spelled_out, without_periods(text))
    found = [(m.start(), Numbered(stem(m.group(2)), _value(m.group(1)), m.group())) for m in _NTH.finditer(left)]
    found += [(m.start(), Numbered(_unit(m.group(1)), m.group(2), m.group())) for m in _AFTER.finditer(left)]
    found += [(m.start(), Numbered(_unit(m.group(2)), _value(m.group(1)), m.group())) for m in _BEFORE.finditer(left)]
    return [one for _, one in sorted(found) if one.thing not in stop_words()]


def _spelled_out(joined: re.Match[str]) -> str:
    """Expand "the third and fourth years" to "the third years, fourth years"."""
    others = re.findall(_ORDINAL, joined[2])
    return ", ".join([*(f"{one} {joined[4]}" for one in (joined[1], *others)), joined[3]])


def _unit(name: str) -> str:
    plain = stem(folded(name))
    return "hour" if name == "h" or plain == "hour" else plain


def _value(number: str) -> str:
    if number in _ORDINALS:
        return str(_ORDINALS.index(number) + 1)
    if number in _CARDINALS:
        return str(_CARDINALS.index(number) + 1)
    return re.sub(r"(?:st|nd|rd|th)$", "", number)
