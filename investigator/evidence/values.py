"""Decides if two values (amounts or dates) agree. Pure."""

from __future__ import annotations

import re
from fractions import Fraction

from investigator.language.amounts import Amount
from investigator.language.dates import Date

_DIGITS = re.compile(r"\d")


def agree(value: Amount | Date, other: Amount | Date) -> bool:
    """Return True if two values are equal, or one is the other rounded."""
    if isinstance(value, Date):
        return isinstance(other, Date) and (value.is_said_by(other) or other.is_said_by(value))
    return isinstance(other, Amount) and (value.is_said_by(other) or _rounded(value, other) or _rounded(other, value))


def _rounded(value: Amount, exact: Amount) -> bool:
    """Return True if a value is the exact one rounded to its own number of digits."""
    digits = len("".join(_DIGITS.findall(value.text)).strip("0"))
    return digits > 1 and any(
        unit == named and low <= abs(exact_value) <= high
        for reading, unit in value.readings
        for low, high in [_bounds(abs(reading), digits)]
        for exact_value, named in exact.readings
    )


def _bounds(value: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Return the range of numbers that round to a value with that many digits."""
    power = 0
    while value and value >= 10 ** (power + 1):
        power += 1
    while value and value < Fraction(10) ** power:
        power -= 1
    half = Fraction(10) ** (power - digits + 1) / 2
    return value - half, value + half


def are_comparable(value: Amount, other: Amount) -> bool:
    """Return True if two amounts have the same unit, or one of them has none."""
    mine, theirs = ({unit for _, unit in amount.readings} for amount in (value, other))
    return bool(mine & theirs) or "" in mine | theirs
