"""Reads workbooks of Office Open XML (.xlsx, .xlsm) as their sheets are shown. Formulas without a stored value are
computed with formualizer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from xml.etree.ElementTree import Element

from investigator.documents.readers.base import (
    Extracted,
    ReaderSettings,
    ReadFailure,
    SourceFile,
    cleaned,
    comment_line,
)
from investigator.documents.readers.numerals import whole_number
from investigator.documents.readers.sheets.charts import chart_table
from investigator.documents.readers.sheets.number_formats import hides_text, shown_number
from investigator.documents.readers.sheets.workbook import Merge, Place, Sheet, written
from investigator.documents.readers.zip_files import Package, texts_of
from investigator.language.normalise import one_line

_TRUE = ("1", "true", "on")
_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 16_384
_NO_VALUE = "(formula without a stored value)"
_MOST_COMPUTED = 20_000
_ERROR = "#"
_PERSONS = r"xl/persons/.*\.xml"


@dataclass(frozen=True)
class _Styles:
    """The things that cells refer to: the shared texts, the number format of each style, and the epoch of dates."""

    texts: Sequence[str]
    formats: Mapping[str, str]
    is_1904: bool


def read_workbook(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads a workbook: one page per sheet, a line for each row, then its charts, comments and text boxes.

    Raises ReadFailure if a part is damaged or too large.
    """
    left_out: list[ReadFailure] = []
    with Package(source.data, settings) as package:
        main = package.main("xl/workbook.xml")
        properties, book, parts = package.properties(), package.tree(main), package.related(main)
        present = {kind: part for kind, part in parts.values() if part in package}
        styles = _Styles(
            [_text(item) for item in package.tree(present["sharedStrings"])] if "sharedStrings" in present else [],
            _formats(package.tree(present["styles"])) if "styles" in present else {},
            any(element.get("date1904") in _TRUE for element in book.iter("workbookPr")),
        )
        sheets = [
            _sheet(package, sheet, parts.get(sheet.get("r:id", ""), ("", ""))[1], styles, left_out)
            for sheet in book.iter("sheet")
        ]
    _compute(sheets, source.data, styles)
    return written(sheets, settings, properties, left_out)


def _formats(styles: Element) -> dict[str, str]:
    """Return the number format of each cell style, by its number; the general format is left out."""
    from xlrd.formatting import std_format_strings

    known = {str(number): form for number, form in std_format_strings.items()}
    known |= {entry.get("numFmtId", ""): entry.get("formatCode", "") for entry in styles.iterfind("numFmts/numFmt")}
    forms = (known.get(entry.get("numFmtId", ""), "") for entry in styles.iterfind("cellXfs/*"))
    return {str(number): form for number, form in enumerate(forms) if form and form != "General"}


def _text(item: Element) -> str:
    """Return the text of runs; readings of ideographs (phonetic runs) are left out."""
    pieces: list[str] = []
    for element in item:
        if element.tag == "t":
            pieces.append(element.text or "")
        elif element.tag == "r":
            pieces += [text.text or "" for text in element.iterfind("t")]
    return cleaned("".join(pieces))


def _sheet(package: Package, listed: Element, part: str, styles: _Styles, left_out: list[ReadFailure]) -> Sheet:
    name, state = one_line(cleaned(listed.get("name", ""))), listed.get("state", "visible")
    sheet = Sheet(name=name, hidden=state.lower() in ("hidden", "veryhidden"))
    if part not in package:
        return sheet
    root = package.tree(part)
    for column in root.iterfind("cols/col"):
        if column.get("hidden") in _TRUE or column.get("width") == "0":
            first, last = whole_number(column.get("min")), whole_number(column.get("max"))
            sheet.hidden_columns.update(range(first - 1, min(last, _MOST_COLUMNS)))
    number = 0
    for row in root.iterfind("sheetData/row"):
        number = whole_number(row.get("r"), number + 1)
        if row.get("hidden") in _TRUE or row.get("ht") == "0":
            sheet.hidden_rows.add(number - 1)
        if number <= _MOST_ROWS:
            _add_cells(sheet, row, number - 1, styles)
    for merge in root.iterfind("mergeCells/mergeCell"):
        sheet.merges += _merges(merge.get("ref", ""))
    try:
        sheet.remarks += _comments(package, part)
        for drawing in package.present(part, "drawing"):
            _add_drawing(sheet, package, drawing)
    except ReadFailure as failure:
        left_out.append(ReadFailure(failure.status, f"comments and charts of the sheet {name}: {failure.reason}"))
    return sheet


def _add_cells(sheet: Sheet, row: Element, number: int, styles: _Styles) -> None:
    column, formats, cells, is_1904 = -1, styles.formats, sheet.cells, styles.is_1904
    for cell in row:
        column = _column(cell.get("r", "").rstrip("0123456789"), column + 1)
        if column >= _MOST_COLUMNS or not len(cell):
            continue
        form, stored, kind = formats.get(cell.get("s", "0"), ""), cell.findtext("v", ""), cell.get("t", "n")
        if kind == "n" and stored:
            value, shown = stored, shown_number(stored, form, is_1904=is_1904)
        else:
            value, shown = _value(cell, kind, stored, form, styles.texts)
        if value == _NO_VALUE:
            sheet.formulas[number, column] = form
        if value:
            cells[number, column] = shown or value
            if not shown:
                sheet.hidden_cells.add((number, column))


