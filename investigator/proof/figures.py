"""Finds figures (numbers, dates, names with digits) of a statement that neither its quotes nor the question contain.

The result is a note for the reader and the user: it never decides whether a statement is shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import permutations

from investigator.language.amounts import Amount, amounts, identifiers, prepared, squeezed
from investigator.language.dates import Date, dates, without_dates
from investigator.language.late_patterns import late
from investigator.language.normalise import normalise
from investigator.language.units import magnitude_of

_ALL_TIMES = late(r"\b(?:in|\$|€|£)[ ']?(?:us\$|\$|€|£)?\s?(?P<factor>thousand|million|billion)s\b", re.IGNORECASE)
_NUMBER = late(r"\d[\d.,'\u00a0]*")
_MOST_PARTS = 12
"""Sums and differences are computed from at most this many of the numbers in the quotes."""


@dataclass(frozen=True)
class Figures:
    """Some text and the figures in it (amounts, dates, names with digits)."""

    text: str
    amounts: tuple[Amount, ...]
    dates: tuple[Date, ...]
    identifiers: tuple[str, ...]

    @property
    def years(self) -> frozenset[int]:
        """Return the years in the dates."""
        return frozenset(year for date in self.dates for year in date.years)


@lru_cache(maxsize=500)
def figures(text: str) -> Figures:
    """Return the figures in the text."""
    normal = prepared("\n".join(normalise(line).text for line in text.splitlines()))
    days = dates(normal)
    rest = without_dates(normal, days)
    return Figures(normal, tuple(amounts(rest)), tuple(days), tuple(identifiers(rest)))


def figure_notes(text: str, quotes: Sequence[str], question: str) -> tuple[str, ...]:
    """Return a note for each figure in a statement that neither its quotes nor the question contain.

    If a number is the sum or the difference of two numbers in the quotes, the note says so.
    """
    own, shown, given = figures(text), figures("\n".join(quotes)), figures(question)
    dates_missing = [date.text.strip() for date in own.dates if not _date_is_known(date, shown, given)]
    known_text = (squeezed(shown.text), squeezed(given.text))
    names = [
        name
        for name in own.identifiers
        if not any(re.search(rf"{re.escape(squeezed(name))}(?!\d)", other) for other in known_text)
    ]
    known = _known_amounts(shown, given)
    digits = {_digits(number) for number in _NUMBER.findall(f"{shown.text} {given.text}")}
    amounts_missing = [
        amount
        for amount in own.amounts  # "two" is a count, not a figure; and a table has its unit elsewhere
        if (written := _digits(amount.text)) and written not in digits and not _amount_is_known(amount, known)
    ]
    formulas = [_formula(amount, shown) for amount in amounts_missing]
    notes = [f"{name} is not in its quotes" for name in (*dates_missing, *names)]
    notes += [
        f"{_bare(amount)} = {formula}" if formula else f"{_bare(amount)} is not in its quotes"
        for amount, formula in zip(amounts_missing, formulas, strict=True)
    ]
    return tuple(dict.fromkeys(notes))


def _bare(amount: Amount) -> str:
    return amount.text.strip(" ()")


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _formula(amount: Amount, quotes: Figures) -> str:
    """Return an amount as the sum or difference of two numbers in the quotes, such as "12 - 7"; "" if it is neither."""
    parts = [part for part in quotes.amounts if part.readings and not _is_year(part)][:_MOST_PARTS]
    for first, second in permutations(parts, 2):
        for value, unit in first.readings:
            for other, same in second.readings:
                if unit == same and (value - other, unit) in amount.readings and value > other:
                    return f"{_bare(first)} - {_bare(second)}"
                if unit == same and (value + other, unit) in amount.readings:
                    return f"{_bare(first)} + {_bare(second)}"
    return ""


def _known_amounts(quotes: Figures, given: Figures) -> list[Amount]:
    known = [*_flat(quotes), *_flat(given), *(_year(year) for year in quotes.years | given.years)]
    known += [
        amount.times(magnitude_of(table["factor"])) for table in _ALL_TIMES.finditer(quotes.text) for amount in known
    ]
    return known + [amount.unsigned for amount in known]


def _date_is_known(date: Date, quotes: Figures, given: Figures) -> bool:
    if any(date.is_said_by(other) for other in (*quotes.dates, *given.dates)):
        return True
    years = given.years | {int(value) for amount in given.amounts for value, unit in amount.readings if not unit}
    yearless = date.without_year()
    return bool(date.years & years) and any(yearless.is_said_by(other) and not other.years for other in quotes.dates)


def _amount_is_known(amount: Amount, known: Sequence[Amount]) -> bool:
    if any(amount.is_said_by(other) for other in known):
        return True
    return bool(amount.parts) and all(_amount_is_known(part, known) for part in amount.parts)


def _is_year(amount: Amount) -> bool:
    return any(unit == "" and value.denominator == 1 and 1000 <= value < 2200 for value, unit in amount.readings)


def _flat(facts: Figures) -> list[Amount]:
    return [part for amount in facts.amounts for part in (amount, *amount.parts)]


def _year(year: int) -> Amount:
    return Amount(str(year), frozenset({(Fraction(year), "")}))
