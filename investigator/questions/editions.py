"""Picks the requested one of several similar documents by comparing periods. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from investigator.language.terms import folded
from investigator.questions.imprints import month_of
from investigator.questions.periods import Period, agree
from investigator.records import Imprint

_FISCAL = re.compile(r"\b(?:fiscal|fy\s?'?\d\d(?:\d\d)?|geschaftsjahr\w*|exercice|ejercicio)\b")
_CALENDAR = 0.6  # without "fiscal" or "calendar", a quarter follows the document's own numbering
_NAME = 1.0
_NAME_BESIDE_FISCAL = 0.5  # file names use calendar quarters as often as fiscal ones


def counts_fiscal_years(question: str) -> bool:
    """Return True if a question mentions fiscal years."""
    return _FISCAL.search(folded(question)) is not None


def covered(imprint: Imprint) -> frozenset[Period]:
    """Return the periods that a document says it covers, by its fiscal year and by the month in which they end."""
    fiscal = [Period(imprint.fiscal_year, imprint.fiscal_quarter)] if imprint.fiscal_year else []
    return frozenset((*fiscal, *_ends(imprint)))


def agreement(asked: Period, imprint: Imprint, named: Iterable[Period], *, fiscal: bool) -> float:
    """Return how well a document matches one requested period, 0 or more.

    `named` contains the periods in its name; `fiscal` is True if the question uses fiscal years.
    """
    says = bool(covered(imprint))
    by_name = (_NAME_BESIDE_FISCAL if fiscal and says else _NAME) if agree([asked], named) else 0.0
    if asked.month:
        return by_name + float(agree([asked], _ends(imprint)))
    own = imprint.fiscal_year is not None and agree([asked], [Period(imprint.fiscal_year, imprint.fiscal_quarter)])
    calendar = agree([asked], [_last_month(imprint)] if imprint.period_end else [])
    if imprint.fiscal_year is None:
        return by_name + float(calendar)
    return by_name + float(own) + (_CALENDAR if calendar and not fiscal else 0.0)


def with_fiscal(own: frozenset[Period], imprint: Imprint) -> frozenset[Period]:
    """Return the periods that a document names, with the equivalent months and quarters of its fiscal year."""
    if not imprint.period_end or not imprint.fiscal_year or _is_calendar(imprint):
        return own
    same = {_fiscal(period, imprint) for period in own if period.year and period.month}
    told = Period(imprint.fiscal_year, imprint.fiscal_quarter)
    return own | same | (_ends(imprint) if told in own else frozenset())


def _fiscal(period: Period, imprint: Imprint) -> Period:
    """Return the fiscal quarter of a month; a month that contains the end of a report counts as the report's month."""
    if period in _ends(imprint):
        return Period(imprint.fiscal_year, imprint.fiscal_quarter)
    last = _last_month(imprint)
    behind = (imprint.fiscal_quarter or 4) * 3 - 1 + period.months - last.months
    return Period((imprint.fiscal_year or 0) + behind // 12, behind % 12 // 3 + 1)


def _is_calendar(imprint: Imprint) -> bool:
    last = _last_month(imprint)
    return last.year == imprint.fiscal_year and (last.month or 0) == (imprint.fiscal_quarter or 4) * 3


def _last_month(imprint: Imprint) -> Period:
    year, month = month_of(imprint.period_end or "", whole=True)
    return Period(year, month=month)


def _ends(imprint: Imprint) -> frozenset[Period]:
    """Return the month of the period's last day, and the month that this day counts towards."""
    if not imprint.period_end:
        return frozenset()
    year, month = month_of(imprint.period_end, whole=False)
    return frozenset((Period(year, month=month), _last_month(imprint)))
