"""Finds times in table headers and questions, and determines their length and their end. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from investigator.language.dates import dates, without_dates
from investigator.language.late_patterns import late
from investigator.language.normalise import normalise, with_european_digits
from investigator.questions.periods import periods

_NUMBERS = {"three": 3, "six": 6, "nine": 9, "twelve": 12, "3": 3, "6": 6, "9": 9, "12": 12, "two": 2, "one": 1}
_MONTHS = late(r"\b(one|two|three|six|nine|twelve|3|6|9|12)(?:\s+|-)(?:calendar\s+)?months?\b", re.IGNORECASE)
_WEEKS = late(r"\b(13|thirteen|26|39|52|53)(?:\s+|-)weeks?\b", re.IGNORECASE)
_OF_WEEKS = {"13": 3, "thirteen": 3, "26": 6, "39": 9, "52": 12, "53": 12}
_QUARTER = late(r"\bquarter(?:ly|s)?\b|\bquartal|\btrimestre", re.IGNORECASE)
_YEAR = late(r"\b(?:fiscal\s+)?years?\s+(?:ended|ending|to)\b|\bfull year\b|\bannual", re.IGNORECASE)
_HALF = late(r"\bhalf(?:[- ]year)?\b", re.IGNORECASE)
_INSTANT = late(
    r"\b(?:as of|as at|at|on|by|until|end of|dated|beginning of|balance sheets?(?: dated)?)\s+(?:the\s+)?"
    r"(?:end of\s+)?$",
    re.IGNORECASE,
)
_ORDINAL = late(r"\b(?:first|second|third|fourth|1st|2nd|3rd|4th|last|latest)\s+(?:fiscal\s+)?quarter\b", re.IGNORECASE)
_PLAIN_YEAR = late(r"(?:(?<![\d.,$€£-])|(?<=[\u05d0-\u05ea]-))((?:19|20)\d\d)(?![\d,.]?\d)")
_A_YEAR_BEFORE = late(
    r"year[- ]over[- ]year|year[- ]on[- ]year|\by/?o/?y\b|\ba year (?:earlier|ago|before)"
    r"|(?:prior|previous|last)[- ]year|same (?:quarter|period)[^.?]{0,20} year|\b(?:vorjahr|im jahr davor)",
    re.IGNORECASE,
)
_QUARTER_OR_FISCAL = late(r"\bq[1-4]\b|\bFY\d\d(?:\d\d)?\b", re.IGNORECASE)
_SLACK = 7  # a fiscal period may end this many days after its month
_MOST_BETWEEN = 12
_NEAR = 48  # the length of a period may precede its date by up to this many characters


@dataclass(frozen=True)
class TableTime:
    """A time: its length in months, if given, and its end, as precisely as it is known. `quarter` is a quarter of
    `year`; `is_instant` is True for a day to which "as of" figures refer; with `may_end_then`, figures may refer to the
    period or to its end.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    quarter: int | None = None
    months: int | None = None
    is_instant: bool = False
    may_end_then: bool = False
    words: str = ""

    @property
    def order(self) -> tuple[int, int, int]:
        """Return the year, month and day of the end, for sorting."""
        return self.year or 0, self.month or (self.quarter or 4) * 3, self.day or 31

    def a_year_before(self) -> TableTime:
        """Return the same time one year earlier; a period that ends in the first days of a month belongs to the
        previous month.
        """
        year, month = (self.year or 1) - 1, self.month
        if month and self.day and self.day <= _SLACK:
            year, month = (year, month - 1) if month > 1 else (year - 1, 12)
        return replace(self, year=year, month=month, day=None)


def months_in(text: str) -> int | None:
    """Return the length of time that the text names, in months."""
    if found := _MONTHS.search(text):
        return _NUMBERS[found[1].lower()]
    if found := _WEEKS.search(text):
        return _OF_WEEKS[found[1].lower()]
    if _QUARTER.search(text):
        return 3
    if _HALF.search(text):
        return 6
    return 12 if _YEAR.search(text) else None


def header_time(text: str) -> TableTime | None:
    """Return the time that a column's headers give together, or the last of several times; None if they do not give
    a time.
    """
    found = _times(text)
    months = months_in(text)
    if not found:
        return TableTime(months=months, words=text) if months else None
    return replace(found[-1], months=months or found[-1].months)


def _plain(text: str) -> str:
    """Return the normalised text with European digits, because years may be written in Arabic or Persian digits."""
    return with_european_digits(normalise(text).text)


