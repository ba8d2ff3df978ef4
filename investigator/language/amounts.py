"""Finds numbers in texts, with their signs, magnitudes and units, and compares them by value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import pairwise

from investigator.language.units import (
    currency_pattern,
    letter_magnitude_of,
    magnitude_of,
    magnitude_pattern,
    unit_of,
    unit_pattern,
)

Reading = tuple[Fraction, str]
"""A value and its unit; the unit is empty if none is given."""

_BETWEEN = re.compile(r" ?(?:-|to|and|bis|or) ?")
_LONGEST = 40

_IDENTIFIER = re.compile(
    r"(?<![^\W_])(?!(?i:mid|pre|post|late|early|non|since)-)(?:[A-Z][A-Za-z]*-|[A-Za-z]++)\d[\w-]*"
    r"|(?<![\w:])\d{1,2}(?::\d{2}){1,2}(?!\d)|(?<![\d.,])\d+(?:\.\d+){2,}(?!,?\d)"
)
_GROUPED = re.compile(r"\d{1,3}(?:\.\d{3}){2,}")
_FISCAL_YEAR = re.compile(r"\b[FC]Y[ -]?'?(\d{2}(?:\d{2})?)\b")
_PART_OF_YEAR = re.compile(r"\b(first|second|third|fourth) (q)uarter\b|\b(first|second) (h)alf\b", re.IGNORECASE)
_YEAR_RANGE = re.compile(r"(?<![\d.,-])([12]\d)(\d{2})([-/])(\d{2})(?![\d.,/-]*\d)")
_ORDER = {"first": 1, "second": 2, "third": 3, "fourth": 4}

_ONES = {
    **dict(two=2, three=3, four=4, five=5, six=6, seven=7, eight=8, nine=9, ten=10, eleven=11, twelve=12, thirteen=13),
    **dict(fourteen=14, fifteen=15, sixteen=16, seventeen=17, eighteen=18, nineteen=19),
    **dict(zwei=2, drei=3, vier=4, fünf=5, sechs=6, sieben=7, acht=8, neun=9, zehn=10, zwölf=12),
}
_TENS = dict(twenty=20, thirty=30, forty=40, fifty=50, sixty=60, seventy=70, eighty=80, ninety=90)


@dataclass(frozen=True)
class Amount:
    """A number as it is written in text, with its possible meanings. It has parts if its spaces may either group the
    digits of one number or separate two numbers. `span` is half open.
    """

    text: str
    readings: frozenset[Reading]
    parts: tuple[Amount, ...] = ()
    span: tuple[int, int] = field(default=(0, 0), compare=False)

    def is_said_by(self, other: Amount) -> bool:
        """Return True if another amount has the same value, and the same unit if both have one."""
        if not self.readings or not other.readings:
            return self.text == other.text
        return any(
            value == others and (not unit or not named or unit == named)
            for value, unit in self.readings
            for others, named in other.readings
        )

    def times(self, factor: int) -> Amount:
        """Return the amount multiplied by a factor, such as 1000 for a table "in thousands"."""
        return Amount(self.text, frozenset((value * factor, unit) for value, unit in self.readings))

    @property
    def unsigned(self) -> Amount:
        """Return the amount without its sign."""
        return Amount(self.text, frozenset((abs(value), unit) for value, unit in self.readings))


def prepared(text: str) -> str:
    """Rewrite the fiscal years, year ranges and quarters in the normalised text to the form that the other functions in
    this module expect.

    Spaces before commas, as in tokenised text, are dropped.
    """
    text = text.replace(" ,", ",")
    text = _FISCAL_YEAR.sub(lambda year: year[1] if len(year[1]) == 4 else f"20{year[1]}", text)
    text = _YEAR_RANGE.sub(lambda years: _long_range(*years.groups()), text)
    return _PART_OF_YEAR.sub(lambda part: f"{(part[2] or part[4]).upper()}{_ORDER[(part[1] or part[3]).lower()]}", text)


def _long_range(century: str, first: str, mark: str, last: str) -> str:
    """Expand 1914-18 to 1914-1918; 2021-05 is a month and stays unchanged."""
    return f"{century}{first}{mark}{century}{last}" if last > first else f"{century}{first}{mark}{last}"


def identifiers(text: str) -> list[str]:
    """Return the names that contain digits, and the times and versions: Q3, COVID-19, 12:30, 1.2.3. They are compared
    as words.
    """
    return [match.group() for match in _identifiers(text)]


def squeezed(text: str) -> str:
    """Return the normal form of an identifier, which is the same for COVID-19 and Covid 19."""
    return re.sub(r"[\s-]", "", text).casefold()


def amounts(text: str) -> list[Amount]:
    """Return the numbers in the prepared text, written in digits or words, except those inside identifiers."""
    for match in reversed(list(_identifiers(text))):
        text = text[: match.start()] + "#" * len(match.group()) + text[match.end() :]
    return [*_in_digits(text), *_in_words(text)]


def _identifiers(text: str) -> Iterator[re.Match[str]]:
    for match in _IDENTIFIER.finditer(text):
        if not re.match(rf"{currency_pattern()}\d", match.group()) and not _GROUPED.fullmatch(match.group()):
            yield match


def _in_digits(text: str) -> Iterator[Amount]:
    matches = list(_number().finditer(text))
    for match, following in pairwise([*matches, None]):
        if match is None:
            return
        readings = set(_readings(match, match))
        has_measure = match["magnitude"] or match["unit"] or match["ending"]
        if following and _BETWEEN.fullmatch(text, match.end(), following.start()) and not has_measure:
            readings |= set(_readings(match, following))  # in "3-4 million", the first number may also be in millions
        yield Amount(match.group().strip(" ."), frozenset(readings), tuple(_parts(match)), match.span())


def _parts(match: re.Match[str]) -> Iterator[Amount]:
    """Yield the numbers in text such as "12 300 people", which may contain one number or two."""
    if match["group"] == " ":
        numbers = match["digits"].split(" ")
        for number in numbers[:-1]:
            yield Amount(number, frozenset((value, "") for value in _values(number)))
        yield Amount(numbers[-1], frozenset((value, _unit(match, match)) for value in _values(numbers[-1])))


def _unit(match: re.Match[str], measure: re.Match[str]) -> str:
    """Return the currency before a number, or else the unit or the letters right after it."""
    name = match["currency"] or measure["unit"]
    return unit_of(name) if name else (measure["ending"] or "").casefold()


def _readings(match: re.Match[str], measure: re.Match[str]) -> Iterator[Reading]:
    """Yield the possible meanings of a number with the magnitude and the unit that `measure` matched."""
    factor = magnitude_of(measure["magnitude"]) if measure["magnitude"] else 1
    letter = letter_magnitude_of(measure["unit"]) if measure["unit"] and factor == 1 else None
    currency = unit_of(match["currency"]) if match["currency"] else ""
    unit = _unit(match, measure)
    signs: tuple[int, ...] = (-1,) if match["sign"] and "-" in match["sign"] else (1,)
    if match["open"] and match["close"]:  # accountants write a loss in parentheses
        signs = (1, -1)
    for value in _values(match["digits"]):
        for sign in signs:
            if letter is not None:
                yield sign * value * letter, currency
            if letter is None or not currency:
                yield sign * value * factor, unit


def _values(digits: str) -> set[Fraction]:
    """Return the possible values of written digits: "1.200" is 1200 or 1.2; none for "1,2,3"."""
    plain = re.sub(r"[ ']", "", digits)
    marks = re.findall(r"[.,]", plain)
    if len(plain) > _LONGEST:
        return set()
    if not marks:
        return {Fraction(plain)}
    whole, _, rest = plain.rpartition(marks[-1])
    if len(marks) == 1:
        decimal = Fraction(plain.replace(",", "."))
        if len(rest) != 3 or len(whole) > 3 or whole.startswith("0"):
            return {decimal}
        return {Fraction(whole + rest)} if marks[0] == "," else {Fraction(whole + rest), decimal}
    if marks[-1] not in marks[:-1]:
        return {Fraction(f"{re.sub('[.,]', '', whole)}.{rest}")} if len(set(marks[:-1])) == 1 else set()
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{2,3})*[.,]\d{3}", plain) and len(set(marks)) == 1:
        return {Fraction(re.sub("[.,]", "", plain))}
    return set()


def _in_words(text: str) -> Iterator[Amount]:
    for match in _number_in_words().finditer(text):
        value = Fraction(1, 2) if match["half"] else Fraction(1)
        if match["tens"]:
            last = match["last"].lower() if match["last"] else ""
            value = Fraction(_TENS[match["tens"].lower()] + _ONES.get(last, 1 if last else 0))
        elif match["ones"]:
            value = Fraction(_ONES[match["ones"].lower()])
        factor = magnitude_of(match["magnitude"]) if match["magnitude"] else 1
        unit = unit_of(match["unit"]) if match["unit"] else ""
        yield Amount(match.group(), frozenset({(value * factor, unit)}), span=match.span())


@cache
def _number() -> re.Pattern[str]:
    magnitude, unit = magnitude_pattern(), unit_pattern()
    return re.compile(
        rf"(?P<open>\()?(?P<sign>(?<![\w.,)%])[-+] ?(?=[\d$€£¥]))?(?:(?P<currency>{currency_pattern()}) ?)?"
        r"(?P<digits>(?<![\d.,])\d{1,3}(?P<group>[ ,.'])\d{3}(?:(?P=group)\d{3})*(?![\d'])(?:[.,]\d+)?"
        r"|\d+(?:[.,]\d+)*+)"
        rf"(?:[ -]?(?P<magnitude>{magnitude}))?(?:[ -]?(?P<unit>{unit})|(?P<ending>[^\W\d_]{{1,8}}))?(?P<close>\))?"
    )


@cache
def _number_in_words() -> re.Pattern[str]:
    magnitude, unit = magnitude_pattern(), unit_pattern()
    return re.compile(
        rf"\b(?:(?P<tens>(?i:{'|'.join(_TENS)}))(?:[- ](?P<last>(?i:one|{'|'.join(_ONES)})))?"
        rf"|(?P<ones>(?i:{'|'.join(_ONES)}))|(?:(?P<half>(?i:half an?|half))|(?i:an?|one))(?= {magnitude}))(?![^\W_])"
        rf"(?: (?P<magnitude>{magnitude}))?(?:[ -](?P<unit>{unit}))?"
    )
