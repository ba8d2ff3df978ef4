"""Computes with the figures in cells, provided that units and durations agree: differences, sums, shares, growth,
means, extremes.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from investigator.language.late_patterns import late
from investigator.language.units import currencies, unit_of, unit_pattern
from investigator.questions.cues import patterns
from investigator.records import Computation, Operation, QuotedCell
from investigator.tables.measures import MONEY_SIGN
from investigator.tables.times import header_time

_NUMBER = late(
    r"(?P<open>[(−–-]\s?)?(?P<sign>[$€£¥₹])?\s?(?P<open2>[(−–-]\s?)?(?P<digits>\d[\d,.'’\u00a0\u2009\u202f]*)"
)
_FIGURES = late(r"\d+(?:[.,'’\u00a0\u2009\u202f]\d+)*")
_SHARE = late(r"(?P<minus>(?<!\d)[−–-]\s?|\((?=[\d.,]+\)))?(?P<digits>\d+(?:[.,]\d+)?)\)?\s?%")
_POINTS = "percentage points"
_MOST_DECIMALS, _DECIMALS_OF_MEAN = 6, 2
_GROUP = 3  # number of digits between the marks of thousands
_BRACKETED = late(r"[(\[]\s*([^()\[\]]{1,20}?)\s*[)\]]")
_SIGNS = {
    Operation.DIFFERENCE: " − ",
    Operation.SUM: " + ",
    Operation.SHARE: " / ",
    Operation.GROWTH: " against ",
    Operation.MAXIMUM: " > ",
    Operation.MINIMUM: " < ",
    Operation.MEAN: " + ",
}


@dataclass(frozen=True)
class Figure:
    """The number in a cell, with its currency sign; `is_share` is True for a percentage."""

    value: Fraction
    decimals: int
    currency: str
    is_share: bool


def asked_operation(question: str) -> Operation | None:
    """Return the operation that a question requests on two figures; None if it requests none."""
    cues = patterns("computed")
    return next((Operation(name) for name, cue in cues.items() if cue.search(question)), None)


def computation(
    operation: Operation, *cells: QuotedCell, wants_share: bool = False, wants_means: bool = False
) -> Computation | None:
    """Return the result of an operation on cells: the first minus the second, the sum or mean of all, the first as a
    share of the second, or the first of an ordered list, which is its highest or lowest figure. Growth is measured from
    the second to the first.

    Return None if a cell is not a figure, if units or multipliers differ, or if their periods have different lengths.
    With `wants_share`, the percentage in "39 (61.9 %)" counts; with `wants_means`, a mean with its spread is accepted,
    such as "2.30 (0.75)".
    """
    figures = [figure for cell in cells if (figure := figure_in(cell, wants_share, wants_means)) is not None]
    if len(figures) < max(2, len(cells)) or not _are_comparable(cells, figures):
        return None
    first, second, decimals = figures[0], figures[1], max(figure.decimals for figure in figures)
    total = sum((figure.value for figure in figures), Fraction(0))
    joint = _SIGNS[operation]
    match operation:
        case Operation.SHARE | Operation.GROWTH:
            if second.value == 0 or first.is_share:
                return None
            grown = (first.value - second.value) / abs(second.value)
            value = f"{_spelled(100 * (grown if operation is Operation.GROWTH else first.value / second.value), 1)} %"
        case Operation.MAXIMUM | Operation.MINIMUM:
            return Computation(operation=operation, value=cells[0].figure, formula=_compared(cells, figures, joint))
        case Operation.MEAN:
            most = max(decimals, _DECIMALS_OF_MEAN)
            mean: Fraction = round(total / len(figures), most)
            shown = next(count for count in range(decimals, most + 1) if mean == round(mean, count))
            value = _with_unit(_spelled(mean, shown), cells[0], figures, "%")
        case _:
            is_sum = operation is Operation.SUM
            number = _spelled(total if is_sum else first.value - second.value, decimals)
            value = _with_unit(number, cells[0], figures, "%" if is_sum else _POINTS)
    said = joint.join(cell.value for cell in cells)
    said = f"({said}) / {len(cells)}" if operation is Operation.MEAN else said
    return Computation(operation=operation, value=value, formula=f"{said} = {value}")


def _compared(cells: Sequence[QuotedCell], figures: Sequence[Figure], joint: str) -> str:
    """Return the values in order, joined by comparison signs: 12 > 7 = 7."""
    signs = ("", *(" = " if one.value == other.value else joint for one, other in pairwise(figures)))
    compared = "".join(f"{sign}{cell.value}" for sign, cell in zip(signs, cells, strict=True))
    return f"{compared} {cells[0].measure}".rstrip()


def _with_unit(number: str, cell: QuotedCell, figures: Sequence[Figure], share: str) -> str:
    """Return a number with the currency and the multiplier of the figures; `share` is the unit for shares."""
    currency = next((figure.currency for figure in figures if figure.currency), "")
    unit = share if figures[0].is_share else cell.measure
    return " ".join(part for part in (currency, number, unit) if part)


def _are_comparable(cells: Sequence[QuotedCell], figures: Sequence[Figure]) -> bool:
    """Return True if figures have the same unit, multiplier and currency, and periods of the same length."""
    is_share = figures[0].is_share
    if any(figure.is_share is not is_share for figure in figures):
        return False
    if len({cell.measure for cell in cells}) > 1 and not is_share:
        return False
    units = [_units_of(cell) for cell in cells]
    money = frozenset(currencies()).intersection(frozenset().union(*units, (figure.currency for figure in figures)))
    if len(money) > 1 or len({frozenset(own - money) for own in units}) > 1:
        return False
    times = (header_time(" ".join(cell.column)) for cell in cells)
    return len({time.months for time in times if time is not None and time.months}) <= 1


def _units_of(cell: QuotedCell) -> frozenset[str]:
    """Return the units in a cell's value, and the units in brackets in its label and headers."""
    bracketed = (text for name in (*cell.row[-1:], *cell.column) for text in _BRACKETED.findall(name))
    found = [text for text in bracketed if re.fullmatch(unit_pattern(), text)]
    behind = re.finditer(rf"(?<=\d)\s?(?P<unit>{unit_pattern()})", cell.value)
    return frozenset(unit_of(text) for text in (*found, *(match["unit"] for match in behind))) - {"%"}