def asked_times(question: str) -> tuple[TableTime, ...]:
    """Return the times in a question, in order; "a year earlier" adds the time that it refers to."""
    plain = _plain(question)
    found = []
    for time in _times(plain):
        at = plain.find(time.words)
        before, after = plain[max(0, at - _NEAR) : at], plain[at + len(time.words) : at + len(time.words) + 10]
        months = time.months or months_in(before) or (3 if _QUARTER.search(after) else None)
        instant = months is None and (_INSTANT.search(before) is not None)
        found.append(replace(time, months=months, is_instant=instant))
    lengths = {time.months for time in found if time.months}
    if len(lengths) == 1:
        found = [
            time if time.is_instant else replace(time, months=time.months or next(iter(lengths))) for time in found
        ]
    if any(time.is_instant for time in found) and not lengths:
        found = [replace(time, is_instant=True) for time in found]
    if len(found) == 1 and found[0].year and _A_YEAR_BEFORE.search(plain):
        found.append(found[0].a_year_before())
    return tuple(found)


def times_between(first: TableTime, last: TableTime) -> tuple[TableTime, ...]:
    """Return the years or quarters from the first to the last; return only these two if they are neither years nor
    quarters, or are too far apart.
    """
    one, other = ((time.year, time.quarter, time.month) for time in (first, last))
    if None in (one[0], other[0]) or one[2] or other[2] or (one[1] is None) is not (other[1] is None):
        return first, last
    in_year = 4 if one[1] else 1
    begin, end = (4 * (year or 0) + (quarter or 1) - 1 for year, quarter, _ in (one, other))
    steps = range(begin, end + 1, 4 // in_year)
    if not 2 < len(steps) <= _MOST_BETWEEN:
        return first, last
    between = (
        replace(first, year=at // 4, quarter=at % 4 + 1 if one[1] else None, words="" if one[1] else str(at // 4))
        for at in steps[1:-1]
    )
    return first, *between, last


def _times(text: str) -> list[TableTime]:
    """Return the dates, quarters and years in the text, in order."""
    plain = _plain(text)
    found: list[tuple[int, TableTime]] = []
    every = dates(plain)
    left = without_dates(plain, every)
    for date in every:
        days = [day for day in date.readings if day.year]
        if days:
            first = max(days, key=lambda day: day.day or 0)
            found.append((date.start, TableTime(first.year, first.month, first.day, words=date.text)))
    for period in periods(left):
        if period.year and period.quarter:
            found.append((left.find(str(period.year)), TableTime(period.year, quarter=period.quarter, months=3)))
    if not any(time.quarter for _, time in found):
        for match in _PLAIN_YEAR.finditer(left):
            found.append((match.start(), TableTime(int(match[1]), words=match[1])))
    return [time for _, time in sorted(found, key=lambda pair: (pair[0], pair[1].order))]


def without_times(text: str) -> str:
    """Return the text with all dates, periods and durations removed."""
    plain = _plain(text)
    plain = without_dates(plain, dates(plain))
    for pattern in (_A_YEAR_BEFORE, _ORDINAL, _MONTHS, _WEEKS, _QUARTER_OR_FISCAL, _PLAIN_YEAR):
        plain = pattern.sub(" ", plain)
    return plain


def agrees(asked: TableTime, named: TableTime) -> bool | None:
    """Return True if a column matches the requested time, False if it has a different time, None if unknown."""
    if asked.months and named.months and asked.months != named.months:
        return False
    if asked.is_instant and named.months and not named.may_end_then:
        return False
    if asked.year is None or named.year is None:
        return None if asked.months != named.months or not asked.months else True
    if asked.quarter:
        return _in_quarter(asked, named)
    if asked.month is None:
        if asked.is_instant:
            # a balance "as of" a year is the balance at its end
            is_end = named.month == 12 or (named.month is None and not named.quarter)
            return asked.year == named.year if is_end else None
        if asked.months in (3, 6, 9) and named.months is None:
            return None
        return asked.year == named.year and (
            asked.months is not None or named.months in (None, 12) or named.month is None
        )
    if named.month is None:
        return _only_year(asked, named)
    if asked.day is not None and named.day is not None:
        return asked.order == named.order
    return _same_month(asked, named)


def _same_month(asked: TableTime, named: TableTime) -> bool:
    if (asked.year, asked.month) == (named.year, named.month):
        return asked.day is None or named.day is None or asked.day == named.day
    months_behind = 12 * ((named.year or 0) - (asked.year or 0)) + (named.month or 0) - (asked.month or 0)
    return months_behind == 1 and asked.day is None and named.day is not None and named.day <= _SLACK


def _only_year(asked: TableTime, named: TableTime) -> bool | None:
    if asked.year != named.year:
        return False
    return True if asked.month == 12 else None


def _in_quarter(asked: TableTime, named: TableTime) -> bool | None:
    if named.quarter:
        return (asked.year, asked.quarter) == (named.year, named.quarter)
    if named.month is None:
        return None if asked.year == named.year else False
    end = TableTime(asked.year, 3 * (asked.quarter or 4))
    return named.months in (None, 3) and _same_month(end, named)
