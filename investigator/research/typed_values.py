"""Converts the words of a reply, and the cells of a table, to the typed values of a column. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from pydantic import JsonValue

from investigator.language.amounts import amounts, prepared
from investigator.language.dates import dates
from investigator.language.normalise import normalise, one_line
from investigator.language.units import magnitude_of, magnitude_pattern, unit_of
from investigator.records import Column, ColumnKind
from investigator.research.schema import Property

_NUMBER = re.compile(r"[+-]?\d{1,40}(?:\.\d{1,40})?")
_LARGEST = 2**63 - 1
_LONGEST = 60
"""Maximum length of a number or a date in a table, in characters."""
_TRUTH = {"true": True, "false": False}


class OtherUnitError(ValueError):
    """A value has a unit that its column does not convert."""


def typed(own: Property, texts: Sequence[str], unit: str) -> JsonValue:
    """Return the value that a reply states, in the unit of the column. Raises ValueError, which says what is wrong."""
    factor = _factor(own, unit)
    values = [_fitting(own, _typed(own.column, one_line(text), factor)) for text in texts]
    if own.column.is_list:
        return values
    if len(values) != 1:
        raise ValueError(f"{len(values)} values, where one is possible")
    return values[0]


def _typed(column: Column, text: str, factor: Fraction) -> JsonValue:
    match column.kind:
        case ColumnKind.NUMBER | ColumnKind.INTEGER:
            if not _NUMBER.fullmatch(text):
                raise ValueError(f"{text[:60]!r} is not a number in digits")
            return _number(Fraction(text) * factor)
        case ColumnKind.BOOLEAN:
            return _TRUTH.get(text.casefold(), text)
        case ColumnKind.CHOICE:
            return next((choice for choice in column.choices if choice.casefold() == text.casefold()), text)
    if not text:
        raise ValueError("an empty text")
    return text


def _fitting(own: Property, value: JsonValue) -> JsonValue:
    if (error := next(own.validator.iter_errors(value), None)) is not None:
        raise ValueError(error.message[:200])
    return value


def _number(exact: Fraction) -> int | float:
    if abs(exact) > _LARGEST:
        raise ValueError("a number out of range")
    return int(exact) if exact.denominator == 1 else float(exact)


def _factor(own: Property, unit: str) -> Fraction:
    """Return the factor from a stated unit to the unit of the column; 1 if one of the two has no unit.

    Raises OtherUnitError.
    """
    named = {own.column.unit: Fraction(1), **own.factors}
    if not unit.strip() or not own.column.unit:
        return Fraction(1)
    for name, factor in named.items():
        if _unit_words(name) == _unit_words(unit):
            return factor
    raise OtherUnitError(f"the unit {unit[:40]!r} is not one of {', '.join(named)}")


def _unit_words(unit: str) -> list[str]:
    """Return the words of a unit in one form and order: $ million, USD millions."""
    magnitude = re.compile(magnitude_pattern())
    return sorted(
        str(magnitude_of(word)) if magnitude.fullmatch(word) else unit_of(word).casefold() for word in unit.split()
    )


def cell_value(own: Property, text: str, heading: str) -> tuple[JsonValue, str]:
    """Return the value of a table cell under a heading, and its unit. Raises ValueError if the cell has no value of the
    column, or may have several.
    """
    line = normalise(text).text.strip()
    if own.column.is_list:
        raise ValueError("a cell does not show where the values of a list end")
    if own.column.kind not in (ColumnKind.TEXT, ColumnKind.CHOICE) and len(line) > _LONGEST:
        raise ValueError("a long text")
    if own.column.kind is ColumnKind.DATE:
        days = [day for date in dates(line) if date.text == line for day in date.readings if day.day and day.year]
        if len(days) != 1:
            raise ValueError("not one date")
        line = f"{days[0].year:04}-{days[0].month:02}-{days[0].day:02}"
    if own.column.kind not in (ColumnKind.NUMBER, ColumnKind.INTEGER):
        return typed(own, [line], ""), ""
    found = amounts(prepared(line))
    if len(found) != 1 or found[0].span[1] - found[0].span[0] < len(line) or len(found[0].readings) != 1:
        raise ValueError("not one number")
    ((value, unit),) = found[0].readings
    if not unit and own.column.unit and own.column.unit.casefold() not in heading.casefold():
        raise ValueError("the table does not give the unit")
    return _fitting(own, _number(value * _factor(own, unit))), own.column.unit or unit
