"""Shows the typed values of documents: as text, CSV, XLSX with the quotes as comments, and Parquet. Pure."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, NamedTuple

from pydantic import JsonValue
from rich.text import Text

from investigator.documents.own_results import CREATOR, EXTRACTION_HEADING
from investigator.errors import SettingsError
from investigator.records import CellStatus, Column, ColumnKind, ExtractedCell, Extraction, Support
from investigator.reports.columns import columns
from investigator.reports.export import csv_text, write_text
from investigator.reports.inert import inert, inert_line
from investigator.reports.matrix import CELL_WORDS, counts_line, readers_line
from investigator.reports.wording import SUPPORTS, plural, usage_line
from investigator.research.extraction import READ_FROM_TABLE
from investigator.resources.distribution import install_command
from investigator.secrets import redacted

_WIDE, _NARROW, _MOST_ROWS, _SIDE_BY_SIDE = 60, 28, 60, 5
_MOST_COMMENT = 2_000
_FIRST_DAY = date(1900, 3, 1)  # spreadsheets number the days before it differently


class Line(NamedTuple):
    """A record of a document, or the document itself if it has none, with the cells of each column."""

    document: str
    title: str
    record: int
    cells: Sequence[Sequence[ExtractedCell]]


def lines(extraction: Extraction) -> Iterator[Line]:
    """Yield a line for each record, with the values of its document repeated, or one for a document without records."""
    for document in extraction.documents:
        groups: dict[tuple[int, int], list[ExtractedCell]] = {}
        for cell in document.cells:
            groups.setdefault((cell.record, cell.question), []).append(cell)
        for record in sorted({cell.record for cell in document.cells if cell.record}) or [0]:
            cells = [
                groups.get((record if column.of_records else 0, number)) or groups.get((0, number), [])
                for number, column in enumerate(extraction.columns, start=1)
            ]
            yield Line(document.document, document.title, record, cells)


def _names(extraction: Extraction) -> list[str]:
    return [column.name for column in extraction.columns]


def extraction_text(extraction: Extraction) -> Text:
    """Return the values for a terminal: a table for few columns, otherwise a list for each line."""
    every = list(lines(extraction))
    shown, names = every[:_MOST_ROWS], list(map(inert_line, _names(extraction)))
    size = f"Values: {plural(len(extraction.documents), 'document')}, {plural(len(names), 'column')}"
    if len(names) <= _SIDE_BY_SIDE:
        rows = [(_named(line), *(_shown(cells, _NARROW) for cells in line.cells)) for line in shown]
        body = [columns(rows, heading=("Document", *names), left=range(len(names) + 1))]
    else:
        body = [_listed(line, names) for line in shown]
    if len(every) > len(shown):
        body.append(Text(f"{len(every) - len(shown):,} more records: --report FILE.csv writes all."))
    from_tables = sum(cell.reason == READ_FROM_TABLE for own in extraction.documents for cell in own.cells)
    footer = (
        f"Cells: {counts_line(extraction)}{f'; {READ_FROM_TABLE}: {from_tables:,}' if from_tables else ''}.",
        inert_line(readers_line(extraction)),
        f"Used: {usage_line(extraction.usage, extraction.seconds)}",
        "The quotes behind each cell: --report FILE.xlsx or --json with the same command, at no extra cost.",
    )
    problems = [inert_line(f"{own.document}: {text}") for own in extraction.documents for text in own.problems]
    body += [Text("\n".join(problems))] if problems else []
    return Text("\n\n").join([Text(size, style="bold"), *body, Text("\n".join(footer), style="dim")]).append("\n")


def _named(line: Line) -> str:
    return inert_line(line.document, _NARROW) + (f" #{line.record}" if line.record else "")


def _listed(line: Line, names: Sequence[str]) -> Text:
    rows = [
        (name, _shown(cells, _WIDE), inert_line(cells[0].quotes[0].place) if cells and cells[0].quotes else "")
        for name, cells in zip(names, line.cells, strict=True)
    ]
    return Text("\n").join([Text(_named(line), style="bold"), columns(rows, left=range(3))])


def _shown(cells: Sequence[ExtractedCell], most: int) -> str:
    """Return the value in a line, or the status and the reason."""
    if not cells:
        return ""
    cell = cells[0]
    if cell.status is CellStatus.STATED:
        note = "" if cell.support in (Support.VERBATIM, Support.SUPPORTED) else f" ({SUPPORTS[cell.support]})"
        return inert_line(f"{_as_text(cell.value)} {cell.unit}".strip(), most) + note
    return inert_line(": ".join(filter(None, (CELL_WORDS[cell.status], cell.text, cell.reason))), most)


def _heading(extraction: Extraction) -> list[str]:
    names = [f"values.{name}" if name in EXTRACTION_HEADING else name for name in _names(extraction)]
    return [*EXTRACTION_HEADING, *names, *(f"{name} quotes" for name in names)]


def _rows(extraction: Extraction) -> Iterator[list[Any]]:
    """Yield a row for each line: what is in the heading, with typed values, and the quotes of each column."""
    for line in lines(extraction):
        notes, values, quotes = list[str](), list[Any](), list[str]()
        for column, cells in zip(extraction.columns, line.cells, strict=True):
            first = cells[0] if cells else None
            if first and (first.status is not CellStatus.STATED or first.support is not Support.VERBATIM):
                why = [first.reason] if first.status is CellStatus.STATED else [CELL_WORDS[first.status], first.reason]
                notes += [": ".join([column.name, *filter(None, why)])] if any(why) else []
            values.append(_dated(column, first.stated) if first else None)
            quotes.append("\n".join(f"{quote.text} ({quote.place})" for cell in cells for quote in cell.quotes))
        yield [line.document, line.title, line.record or None, "; ".join(notes), *values, *quotes]


def _dated(column: Column, value: JsonValue) -> Any:
    """Return a value with its dates as such."""
    if isinstance(value, list):
        return [_dated(column, each) for each in value]
    return date.fromisoformat(value) if column.kind is ColumnKind.DATE and isinstance(value, str) else value


def extraction_csv(extraction: Extraction) -> str:
    """Return a row for each record: the values, then the quotes of each column."""
    return csv_text(_heading(extraction), ([_as_text(value) for value in row] for row in _rows(extraction)))


def _as_text(value: Any) -> str | int | float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, list):
        return "; ".join(str(_as_text(each)) for each in value)
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


def extraction_xlsx(extraction: Extraction) -> bytes:
    """Return a workbook with typed values, and the quotes as comments."""
    from openpyxl import Workbook  # imported here because it is slow to import
    from openpyxl.comments import Comment

    book = Workbook()
    book.properties.creator = CREATOR
    sheet, fixed, width = book.active, len(EXTRACTION_HEADING), len(extraction.columns)
    sheet.title, sheet.freeze_panes = "Values", "B2"
    rows = [_heading(extraction), *_rows(extraction)]
    for number, row in enumerate(rows, start=1):
        quotes = row[fixed + width :] if number > 1 else [""] * width
        for place, (value, quote) in enumerate(zip(row, [""] * fixed + quotes, strict=False), start=1):
            cell = sheet.cell(number, place)
            is_kept = isinstance(value, int | float | date) and not (isinstance(value, date) and value < _FIRST_DAY)
            if is_kept or value is None:
                cell.value = value
            else:
                write_text(cell, str(_as_text(value)))
            if quote:
                cell.comment = Comment(redacted(inert(quote))[:_MOST_COMMENT], CREATOR)
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def extraction_parquet(extraction: Extraction) -> bytes:
    """Return a row for each record, with typed columns. Raises SettingsError if pyarrow is missing."""
    arrow, parquet = parquet_library()
    kinds = {
        ColumnKind.NUMBER: arrow.float64(),
        ColumnKind.INTEGER: arrow.int64(),
        ColumnKind.DATE: arrow.date32(),
        ColumnKind.BOOLEAN: arrow.bool_(),
    }
    of_values = [kinds.get(column.kind, arrow.string()) for column in extraction.columns]
    types = [arrow.string(), arrow.string(), arrow.int64(), arrow.string()]
    types += [arrow.list_(own) if c.is_list else own for c, own in zip(extraction.columns, of_values, strict=True)]
    types += [arrow.string()] * len(of_values)
    rows = [[redacted(value) if isinstance(value, str) else value for value in row] for row in _rows(extraction)]
    arrays = [arrow.array([row[place] for row in rows], kind) for place, kind in enumerate(types)]
    table = arrow.table(dict(zip(_heading(extraction), arrays, strict=True)))
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
