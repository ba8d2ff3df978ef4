"""Exports for other programs: an investigation as Markdown, a Word document, JSON and tables, and a matrix as CSV or
XLSX. Text from documents never becomes markup or a formula.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from investigator.reports.matrix import CELL_WORDS, in_short
from investigator.reports.schemas import Printed, stamped
from investigator.reports.wording import DECISIONS, SUPPORTS
from investigator.secrets import redacted

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_MOST = 32_000  # maximum number of characters in a cell, slightly below Excel's limit
_WIDTHS = (28, 44)
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
    """Return the cells as CSV, one per line; text that a program could read as a formula gets a leading apostrophe."""
    return csv_text(MATRIX_HEADING, _rows(matrix))


MATRIX_FORMATS: Mapping[str, Callable[[Matrix], bytes]] = {
    ".html": lambda matrix: matrix_page(matrix).encode("utf-8"),
    ".csv": lambda matrix: matrix_csv(matrix).encode("utf-8-sig"),
    ".xlsx": lambda matrix: matrix_xlsx(matrix),
    ".json": lambda matrix: inert_json_prose(stamped(Printed.MATRIX, matrix, indent=2)).encode("utf-8"),
}
"""The functions that write a matrix as a file, keyed by suffix."""


def csv_text(heading: Sequence[str], rows: Iterable[Sequence[str | int | float]]) -> str:
    """Return a table as CSV, with known secrets redacted; no program reads its cells as formulas."""
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow(heading)
    for row in rows:
        writer.writerow([_without_formula(inert(cell)) if isinstance(cell, str) else cell for cell in row])
    return redacted(written.getvalue())


def _without_formula(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def matrix_xlsx(matrix: Matrix) -> bytes:
    """Return the matrix as a workbook: the table, and all cells with their quotes. Every cell is text."""
    from openpyxl import Workbook  # imported here because it is slow to import

    book = Workbook()
    book.properties.creator = CREATOR
    table = book.active
    table.title = "Matrix"
    rows = [
        [document.id, *(in_short(cell, "", _MOST) for cell in matrix.row(number))]
        for number, document in enumerate(matrix.documents)
    ]
    _write(table, [["document", *matrix.questions], *rows])
    _write(book.create_sheet("Cells"), [MATRIX_HEADING, *_rows(matrix)])
    for column in range(2, len(matrix.questions) + 2):
        table.column_dimensions[table.cell(1, column).column_letter].width = _WIDTHS[1]
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def _rows(matrix: Matrix) -> Iterator[tuple[str, ...]]:
    titles = {document.id: document.title for document in matrix.documents}
    for cell in matrix.cells:
        yield (
            cell.document_id,
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
