"""Formats the numbers of an Office Open XML workbook as its cells show them: with percent signs, currency signs and
separators. The library that reads the values does not do this. Dates stay as that library writes them, with an
unambiguous year, month and day.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from xml.etree import ElementTree

from investigator.documents.readers.archives.package import Package, local_name, sheets
from investigator.documents.readers.base import ReaderSettings, SourceFile

_STYLES = "xl/styles.xml"
_PLACE = re.compile(r"([A-Z]{1,3})(\d{1,7})")

Shown = Mapping[tuple[int, int], tuple[str, str]]
"""Numbers as stored and as displayed, keyed by row and column; counting starts at the first row and column in use."""

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
_LONGEST = 40  # maximum number of characters in a stored number
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,2})?")
_DIGITS = re.compile(r"[#0?][#0?,]*(?:\.[0#?]*)?")
_OPEN, _CLOSE = "\ue000", "\ue001"  # private-use characters that enclose literal words
_SIGNS = frozenset("$€£¥₹%()+- ")


def shown_numbers(source: SourceFile, settings: ReaderSettings) -> dict[str, Shown]:
    """Return the numbers that have a number format, grouped by sheet name. Raises ReadFailure if a part is damaged or
    too large.
    """
    with Package(source.data, settings) as package:
        formats = _formats(package.tree(_STYLES)) if _STYLES in package else []
        listed = sheets(package) if any(displayed("1", form) for form in formats) else ()
        return {name: _shown(package.tree(part), formats) for name, part in listed if part in package}


def _formats(styles: ElementTree.Element) -> list[str]:
    """Return the number format of each cell style."""
    written: dict[int, str] = {}
    forms: list[str] = []
    for element in styles:
        if local_name(element) == "numFmts":
            for one in element:
                if (identifier := one.get("numFmtId", "")).isdecimal():
                    written[int(identifier)] = one.get("formatCode", "")
        elif local_name(element) == "cellXfs":
            identifiers = (one.get("numFmtId", "") for one in element)
            forms = [number_format(int(one), written) if one.isdecimal() else "" for one in identifiers]
    return forms


def _shown(sheet: ElementTree.Element, formats: list[str]) -> Shown:
    cells = list(_cells(sheet))
    if not cells:
        return {}
    top, left = min(row for row, *_ in cells), min(column for _, column, *_ in cells)
    found = {}
    for row, column, style, number in cells:
        shown = displayed(number, formats[style]) if style < len(formats) and formats[style] else None
        if shown is not None:
            found[row - top, column - left] = (number, shown)
    return found


def _cells(sheet: ElementTree.Element) -> Iterator[tuple[int, int, int, str]]:
    """Yield the row, column, style and number of each non-empty cell; the number is empty for values of other types."""
    for cell in sheet.iter():
        place = _PLACE.fullmatch(cell.get("r", "")) if local_name(cell) == "c" else None
        if place is None or not len(cell):
            continue
        value = next((one.text or "" for one in cell if local_name(one) == "v"), "")
        style = cell.get("s", "0")
        number = value if cell.get("t", "n") == "n" else ""
        yield int(place[2]), _column(place[1]), int(style) if style.isdecimal() else 0, number


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def number_format(identifier: int, written: Mapping[int, str]) -> str:
    """Return the number format with this id; "" for the general format. `written` contains the workbook's own
    formats.
    """
    return written.get(identifier, _BUILT_IN.get(identifier, ""))


def displayed(number: str, form: str) -> str | None:
    """Return a number, given as digits, as the format displays it; None for formats of other values (dates,
    fractions).
    """
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
    """Return the text around the digits, including literal words if `shown` is True."""
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