def _value(cell: Element, kind: str, stored: str, form: str, texts: Sequence[str]) -> tuple[str, str]:
    """Return the value of a cell that is no number, and how it is shown: "" if its format hides it."""
    if kind == "s":
        text = texts[int(stored)] if stored.isdecimal() and int(stored) < len(texts) else ""
    elif kind == "inlineStr":
        text = "".join(map(_text, cell.iterfind("is")))
    elif kind == "b":
        text = {"1": "TRUE", "0": "FALSE"}.get(stored, stored)
    else:
        text = cleaned(stored)
    if not stored and not text and cell.find("f") is not None:
        return _NO_VALUE, _NO_VALUE
    return text, "" if form and hides_text(form) else text


def _place(reference: str) -> Place | None:
    """Return the row and the column of a reference such as "B12"; None if it is none."""
    letters = reference.rstrip("0123456789")
    digits, column = reference[len(letters) :], _column(letters, -1)
    return (int(digits) - 1, column) if column >= 0 and 0 < len(digits) < 8 else None


@lru_cache(maxsize=2 * _MOST_COLUMNS)
def _column(letters: str, default: int) -> int:
    """Return the number of a column, counted from 0; the default for letters that name none."""
    if not (1 <= len(letters) <= 3 and letters.isascii() and letters.isalpha()):
        return default
    column = 0
    for letter in letters.upper():
        column = 26 * column + ord(letter) - ord("A") + 1
    return column - 1


def _merges(reference: str) -> Iterator[Merge]:
    first, _, last = reference.partition(":")
    start, end = _place(first), _place(last)
    if start is not None and end is not None and end[0] >= start[0] and end[1] >= start[1]:
        yield Merge(*start, rows=end[0] - start[0] + 1, columns=end[1] - start[1] + 1)


def _add_drawing(sheet: Sheet, package: Package, drawing: str) -> None:
    """Add the text boxes and charts of a drawing. Raises ReadFailure after the others if a chart is damaged."""
    sheet.drawn += [kind for kind, _ in package.related(drawing).values()]
    for box in package.tree(drawing).iter("txBody"):
        if text := one_line(cleaned(" ".join(texts_of(paragraph, "t") for paragraph in box.iterfind("p")))):
            sheet.remarks.append(f"text box: {text}")
    failures = []
    for chart in package.present(drawing, "chart"):
        try:
            sheet.tables.append(chart_table(package.tree(chart)))
        except ReadFailure as failure:
            failures.append(failure)
    if failures:
        raise failures[0]


def _compute(sheets: Sequence[Sheet], data: bytes, styles: _Styles) -> None:
    """Compute the formulas whose values are not stored; a value that cannot be computed stays unknown."""
    wanted = [(sheet, place) for sheet in sheets for place in sheet.formulas]
    if not wanted:
        return
    import formualizer

    try:
        book = formualizer.Workbook.from_bytes(data)
    except Exception:  # noqa: BLE001 - the library raises errors of many kinds for a workbook that it cannot read
        return
    for sheet, (row, column) in islice(wanted, _MOST_COMPUTED):
        try:
            value = _value_text(book.evaluate_cell(sheet.name, row + 1, column + 1))
        except Exception:  # noqa: BLE001 - one formula failed, the others go on
            continue
        if value and not value.startswith(_ERROR):
            form = sheet.formulas[row, column]
            sheet.cells[row, column] = shown_number(value, form, is_1904=styles.is_1904) or value


def _value_text(value: object) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return repr(value).removesuffix(".0")
    return value if isinstance(value, str) else ""


def _comments(package: Package, part: str) -> list[str]:
    """Return the lines of a sheet's comments; of a thread, the notice for older programs is skipped."""
    by_cell: dict[str, list[str]] = {}
    for thread in package.present(part, "threadedComment"):
        persons = {
            person.get("id", ""): one_line(cleaned(person.get("displayName", "")))
            for name in package.names(_PERSONS)
            for person in package.tree(name).iter("person")
        }
        for cell, text in _remarks(package.tree(thread), "threadedComment", persons):
            by_cell.setdefault(cell, []).append(text)
    for notes in package.present(part, "comments"):
        for cell, text in _remarks(package.tree(notes), "comment", {}):
            by_cell.setdefault(cell, [text])
    return [line for lines in by_cell.values() for line in lines]


def _remarks(root: Element, name: str, persons: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the cell and the line of each comment, with the author's name."""
    authors = [one_line(cleaned(author.text or "")) for author in root.iter("author")]
    for remark in root.iter(name):
        words = one_line(cleaned(texts_of(remark, "t", "text")))
        number = remark.get("authorId", "")
        author = authors[int(number)] if number.isdigit() and int(number) < len(authors) else ""
        author = author or persons.get(remark.get("personId", ""), "")
        if words:
            cell = remark.get("ref", "")
            yield cell, comment_line(words, author, on=cell)
