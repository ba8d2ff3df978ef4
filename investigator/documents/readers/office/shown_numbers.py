"""Numbers of an Office Open XML workbook as displayed; the library that reads the values does not provide them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree

from investigator.documents.readers.archives.package import Package, local_name, sheets
from investigator.documents.readers.base import ReaderSettings, SourceFile
from investigator.documents.readers.office.number_formats import displayed, number_format

_STYLES = "xl/styles.xml"
_PLACE = re.compile(r"([A-Z]{1,3})(\d{1,7})")

Shown = Mapping[tuple[int, int], tuple[str, str]]
"""Numbers as stored and as displayed, by row and column, which are counted from the first used ones."""


def shown_numbers(source: SourceFile, settings: ReaderSettings) -> dict[str, Shown]:
    """Return the numbers with a number format, by sheet name. Raises ReadFailure if a part is damaged or too large."""
    with Package(source.data, settings) as package:
        formats = _formats(package.tree(_STYLES)) if _STYLES in package else []
        listed = sheets(package) if any(displayed("1", form) for form in formats) else ()
        return {name: _shown(package.tree(part), formats) for name, part in listed if part in package}


def _formats(styles: ElementTree.Element) -> list[str]:
    """Return the format of each style of a cell."""
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
    """Yield row, column, style and number of each non-empty cell; the number is empty for values of other types."""
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
