"""Typed values as a table for other programs: a row for each record, with the quotes of each column. Pure."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import date
from typing import Any

from investigator.documents.own_results import CREATOR, EXTRACTION_HEADING
from investigator.errors import SettingsError
from investigator.records import CellStatus, Column, ColumnKind, Matrix, MatrixCell, Support
from investigator.reports.matrix import CELL_WORDS
from investigator.resources.distribution import install_command
from investigator.secrets import redacted


def value_heading(matrix: Matrix) -> list[str]:
    """Return the names of what `value_rows` yields."""
    names = [column.name for column in columns_of(matrix)]
    own = [f"values.{name}" if name in EXTRACTION_HEADING else name for name in names]
    return [*EXTRACTION_HEADING, *own, *(f"{name} quotes" for name in names)]


def value_rows(matrix: Matrix) -> Iterator[list[Any]]:
    """Yield a row for each record: its document, what is missing or unsure, the typed values, and their quotes."""
    columns = columns_of(matrix)
    for row in matrix.rows():
        cells = list(zip(columns, row.cells, strict=True))
        notes = [f"{column.name}: {note}" for column, cell in cells if (note := _note(cell))]
        notes += row.document.problems if row.record <= 1 else ()
        values = [dated(column, cell.stated) for column, cell in cells]
        yield [
            *(row.document.id, row.document.title, row.record or None, "; ".join(notes)),
            *values,
            *map(quotes_of, row.cells),
        ]


def columns_of(matrix: Matrix) -> tuple[Column, ...]:
    """Return the columns of the schema, or the questions as columns of text."""
    return matrix.columns or tuple(Column(name=question, question=question) for question in matrix.questions)


def _note(cell: MatrixCell) -> str:
    """Return why a cell has no value, or what is unsure about it."""
    if cell.status is CellStatus.STATED:
        return "" if cell.support is Support.VERBATIM else cell.reason
    return ": ".join(filter(None, (CELL_WORDS[cell.status], cell.reason)))


def quotes_of(cell: MatrixCell) -> str:
    """Return the quotes of a cell with their places, a line each."""
    return "\n".join(f"{quote.text} ({quote.place})" for quote in cell.quotes)


def dated(column: Column, value: Any) -> Any:
    """Return a value with its dates as such."""
    if isinstance(value, list):
        return [dated(column, each) for each in value]
    return date.fromisoformat(value) if column.kind is ColumnKind.DATE and value is not None else value


def _redacted(value: Any) -> Any:
    """Return a value without known secrets, also inside lists."""
    if isinstance(value, list):
        return [_redacted(each) for each in value]
    return redacted(value) if isinstance(value, str) else value


def matrix_parquet(matrix: Matrix) -> bytes:
    """Return a row for each record, with typed columns. Raises SettingsError if pyarrow is missing."""
    arrow, parquet = parquet_library()
    kinds = {
        ColumnKind.NUMBER: arrow.float64(),
        ColumnKind.INTEGER: arrow.int64(),
        ColumnKind.DATE: arrow.date32(),
        ColumnKind.BOOLEAN: arrow.bool_(),
    }
    own = [(column, kinds.get(column.kind, arrow.string())) for column in columns_of(matrix)]
    types = [arrow.list_(kind) if column.is_list else kind for column, kind in own]
    types = [arrow.string(), arrow.string(), arrow.int64(), arrow.string(), *types, *([arrow.string()] * len(own))]
    rows = _redacted(list(value_rows(matrix)))
    arrays = [arrow.array([row[place] for row in rows], kind) for place, kind in enumerate(types)]
    table = arrow.Table.from_arrays(arrays, [redacted(name) for name in value_heading(matrix)])
    written = io.BytesIO()
    parquet.write_table(table.replace_schema_metadata({"creator": CREATOR}), written)
    return written.getvalue()


def parquet_library() -> tuple[Any, Any]:
    """Return pyarrow and its module for Parquet. Raises SettingsError if it is missing."""
    try:
        import pyarrow  # imported here because it is optional
        import pyarrow.parquet
    except ImportError as error:
        hint = f"Install it with: {install_command('parquet')}, or write .csv, .xlsx or .json."
        raise SettingsError("Parquet files need the package pyarrow", hint=hint) from error
    return pyarrow, pyarrow.parquet
