"""Exports a matrix as CSV or XLSX. Text from documents never becomes a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from investigator.documents.own_results import CREATOR, MATRIX_HEADING
from investigator.records import Matrix
from investigator.reports.inert import inert
from investigator.reports.matrix import CELL_WORDS, in_short
from investigator.reports.wording import SUPPORTS
from investigator.secrets import redacted

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_MOST = 32_000  # maximum number of characters in a cell, slightly below Excel's limit
_WIDTHS = (28, 44)


def matrix_csv(matrix: Matrix) -> str:
    """Return the cells as CSV, one per line; text that a program could read as a formula gets a leading apostrophe."""
    return csv_text(MATRIX_HEADING, _rows(matrix))


def csv_text(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as CSV, with known secrets redacted; no program reads its cells as formulas."""
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow(heading)
    for row in rows:
        texts = map(inert, row)
        writer.writerow([f"'{text}" if text.startswith(_FORMULA) else text for text in texts])
    return redacted(written.getvalue())


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
    """Write rows of strings; the type is explicit, because openpyxl reads a string that begins with = as a formula."""
    for number, row in enumerate(rows, start=1):
        for column, text in enumerate(row, start=1):
            cell = sheet.cell(number, column, redacted(inert(text))[:_MOST])
            cell.data_type = "s"
            if text.startswith(_FORMULA):  # so that the cell stays text when somebody edits it
                cell.quotePrefix = True
    sheet.freeze_panes = "B2"
    sheet.column_dimensions["A"].width = _WIDTHS[0]
