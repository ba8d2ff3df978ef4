"""Prepares a document for display, with headings, paragraphs with line numbers, tables, and marked text. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

from investigator.records import Document
from investigator.records.tables import Table, TableCell

WINDOW = 30_000
"""Number of characters shown around a mark; the rest of a longer document is on other pages."""
_MOST_ROWS = 500
_BLANK_LINES = re.compile(r"\n{2,}")


class BlockKind(StrEnum):
    """The kind of a block of a document."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    TABLE = "table"


@dataclass(frozen=True)
class TextRun:
    """A piece of text that is either all marked or all unmarked."""

    text: str
    marked: bool = False


@dataclass(frozen=True)
class Cell:
    """A cell as displayed."""

    runs: tuple[TextRun, ...]
    rows: int
    columns: int
    is_header: bool


@dataclass(frozen=True)
class Block:
    """A heading, a paragraph or a table; `line` is the number of its first line of text, from 1."""

    kind: BlockKind
    line: int
    runs: tuple[TextRun, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class DocumentView:
    """The visible part of a document: its span in the text, its blocks, and the page on which the mark begins."""

    document: Document
    start: int
    end: int
    blocks: tuple[Block, ...]
    page: int | None

    @property
    def earlier(self) -> int | None:
        """Return the offset of the previous page; None for the first page."""
        return max(0, self.start - WINDOW) if self.start else None

    @property
    def later(self) -> int | None:
        """Return the offset of the next page; None for the last page."""
        return self.end if self.end < len(self.document.text) else None


def document_view(document: Document, mark: tuple[int, int] | None = None, at: int | None = None) -> DocumentView:
    """Return the part of a document around a marked span, or the part that starts at an offset."""
    text = document.text
    if mark is not None and not 0 <= mark[0] < mark[1] <= len(text):
        mark = None
    middle = mark[0] if mark is not None and at is None else None
    start = _line_start(text, min(max(0, at if at is not None else (middle or 0) - WINDOW // 2), len(text)))
    end = _line_end(text, max(start + WINDOW, min(mark[1], mark[0] + WINDOW) if mark is not None and at is None else 0))
    shown_at = middle if middle is not None else start
    page = next((span.page for span in document.pages if span.start <= shown_at < span.end), None)
    return DocumentView(document, start, end, tuple(_blocks(document, start, end, mark)), page)


def _blocks(document: Document, start: int, end: int, mark: tuple[int, int] | None) -> Iterator[Block]:
    text, headings = document.text, {heading.start for heading in document.headings}
    tables = [table for table in document.tables if table.cells and table.start < end and table.end > start]
    lines_before = text.count("\n", 0, start)

    def line(at: int) -> int:
        return lines_before + text.count("\n", start, at) + 1

    position, before = start, None
    for table in (*tables, None):
        for begin, finish in _paragraphs(text, position, end if table is None else table.start, headings):
            kind = BlockKind.HEADING if begin in headings else BlockKind.PARAGRAPH
            yield Block(kind, line(begin), _runs(text, begin, finish, mark))
        if table is not None and not (before is not None and _is_inside(table, before)):
            yield Block(BlockKind.TABLE, line(max(table.start, start)), rows=tuple(_rows(text, table, mark)))
            position, before = max(position, table.end), table


def _is_inside(table: Table, other: Table) -> bool:
    """Return True if a table is nested in another table, rather than merely being on the same lines."""
    return table.end <= other.end and any(cell.start <= table.start < cell.end for cell in other.cells)


def _paragraphs(text: str, start: int, end: int, headings: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the spans of paragraphs, without the line ends around them; a heading is a separate paragraph."""
    cuts = {start, max(start, end), *(blank.end() for blank in _BLANK_LINES.finditer(text, start, end))}
    for heading in headings:
        if start <= heading < end:
            stop = text.find("\n", heading, end)
            cuts |= {heading, end if stop < 0 else stop}
    for begin, stop in pairwise(sorted(cuts)):
        paragraph = text[begin:stop]
        if paragraph.strip():
            yield begin + len(paragraph) - len(paragraph.lstrip("\n")), begin + len(paragraph.rstrip("\n"))


def _rows(text: str, table: Table, mark: tuple[int, int] | None) -> Iterator[tuple[Cell, ...]]:
    rows: dict[int, list[TableCell]] = {}
    for cell in table.cells:
        rows.setdefault(cell.row, []).append(cell)
    covered = {
        (cell.row + below, cell.column + beside)
        for cell in table.cells
        for below in range(1, min(cell.rows, _MOST_ROWS))
        for beside in range(cell.columns)
    }
    near = [c.row for c in table.cells if mark and mark[0] < c.end and c.start < mark[1]]
    first = max(0, (near[0] if near else 0) - _MOST_ROWS // 2)
    for number in sorted(rows):
        if number < table.header_rows or first <= number < first + _MOST_ROWS:
            taken = {column for row, column in covered if row == number}
            yield tuple(_filled(text, table, sorted(rows[number], key=lambda cell: cell.column), taken, mark))


def _filled(
    text: str, table: Table, cells: Sequence[TableCell], taken: set[int], mark: tuple[int, int] | None
) -> Iterator[Cell]:
    """Yield the cells of a row, inserting an empty cell for each one that the record omits."""
    column = 0
    for cell in cells:
        for _ in set(range(column, cell.column)) - taken:
            yield Cell((), 1, 1, is_header=False)
        header = cell.row < table.header_rows or cell.column < table.label_columns
        yield Cell(_runs(text, cell.start, cell.end, mark), cell.rows, cell.columns, header)
        column = cell.column + cell.columns


def _runs(text: str, start: int, end: int, mark: tuple[int, int] | None) -> tuple[TextRun, ...]:
    if mark is None or mark[1] <= start or mark[0] >= end:
        return (TextRun(text[start:end]),)
    first, last = max(start, mark[0]), min(end, mark[1])
    parts = (TextRun(text[start:first]), TextRun(text[first:last], marked=True), TextRun(text[last:end]))
    return tuple(part for part in parts if part.text)


def _line_start(text: str, at: int) -> int:
    """Return the start of the line at an offset; if the line is too long to show, return the offset itself."""
    start = text.rfind("\n", 0, at) + 1
    return start if at - start < WINDOW else at


def _line_end(text: str, at: int) -> int:
    """Return the end of the line at an offset; if the line is too long to show, return the offset itself."""
    at = min(at, len(text))
    stop = text.find("\n", at, at + WINDOW)
    return stop if stop >= 0 else len(text) if len(text) - at <= WINDOW else at
