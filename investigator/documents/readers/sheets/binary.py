"""Reads old workbooks (.xls) with xlrd, as their cells are shown."""

from __future__ import annotations

import io
from typing import Any

from investigator.documents.readers.base import (
    Extracted,
    ReaderSettings,
    ReadFailure,
    SourceFile,
    cleaned,
    comment_line,
)
from investigator.documents.readers.sheets.number_formats import hides_text, shown_number
from investigator.documents.readers.sheets.workbook import Merge, Sheet, written
from investigator.documents.readers.zip_files import Properties
from investigator.language.normalise import one_line
from investigator.records import FileStatus

_PROTECTED = ("encrypted", "password")


def read_binary(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads a workbook: one page per sheet, a line for each row, then its comments.

    Raises ReadFailure if the file is damaged or protected by a password.
    """
    import xlrd

    try:
        book = xlrd.open_workbook(file_contents=source.data, formatting_info=True, logfile=io.StringIO())
        sheets = [_sheet(book, sheet) for sheet in book.sheets()]
    except MemoryError:
        raise
    except Exception as error:  # a damaged file raises errors of many kinds
        if any(word in str(error).lower() for word in _PROTECTED):
            raise ReadFailure(FileStatus.ENCRYPTED, "the file is protected by a password") from error
        raise ReadFailure(FileStatus.FAILED, "the file is truncated, damaged, or not what its name says") from error
    author = one_line(cleaned(book.user_name or ""))
    return written(sheets, settings, Properties(authors=(author,) if author else ()))


def _sheet(book: Any, source: Any) -> Sheet:
    import xlrd

    sheet = Sheet(name=one_line(cleaned(source.name)), hidden=source.visibility != 0)
    sheet.hidden_rows = {number for number, row in source.rowinfo_map.items() if row.hidden}
    sheet.hidden_columns = {number for number, column in source.colinfo_map.items() if column.hidden}
    for row in range(source.nrows):
        for column in range(source.row_len(row)):
            value, shown = _value(book, source.cell(row, column))
            if value and not shown:
                sheet.hidden_cells.add((row, column))
            if value:
                sheet.cells[row, column] = shown or value
    sheet.merges = [Merge(top, left, bottom - top, right - left) for top, bottom, left, right in source.merged_cells]
    for (row, column), note in sorted(source.cell_note_map.items()):
        author, text = one_line(cleaned(note.author or "")), one_line(cleaned(note.text or ""))
        sheet.remarks.append(comment_line(text, author, on=xlrd.cellname(row, column)))
    return sheet


def _value(book: Any, cell: Any) -> tuple[str, str]:
    """Return the value of a cell, and how it is shown: "" if its format hides it."""
    import xlrd

    form = book.format_map[book.xf_list[cell.xf_index].format_key].format_str if cell.xf_index is not None else ""
    if cell.ctype in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE):
        number = repr(cell.value).removesuffix(".0")
        return number, shown_number(number, form, is_1904=book.datemode == 1)
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return (("TRUE", "TRUE"), ("FALSE", "FALSE"))[not cell.value]
    if cell.ctype == xlrd.XL_CELL_ERROR:
        name = xlrd.error_text_from_code.get(cell.value, "#ERROR")
        return name, name
    text = cleaned(str(cell.value)) if cell.ctype == xlrd.XL_CELL_TEXT else ""
    return text, "" if hides_text(form) else text
