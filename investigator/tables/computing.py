"""Computes figures from two cells: differences, sums, shares and growth, if units and durations agree. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from investigator.language.late_patterns import late
from investigator.questions.cues import patterns
from investigator.records import Computation, Operation, QuotedCell
from investigator.tables.times import header_time

_NUMBER = late(
    r"(?P<open>[(−–-]\s?)?(?P<sign>[$€£¥₹])?\s?(?P<open2>[(−–-]\s?)?(?P<digits>\d[\d,.'’\u00a0\u2009\u202f]*)"
)
_FIGURES = late(r"\d+(?:[.,'’\u00a0\u2009\u202f]\d+)*")
_SHARE = late(r"(?P<minus>(?<!\d)[−–-]\s?|\((?=[\d.,]+\)))?(?P<digits>\d+(?:[.,]\d+)?)\)?\s?%")
_CURRENCY = late(r"[$€£¥₹]")
_POINTS = "percentage points"
_MOST_DECIMALS = 6


@dataclass(frozen=True)
class _Figure:
    value: Fraction
    decimals: int
    currency: str
    is_share: bool


def asked_operation(question: str) -> Operation | None:
    """Return the operation that a question requests on two figures; None if it requests none."""
    cues = patterns("computed")
    return next((Operation(name) for name, cue in cues.items() if cue.search(question)), None)


def computation(
    operation: Operation,
    first: QuotedCell,
    second: QuotedCell,
    *,
    wants_share: bool = False,
    wants_means: bool = False,
) -> Computation | None:
    """Return the result for two cells: `first` minus `second`, their sum, or one as a share of the other. Growth is
    from `second` to `first`. Return None if one is not a figure, if units or multipliers differ, or if their periods
    have different lengths. With `wants_share` the per cent in "39 (61.9 %)" counts; with `wants_means` means with their
    spread are accepted, "2.30 (0.75)".
    """
    one, other = (_figure(cell, wants_share, wants_means) for cell in (first, second))
    if one is None or other is None or not _comparable(first, second, one, other):
        return None
    if operation in (Operation.SHARE, Operation.GROWTH):
        if other.value == 0 or one.is_share:
            return None
        ratio = (
            one.value / other.value if operation is Operation.SHARE else (one.value - other.value) / abs(other.value)
        )
        value = f"{_spelled(100 * ratio, 1)} %"
        sign = "/" if operation is Operation.SHARE else "against"
        return Computation(operation=operation, value=value, formula=f"{first.value} {sign} {second.value} = {value}")
    result = one.value + other.value if operation is Operation.SUM else one.value - other.value
    number = _spelled(result, max(one.decimals, other.decimals))
    unit = _POINTS if one.is_share else first.measure
    value = " ".join(part for part in (one.currency or other.currency, number, unit) if part)
    sign = "+" if operation is Operation.SUM else "−"
    return Computation(operation=operation, value=value, formula=f"{first.value} {sign} {second.value} = {value}")


def _comparable(first: QuotedCell, second: QuotedCell, one: _Figure, other: _Figure) -> bool:
    if one.is_share is not other.is_share or (first.measure != second.measure and not one.is_share):
        return False
    if one.currency and other.currency and one.currency != other.currency:
        return False
    times = header_time(" ".join(first.column)), header_time(" ".join(second.column))
    lengths = {time.months for time in times if time is not None and time.months}
    return len(lengths) <= 1


def _figure(cell: QuotedCell, wants_share: bool, wants_means: bool) -> _Figure | None:
    shown = cell.figure if cell.measure == "%" else cell.value
    share = _SHARE.search(shown)
    if share and (wants_share or shown.endswith("%")):
        digits = share["digits"].replace(",", ".")
        value = Fraction(digits) * (-1 if share["minus"] else 1)
        return _Figure(value, len(digits.partition(".")[2]), "", is_share=True)
    found = _NUMBER.search(cell.value)
    if found is None or (_has_spread(cell) and not wants_means):
        return None
    digits = re.sub(r"[,'’\u00a0\u2009\u202f]", "", found["digits"]).rstrip(".")
    if digits.count(".") > 1:
        return None
    negative = bool(found["open"] or found["open2"]) and not _is_dash_between(cell.value, found.start())
    value = Fraction(digits) * (-1 if negative else 1)
    currency = _CURRENCY.search(cell.value)
    return _Figure(value, len(digits.partition(".")[2]), currency.group() if currency else "", is_share=False)


def _has_spread(cell: QuotedCell) -> bool:
    """Return True for a mean with its spread, "2.30 (0.75)": the figures alone do not say how two of them differ."""
    return len(_FIGURES.findall(cell.value)) > 1 and "%" not in " ".join((cell.value, *cell.column, *cell.row))


def _is_dash_between(text: str, at: int) -> bool:
    """Return True if the character before a number is the dash of a range."""
    return bool(text[:at].strip()) and text[:at].strip()[-1:].isdigit()


def _spelled(value: Fraction, decimals: int) -> str:
    return f"{float(round(value, min(decimals, _MOST_DECIMALS))):,.{min(decimals, _MOST_DECIMALS)}f}"
