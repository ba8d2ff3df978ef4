"""Shows the typed values of documents: as text, CSV, XLSX with the quotes as comments, and Parquet. Pure."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, NamedTuple

from pydantic import JsonValue
from rich.text import Text

from investigator.documents.own_results import CREATOR, EXTRACTION_HEADING
from investigator.errors import SettingsError
from investigator.records import CellStatus, Column, ColumnKind, ExtractedCell, Extraction, Support
from investigator.reports.columns import columns
from investigator.reports.export import csv_text
from investigator.reports.inert import inert, inert_line
from investigator.reports.matrix import CELL_WORDS, counts_line, readers_line
from investigator.reports.wording import SUPPORTS, plural, usage_line
from investigator.secrets import redacted

_WIDE, _NARROW, _MOST_ROWS, _SIDE_BY_SIDE = 60, 28, 60, 5
_MOST, _MOST_COMMENT = 32_000, 2_000


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


def extraction_text(extraction: Extraction) -> Text:
    """Return the values for a terminal: a table for few columns, otherwise a list for each line."""
    every = list(lines(extraction))
    shown, names = every[:_MOST_ROWS], [inert_line(column.name) for column in extraction.columns]
    size = f"Values: {plural(len(extraction.documents), 'document')}, {plural(len(names), 'column')}"
    if len(names) <= _SIDE_BY_SIDE:
        rows = [(_named(line), *(_shown(cells, _NARROW) for cells in line.cells)) for line in shown]
        body = [columns(rows, heading=("Document", *names), left=range(len(names) + 1))]
    else:
        body = [_listed(line, names) for line in shown]
    if len(every) > len(shown):
        body.append(Text(f"{len(every) - len(shown):,} more records: --report FILE.csv writes all."))
    problems = [
        inert_line(f"{document.document}: {problem}")
        for document in extraction.documents
        for problem in document.problems
    ]
    footer = (
        f"Cells: {counts_line(extraction)}.",
        inert_line(readers_line(extraction)),
        f"Used: {usage_line(extraction.usage, extraction.seconds)}",
        "The quotes behind each cell: --report FILE.xlsx or --json with the same command, at no extra cost.",
    )
    notes = [Text("\n".join(problems))] if problems else []
    return (
        Text("\n\n").join([Text(size, style="bold"), *body, *notes, Text("\n".join(footer), style="dim")]).append("\n")
    )


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
        return inert_line(f"{plain_value(cell.value)} {cell.unit}".strip(), most) + note
    return inert_line(": ".join(filter(None, (CELL_WORDS[cell.status], cell.text, cell.reason))), most)


def plain_value(value: JsonValue) -> str:
    """Return a value as a line of text."""
    if isinstance(value, list):
        return "; ".join(map(plain_value, value))
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


def _notes(line: Line, names: Sequence[str]) -> str:
    """Return for each value that is missing, or has a note, why."""
    notes = [
        f"{name}: {': '.join(filter(None, (CELL_WORDS[cell.status], cell.reason)))}"
        for name, cells in zip(names, line.cells, strict=True)
        for cell in cells[:1]
        if cell.status is not CellStatus.STATED or (cell.reason and cell.support is not Support.VERBATIM)
    ]
    return "; ".join(notes)


def _quoted(cells: Sequence[ExtractedCell]) -> str:
    return "\n".join(f"{quote.text} ({quote.place})" for cell in cells for quote in cell.quotes)


def _heading(extraction: Extraction) -> list[str]:
    names = [column.name for column in extraction.columns]
    return [*EXTRACTION_HEADING, *names, *(f"{name} quotes" for name in names)]


def extraction_csv(extraction: Extraction) -> str:
    """Return a row for each record: the values, then the quotes of each column."""
    names = [column.name for column in extraction.columns]
    rows = (
        [
            *(line.document, line.title, str(line.record or ""), _notes(line, names)),
            *(plain_value(cells[0].stated) if cells else "" for cells in line.cells),
            *map(_quoted, line.cells),
        ]
        for line in lines(extraction)
    )
    return csv_text(_heading(extraction), rows)


def extraction_xlsx(extraction: Extraction) -> bytes:
    """Return a workbook with typed values, and the quotes as comments."""
    from openpyxl import Workbook  # imported here because it is slow to import
    from openpyxl.comments import Comment

    book = Workbook()
    book.properties.creator = CREATOR
    sheet, names = book.active, [column.name for column in extraction.columns]
    sheet.title = "Values"
    fixed = len(EXTRACTION_HEADING)
    for place, name in enumerate([*EXTRACTION_HEADING, *names], start=1):
        _write(sheet.cell(1, place), name)
    for row, line in enumerate(lines(extraction), start=2):
        for place, text in enumerate((line.document, line.title, line.record or "", _notes(line, names)), start=1):
            _write(sheet.cell(row, place), text)
        for place, (column, cells) in enumerate(zip(extraction.columns, line.cells, strict=True), start=fixed + 1):
            value = cells[0].stated if cells else None
            typed = plain_value(value) if isinstance(value, list) else _dated(column, value)
            _write(cell := sheet.cell(row, place), typed)
            if comment := inert(redacted(_quoted(cells)))[:_MOST_COMMENT]:
                cell.comment = Comment(comment, CREATOR)
    sheet.freeze_panes = "B2"
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def _dated(column: Column, value: JsonValue) -> Any:
    """Return a value with its dates as such."""
    if isinstance(value, list):
        return [_dated(column, each) for each in value]
    return date.fromisoformat(value) if column.kind is ColumnKind.DATE and isinstance(value, str) else value


def _write(cell: Any, value: object) -> None:
    """Write a value; text that a program could read as a formula stays text."""
    if isinstance(value, str):
        cell.value = redacted(inert(value))[:_MOST]
        cell.data_type, cell.quotePrefix = "s", value.startswith(("=", "+", "-", "@"))
    else:
        cell.value = value


def extraction_parquet(extraction: Extraction) -> bytes:
    """Return a row for each record, with typed columns. Raises SettingsError if pyarrow is missing."""
    arrow, parquet = _arrow()
    every, names = list(lines(extraction)), [column.name for column in extraction.columns]
    fixed = [(line.document, line.title, str(line.record or ""), _notes(line, names)) for line in every]
    table: dict[str, Any] = {
        name: [redacted(row[place]) for row in fixed] for place, name in enumerate(EXTRACTION_HEADING)
    }
    kinds = {
        ColumnKind.NUMBER: arrow.float64(),
        ColumnKind.INTEGER: arrow.int64(),
        ColumnKind.DATE: arrow.date32(),
        ColumnKind.BOOLEAN: arrow.bool_(),
    }
    for number, column in enumerate(extraction.columns):
        own = kinds.get(column.kind, arrow.string())
        values = [_dated(column, line.cells[number][0].stated) if line.cells[number] else None for line in every]
        table[column.name] = arrow.array(values, arrow.list_(own) if column.is_list else own)
        table[f"{column.name} quotes"] = [redacted(_quoted(line.cells[number])) for line in every]
    written = io.BytesIO()
    parquet.write_table(arrow.table(table).replace_schema_metadata({"creator": CREATOR}), written)
    return written.getvalue()


def check_parquet() -> None:
    """Raise SettingsError if pyarrow is missing."""
    _arrow()


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow  # imported here because it is optional
        import pyarrow.parquet
    except ImportError as error:
        hint = 'Install it with: pip install "investigator[parquet]", or write .csv, .xlsx or .json.'
        raise SettingsError("Parquet files need the package pyarrow", hint=hint) from error
    return pyarrow, pyarrow.parquet
