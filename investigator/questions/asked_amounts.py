"""Finds the amounts that a question names for comparison: "more than 30 euros", "between 20 and 30", "425". Pure. For
English text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache, lru_cache

from investigator.language.amounts import Amount, Reading, amounts, prepared
from investigator.language.dates import dates, without_dates
from investigator.language.late_patterns import late
from investigator.language.normalise import normalise
from investigator.language.units import magnitude_pattern
from investigator.questions.cues import cues
from investigator.questions.numbered import numbered
from investigator.questions.periods import without_periods

_BETWEEN = late(r"\bbetween\W+$", re.IGNORECASE)
_AND = late(r"\W*and\W*", re.IGNORECASE)
_LARGE = 1000  # an amount of at least this many table units, such as thousands, is assumed to be written out in full


class AmountRelation(StrEnum):
    """How an amount in a statement relates to the one in the question; the first relation whose words match applies."""

    MOST = "most"
    LEAST = "least"
    BELOW = "below"
    ABOVE = "above"
    EQUAL = "equal"

    def holds(self, own: Fraction, other: Fraction) -> bool:
        """Return True if `own`, the amount in a statement, has this relation to the amount in the question."""
        match self:
            case AmountRelation.MOST:
                return own <= other
            case AmountRelation.LEAST:
                return own >= other
            case AmountRelation.BELOW:
                return own < other
            case AmountRelation.ABOVE:
                return own > other
        return own == other


@dataclass(frozen=True)
class AskedAmount:
    """An amount in a question, with the comparison that the question makes; `text` and `span` are its wording and
    position.
    """

    text: str
    relation: AmountRelation
    amount: Amount
    span: tuple[int, int]

    @property
    def units(self) -> frozenset[str]:
        """Return the possible units of the amount."""
        return frozenset(unit for _, unit in self.amount.readings if unit)

    def holds(self, readings: Iterable[Reading], factor: int = 1) -> bool:
        """Return True if a figure has the requested relation to this amount; False if their units differ.

        `factor` is the multiplier of the figure's table. An amount that is written out, or that has a unit or
        multiplier, is compared with the multiplied figure; for equality, the figure as written is also accepted.
        """
        is_large = any(value >= _LARGE * factor for value, _ in self.amount.readings)
        scaled = bool(self.units) or is_large or _multiplied().search(self.amount.text) is not None
        factors = {1, factor} if self.relation is AmountRelation.EQUAL else {factor if scaled else 1}
        return any(
            self.relation.holds(own * times, other)
            for own, unit in readings
            for other, wanted in self.amount.readings
            for times in factors
            if not (unit and wanted) or unit == wanted
        )


def plain_amounts(text: str) -> tuple[Amount, ...]:
    """Return the amounts in the normalised text, without times and numbers in identifiers."""
    plain = prepared(without_periods(without_dates(text, dates(text))))
    return tuple(one for one in amounts(plain) if one.readings)


def relation(text: str) -> AmountRelation:
    """Return the comparison that the text makes; EQUAL if it makes none."""
    return next((one for one, words in _words().items() if words.search(text)), AmountRelation.EQUAL)


@lru_cache(maxsize=256)
def asked_amounts(question: str) -> tuple[AskedAmount, ...]:
    """Return the amounts in a question, in order, except times and numbers that identify things ("week 2")."""
    text = normalise(question).text
    labels = {one.number for one in numbered(text) if one.text[-1:].isdigit()}
    found, is_between = list[AskedAmount](), False
    for amount in plain_amounts(text):
        start = text.find(amount.text)
        if start < 0 or amount.text in labels:
            continue
        before = text[:start]
        one, begin = next(
            ((one, hit.start()) for one, words in _before().items() if (hit := words.search(before))),
            (AmountRelation.EQUAL, start),
        )
        if is_between and _AND.fullmatch(text, found[-1].span[1], start):
            one, is_between = AmountRelation.MOST, False
        elif opened := _BETWEEN.search(before):
            one, begin, is_between = AmountRelation.LEAST, opened.start(), True
        end = start + len(amount.text)
        found.append(AskedAmount(text[begin:end].strip(), one, amount, (begin, end)))
    return tuple(found)


@cache
def _multiplied() -> re.Pattern[str]:
    return re.compile(magnitude_pattern())


@cache
def _words() -> dict[AmountRelation, re.Pattern[str]]:
    listed = cues("yes_no")
    every = (one for one in AmountRelation if one is not AmountRelation.EQUAL)
    return {one: re.compile(rf"(?<!\w)(?:{listed[one]})(?!\w)", re.IGNORECASE) for one in every}


@cache
def _before() -> dict[AmountRelation, re.Pattern[str]]:
    """Return the patterns for words that may directly precede an amount."""
    return {one: re.compile(rf"{words.pattern}\W*$", re.IGNORECASE) for one, words in _words().items()}
