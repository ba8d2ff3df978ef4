"""Formats numbers as the cells of an Office Open XML workbook show them: per cent, separators, currency signs. Pure.

Dates stay as the library writes them, with an unambiguous year, month and day.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

_BUILT_IN = {
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    5: '"$"#,##0_);("$"#,##0)',
    6: '"$"#,##0_);("$"#,##0)',
    7: '"$"#,##0.00_);("$"#,##0.00)',
    8: '"$"#,##0.00_);("$"#,##0.00)',
    9: "0%",
    10: "0.00%",
    37: "#,##0_);(#,##0)",
    38: "#,##0_);(#,##0)",
    39: "#,##0.00_);(#,##0.00)",
    40: "#,##0.00_);(#,##0.00)",
}
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|_.|\*.|\[[^\]]*\]')
_LONGEST = 40  # characters
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,2})?")
_DIGITS = re.compile(r"[#0?][#0?,]*(?:\.[0#?]*)?")
_OPEN, _CLOSE = "\ue000", "\ue001"  # private-use characters around literal words, which may contain anything
_SIGNS = frozenset("$€£¥₹%()+- ")


def number_format(identifier: int, written: Mapping[int, str]) -> str:
    """Return a number format by its id in a workbook with its own formats `written`; "" for the general format."""
    return written.get(identifier, _BUILT_IN.get(identifier, ""))


def displayed(number: str, form: str) -> str | None:
    """Return a number, given as digits, in a format; None if that is not a plain number format (a date, a fraction)."""
    if len(number) > _LONGEST or not _NUMBER.fullmatch(number):
        return None
    value = Fraction(number)
    sections = form.split(";")
    negative = value < 0
    section = sections[1] if negative and len(sections) > 1 and sections[1].strip() else sections[0]
    pattern = _LITERAL.sub(_literal, section)
    digits = _DIGITS.search(pattern)
    if digits is None or digits.group().endswith(","):
        return None
    before, after = pattern[: digits.start()], pattern[digits.end() :]
    if not _SIGNS.issuperset(_plain(before + after)) or _DIGITS.search(after):
        return None
    shown = _figure(abs(value) * (100 if "%" in before + after else 1), digits.group())
    sign = "-" if negative and section is sections[0] else ""
    return " ".join(f"{sign}{_plain(before, shown=True)}{shown}{_plain(after, shown=True)}".split())


def _literal(match: re.Match[str]) -> str:
    words = next((group for group in match.groups() if group), "")
    return f"{_OPEN}{words}{_CLOSE}" if words else ""


def _plain(text: str, *, shown: bool = False) -> str:
    """Return the text around the digits, with literal words if `shown`."""
    if shown:
        return text.replace(_OPEN, "").replace(_CLOSE, "")
    return re.sub(f"{_OPEN}[^{_CLOSE}]*{_CLOSE}", "", text)


def _figure(value: Fraction, digits: str) -> str:
    whole, _, decimals = digits.partition(".")
    most, least = len(decimals), decimals.count("0")
    separator = "," if "," in whole else ""
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    figure = f"{exact.quantize(Decimal(1).scaleb(-most), ROUND_HALF_UP):{separator}.{most}f}"
    while most > least and figure.endswith("0"):
        figure, most = figure[:-1], most - 1
    return figure.rstrip(".") if decimals else figure
