"""Converts the words of a reply, and the cells of a table, to the typed values of a column. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from pydantic import JsonValue

from investigator.documents.readers.table_captions import is_unit_note
from investigator.language.amounts import amounts, prepared
from investigator.language.dates import dates
from investigator.language.normalise import normalise, one_line
from investigator.language.units import (
    currency_pattern,
    letter_magnitude_of,
    magnitude_of,
    magnitude_pattern,
    unit_of,
    unit_pattern,
)
from investigator.records import ColumnKind
from investigator.research.schema import Property

_NUMBER = re.compile(r"[+-]?\d{1,40}(?:\.\d{1,40})?")
_LARGEST = 2**63 - 1
_LONGEST = 60
"""Maximum length of a number or a date in a table, in characters."""
_TRUTH = {"true": True, "false": False}


Given = tuple[bool, Fraction]
"""True if headings give the unit of the numbers below them, and the factor to the unit of the column."""

_ONE = Fraction(1)
_NUMBERS = (ColumnKind.NUMBER, ColumnKind.INTEGER)
_APART = re.compile(r"[()\[\]{};:|\u2013\u2014\n]|,(?!\d)|\s-\s")
"""Separates the phrases of a heading."""


class UnitError(ValueError):
    """A value has no unit, or one that its column does not convert."""


def typed(own: Property, texts: Sequence[str], unit: str, quotes: Sequence[str] = ()) -> JsonValue:
    """Return the value that a reply states, in the unit of the column; if the reply gives none, that in its quotes.
    Raises ValueError, which says what is wrong.
    """
    values = [_fitting(own, _typed(own, one_line(text), unit, quotes)) for text in texts]
    if own.column.is_list:
        return values
    if len(values) != 1:
        raise ValueError(f"{len(values)} values were given, but the column holds one")
    return values[0]


def _typed(own: Property, text: str, unit: str, quotes: Sequence[str]) -> JsonValue:
    match own.column.kind:
        case ColumnKind.NUMBER | ColumnKind.INTEGER:
            if not _NUMBER.fullmatch(text):
                raise ValueError(f"{text[:60]!r} is not a number in digits")
            number = Fraction(text)
            is_bare = own.column.unit and not unit.strip()
            return _number(number * (_factor_in(own, number, quotes) if is_bare else _factor(own, unit)))
        case ColumnKind.BOOLEAN:
            return _TRUTH.get(text.casefold(), text)
        case ColumnKind.CHOICE:
            return next((choice for choice in own.column.choices if choice.casefold() == text.casefold()), text)
    if not text:
        raise ValueError("the text is empty")
    return text


def _fitting(own: Property, value: JsonValue) -> JsonValue:
    if (error := next(own.validator.iter_errors(value), None)) is not None:
        raise ValueError(error.message[:200])
    return value


def _number(exact: Fraction) -> int | float:
    if abs(exact) > _LARGEST:
        raise ValueError("the number is out of range")
    return int(exact) if exact.denominator == 1 else float(exact)


def _named(own: Property) -> dict[tuple[str, ...], Fraction]:
    """Return the factors to the unit of the column, keyed by the words of each unit, also in lower case (kwh)."""
    named = {_unit_words(name): factor for name, factor in {own.column.unit: _ONE, **own.factors}.items()}
    return {tuple(map(str.casefold, words)): factor for words, factor in named.items()} | named


def _factor(own: Property, unit: str) -> Fraction:
    """Return the factor from a stated unit to the unit of the column; 1 if one of the two has no unit.

    Raises UnitError.
    """
    if not unit.strip() or not own.column.unit:
        return _ONE
    if (factor := _named(own).get(_unit_words(unit))) is None:
        raise UnitError(f"the unit {unit[:40]!r} is not one of {', '.join((own.column.unit, *own.factors))}")
    return factor


def _factor_in(own: Property, number: Fraction, quotes: Sequence[str]) -> Fraction:
    """Return the factor of the unit that a number has in its quotes, or that headings in them give; or UnitError."""
    named = _named(own)
    most = max(map(len, named))
    for text in (prepared(normalise(quote).text) for quote in quotes):
        for amount in amounts(text):
            after = [word.strip(".,;:()") for word in text[amount.span[1] :].split()[:most]]
            units = [unit for value, unit in amount.readings if value == number]
            units += [" ".join(after[:count]) for count in range(most, 0, -1)] if "" in units else []
            if factors := [named[words] for words in map(_unit_words, units) if words in named]:
                return factors[0]  # of the most words
    is_given, factor = given_by(own, quotes)
    if not is_given:
        raise UnitError(f"no unit is given, and the quotes do not state {own.column.unit}")
    return factor


def _unit_words(unit: str) -> tuple[str, ...]:
    """Return the words of a unit in one form and order: $ million, USD millions."""
    return tuple(sorted(map(_unit_word, unit.split())))


def _unit_word(word: str) -> str:
    """Return one form of a word; the case of a known unit matters, because mW and MW are different units."""
    if re.fullmatch(magnitude_pattern(), word):
        return str(magnitude_of(word))
    return unit_of(word) if re.fullmatch(unit_pattern(), word) else word.casefold()


def given_by(own: Property, headings: Sequence[str]) -> Given:
    """Return what the headings of a column's numbers give. Raises UnitError if they may multiply the numbers, but do
    not say clearly how.
    """
    phrases = [phrase.strip() for heading in headings for phrase in _APART.split(normalise(heading).text)]
    has_unit = own.column.kind in _NUMBERS and own.column.unit
    given = [measure for phrase in phrases if has_unit and (measure := _measure(own, phrase)) is not None]
    if len(factors := {factor for _, factor in given} - {_ONE}) > 1:
        raise UnitError("the headings multiply its numbers in several ways")
    return any(is_unit for is_unit, _ in given), factors.pop() if factors else _ONE


def _measure(own: Property, phrase: str) -> Given | None:
    """Return what a phrase of a heading gives, such as "GBP million", also after words of the column's name; None if it
    gives no unit and no magnitude. Raises UnitError.
    """
    words, names = re.split(r"[\s_]+", phrase), re.findall(r"[^\W_]+", " ".join(own.names).casefold())
    for first, word in enumerate(words):
        if (measure := _whole_measure(_named(own), " ".join(words[first:]))) is not None:
            return measure
        if word.casefold() not in names:
            break
    magnitude = rf"(?<!\d)(?<!\d[., '])000|(?<![^\W\d_]){magnitude_pattern()}"
    is_letter = letter_magnitude_of(phrase) is not None and phrase.casefold() not in names
    if is_letter or is_unit_note(f"({phrase}") or re.search(magnitude, phrase):
        raise UnitError(f"{phrase[:60]!r} may multiply its numbers")
    return None


def _whole_measure(named: Mapping[tuple[str, ...], Fraction], phrase: str) -> Given | None:
    """Return what a phrase gives that is a unit, magnitudes, or both; a letter is one right after a currency: £m."""
    if (factor := named.get(_unit_words(phrase))) is not None:
        return True, factor
    currency = re.match(currency_pattern(), phrase)
    words = [currency[0], *phrase[currency.end() :].strip(" '").split()] if currency else phrase.split()
    factor, unit = _ONE, list[str]()
    for word in words:
        if re.fullmatch(magnitude_pattern(), word):
            factor *= magnitude_of(word)
        elif currency and unit and (power := 1000 if word == "000" else letter_magnitude_of(word)):
            factor *= power
        else:
            unit.append(word)
    if not unit:
        return (False, factor) if words else None
    own = named.get(_unit_words(" ".join(unit)))
    return None if own is None else (True, factor * own)


def cell_value(own: Property, text: str, given: Given) -> tuple[JsonValue, str]:
    """Return the value of a table cell, and its unit, which its headings may have `given`. Raises ValueError if the
    cell has no value of the column, or may have several.
    """
    line = normalise(text).text.strip()
    if own.column.is_list:
        raise ValueError("a cell does not show where the values of a list end")
    if own.column.kind not in (ColumnKind.TEXT, ColumnKind.CHOICE) and len(line) > _LONGEST:
        raise ValueError(f"{line[:_LONGEST]!r} is too long for a {own.column.kind}")
    if own.column.kind is ColumnKind.DATE:
        days = [day for date in dates(line) if date.text == line for day in date.readings if day.day and day.year]
        if len(days) != 1:
            raise ValueError(f"{line!r} is not one date")
        line = f"{days[0].year:04}-{days[0].month:02}-{days[0].day:02}"
    if own.column.kind not in _NUMBERS:
        return typed(own, [line], ""), ""
    found = amounts(prepared(line))
    if len(found) != 1 or found[0].span[1] - found[0].span[0] < len(line) or len(found[0].readings) != 1:
        raise ValueError(f"{line!r} is not one number")
    ((value, unit),), (has_unit, factor) = found[0].readings, given
    if factor != 1 and (unit or any(map(str.isalpha, line))):
        raise UnitError(f"both the cell {line!r} and its heading give a unit or a magnitude")
    if own.column.unit and not unit and not has_unit:
        raise UnitError(f"the table does not give the unit of {line!r}")
    return _fitting(own, _number(value * factor * _factor(own, unit))), own.column.unit or unit
