"""Finds time spans in text: "from 6 to 9 April", "until 31 May 2027", "since 2019". For English text. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from investigator.language.late_patterns import late
from investigator.language.lists import full_month_names, month_numbers
from investigator.language.terms import folded
from investigator.questions.cues import cues, patterns

_CLOCK = r"(?:[01]?\d|2[0-3])[:.][0-5]\d(?: ?[ap]\.?m\.?)?|\d{1,2} ?[ap]\.?m\.?|noon|midnight"
CURRENCY = late(r"[$€£¥₹]|\b(?:EUR|USD|GBP|CHF)\b")
_YEAR = r"(?:19|20)\d\d"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_LONGEST_DAY, _LATEST_YEAR = 31, 9999
_OF_A_YEAR = late(rf"\bthe\s+{_YEAR}$")
"""Matches a year that belongs to a noun: "since the 2021 report"."""


@dataclass(frozen=True)
class Moment:
    """A day, month or year that is named in text; a field is None if it is not stated."""

    text: str
    year: int | None = None
    month: int | None = None
    day: int | None = None

    @property
    def begin(self) -> tuple[int, int, int]:
        """Return the first day of the day, month or year as a sortable tuple."""
        return self.year or 0, self.month or 1, self.day or 1

    @property
    def end(self) -> tuple[int, int, int]:
        """Return the last day of the day, month or year as a sortable tuple."""
        return self.year or 0, self.month or 12, self.day or _LONGEST_DAY


_NOW = Moment("now", _LATEST_YEAR)


@dataclass(frozen=True)
class TimeSpan:
    """A time span named in text, with its first and last moments; None means an open end.

    `is_clock` is True for times of day, for which no moments are given.
    """

    text: str
    first: Moment | None = None
    last: Moment | None = None
    is_clock: bool = False

    @property
    def has_both(self) -> bool:
        """Return True if both the beginning and the end of the time span are given."""
        return self.is_clock or (self.first is not None and self.last is not None)

    def holds(self, asked: Moment) -> bool | None:
        """Return True if a day, month or year is completely inside the span, False if it is completely outside, and
        otherwise None.
        """
        if self.is_clock:
            return None
        one = _of_year(self, asked.year)
        if asked.year is None:  # as in "on 7 April"
            asked = replace(asked, year=next((end.year for end in (one.first, one.last) if end), None))
        first = one.first.begin if one.first else (0, 0, 0)
        last = one.last.end if one.last else (9999, 12, _LONGEST_DAY)
        if asked.begin > last or asked.end < first:
            return False
        if one.first is None and one.last:  # as in "until June 2026"
            first = (last[0] - 1, *last[1:])
        return True if first <= asked.begin and asked.end <= last else None


def _of_year(span: TimeSpan, year: int | None) -> TimeSpan:
    """Return the span with any missing year taken from the other end, or set to the given year if both are missing."""
    known = next((end.year for end in (span.last, span.first) if end and end.year), year)
    first, last = (end and replace(end, year=end.year or known) for end in (span.first, span.last))
    if first and last and first.begin > last.end and span.first and span.first.year is None and first.year:
        first = replace(first, year=first.year - 1)  # as in "from 20 December to 6 January 2027"
    return replace(span, first=first, last=last)


def now_asked(question: str) -> tuple[str, ...]:
    """Return the word in a question that refers to the present, if any, such as "current" in "the current rent"."""
    match = patterns("present")["now"].search(question)
    return (match.group(),) if match else ()


@lru_cache(maxsize=2048)
def time_spans(text: str) -> tuple[TimeSpan, ...]:
    """Return the time spans in the text: those with both ends first, then those with an open end."""
    found: list[TimeSpan] = []
    left = text
    for match in _range().finditer(text):
        if not patterns("phases_said")["moved"].search(text[max(0, match.start() - 40) : match.start()]):
            found.append(_closed(match))
        left = f"{left[: match.start()]}{' ' * len(match.group())}{left[match.end() :]}"
    return (*found, *_open(left))


def in_span(asked: Moment, sentence: str, year: int | None = None) -> bool | None:
    """Return True if a time span in a sentence contains a moment, False if all its time spans exclude the moment, and
    None if this cannot be decided. A statement about what has happened "since 2019" is not a statement about each year
    since then. `year` is the year of spans that name none; by default, the only year in the sentence.
    """
    spans = [span for span in time_spans(sentence) if span.last is not None or not _adds_up(sentence)]
    years = {one.year for one in moments(sentence) if one.year}
    own = years.pop() if len(years) == 1 else None if years else year
    spans = [_of_year(span, own) for span in spans]
    if asked.month is None:  # a figure for several years is not a figure for one year
        spans = [span for span in spans if not span.has_both]
    held = {span.holds(asked) for span in spans}
    return True if True in held else False if held == {False} else None


def is_over(sentence: str) -> bool:
    """Return True if a sentence describes only the past, not the present."""
    told = patterns("present")
    return told["past"].search(sentence) is not None and told["is"].search(sentence) is None


def names_hour(sentence: str) -> bool:
    """Return True if a sentence names a time of day; beside a currency, "6.50" is a price."""
    found = re.findall(rf"\b(?:{_CLOCK})", sentence)
    return any("." not in one or one[-1] in "m." for one in found) or bool(found and not CURRENCY.search(sentence))


def begun(text: str, asked: Moment) -> tuple[int, int, int]:
    """Return the latest day up to the given moment from which a statement applies, or zeros if the text names no such
    day.
    """
    days = [span.first.begin for span in time_spans(text) if span.first and span.holds(asked)]
    days += [asked.begin for named in moments(text) if asked.begin <= named.begin <= named.end <= asked.end]
    return max(days, default=(0, 0, 0))


def _adds_up(sentence: str) -> bool:
    """Return True if a sentence reports what has happened during an open time span, such as "since 2019"."""
    told = patterns("phases_said")["told"].search(sentence)
    return told is not None and patterns("changes")["words"].search(sentence) is None


def _closed(match: re.Match[str]) -> TimeSpan:
    text = match.group().strip()
    if match["clock"]:
        return TimeSpan(text, is_clock=True)
    first, last = _moment(match["first"] or match["since"]), _moment(match["last"] or match["till"])
    if first.month is None and first.day is not None:
        first = replace(first, month=last.month, year=last.year)
    return TimeSpan(text, first, last)


def _open(text: str) -> Iterator[TimeSpan]:
    for name, pattern in _marked().items():
        for match in pattern.finditer(text):
            if _OF_A_YEAR.search(match.group()):
                continue
            moment = _moment(match["date"])
            yield TimeSpan(match.group(), moment if name == "begin" else None, None if name == "begin" else moment)


@lru_cache(maxsize=2048)
def moments(text: str) -> tuple[Moment, ...]:
    """Return the days, months and years in the text, in order."""
    return tuple(_moment(match.group()) for match in _date().finditer(text))


def moment_asked(question: str) -> Moment | None:
    """Return the moment that a question is about: the only one that it names or, for "current", a moment later than all
    others; otherwise None.
    """
    named = moments(question)
    if len(named) == 1:
        return named[0]
    return _NOW if not named and now_asked(question) else None


def begins_at(text: str, asked: Moment, written: str | None) -> tuple[int, int, int]:
    """Return the day from which a statement applies. If a question asks about the present, the day is never earlier
    than the date on which the document was `written` (ISO 8601).
    """
    own = begun(text, asked)
    if asked is not _NOW or not written:
        return own
    year, month, day = (int(part) for part in f"{written}-01-01".split("-")[:3])
    return max(own, (year, month, day))


def _moment(text: str) -> Moment:
    """Return the moment of a written date; 05/06/2026 is read as day and month."""
    if match := re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", text):
        return Moment(text, *map(int, match.groups()))
    if match := re.fullmatch(r"(\d\d?)[./](\d\d?)[./](\d{4})", text):
        return Moment(text, *map(int, match.groups()[::-1]))
    year = re.search(rf"\b{_YEAR}\b", text)
    left = text.replace(year.group(), " ") if year else text
    day, name = re.search(r"\d{1,2}", left), re.search(rf"\b(?:{_months()})\b", left)
    return Moment(
        text,
        int(year.group()) if year else None,
        month_numbers()[folded(name.group())] if name else None,
        int(day.group()) if day else None,
    )


@cache
def _months() -> str:
    """Return the month names as written, because "may" in lower case is another word."""
    english = full_month_names()[:12]
    shorts = [
        name for name, number in month_numbers().items() if english[number - 1].startswith(name) and len(name) < 5
    ]
    return "|".join(sorted({name.capitalize() for name in (*english, *shorts)}, key=len, reverse=True))


@cache
def _date() -> re.Pattern[str]:
    month = rf"(?:{_months()})\b\.?"
    return re.compile(
        rf"\b(?:\d{{4}}-\d\d-\d\d|\d\d?[./]\d\d?[./]\d{{4}}|{_DAY}\.? (?:of )?{month}(?:,? {_YEAR}\b)?"
        rf"|{month} {_DAY}\b(?:,? {_YEAR}\b)?|{month}(?:,? {_YEAR}\b)?|{_YEAR}\b(?![-/.]\d))"
    )


@cache
def _range() -> re.Pattern[str]:
    date, lead = _date().pattern, _lead()
    labels = (
        r"(?<!\w)(?:(?:valid )?from|starts?|begins?): (?P<since>{0}); (?:(?:valid )?(?:to|until)|ends?): (?P<till>{0})"
    )
    joint = r"(?:\s+(?:to|until|till|through)\s+|\s?[–—-]\s?|(?(between)\s+and\s+))"
    short = rf"(?<![\d.,:/-]){_DAY}"
    return re.compile(
        rf"(?:\b(?:(?i:from)|(?P<between>(?i:between)))\s+)?{lead}(?:(?P<clock>(?:{_CLOCK}){joint}(?:{_CLOCK}))"
        rf"|(?P<first>{date}|{short}){joint}{lead}(?P<last>{date}))|(?i:{labels.format(date)})"
    )


@cache
def _marked() -> dict[str, re.Pattern[str]]:
    return {
        name: re.compile(rf"\b(?i:{cues('phases_said')[f'{name}_mark']}):?\s+{_lead()}(?P<date>{_date().pattern})")
        for name in ("begin", "end")
    }


def when_pattern() -> str:
    """Return the pattern for a date or a time of day, with the words that may precede it."""
    return rf"{_lead()}(?:{_date().pattern}|(?:{_CLOCK}))"


def _lead() -> str:
    """Return the pattern for words that may precede a date."""
    return (
        r"(?:(?:(?:the )?(?:end|beginning|middle|start) of|mid|the|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,?)[ -])*"
    )
