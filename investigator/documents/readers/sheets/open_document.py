"""Reads workbooks of OpenDocument (.ods), whose cells hold their texts as they are shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from investigator.documents.readers.archives.package import OpenProperties, Package, attribute, local_name
from investigator.documents.readers.base import Extracted, ReaderSettings, SourceFile, cleaned, comment_line
from investigator.documents.readers.sheets.workbook import Merge, Sheet, written
from investigator.language.normalise import one_line

_CONTENT = "content.xml"
_NUMBERS = re.compile(r"\d+")
_DATE_NUMBERS = 3
_MOST_COLUMNS, _MOST_REPEATED = 16_384, 1_000
_ROW_GROUPS = ("table-row-group", "table-header-rows", "table-rows")
_COLUMN_GROUPS = ("table-column-group", "table-header-columns", "table-columns")


def read_open_document(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads a workbook: one page per sheet, a line for each row, then its comments and text boxes.

    Raises ReadFailure if a part is damaged or too large.
    """
    with Package(source.data, settings) as package:
        root = package.tree(_CONTENT)
        properties = OpenProperties(package)
    hidden = hidden_styles(root, "display", "false")
    sheets = [_sheet(table, hidden) for table in root.iter() if local_name(table) == "spreadsheet" for table in table]
    return written(
        [sheet for sheet in sheets if sheet is not None],
        settings,
        title=properties.title,
        authors=properties.authors,
        date=properties.date,
    )


def hidden_styles(root: ElementTree.Element, name: str, value: str) -> frozenset[str]:
    """Return the names of the styles that hide what they are for, by the value of a property."""
    return frozenset(
        attribute(style, "name")
        for style in root.iter()
        if local_name(style) == "style" and any(attribute(properties, name) == value for properties in style)
    )


def _sheet(table: ElementTree.Element, hidden: frozenset[str]) -> Sheet | None:
    if local_name(table) != "table":
        return None
    sheet = Sheet(name=one_line(cleaned(attribute(table, "name"))), hidden=attribute(table, "style-name") in hidden)
    column = 0
    for element in _inside(table, "table-column", _COLUMN_GROUPS):
        repeated = _count(element, "number-columns-repeated")
        if attribute(element, "visibility") in ("collapse", "filter"):
            sheet.hidden_columns.update(range(column, min(column + repeated, _MOST_COLUMNS)))
        column += repeated
    row = 0
    for element in _inside(table, "table-row", _ROW_GROUPS):
        repeated = _count(element, "number-rows-repeated")
        is_filled = any(local_name(child) == "p" for child in element.iter())
        for number in range(row, row + (min(repeated, _MOST_REPEATED) if is_filled else 0)):
            if attribute(element, "visibility") in ("collapse", "filter"):
                sheet.hidden_rows.add(number)
            _add_cells(sheet, element, number)
        row += repeated
    for shapes in (child for child in table if local_name(child) == "shapes"):
        texts = (_shown(shape) for shape in shapes.iter() if local_name(shape) in ("custom-shape", "text-box"))
        sheet.remarks += [f"text box: {text}" for text in texts if text]
    return sheet


def _inside(table: ElementTree.Element, name: str, groups: tuple[str, ...]) -> Iterator[ElementTree.Element]:
    """Yield the rows or columns of a table, also those in groups."""
    stack = list(reversed(table))
    while stack:
        element = stack.pop()
        if local_name(element) == name:
            yield element
        elif local_name(element) in groups:
            stack += reversed(element)


def _add_cells(sheet: Sheet, row: ElementTree.Element, number: int) -> None:
    column = 0
    for cell in row:
        if local_name(cell) not in ("table-cell", "covered-table-cell"):
            continue
        repeated = _count(cell, "number-columns-repeated")
        text = _dated(_shown(cell), attribute(cell, "date-value"))
        value = attribute(cell, "value") or attribute(cell, "date-value") or attribute(cell, "time-value")
        for place in range(column, min(column + repeated, _MOST_COLUMNS) if text or value else column):
            sheet.cells[number, place] = text or value
            if value and not text:  # its format hides it
                sheet.hidden_cells.add((number, place))
        rows, columns = _count(cell, "number-rows-spanned"), _count(cell, "number-columns-spanned")
        if (rows > 1 or columns > 1) and text:
            sheet.merges.append(Merge(number, column, rows, columns))
        sheet.remarks += filter(None, (comment(child) for child in cell if local_name(child) == "annotation"))
        column += repeated


def _count(element: ElementTree.Element, name: str) -> int:
    text = attribute(element, name)
    return int(text) if text.isdecimal() and 0 < len(text) < 9 else 1


def _shown(cell: ElementTree.Element) -> str:
    """Return the paragraphs of a cell on one line, without its comments."""
    return one_line(cleaned(" ".join(_text(part) for part in cell if local_name(part) == "p")))


def _dated(text: str, stored: str) -> str:
    """Return the shown text of a cell, with a date that is shown as three numbers in the order year, month, day."""
    day, _, clock = stored.partition("T")
    if not day or len(_NUMBERS.findall(text.partition(":")[0])) < _DATE_NUMBERS:
        return text
    return f"{day} {clock[:5]}" if ":" in text and clock else day


def _text(paragraph: ElementTree.Element) -> str:
    pieces = [paragraph.text or ""]
    for child in paragraph:
        name = local_name(child)
        pieces.append(" " if name in ("s", "tab", "line-break") else "" if name == "annotation" else _text(child))
        pieces.append(child.tail or "")
    return "".join(pieces)


def comment(note: ElementTree.Element) -> str:
    """Return the line of a comment, with its author; "" if it has no words."""
    author = next((one_line(child.text or "") for child in note if local_name(child) == "creator"), "")
    words = _shown(note)
    return cleaned(comment_line(words, author)) if words else ""
