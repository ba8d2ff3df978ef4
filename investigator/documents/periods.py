"""Finds periods in text (years, quarters, months), and requests for the newest or oldest document. Pure. Month names
come from `language/data/months.toml`; other words are English, German, French and Spanish; digits are read in any
language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import Enum
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

from investigator.language.late_patterns import late
from investigator.language.lists import month_numbers
from investigator.language.terms import folded

_YEAR = r"(?P<year>(?:19|20)\d\d)"
_ORDINALS = (
    "first|1st|erste[nrsm]?|premier|primer",
    "second|2nd|zweite[nrsm]?|deuxieme|segundo",
    "third|3rd|dritte[nrsm]?|troisieme|tercer",
    "fourth|4th|vierte[nrsm]?|quatrieme|cuarto",
)
_OF = r"[\s,./'-]*(?:(?:of|the|de|del|des|fiscal|year|calendar)\s+|fy\s?)*"
_QUARTER_YEAR = late(rf"\bq(?P<quarter>[1-4])(?:{_OF}{_YEAR}\b)?")
_YEAR_QUARTER = late(rf"\b{_YEAR}[\s/-]*(?:fiscal\s*)?q(?P<quarter>[1-4])\b")
_WORDED_QUARTER = late(
    rf"\b(?:{'|'.join(f'(?P<nth{nth}>{names})' for nth, names in enumerate(_ORDINALS, 1))})\s+"
    rf"(?:fiscal\s+)?(?:quarter|quartals?|trimestre)(?:{_OF}{_YEAR}\b)?"
)
_ISO_DATE = late(rf"\b{_YEAR}-(?P<month>0[1-9]|1[0-2])\b")
_QUARTERS = (_YEAR_QUARTER, _QUARTER_YEAR, _WORDED_QUARTER)
_SHORT_FISCAL = late(r"\bfy\s?'?(?P<short>\d\d)\b")
_PLAIN_YEAR = late(rf"(?<!\d){_YEAR}(?!\d)")
_NEWEST = late(
    r"\b(latest|most recent|newest|most current|(last|current) (quarter|year|report|filing|version|issue|edition)"
    r"|neueste[nrsm]?|jungste[nrsm]?|aktuellste[nrsm]?|letzte[nrsm]? (quartal|jahr|bericht)|plus recente?s?|derniere?s?"
    r"|mas recientes?|ultim[oa]s?)\b|最新|最近"
)
_OLDEST = late(r"\b(earliest|oldest|alteste[nrsm]?|fruheste[nrsm]?|plus ancien(ne)?s?|mas antigu[oa]s?)\b|最早")


class Period(NamedTuple):
    """A year, a quarter (1..4), or a month (1..12); a quarter may lack its year."""

    year: int | None
    quarter: int | None = None
    month: int | None = None

    @property
    def order(self) -> tuple[int, int]:
        """Return the year and the last month of the period, for sorting."""
        return self.year or 0, self.month or (self.quarter or 4) * 3


class Age(Enum):
    """The edition that a question asks for among several similar documents."""

    ANY = "any"
    NEWEST = "newest"
    OLDEST = "oldest"


def periods(text: str) -> frozenset[Period]:
    """Return the periods in the text; the year of a quarter or month is not listed separately."""
    return frozenset(_with_years(set(map(_period, _read(text)[0]))))


def quarters_named(text: str) -> Counter[Period]:
    """Count how often the text names each quarter together with its year."""
    left = folded(text)
    quarters = (_period(match) for pattern in _QUARTERS for match in pattern.finditer(left))
    return Counter(period for period in quarters if period.year)


def without_periods(text: str) -> str:
    """Return the folded text without its periods."""
    return _read(text)[1]


@lru_cache(maxsize=1024)
def _read(text: str) -> tuple[Sequence[re.Match[str]], str]:
    """Return the periods in the text, pattern by pattern, and the folded text without them."""
    left, matches = folded(text).replace("_", " "), list[re.Match[str]]()
    for pattern in _patterns():
        matches += pattern.finditer(left)
        left = pattern.sub(" ", left)
    return matches, left


def _with_years(mentions: set[Period]) -> set[Period]:
    """Add the year to a quarter if both are named separately ("fiscal 2022, third quarter", "Q1 and Q2 2022")."""
    loose = {period for period in mentions if period.year is None}
    plain = {period for period in mentions - loose if period.quarter is None and period.month is None}
    years = {period.year for period in plain or mentions - loose}
    if not loose or not years:
        return mentions
    return mentions - loose - plain | {Period(year, period.quarter) for year in years for period in loose}


def _period(match: re.Match[str]) -> Period:
    parts = {name: text for name, text in match.groupdict().items() if text}
    year = f"20{parts['short']}" if "short" in parts else parts.get("year")
    quarter = parts.get("quarter") or next((name[-1] for name in parts if name.startswith("nth")), None)
    month = _months()[parts["name"]] if "name" in parts else parts.get("month")
    return Period(*(None if part is None else int(part) for part in (year, quarter, month)))


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return _YEAR_QUARTER, _QUARTER_YEAR, _WORDED_QUARTER, _ISO_DATE, _month_year(), _SHORT_FISCAL, _PLAIN_YEAR


@cache
def _month_year() -> re.Pattern[str]:
    return re.compile(rf"\b(?P<name>{'|'.join(_months())})\.?(?:\s+\d{{1,2}},?)?{_OF}{_YEAR}\b")


@cache
def _months() -> dict[str, int]:
    return {folded(name): number for name, number in month_numbers().items()}


def agree(requested_periods: Iterable[Period], named: Iterable[Period]) -> bool:
    """Return True if a requested period equals, contains or is inside one of the named periods."""
    return any(_meets(*pair) for pair in product(requested_periods, named))


def _meets(mine: Period, other: Period) -> bool:
    if mine.year is not None and other.year is not None and mine.year != other.year:
        return False
    if mine.month and other.month:
        return mine.month == other.month
    first, second = _quarter(mine), _quarter(other)
    return first is None or second is None or first == second


def _quarter(period: Period) -> int | None:
    return period.quarter or (None if period.month is None else (period.month + 2) // 3)


def age_asked(question: str) -> Age:
    """Return which of several similar documents a question asks for: the newest, the oldest, or any of them."""
    folded_question = folded(question)
    if _NEWEST.search(folded_question):
        return Age.NEWEST
    return Age.OLDEST if _OLDEST.search(folded_question) else Age.ANY
