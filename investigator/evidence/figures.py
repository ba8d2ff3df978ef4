"""Finds numbers, dates and names with digits in text, and finds those in a claim that are missing from the claim's
quotes.
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
from investigator.records import Slot

_FALL = late(
    r"\b(?:loss(?:es)?|lost|los(?:e|ing)|negative|minus|below|declin\w+|decreas\w+|fell|fall\w*|drop\w*|down|shr[aiu]nk\w*"
    r"|reduc\w+|deficit|outflow\w*|verlust\w*|rückgang\w*|gesunken|minus)\b",
    re.IGNORECASE,
)
_ALL_TIMES = late(r"\b(?:in|\$|€|£)[ ']?(?:us\$|\$|€|£)?\s?(?P<factor>thousand|million|billion)s\b", re.IGNORECASE)
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


@dataclass(frozen=True)
class MissingFigure:
    """A figure in a claim that is not in the claim's quotes."""

    slot: Slot
    reason: str
    amount: Amount | None = None


@lru_cache(maxsize=500)
def figures(text: str) -> Figures:
    """Return the figures in the text."""
    normal = prepared("\n".join(normalise(line).text for line in text.splitlines()))
    found = dates(normal)
    rest = without_dates(normal, found)
    return Figures(normal, tuple(amounts(rest)), tuple(found), tuple(identifiers(rest)))


def missing_figure(claim: Figures, quotes: Figures, given: Figures) -> MissingFigure | None:
    """Return the first date, name with digits, or number in a claim that is neither in the claim's quotes nor given."""
    for date in claim.dates:
        if not _date_is_said(date, quotes, given):
            return MissingFigure(Slot.PERIOD, f"the date {date.text.strip()} is not in its quotes")
    known = (squeezed(quotes.text), squeezed(given.text))
    for name in claim.identifiers:
        if not any(re.search(rf"{re.escape(squeezed(name))}(?!\d)", text) for text in known):
            return MissingFigure(Slot.NAME, f"{name} is not in its quotes")
    said = _said(claim, quotes, given)
    for amount in claim.amounts:
        if not _amount_is_said(amount, said):
            slot = Slot.UNIT if _value_is_said(amount, said) else Slot.PERIOD if _is_year(amount) else Slot.NUMBER
            return MissingFigure(slot, f"the number {amount.text} is not in its quotes", amount)
    return None


def computed(amount: Amount, quotes: Figures) -> str:
    """Return an amount as the sum or difference of two numbers in the quotes, such as "12 - 7"; "" if it is neither."""
    parts = [part for part in quotes.amounts if part.readings and not _is_year(part)][:_MOST_PARTS]
    for first, second in permutations(parts, 2):
        for value, unit in first.readings:
            for other, same in second.readings:
                if unit == same and (value - other, unit) in amount.readings and value > other:
                    return f"{first.text} - {second.text}"
                if unit == same and (value + other, unit) in amount.readings:
                    return f"{first.text} + {second.text}"
    return ""


def _said(claim: Figures, quotes: Figures, given: Figures) -> list[Amount]:
    said = [*_flat(quotes), *_flat(given), *(_year(year) for year in quotes.years | given.years)]
    said += [
        amount.times(magnitude_of(table["factor"])) for table in _ALL_TIMES.finditer(quotes.text) for amount in said
    ]
    if _FALL.search(claim.text):
        said += [amount.unsigned for amount in said]
    return said


def _date_is_said(date: Date, quotes: Figures, given: Figures) -> bool:
    if any(date.is_said_by(other) for other in (*quotes.dates, *given.dates)):
        return True
    years = given.years | {int(value) for amount in given.amounts for value, unit in amount.readings if not unit}
    yearless = date.without_year()
    return bool(date.years & years) and any(yearless.is_said_by(other) and not other.years for other in quotes.dates)


def _amount_is_said(amount: Amount, said: Sequence[Amount]) -> bool:
    if any(amount.is_said_by(other) for other in said):
        return True
    return bool(amount.parts) and all(_amount_is_said(part, said) for part in amount.parts)


def _value_is_said(amount: Amount, said: Sequence[Amount]) -> bool:
    values = {value for value, _ in amount.readings}
    return any(value in values for other in said for value, _ in other.readings)


def _is_year(amount: Amount) -> bool:
    return any(unit == "" and value.denominator == 1 and 1000 <= value < 2200 for value, unit in amount.readings)


def _flat(facts: Figures) -> list[Amount]:
    return [part for amount in facts.amounts for part in (amount, *amount.parts)]


def _year(year: int) -> Amount:
    return Amount(str(year), frozenset({(Fraction(year), "")}))
