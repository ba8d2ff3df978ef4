"""Reads workbooks of Office Open XML (.xlsx, .xlsm) as their sheets are shown. Formulas without a stored value are
computed with formualizer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from xml.etree import ElementTree

from investigator.documents.readers.archives.package import (
    CoreProperties,
    Package,
    attribute,
    local_name,
)
from investigator.documents.readers.base import (
    Extracted,
    ReaderSettings,
    ReadFailure,
    SourceFile,
    cleaned,
    comment_line,
)
from investigator.documents.readers.sheets.charts import chart_table
from investigator.documents.readers.sheets.number_formats import hides_text, shown_number
from investigator.documents.readers.sheets.workbook import Merge, Place, Sheet, written
from investigator.language.normalise import one_line

_WORKBOOK = "xl/workbook.xml"
_TRUE = ("1", "true", "on")
_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 16_384
_UNREAD = {"chartEx": "chart of a newer kind", "image": "picture"}
_NO_VALUE = "(formula without a stored value)"
_MOST_COMPUTED = 20_000
_ERROR = "#"


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
    with Package(source.data, settings) as package:
        properties = CoreProperties(package)
        book = package.tree(_workbook_part(package))
        styles = _styles(package, book)
        left_out: list[ReadFailure] = []
        sheets = [_sheet(package, name, part, state, styles, left_out) for name, part, state in _listed(package, book)]
        _compute(sheets, source.data, styles)
    return written(
        sheets,
        settings,
        title=properties.title,
        authors=properties.authors,
        date=properties.date,
        left_out=left_out,
    )


def _compute(sheets: Sequence[Sheet], data: bytes, styles: _Styles) -> None:
    """Put the computed values of formulas whose values are not stored into their cells."""
    places = {sheet.name: sheet.formulas for sheet in sheets if sheet.formulas}
    values = _computed(data, places) if places else {}
    for sheet in sheets:
        for place, form in sheet.formulas.items():
            if (value := values.get((sheet.name, place))) is not None:
                sheet.cells[place] = shown_number(value, form, is_1904=styles.is_1904) or value


def _workbook_part(package: Package) -> str:
    return next((part for kind, part in package.related("").values() if kind == "officeDocument"), _WORKBOOK)


def _listed(package: Package, book: ElementTree.Element) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the part and the state of each sheet."""
    parts = package.related(_workbook_part(package))
    for sheet in book.iter():
        if local_name(sheet) == "sheet":
            part = parts.get(attribute(sheet, "id"), ("", ""))[1]
            yield one_line(cleaned(sheet.get("name", ""))), part, sheet.get("state", "visible")


def _styles(package: Package, book: ElementTree.Element) -> _Styles:
    related = {kind: part for kind, part in package.related(_workbook_part(package)).values() if part in package}
    texts: list[str] = []
    if "sharedStrings" in related:
        texts = [_text(item) for item in package.tree(related["sharedStrings"])]
    formats = _formats(package.tree(related["styles"])) if "styles" in related else {}
    epochs = [attribute(element, "date1904") for element in book.iter() if local_name(element) == "workbookPr"]
    return _Styles(texts, formats, any(epoch in _TRUE for epoch in epochs))


def _formats(styles: ElementTree.Element) -> dict[str, str]:
    """Return the number format of each cell style, by its number; the general format is left out."""
    from xlrd.formatting import std_format_strings

    known = {str(number): form for number, form in std_format_strings.items()}
    forms: list[str] = []
    for element in styles:
        if local_name(element) == "numFmts":
            known |= {entry.get("numFmtId", ""): entry.get("formatCode", "") for entry in element}
        elif local_name(element) == "cellXfs":
            forms = [known.get(entry.get("numFmtId", ""), "") for entry in element]
    return {str(number): form for number, form in enumerate(forms) if form and form != "General"}


def _text(item: ElementTree.Element) -> str:
    """Return the text of runs; readings of ideographs (phonetic runs) are left out."""
    pieces: list[str] = []
    for element in item:
        name = local_name(element)
        if name == "t":
            pieces.append(element.text or "")
        elif name == "r":
            pieces += [run.text or "" for run in element if local_name(run) == "t"]
    return cleaned("".join(pieces))


def _sheet(package: Package, name: str, part: str, state: str, styles: _Styles, left_out: list[ReadFailure]) -> Sheet:
    sheet = Sheet(name=name, hidden=state.lower() in ("hidden", "veryhidden"))
    if part not in package:
        return sheet
    root = package.tree(part)
    space = root.tag.removesuffix(local_name(root))  # names are compared whole, because a sheet has millions
    for column in root.iterfind(f"{space}cols/{space}col"):
        if column.get("hidden") in _TRUE or column.get("width") == "0":
            first, last = _number(column.get("min"), 1), _number(column.get("max"), 1)
            sheet.hidden_columns.update(range(first - 1, min(last, _MOST_COLUMNS)))
    number = 0
    for row in root.iterfind(f"{space}sheetData/{space}row"):
        number = _number(row.get("r"), number + 1)
        if row.get("hidden") in _TRUE or row.get("ht") == "0":
            sheet.hidden_rows.add(number - 1)
        if number <= _MOST_ROWS:
            _add_cells(sheet, row, number - 1, styles, space)
    for merge in root.iterfind(f"{space}mergeCells/{space}mergeCell"):
        sheet.merges += _merges(merge.get("ref", ""))
    try:
        sheet.remarks += comments_of(package, part)
        _add_drawings(sheet, package, part)
    except ReadFailure as failure:
        reason = f"comments and charts of the sheet {name}: {failure.reason}"
        left_out.append(ReadFailure(failure.status, reason))
    return sheet


def _number(text: str | None, default: int) -> int:
    return int(text) if text is not None and text.isdecimal() and len(text) < 8 else default


