"""Finds dates in texts, in any notation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from investigator.language.lists import month_numbers

_YEAR = r"(?P<year>[12]\d{3})(?!\d)"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th|er|º)?"
_ALSO_WORDS = frozenset({"may", "march", "mar", "mars", "dec", "sep"})
"""Month names that are also ordinary words in lower case."""


@dataclass(frozen=True)
class Day:
    """The parts of a date: a month, with year and day if given."""

    month: int
    year: int | None = None
    day: int | None = None

    def is_said_by(self, other: Day) -> bool:
        """Return True if another date includes all parts of this date."""
        return self.month == other.month and self.year in (None, other.year) and self.day in (None, other.day)


@dataclass(frozen=True)
class Date:
    """A date in text: its position, its wording, and its possible meanings (05/06/2021 has two)."""

    start: int
    end: int
    text: str
    readings: frozenset[Day]

    @property
    def span(self) -> tuple[int, int]:
        """Return the span of the date in its text."""
        return self.start, self.end

    def is_said_by(self, other: Date) -> bool:
        """Return True if a possible meaning of another date includes a possible meaning of this date."""
        return any(mine.is_said_by(theirs) for mine in self.readings for theirs in other.readings)

    def without_year(self) -> Date:
        """Return the same date without the year."""
        return Date(self.start, self.end, self.text, frozenset(Day(day.month, None, day.day) for day in self.readings))

    @property
    def years(self) -> frozenset[int]:
        """Return the possible years of the date; empty if none is given."""
        return frozenset(day.year for day in self.readings if day.year is not None)


def dates(text: str) -> list[Date]:
    """Return the dates in the normalised text, in order, without overlaps; a month needs an adjacent day or year."""
    days: list[Date] = []
    for form in _forms():
        for match in form.finditer(text):
            readings = frozenset(
                day for day in _readings(match) if 1 <= day.month <= 12 and (day.day is None or 1 <= day.day <= 31)
            )
            start, end = match.span()
            if readings and all(end <= other.start or start >= other.end for other in days):
                days.append(Date(start, end, match.group(), readings))
    return sorted(days, key=lambda date: date.start)


def without_dates(text: str, days: list[Date]) -> str:
    """Return the text with its dates blanked out."""
    for date in days:
        text = text[: date.start] + " " * (date.end - date.start) + text[date.end :]
    return text


def _readings(match: re.Match[str]) -> Iterator[Day]:
    parts = match.groupdict()
    year = int(parts["year"]) if parts.get("year") else None
    day = int(parts["day"]) if parts.get("day") else None
    if parts.get("name"):
        name = parts["name"]
        if name.lower() not in _ALSO_WORDS or name[0].isupper():
            yield Day(month_numbers()[name.lower()], year, day)
    elif parts.get("first"):
        first, second = int(parts["first"]), int(parts["second"])
        yield Day(second, year, first)
        if parts["mark"] != ".":
            yield Day(first, year, second)
    else:
        yield Day(int(parts["month"]), year, day)


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    name = rf"(?P<name>\b(?:{'|'.join(sorted(month_numbers(), key=len, reverse=True))})\b)\.?"
    forms = (
        r"(?<![\d./-])(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?!\d)",
        r"(?<![\d./-])(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})(?P=mark)(?P<year>\d{4})(?!\d)",
        r"(?<!\d)(?P<year>\d{4}) ?年 ?(?P<month>\d{1,2}) ?月(?: ?(?P<day>\d{1,2}) ?日)?",
        rf"(?<![\d.,]){_DAY}\.?(?: of| de| di)? {name}(?:,?(?: of| de| del)? {_YEAR})?",
        rf"{name} {_DAY}(?![\d%])(?![.,]\d)(?:,? {_YEAR})?",
        rf"{name},?(?: of| de)? {_YEAR}",
    )
    return tuple(re.compile(form, re.IGNORECASE) for form in forms)
