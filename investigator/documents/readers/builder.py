"""Builds the text of a marked-up document, and records the positions of its headings, pages and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from investigator.documents.readers.base import Extracted, ReadFailure, marked_hidden
from investigator.documents.readers.flow import Flow
from investigator.documents.readers.rows import are_names, filled_lines, table_of
from investigator.documents.readers.table_recorder import GridCell, TableRecorder, shifted
from investigator.documents.readers.table_shape import CURRENCY_SIGN, is_value
from investigator.records import Heading, PageSpan, Table

_HEADER_REACH = 500  # repeat the column names of a table after this many characters
_CLOSING = re.compile(r"\)?\s?%|\)")


@dataclass(slots=True)
class _Row:
    """An unfinished table row: its cells with their texts, and whether the last one is open. `first` is True for the
    first row of a table; `header` is True if the file marks it as a header row.
    """

    first: bool
    header: bool
    cells: list[tuple[GridCell, Flow]] = field(default_factory=list)
    is_open: bool = False


class TextBuilder:
    """Collects words, breaks, cells and headings in reading order.

    The text never begins or ends with whitespace and has at most one empty line in a row. The cells of a table row are
    joined with ` | ` on one line, up to the first cell with several lines; each cell after that gets a line of its own.
    A merged cell is repeated in the rows and columns that it covers. In a long table the header rows are repeated at
    intervals, so that searches find rows together with their column names.
    """

    def __init__(self) -> None:
        self.pages: list[PageSpan] = []
        self._flow = self._document = Flow()
        self._rows: list[_Row] = []
        self._outer: list[Flow] = []
        self._recorder = TableRecorder()
        self._header = ""
        self._header_names: list[str] = []
        self._header_end = 0
        self._table_end = -1
        self._page: tuple[int, int] | None = None

    @property
    def text(self) -> str:
        """Return everything so far; rows that are open end."""
        self._end_rows()
        return self._document.text

    @property
    def headings(self) -> list[Heading]:
        """Return the headings so far, with their positions in the text."""
        return self._document.headings

    @property
    def tables(self) -> tuple[Table, ...]:
        """Return the tables so far, with their positions in the text."""
        recorded = self._recorder.tables(self.text, self.pages)
        return tuple(sorted((*recorded, *self._document.tables), key=lambda table: table.start))

    def extracted(
        self,
        title: str = "",
        authors: Iterable[str] = (),
        date: str | None = None,
        *,
        left_out: Iterable[ReadFailure] = (),
    ) -> Extracted:
        """Return everything collected so far as a reader's result."""
        text, pages, headings = self.text, tuple(self.pages), tuple(self.headings)
        return Extracted(text, title, pages, headings, tuple(authors), date, self.tables, tuple(left_out))

    def words(self, text: str) -> None:
        """Add running text; each run of spaces and line breaks becomes a single space."""
        self._flow.words(text)

    def verbatim(self, text: str) -> None:
        """Add text, keeping its inner whitespace; whitespace at its ends is delayed until the next word."""
        self._flow.verbatim(text)

    def note_marks(self, marks: Iterable[str]) -> None:
        """Name the marks that refer to notes of the document, where they are raised."""
        self._document.notes = frozenset(marks)

    def shifted(self, *, raised: bool = False, lowered: bool = False) -> None:
        """Begin superscript or subscript text, or end it: a superscript that refers to a note is not part of the
        preceding word, and an exponent is marked: 10^6.
        """
        self._flow.raised, self._flow.lowered = raised, lowered

    def line(self) -> None:
        """Begin a new line."""
        self._flow.line()

    def block(self) -> None:
        """Begin a new paragraph; inside a table, a new line."""
        self._flow.line(2)

    def paragraph(self, text: str) -> None:
        """Add text behind the beginning of a new paragraph."""
        self.block()
        self.verbatim(text)

    def begin_row(self, *, header: bool = False) -> None:
        """Begin a table row; `header` means that the file marks it as the header row."""
        flow = self._flow
        first = flow.length != self._table_end or flow.breaks > 1
        self._rows.append(_Row(first, header and first))

    def begin_cell(self, *, header: bool = False, rows: int = 1, columns: int = 1) -> None:
        """Begin a cell of the current row; outside a row, begin a line instead.

        `header` means that the file marks the cell as a header cell. The cell spans the given numbers of rows and
        columns; a cell of zero rows belongs to the cell above.
        """
        if not self._rows:
            self.line()
            return
        self.end_cell()
        row, flow = self._rows[-1], Flow(most_breaks=1, notes=self._document.notes)
        row.cells.append((GridCell("", rows=rows, columns=columns, header=header), flow))
        row.is_open = True
        self._outer.append(self._flow)
        self._flow = flow

    def end_cell(self) -> None:
        """End the cell; line breaks at its end are dropped."""
        if self._rows and self._rows[-1].is_open:
            row = self._rows[-1]
            row.is_open = False
            cell, flow = row.cells[-1]
            cell.text = flow.text
            self._flow = self._outer.pop()

    def end_row(self) -> None:
        """End the row; empty cells at its end are dropped."""
        if self._rows:
            self.end_cell()
            row = self._rows.pop()
            self._flow.line()
            cells = [cell for cell, _ in row.cells]
            if self._rows:
                self._write(row, cells)
            else:
                self._write_outer(row, self._recorder.placed(cells, new_table=row.first))
        self._flow.line()

    def hidden(self, part: TextBuilder) -> None:
        """Add the text of a part that the file does not show, with a mark on every line."""
        for line in filter(str.strip, part.text.split("\n")):
            self.line()
            self.verbatim(marked_hidden(line))

    def grid(self, cells: Sequence[Sequence[str]]) -> None:
        """Add a table of texts: a line for each row, in which each value follows the names of its column."""
        lines = filled_lines(cells)
        text = "\n".join(line.text for line in lines)
        self.verbatim(text)
        if table := table_of(lines, text):
            self._flow.tables += shifted((table,), self._flow.length - len(text))
        self.block()

    def row_or_cell(self, name: str, begins: bool, *, header: bool = False, columns: int = 1, rows: int = 1) -> None:
        """Begin or end an Office Open XML element `tr` (a row) or `tc` (a cell)."""
        if name == "tr":
            self.begin_row(header=header) if begins else self.end_row()
        else:
            self.begin_cell(columns=columns, rows=rows) if begins else self.end_cell()

    def begin_heading(self) -> None:
        """Begin a heading, which continues up to `end_heading`."""
        self._flow.begin_heading()

    def end_heading(self) -> None:
        """End the heading; an empty one is dropped."""
        self._flow.end_heading()

    def heading(self, text: str) -> None:
        """Add a heading."""
        self.begin_heading()
        self.verbatim(text)
        self.end_heading()

    def begin_page(self, number: int) -> None:
        """Begin page `number` (from 1); pages without text get no span."""
        self.end_page()
        self._document.page()
        self._page = (number, self._document.length)

    def end_page(self) -> None:
        """End the page."""
        self._end_rows()
        length = self._document.length
        if self._page is not None and length > self._page[1]:
            number, start = self._page
            begin = start + (2 if start else 0)
            self.pages.append(PageSpan(page=number, start=begin, end=length))
        self._page = None

    def _end_rows(self) -> None:
        while self._rows:
            self.end_row()

    def _write_outer(self, row: _Row, cells: Sequence[GridCell]) -> None:
        """Write a row of an outermost table, and record its cells; the header is repeated before it if it is due."""
        flow = self._document
        if row.first:
            self._header, self._header_names = "", []
        elif flow.length - self._header_end > _HEADER_REACH and self._header and are_names(self._header_names):
            flow.add(self._header)
            flow.line()
            self._header_end = flow.length
        spans = self._write(row, cells)
        own = [cell for cell in cells if not cell.copy]
        is_header = row.header or (bool(own) and all(cell.header for cell in own))
        self._recorder.record(spans, header=is_header)
        self._note_header(row, cells)
        self._table_end = flow.length

    def _note_header(self, row: _Row, cells: Sequence[GridCell]) -> None:
        """Note a header row, whose names stand below those of the header rows above it."""
        texts = [cell.text for cell in cells]
        named = 0
        for number, cell in enumerate(cells):
            named += cell.header or (cell.copy and named == number)
        goes_on = not self._header or self._header_end == self._table_end
        line = " | ".join(texts)
        if not (row.header or named == len(cells)) or not goes_on or len(cells) < 2 or not all(texts) or "\n" in line:
            return
        above = self._header_names if len(self._header_names) == len(cells) else [""] * len(cells)
        self._header = f"{self._header}\n{line}" if self._header and any(above) else line
        self._header_names = [f"{a} {c}".strip() if a != c else c for a, c in zip(above, texts, strict=True)]
        self._header_end = self._document.length

    def _write(self, row: _Row, cells: Sequence[GridCell]) -> list[tuple[GridCell, int, int]]:
        """Write the cells of a row, and return those with text that are no copies, with their spans.

        A sign in a separate cell is joined with its figure: "$ | 12", "(3 | )", "4 | %".
        """
        text, before, separators = "", GridCell(""), 0
        last: int | None = None  # the span of the cell that the text ends with; None behind a copy from above
        spans: list[tuple[GridCell, int, int]] = []
        starts: dict[int, int] = {}
        for number, cell in enumerate(cells):
            separators += number > 0
            joins = last is not None and not cell.copy and "\n" not in text and _belongs(before.text, cell.text)
            last = last if cell.copy and before.text == cell.text else None if cell.copy else len(spans)
            before = cell
            if not cell.text:
                continue
            if "\n" in text:
                text += "\n"
            elif joins:
                text += " " * (not cell.text.startswith(")"))
            elif text or self._flow.length:
                text += (" | " * separators).lstrip("" if text else None)
            starts[id(cell)], separators = len(text), 0
            text += cell.text
            if not cell.copy:
                spans.append((cell, starts[id(cell)], len(text)))
            if joins:
                spans[-2:] = [_joined(spans[-2], spans[-1])]
                last = len(spans) - 1
        self._flow.add(text)
        start = self._flow.length - len(text)
        for cell, flow in row.cells:
            if id(cell) in starts:
                self._flow.inner(flow, start + starts[id(cell)])
        return [(cell, start + begin, start + end) for cell, begin, end in spans]


def _belongs(before: str, text: str) -> bool:
    """Return True if two cells are a figure and its sign, in either order."""
    leads = CURRENCY_SIGN.fullmatch(before) is not None and is_value(text)
    return leads or (before[-1:].isdigit() and _CLOSING.fullmatch(text) is not None)


def _joined(first: tuple[GridCell, int, int], second: tuple[GridCell, int, int]) -> tuple[GridCell, int, int]:
    cell = second[0]
    if CURRENCY_SIGN.fullmatch(first[0].text) is None:
        cell.columns += cell.column - first[0].column
        cell.column = first[0].column
    return cell, first[1], second[2]
