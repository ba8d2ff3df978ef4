"""Defines a workbook as its readers give it, and writes it as text: a page per sheet, a line per row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from investigator.documents.readers.base import (
    Extracted,
    HiddenText,
    ReaderSettings,
    ReadFailure,
    hidden_parts,
    marked_hidden,
)
from investigator.documents.readers.builder import TextBuilder
from investigator.documents.readers.sheets.charts import unread_charts
from investigator.documents.readers.zip_files import Properties
from investigator.language.normalise import one_line
from investigator.records import FileStatus

Place = tuple[int, int]
"""A row and a column, counted from 0."""

_MOST_COVERED = 1_000


@dataclass(frozen=True)
class Merge:
    """A merged area: its first row and column, and the numbers of rows and columns that it covers."""

    row: int
    column: int
    rows: int
    columns: int


@dataclass
class Sheet:
    """A sheet: the shown texts of its cells by place, and what its reader knows besides.

    `hidden_rows`, `hidden_columns` and `hidden_cells` are not shown; `remarks` are comments, text boxes and charts, as
    lines; `drawn` are the kinds of the parts that its drawings use. `formulas` are the number formats of formulas
    without a stored value.
    """

    name: str
    hidden: bool = False
    cells: dict[Place, str] = field(default_factory=dict)
    merges: list[Merge] = field(default_factory=list)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    hidden_cells: set[Place] = field(default_factory=set)
    remarks: list[str] = field(default_factory=list)
    tables: list[tuple[str, list[list[str]]]] = field(default_factory=list)
    drawn: list[str] = field(default_factory=list)
    formulas: dict[Place, str] = field(default_factory=dict)


def written(
    sheets: Sequence[Sheet],
    settings: ReaderSettings,
    properties: Properties,
    left_out: Iterable[ReadFailure] = (),
) -> Extracted:
    """Return the text of a workbook, with a page and a heading for each sheet that has values.

    What is hidden is left out and counted, or marked, as `settings.hidden` says.
    """
    builder, marks = TextBuilder(), settings.hidden is HiddenText.MARK
    counts: Counter[str] = Counter()
    for number, sheet in enumerate(sheets, start=1):
        if not (sheet.cells or sheet.remarks or sheet.tables):
            continue
        if sheet.hidden and not marks:
            counts["sheet"] += 1
            continue
        counts.update(_hidden(sheet))
        _add(builder, number, sheet, marks=marks)
    builder.end_page()
    drawn = [kind for sheet in sheets for kind in sheet.drawn]
    reported = hidden_parts(settings.hidden, counts) + unread_charts(drawn)
    if pictures := drawn.count("image"):
        reported.append(ReadFailure(FileStatus.EMPTY, f"{pictures} picture{'' if pictures == 1 else 's'} not read"))
    extracted = builder.extracted(*properties, left_out=(*left_out, *reported))
    return extracted if builder.pages else replace(extracted, text="", headings=())


def _hidden(sheet: Sheet) -> Mapping[str, int]:
    """Return how many rows, columns and cells with values a sheet does not show."""
    filled_rows = {row for row, _ in sheet.cells}
    filled_columns = {column for row, column in sheet.cells if row not in sheet.hidden_rows}
    own = (p for p in sheet.hidden_cells if p[0] not in sheet.hidden_rows and p[1] not in sheet.hidden_columns)
    return {
        "row": len(filled_rows & sheet.hidden_rows),
        "column": len(filled_columns & sheet.hidden_columns),
        "cell": sum(1 for _ in own),
    }


def _add(builder: TextBuilder, number: int, sheet: Sheet, *, marks: bool) -> None:
    grid = grid_of(sheet, marks=marks)
    if not (grid or sheet.remarks or sheet.tables):
        return
    builder.begin_page(number)
    builder.heading(marked_hidden(sheet.name) if sheet.hidden else sheet.name)
    builder.grid(grid)
    for caption, table in sheet.tables:
        builder.paragraph(caption)
        builder.line()
        builder.grid(table)
    if sheet.remarks:
        builder.paragraph("\n".join(sheet.remarks))


def grid_of(sheet: Sheet, *, marks: bool) -> list[list[str]]:
    """Return the shown texts of a sheet as rows of equal length, from the first row and column in use.

    A merged area repeats its text in each row and column that it covers, unless nothing else stands beside it.
    """
    shown = sheet.cells | _covered(sheet) if sheet.merges else sheet.cells
    if sheet.hidden or sheet.hidden_rows or sheet.hidden_columns or sheet.hidden_cells:
        rows, columns = sheet.hidden_rows, sheet.hidden_columns
        hidden = {p for p in shown if sheet.hidden or p[0] in rows or p[1] in columns} | sheet.hidden_cells
        shown = {place: text for place, text in shown.items() if place not in hidden} | (
            {place: marked_hidden(one_line(shown[place])) for place in hidden} if marks else {}
        )
    used = sorted({column for _, column in shown})
    at = {column: number for number, column in enumerate(used)}
    table: dict[int, list[str]] = {}
    for (row, column), text in shown.items():
        table.setdefault(row, [""] * len(used))[at[column]] = text
    return [table[row] for row in sorted(table)]


def _covered(sheet: Sheet) -> dict[Place, str]:
    """Return the texts of merged areas in the cells that they cover."""
    cells, starts = sheet.cells, Counter(row for row, _ in sheet.cells)
    covered: dict[Place, str] = {}
    for merge in sheet.merges:
        text = cells.get((merge.row, merge.column), "")
        is_alone = starts[merge.row] == 1 and merge.rows == 1  # a title above the table
        if not text or is_alone or merge.rows * merge.columns > _MOST_COVERED:
            continue
        for row in range(merge.row, merge.row + merge.rows):
            for column in range(merge.column, merge.column + merge.columns):
                if (row, column) not in cells:
                    covered[row, column] = text
    return covered
