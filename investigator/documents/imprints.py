"""Reads the imprint of a document (issuer, kind, period covered), and finds the document for a requested period. Pure.

The imprint comes from the cover, not from the file name. Fiscal quarters are distinguished from calendar quarters by
the elapsed months ("nine months ended June 25"), by the end of the fiscal year, and by the most common name for the
quarter in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache

from investigator.documents.periods import Period, agree, periods, quarters_named
from investigator.language.dates import Day, dates
from investigator.language.late_patterns import late
from investigator.language.lists import texts_by_section
from investigator.language.terms import folded
from investigator.records import Imprint

_COVER = 5_000  # number of characters at the start of a text that count as its cover
_FIRST_LINES, _LONGEST_LINE = 15, 90
_FEW_WORDS = 4  # maximum number of other words on the line that dates a document
_DATE_REACH = 40  # number of characters searched for a date next to a cue
_FEWEST_LABELS = 3
_SHORT_MONTH = 7  # a period of whole weeks may extend to this day of the next month
_MONTHS_PASSED = {"three": 1, "3": 1, "six": 2, "6": 2, "nine": 3, "9": 3}
_WEEKS_PASSED = {"thirteen": 1, "13": 1, "twenty-six": 2, "26": 2, "thirty-nine": 3, "39": 3}
_PASSED = late(
    rf"\b(?:({'|'.join(_MONTHS_PASSED)})\s+months|({'|'.join(_WEEKS_PASSED)})\s+weeks)\s+ended\s+(?=\S)", re.IGNORECASE
)
_FISCAL_YEAR = late(r"\bfiscal\s+year\s+(?:ended|ending|ends)(?:\s+on)?\s+", re.IGNORECASE)
_EXACT_NAME = late(r"\(\s?exact name of", re.IGNORECASE)  # in a filing, these words follow the issuer's name
_SYMBOL = late(r"\b([A-Z]{1,5})\s+(?:The\s+)?(?:Nasdaq|NASDAQ|New York Stock|NYSE)")
_MOST_SYMBOLS = 4
_LONGEST_ISSUER = 80
_FISCAL = re.compile(r"\b(?:fiscal|fy\s?'?\d\d(?:\d\d)?|geschaftsjahr\w*|exercice|ejercicio)\b")
_CALENDAR = 0.6  # below 1, because "quarter" alone usually refers to the fiscal year of the document
_NAME = 1.0
_NAME_BESIDE_FISCAL = 0.5  # lower, because file names mention calendar quarters as often as fiscal quarters


def imprint_of(text: str) -> Imprint:
    """Read the imprint from the first pages of the text; it is empty if they contain none."""
    cover = text[:_COVER]
    kind, named = imprint_pattern("kinds").search(cover), _EXACT_NAME.search(cover)
    above = [line for line in cover[: named.start()].splitlines() if any(map(str.isalnum, line))] if named else []
    issuer = " ".join(above[-1].split())[:_LONGEST_ISSUER] if above else ""
    imprint = Imprint(
        issuer=issuer,
        symbols=tuple(dict.fromkeys(_SYMBOL.findall(cover)))[:_MOST_SYMBOLS] if issuer else (),
        kind=" ".join(kind.group().lower().split()) if kind else "",
    )
    ends = _period_end(cover)
    if ends is None:
        titled = _titled(text) or Period(None)
        return imprint.changed(fiscal_year=titled.year, fiscal_quarter=titled.quarter, dated=_dated(text))
    covers, end = ends
    imprint = imprint.changed(period_end=_iso(end))
    if imprint_pattern("year").search(covers):
        return imprint.changed(fiscal_year=whole_month(end)[0])
    quarter = _quarter(text, end)
    if quarter is None:
        return imprint
    return imprint.changed(fiscal_year=_fiscal_year(text, end, quarter), fiscal_quarter=quarter)


def _fiscal_year(text: str, end: Day, quarter: int) -> int:
    """Return the year in which the fiscal year ends, or the adjacent one that the text mostly names."""
    year, month = whole_month(end)
    ends = (year * 12 + month - 1 + 3 * (4 - quarter)) // 12
    often = [p for p, count in quarters_named(text).most_common() if count >= _FEWEST_LABELS and p.quarter == quarter]
    return next((p.year for p in often if p.year is not None and abs(p.year - ends) < 2), ends)


def _titled(text: str) -> Period | None:
    """Return the only period on the first line that has a document type: "Annual Report 2022"."""
    for line in text[:_COVER].splitlines()[:_FIRST_LINES]:
        named = periods(line) if len(line) <= _LONGEST_LINE and imprint_pattern("kinds").search(line) else frozenset()
        if len(named) == 1 and (only := next(iter(named))).year and only.month is None:
            return only
    return None


def _period_end(cover: str) -> tuple[str, Day] | None:
    """Return the first period on the cover that has a complete end date: its wording, and that date."""
    for match in imprint_pattern("covers").finditer(cover):
        if (end := _date_after(cover, match.end())) is not None and end.year is not None:
            return cover[max(0, match.start() - _DATE_REACH) : match.end()], end
    return None


def _date_after(text: str, place: int) -> Day | None:
    """Return the date at a position in the text, if its month is certain."""
    mentions = dates(" ".join(text[place : place + _DATE_REACH].split()))
    if not mentions or mentions[0].start > 1 or len(mentions[0].readings) != 1:
        return None
    return next(iter(mentions[0].readings))


def _quarter(text: str, end: Day) -> int | None:
    """Return the quarter by the elapsed months, the end of the fiscal year, or what the text names most often."""
    passed: Counter[int] = Counter()
    for match in _PASSED.finditer(text):
        day = _date_after(text, match.end())
        if day is not None and (day.month, day.day) == (end.month, end.day):
            months, weeks = match.groups()
            passed[_MONTHS_PASSED[months.lower()] if months else _WEEKS_PASSED[weeks.lower()]] += 1
    if often := [quarters for quarters, count in passed.items() if count > 1] or list(passed):
        return max(often)
    for match in _FISCAL_YEAR.finditer(text):
        if (day := _date_after(text, match.end())) is not None:
            behind = (whole_month(end)[1] - whole_month(day)[1]) % 12 or 12
            return (behind + 2) // 3
    label = next(iter(quarters_named(text).most_common(1)), None)
    return label[0].quarter if label and label[1] >= _FEWEST_LABELS else None


def _dated(text: str) -> str | None:
    """Return the date of the first line that contains little more than a date, or a label with a date."""
    for line in text[:_COVER].splitlines()[:_FIRST_LINES]:
        wording = " ".join(line.split())
        mentions = dates(wording) if len(line) <= _LONGEST_LINE else []
        sure = [date for date in mentions if len(date.readings) == 1]
        if len(sure) != 1 or not sure[0].years:
            continue
        others = re.findall(r"[^\W\d_]+", wording.replace(sure[0].text, " "))
        if len(others) <= _FEW_WORDS or imprint_pattern("kinds").search(line):
            return _iso(next(iter(sure[0].readings)))
    return None


def _iso(day: Day) -> str:
    return f"{day.year:04}-{day.month:02}" + (f"-{day.day:02}" if day.day else "")


def whole_month(day: Day) -> tuple[int, int]:
    """Return the year and month in which a period ends; a quarter of 13 weeks may end in the first days of the next
    month.
    """
    year, month = day.year or 0, day.month
    if day.day is None or day.day > _SHORT_MONTH:
        return year, month
    return (year, month - 1) if month > 1 else (year - 1, 12)


@cache
def imprint_pattern(section: str) -> re.Pattern[str]:
    """Return one pattern for a section of `data/imprints.toml` in all its languages; case is ignored."""
    forms = texts_by_section("imprints", "investigator.documents")[section].values()
    return re.compile(rf"(?<![a-z])(?:{'|'.join(forms)})(?![a-z])", re.IGNORECASE)


def counts_fiscal_years(question: str) -> bool:
    """Return True if a question mentions fiscal years."""
    return _FISCAL.search(folded(question)) is not None


def covered(imprint: Imprint) -> frozenset[Period]:
    """Return the periods that a document says it covers: the part of its fiscal year, and the month in which the period
    ends.
    """
    fiscal = [Period(imprint.fiscal_year, imprint.fiscal_quarter)] if imprint.fiscal_year else []
    return frozenset((*fiscal, *_ends(imprint)))


def agreement(period: Period, imprint: Imprint, named: Iterable[Period], *, fiscal: bool) -> float:
    """Score how well a document matches a requested period (0 or more).

    `named` contains the periods in its name; `fiscal` is True if the question uses fiscal years.
    """
    says = bool(covered(imprint))
    by_name = (_NAME_BESIDE_FISCAL if fiscal and says else _NAME) if agree([period], named) else 0.0
    if period.month:
        return by_name + float(agree([period], _ends(imprint)))
    own = imprint.fiscal_year is not None and agree([period], [Period(imprint.fiscal_year, imprint.fiscal_quarter)])
    calendar = agree([period], _ends(imprint)[1:])
    if imprint.fiscal_year is None:
        return by_name + float(calendar)
    return by_name + float(own) + (_CALENDAR if calendar and not fiscal else 0.0)


def _ends(imprint: Imprint) -> tuple[Period, ...]:
    """Return the month of the last day of the reporting period, and the month that it is taken to end with."""
    if not imprint.period_end:
        return ()
    year, month, *day = map(int, imprint.period_end.split("-"))
    last_year, last_month = whole_month(Day(month, year, day[0] if day else None))
    return Period(year, month=month), Period(last_year, month=last_month)