def figure_in(cell: QuotedCell, wants_share: bool = False, wants_means: bool = False) -> Figure | None:
    """Return the figure in a cell; None if it contains none, or several."""
    shown = cell.figure if cell.measure == "%" else cell.value
    share = _SHARE.search(shown)
    if share and (wants_share or shown.endswith("%")):
        digits = share["digits"].replace(",", ".")
        value = Fraction(digits) * (-1 if share["minus"] else 1)
        return Figure(value, len(digits.partition(".")[2]), "", is_share=True)
    found = _NUMBER.search(cell.value)
    if found is None or (_has_spread(cell) and not wants_means):
        return None
    digits = _with_point(re.sub(r"['’\u00a0\u2009\u202f]", "", found["digits"]).rstrip(".,"))
    if digits.count(".") > 1:
        return None
    negative = bool(found["open"] or found["open2"]) and not _is_dash_between(cell.value, found.start())
    value = Fraction(digits) * (-1 if negative else 1)
    currency = MONEY_SIGN.search(cell.value)
    return Figure(value, len(digits.partition(".")[2]), currency.group() if currency else "", is_share=False)


def _with_point(digits: str) -> str:
    """Return digits with a decimal point and no other marks: 1,250.00 and 1.250,00 become 1250.00, and 62,00 becomes
    62.00. A single comma before three digits marks thousands, except in 0,125.
    """
    whole, mark, rest = digits.rpartition(",")
    if mark and "." not in rest and ("." in whole or ("," not in whole and (len(rest) != _GROUP or whole == "0"))):
        return f"{whole.replace('.', '')}.{rest}"
    return digits.replace(",", "")


def _has_spread(cell: QuotedCell) -> bool:
    """Return True if a cell contains a mean with its spread, such as "2.30 (0.75)". Two means alone do not show how
    much two groups differ.
    """
    return len(_FIGURES.findall(cell.value)) > 1 and "%" not in " ".join((cell.value, *cell.column, *cell.row))


def _is_dash_between(text: str, at: int) -> bool:
    """Return True if the character before a number is the dash in a range."""
    return bool(text[:at].strip()) and text[:at].strip()[-1:].isdigit()


def _spelled(value: Fraction, decimals: int) -> str:
    return f"{float(round(value, min(decimals, _MOST_DECIMALS))):,.{min(decimals, _MOST_DECIMALS)}f}"
