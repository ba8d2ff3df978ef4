"""Prepares a document for display, with headings, paragraphs with line numbers, tables, and marked text. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup, escape

from investigator.records import Document
from investigator.records.tables import Table, TableCell
from investigator.reports.inert import inert

WINDOW = 30_000
"""Number of characters shown around a mark; the rest of a longer document is on other pages."""
_MOST_ROWS = 500
_SHORT = 20  # characters; a longer text with a figure may be wrapped
_NONE = Markup()
_BLANK_LINES = re.compile(r"\n{2,}")

Span = tuple[int, int]
"""The start and the end of a piece of a document's text."""


@dataclass(frozen=True)
class Cell:
    """A cell as displayed, with its text as HTML; `is_figure` if it is in a column of figures, `is_short` if it is a
    figure or a date, which is not wrapped.
    """

    text: Markup = _NONE
    rows: int = 1
    columns: int = 1
    is_header: bool = False
    is_figure: bool = False
    is_short: bool = False


@dataclass(frozen=True)
class Block:
    """A heading, a paragraph, or a table, which has rows; `line` is the number of its first line of text, from 1."""

    line: int
    text: Markup = _NONE
    rows: tuple[tuple[Cell, ...], ...] = ()
    is_heading: bool = False


@dataclass(frozen=True)
class DocumentView:
    """The visible part of a document: its blocks, the page on which the mark begins, and the offsets of the parts
    before and after it, if any.
    """

    document: Document
    blocks: tuple[Block, ...]
    page: int | None
    earlier: int | None
    later: int | None


def document_view(document: Document, mark: Span | None = None, at: int | None = None) -> DocumentView:
    """Return the part of a document around a marked span, or the part that starts at an offset."""
    text = document.text
    if mark is not None and not 0 <= mark[0] < mark[1] <= len(text):
        mark = None
    center = mark if at is None else None
    wanted = at if at is not None else (center[0] if center else 0) - WINDOW // 2
    start = _line_start(text, min(max(0, wanted), len(text)))
    end = _line_end(text, max(start + WINDOW, min(center[1], center[0] + WINDOW) if center else 0))
    shown_at = center[0] if center else start
    return DocumentView(
        document,
        tuple(_blocks(document, start, end, mark)),
        page=next((span.page for span in document.pages if span.start <= shown_at < span.end), None),
        earlier=max(0, start - WINDOW) if start else None,
        later=end if end < len(text) else None,
    )


def _blocks(document: Document, start: int, end: int, mark: Span | None) -> Iterator[Block]:
    text, headings = document.text, {heading.start for heading in document.headings}
    tables = [table for table in document.tables if table.cells and table.start < end and table.end > start]
    position, before, lines_before = start, None, text.count("\n", 0, start)

    def line(at: int) -> int:
        return lines_before + text.count("\n", start, at) + 1

    for table in (*tables, None):
        for begin, finish in _paragraphs(text, position, end if table is None else table.start, headings):
            yield Block(line(begin), _marked(text, begin, finish, mark), is_heading=begin in headings)
        if table is not None and not (before is not None and _is_inside(table, before)):
            yield Block(line(max(table.start, start)), rows=tuple(_rows(text, table, mark)))
            position, before = max(position, table.end), table


def _is_inside(table: Table, other: Table) -> bool:
    """Return True if a table is nested in another table, rather than merely being on the same lines."""
    return table.end <= other.end and any(cell.start <= table.start < cell.end for cell in other.cells)


def _paragraphs(text: str, start: int, end: int, headings: set[int]) -> Iterator[Span]:
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


def _rows(text: str, table: Table, mark: Span | None) -> Iterator[tuple[Cell, ...]]:
    """Yield the header and the rows around the mark."""
    rows: dict[int, list[TableCell]] = {}
    covered: dict[int, set[int]] = {}  # the columns that cells of earlier rows reach into, by row
    for cell in sorted(table.cells, key=lambda cell: (cell.row, cell.column)):
        rows.setdefault(cell.row, []).append(cell)
        for below in range(1, min(cell.rows, _MOST_ROWS)):
            covered.setdefault(cell.row + below, set()).update(range(cell.column, cell.column + cell.columns))
    near = next((cell.row for cell in table.cells if mark and mark[0] < cell.end and cell.start < mark[1]), 0)
    first = max(0, near - _MOST_ROWS // 2)
    figures = _figure_columns(text, table)
    for number, cells in rows.items():
        if number < table.header_rows or first <= number < first + _MOST_ROWS:
            yield tuple(_filled(text, table, cells, covered.get(number, set()), figures, mark))


def _figure_columns(text: str, table: Table) -> frozenset[int]:
    """Return the columns that contain nothing but figures below the header."""
    body = [cell for cell in table.cells if cell.row >= table.header_rows and text[cell.start : cell.end].strip()]
    others = {cell.column for cell in body if not _is_figure(text[cell.start : cell.end])}
    return frozenset(cell.column for cell in body) - others


def _is_figure(text: str) -> bool:
    return any(map(str.isdigit, text)) and not any(map(str.isalpha, text))


def _filled(
    text: str,
    table: Table,
    cells: Sequence[TableCell],
    taken: set[int],
    figures: frozenset[int],
    mark: Span | None,
) -> Iterator[Cell]:
    """Yield the cells of a row, inserting an empty cell for each one that the record omits."""
    column = 0
    for cell in cells:
        for _ in set(range(column, cell.column)) - taken:
            yield Cell()
        is_header = cell.row < table.header_rows or cell.column < table.label_columns
        own = text[cell.start : cell.end]
        is_short = len(own) <= _SHORT and any(map(str.isdigit, own))
        marked = _marked(text, cell.start, cell.end, mark)
        yield Cell(marked, cell.rows, cell.columns, is_header, cell.column in figures, is_short)
        column = cell.column + cell.columns


def _marked(text: str, start: int, end: int, mark: Span | None) -> Markup:
    """Return a piece of a text as HTML, with the part of it that belongs to the mark in a `mark` element."""
    first, last = (min(max(offset, start), end) for offset in mark or (end, end))
    before, marked, after = (escape(inert(text[a:b])) for a, b in ((start, first), (first, last), (last, end)))
    return before + (Markup("<mark>{}</mark>").format(marked) if marked else _NONE) + after


def _line_start(text: str, at: int) -> int:
    """Return the start of the line at an offset; if the line is too long to show, return the offset itself."""
    start = text.rfind("\n", 0, at) + 1
    return start if at - start < WINDOW else at


def _line_end(text: str, at: int) -> int:
    """Return the end of the line at an offset; if the line is too long to show, return the offset itself."""
    at = min(at, len(text))
    stop = text.find("\n", at, at + WINDOW)
    return stop if stop >= 0 else len(text) if len(text) - at <= WINDOW else at
