"""Exports for other programs: an investigation as Markdown, a Word document, JSON and tables, and a matrix as CSV or
XLSX. Text from documents never becomes markup or a formula.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from investigator.documents.own_results import CREATOR, EVIDENCE_HEADING, MATRIX_HEADING
from investigator.language.addresses import defanged
from investigator.records import Answer, Investigation, Matrix
from investigator.reports.answer_view import citation_numbers
from investigator.reports.docx import answer_docx
from investigator.reports.html import investigation_view, matrix_page
from investigator.reports.inert import inert, inert_json_prose, inert_line
from investigator.reports.matrix import CELL_WORDS, in_short, value_text
from investigator.reports.schemas import Printed, stamped
from investigator.reports.typed_values import columns_of, dated, matrix_parquet, quotes_of, value_heading, value_rows
from investigator.reports.wording import DECISIONS, SUPPORTS
from investigator.secrets import redacted

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_MOST = 32_000  # maximum number of characters in a cell, slightly below Excel's limit
_WIDTHS = (28, 44)
_MOST_COMMENT = 2_000
_FIRST_DAY = date(1900, 3, 1)  # spreadsheets number the days before it differently
_MARKED_UP = re.compile(r"([\\`*_\[\]<>#|])")
_LIST_MARK = re.compile(r"^(\s*)([-+]|\d{1,9}[.)])(?=\s)", re.MULTILINE)


def exported(investigation: Investigation, suffix: str) -> bytes:
    """Return an exported file: the answer as Markdown or a Word document, the record, or a table of the evidence."""
    answer = investigation.answer
    match suffix:
        case ".docx":
            return answer_docx(investigation)
        case ".md":
            text = redacted(_environment().get_template("answer.md.j2").render(investigation_view(investigation)))
        case ".json":
            text = inert_json_prose(redacted(stamped(Printed.INVESTIGATION, investigation, indent=2))) + "\n"
        case _:
            text = csv_text(EVIDENCE_HEADING, _evidence(answer) if answer is not None else ())
    return text.encode("utf-8")


def table_csv(answer: Answer) -> bytes:
    """Return the table of an answer as CSV: for each document the decision and the statement that shows it."""
    rows = (
        (row.document_id, row.title, DECISIONS[row.decision], defanged(row.statement.text) if row.statement else "")
        for row in answer.table
    )
    return csv_text(("document", "title", "decision", "statement"), rows).encode("utf-8")


def _evidence(answer: Answer) -> Iterator[tuple[str, ...]]:
    """Yield each quote of each statement."""
    numbers = citation_numbers(answer)
    for statement in answer.statements:
        for quote in statement.quotes:
            yield (
                str(numbers[quote]),
                defanged(statement.text),
                SUPPORTS[statement.support],
                defanged(statement.reason),
                quote.document_id,
                "" if quote.page is None else str(quote.page),
                str(quote.line),
                str(quote.start),
                str(quote.end),
                quote.text,
                quote.source_hash,
            )


def _environment() -> Environment:
    """Return the environment for Markdown, in which the markup of documents is escaped."""
    environment = Environment(
        loader=PackageLoader("investigator", "reports"),
        finalize=lambda value: _plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters.update(line=inert_line)
    return environment


def _plain(text: str) -> str:
    """Return text without active Markdown, links or HTML."""
    return _LIST_MARK.sub(r"\1\\\2", _MARKED_UP.sub(r"\\\1", defanged(inert(text))))


def matrix_csv(matrix: Matrix) -> str:
    """Return the cells as CSV, one per line, or the typed values, a record per line; text that a program could read as
    a formula gets a leading apostrophe.
    """
    if not matrix.columns:
        return csv_text(MATRIX_HEADING, _rows(matrix))
    rows = ([value if _is_number(value) else value_text(value) for value in row] for row in value_rows(matrix))
    return csv_text(value_heading(matrix), rows)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


MATRIX_FORMATS: Mapping[str, Callable[[Matrix], bytes]] = {
    ".html": lambda matrix: matrix_page(matrix).encode("utf-8"),
    ".csv": lambda matrix: matrix_csv(matrix).encode("utf-8-sig"),
    ".xlsx": lambda matrix: matrix_xlsx(matrix),
    ".parquet": matrix_parquet,
    ".json": lambda matrix: inert_json_prose(redacted(stamped(Printed.MATRIX, matrix, indent=2))).encode("utf-8"),
}
"""The functions that write a matrix as a file, keyed by suffix."""


def csv_text(heading: Sequence[str], rows: Iterable[Sequence[str | int | float]]) -> str:
    """Return a table as CSV, with known secrets redacted; no program reads its cells as formulas."""
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow(heading)
    for row in rows:
        texts = [inert(cell) if isinstance(cell, str) else cell for cell in row]
        writer.writerow([f"'{t}" if isinstance(t, str) and t.startswith(_FORMULA) else t for t in texts])
    return redacted(written.getvalue())


def matrix_xlsx(matrix: Matrix) -> bytes:
    """Return the matrix as a workbook: the table with the quotes as comments, and all cells. Typed values keep their
    type; everything else is text.
    """
    from openpyxl import Workbook  # imported here because it is slow to import
    from openpyxl.comments import Comment

    book = Workbook()
    book.properties.creator = CREATOR
    table = book.active
    table.title = "Matrix"
    _write(table, [["document", *(column.name for column in columns_of(matrix))]])
    for number, row in enumerate(matrix.rows(), start=2):
        write_text(table.cell(number, 1), row.name)
        for place, (column, own) in enumerate(zip(columns_of(matrix), row.cells, strict=True), start=2):
            cell = table.cell(number, place)
            value = dated(column, own.value) if own.stated is not None else None
            if isinstance(value, int | float | date) and not (isinstance(value, date) and value < _FIRST_DAY):
                cell.value = value
            elif own.stated is not None or not matrix.columns:
                write_text(cell, in_short(own, "", _MOST) if own.value is None else value_text(own.value))
            if comment := quotes_of(own) or own.reason:
                cell.comment = Comment(redacted(inert(comment))[:_MOST_COMMENT], CREATOR)
    _write(book.create_sheet("Cells"), [MATRIX_HEADING, *_rows(matrix)])
    for place in range(2, len(matrix.questions) + 2):
        table.column_dimensions[table.cell(1, place).column_letter].width = _WIDTHS[1]
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def _rows(matrix: Matrix) -> Iterator[tuple[str, ...]]:
    titles = {document.id: document.title for document in matrix.documents}
    for cell in matrix.cells:
        yield (
            f"{cell.document_id} #{cell.record}" if cell.record else cell.document_id,
            titles[cell.document_id],
            str(cell.question),
            matrix.questions[cell.question - 1],
            CELL_WORDS[cell.status],
            cell.text,
            SUPPORTS[cell.support],
            cell.reason,
            "\n".join(quote.text for quote in cell.quotes),
            "\n".join(quote.place for quote in cell.quotes),
        )


def _write(sheet: Worksheet, rows: Sequence[Sequence[str]]) -> None:
    """Write rows of strings."""
    for number, row in enumerate(rows, start=1):
        for column, text in enumerate(row, start=1):
            write_text(sheet.cell(number, column), text)
    sheet.freeze_panes = "B2"
    sheet.column_dimensions["A"].width = _WIDTHS[0]


def write_text(cell: Any, text: str) -> None:
    """Write text into a cell; the type is explicit, because openpyxl reads a string that begins with = as a formula."""
    cell.value = redacted(inert(text))[:_MOST]
    cell.data_type = "s"
    if text.startswith(_FORMULA):  # so that the cell stays text when somebody edits it
        cell.quotePrefix = True