def _add_cells(sheet: Sheet, row: ElementTree.Element, number: int, styles: _Styles, space: str) -> None:
    column, value_tag, formats = -1, f"{space}v", styles.formats
    for cell in row:
        column = _column(cell.get("r", "").rstrip("0123456789"), column + 1)
        if column >= _MOST_COLUMNS or not len(cell):
            continue
        form, stored = formats.get(cell.get("s", "0"), ""), ""
        for child in cell:
            if child.tag == value_tag:
                stored = child.text or ""
        value, shown = _value(cell, stored, form, styles)
        if value == _NO_VALUE:
            sheet.formulas[number, column] = form
        if value:
            sheet.cells[number, column] = shown or value
            if not shown:
                sheet.hidden_cells.add((number, column))


def _value(cell: ElementTree.Element, stored: str, form: str, styles: _Styles) -> tuple[str, str]:
    """Return the value of a cell, and how it is shown: "" if its format hides it."""
    kind = cell.get("t", "n")
    if kind == "n" and stored:
        return stored, shown_number(stored, form, is_1904=styles.is_1904)
    if kind == "s":
        text = styles.texts[int(stored)] if stored.isdecimal() and int(stored) < len(styles.texts) else ""
    elif kind == "inlineStr":
        text = "".join(_text(child) for child in cell if local_name(child) == "is")
    elif kind == "b":
        text = {"1": "TRUE", "0": "FALSE"}.get(stored, stored)
    else:
        text = cleaned(stored)
    if not stored and not text and any(local_name(child) == "f" for child in cell):
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


def _add_drawings(sheet: Sheet, package: Package, part: str) -> None:
    """Add the charts and text boxes of a sheet, and count its pictures."""
    for kind, target in package.related(part).values():
        if kind != "drawing" or target not in package:
            continue
        sheet.remarks += _boxes(package.tree(target))
        related = package.related(target)
        for inner, chart in related.values():
            if inner == "chart" and chart in package:
                sheet.tables.append(chart_table(package.tree(chart)))
        sheet.unread.update(_UNREAD[inner] for inner, _ in related.values() if inner in _UNREAD)


def _boxes(drawing: ElementTree.Element) -> Iterator[str]:
    """Yield the text of each box of a drawing."""
    for box in drawing.iter():
        if local_name(box) == "txBody":
            paragraphs = (
                "".join(run.text or "" for run in paragraph.iter() if local_name(run) == "t")
                for paragraph in box
                if local_name(paragraph) == "p"
            )
            if text := one_line(cleaned(" ".join(paragraphs))):
                yield f"text box: {text}"


def _computed(data: bytes, places: Mapping[str, Iterable[Place]]) -> dict[tuple[str, Place], str]:
    """Return the values of the formulas at places of sheets, given by the sheets' names; those that cannot be computed
    are left out. Numbers are given by their digits.
    """
    import formualizer

    wanted = [(sheet, place) for sheet, own in places.items() for place in own][:_MOST_COMPUTED]
    values: dict[tuple[str, Place], str] = {}
    try:
        book = formualizer.Workbook.from_bytes(data)
    except Exception:  # noqa: BLE001 - the library raises errors of many kinds for a workbook that it cannot read
        return {}
    for sheet, (row, column) in wanted:
        try:
            value = book.evaluate_cell(sheet, row + 1, column + 1)
        except Exception:  # noqa: BLE001 - one formula failed, the others go on
            continue
        if (text := _value_text(value)) and not text.startswith(_ERROR):
            values[sheet, (row, column)] = text
    return values


def _value_text(value: object) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return repr(value).removesuffix(".0")
    return value if isinstance(value, str) else ""


_PERSONS = r"xl/persons/.*\.xml"


def comments_of(package: Package, part: str) -> list[str]:
    """Return a line for each comment on a sheet, whose part is named, in the order of the file.

    A thread yields one line per comment; the notice for older programs is skipped. Raises ReadFailure if a part is
    damaged or too large.
    """
    present = [(kind, target) for kind, target in package.related(part).values() if target in package]
    by_cell: dict[str, list[str]] = {}
    for kind, target in present:
        if kind == "threadedComment":
            for cell, text in _remarks(package.tree(target), "threadedComment", _persons(package)):
                by_cell.setdefault(cell, []).append(text)
    for kind, target in present:
        if kind == "comments":
            for cell, text in _remarks(package.tree(target), "comment", {}):
                by_cell.setdefault(cell, [text])
    return [line for lines in by_cell.values() for line in lines]


def _persons(package: Package) -> Mapping[str, str]:
    """Return the authors of threads by their ids."""
    return {
        person.get("id", ""): one_line(cleaned(person.get("displayName", "")))
        for name in package.names(_PERSONS)
        for person in package.tree(name).iter()
        if local_name(person) == "person"
    }


def _remarks(root: ElementTree.Element, name: str, persons: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the cell and the line of each comment, with the author's name unless the text begins with it."""
    authors = [one_line(cleaned(author.text or "")) for author in root.iter() if local_name(author) == "author"]
    for remark in root.iter():
        if local_name(remark) != name:
            continue
        words = one_line(cleaned("".join(_texts(remark))))
        number = remark.get("authorId", "")
        author = authors[int(number)] if number.isdigit() and int(number) < len(authors) else ""
        author = author or persons.get(remark.get("personId", ""), "")
        if words:
            cell, by = remark.get("ref", ""), "" if words.startswith(author) else author
            yield cell, comment_line(words, by, on=cell)


def _texts(remark: ElementTree.Element) -> Iterator[str]:
    """Yield the text runs of a comment, from `t` elements or from `text` itself; phonetic runs are skipped."""
    for element in remark.iter():
        if local_name(element) in ("t", "text"):
            yield element.text or ""
