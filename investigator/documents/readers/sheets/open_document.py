"""Reads workbooks of OpenDocument (.ods), whose cells hold their texts as they are shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from investigator.documents.readers.base import Extracted, ReaderSettings, SourceFile, cleaned, comment_line
from investigator.documents.readers.numerals import whole_number
from investigator.documents.readers.sheets.workbook import Merge, Sheet, written
from investigator.documents.readers.zip_files import Package
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
        root, properties = package.tree(_CONTENT), package.properties()
    hidden = hidden_styles(root, "display", "false")
    tables = (table for book in root.iter("spreadsheet") for table in book.iterfind("table"))
    return written([_sheet(table, hidden) for table in tables], settings, properties)


def hidden_styles(root: Element, name: str, value: str) -> frozenset[str]:
    """Return the names of the styles that hide what they are for, by the value of a property."""
    styles = (style for style in root.iter("style") if any(properties.get(name) == value for properties in style))
    return frozenset(style.get("name", "") for style in styles)


def _sheet(table: Element, hidden: frozenset[str]) -> Sheet:
    sheet = Sheet(name=one_line(cleaned(table.get("name", ""))), hidden=table.get("style-name", "") in hidden)
    column = 0
    for element in _inside(table, "table-column", _COLUMN_GROUPS):
        repeated = whole_number(element.get("number-columns-repeated"))
        if element.get("visibility", "") in ("collapse", "filter"):
            sheet.hidden_columns.update(range(column, min(column + repeated, _MOST_COLUMNS)))
        column += repeated
    row = 0
    for element in _inside(table, "table-row", _ROW_GROUPS):
        repeated = whole_number(element.get("number-rows-repeated"))
        is_filled = next(element.iter("p"), None) is not None
        for number in range(row, row + (min(repeated, _MOST_REPEATED) if is_filled else 0)):
            if element.get("visibility", "") in ("collapse", "filter"):
                sheet.hidden_rows.add(number)
            _add_cells(sheet, element, number)
        row += repeated
    for shapes in table.iterfind("shapes"):
        texts = (_shown(shape) for shape in shapes.iter() if shape.tag in ("custom-shape", "text-box"))
        sheet.remarks += [f"text box: {text}" for text in texts if text]
    return sheet


def _inside(table: Element, name: str, groups: tuple[str, ...]) -> Iterator[Element]:
    """Yield the rows or columns of a table, also those in groups."""
    stack = list(reversed(table))
    while stack:
        element = stack.pop()
        if element.tag == name:
            yield element
        elif element.tag in groups:
            stack += reversed(element)


def _add_cells(sheet: Sheet, row: Element, number: int) -> None:
    column = 0
    for cell in row:
        if cell.tag not in ("table-cell", "covered-table-cell"):
            continue
        repeated = whole_number(cell.get("number-columns-repeated"))
        text = _dated(_shown(cell), cell.get("date-value", ""))
        value = cell.get("value", "") or cell.get("date-value", "") or cell.get("time-value", "")
        for place in range(column, min(column + repeated, _MOST_COLUMNS) if text or value else column):
            sheet.cells[number, place] = text or value
            if value and not text:  # its format hides it
                sheet.hidden_cells.add((number, place))
        rows, columns = whole_number(cell.get("number-rows-spanned")), whole_number(cell.get("number-columns-spanned"))
        if (rows > 1 or columns > 1) and text:
            sheet.merges.append(Merge(number, column, rows, columns))
        sheet.remarks += filter(None, map(comment, cell.iterfind("annotation")))
        column += repeated


def _shown(cell: Element) -> str:
    """Return the paragraphs of a cell on one line, without its comments."""
    return one_line(cleaned(" ".join(map(_text, cell.iterfind("p")))))


def _dated(text: str, stored: str) -> str:
    """Return the shown text of a cell, with a date that is shown as three numbers in the order year, month, day."""
    day, _, clock = stored.partition("T")
    if not day or len(_NUMBERS.findall(text.partition(":")[0])) < _DATE_NUMBERS:
        return text
    return f"{day} {clock[:5]}" if ":" in text and clock else day


def _text(paragraph: Element) -> str:
    pieces = [paragraph.text or ""]
    for child in paragraph:
        name = child.tag
        pieces.append(" " if name in ("s", "tab", "line-break") else "" if name == "annotation" else _text(child))
        pieces.append(child.tail or "")
    return "".join(pieces)


def comment(note: Element) -> str:
    """Return the line of a comment, with its author; "" if it has no words."""
    author = one_line(note.findtext("creator", ""))
    words = _shown(note)
    return cleaned(comment_line(words, author)) if words else ""
