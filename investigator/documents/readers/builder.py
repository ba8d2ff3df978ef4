"""Builds the text of a marked-up document, and records the positions of its headings and pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from investigator.documents.readers.base import Extracted, ReadFailure, cleaned, marked_hidden
from investigator.documents.readers.covered_cells import CoveredCells
from investigator.documents.readers.raised_text import shifted_text
from investigator.documents.readers.rows import are_names, filled_lines, table_of
from investigator.documents.readers.table_recorder import TableRecorder, shifted
from investigator.documents.readers.table_shape import CURRENCY_SIGN, is_value
from investigator.records import Heading, PageSpan, Table

_LONGEST_SPAN = 5  # maximum number of digits
_HEADER_REACH = 500  # repeat the column names of a table after this many characters
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_CLOSING = re.compile(r"\)?\s?%|\)")
_BEFORE = 40  # characters before a raised text that decide what it is


@dataclass
class _TableRow:
    """An unfinished table row: the number of its cells, and whether it has text and cells with several lines. `first`
    is the index of the row's first piece of text; `header` is True if the file marks the row as a header row, and
    `header_cells` is the number of cells marked as headers. `cell` is the index of the open cell's first piece of text,
    `span` the numbers of rows and columns that it covers.
    """

    cells: int = 0
    started: bool = False
    tall: bool = False
    first: int = 0
    header: bool = False
    header_cells: int = 0
    cell: int = 0
    span: tuple[int, int] = (1, 1)


class TextBuilder:
    """Collects words, breaks, cells and headings in reading order.

    Breaks and spaces are delayed until the next word, so the text never begins or ends with whitespace and has at most
    one empty line in a row. The cells of a table row are joined with ` | ` on one line, up to the first cell with
    several lines; each cell after that gets a line of its own. A merged cell is repeated in the rows and columns that
    it covers. In a long table the header rows are repeated at intervals, so that searches find rows together with
    their column names.
    """

    def __init__(self) -> None:
        self.headings: list[Heading] = []
        self.pages: list[PageSpan] = []
        self._parts: list[str] = []
        self._length = 0
        self._breaks = 0
        self._blank = False
        self._raised = self._lowered = False
        self._notes: frozenset[str] = frozenset()
        self._separators = 0
        self._rows: list[_TableRow] = []
        self._header = ""
        self._header_names: list[str] = []
        self._header_end = 0
        self._covered = CoveredCells()
        self._table_end = -1
        self._fresh_cell = False
        self._cell_words = self._cell_before = ""
        self._heading: int | None = None
        self._page: tuple[int, int] | None = None
        self._recorder = TableRecorder()
        self._laid: list[Table] = []

    @property
    def text(self) -> str:
        """Return everything so far."""
        return "".join(self._parts)

    @property
    def tables(self) -> tuple[Table, ...]:
        """Return the tables so far, with their positions in the text."""
        return tuple(sorted((*self._recorder.tables(self.text, self.pages), *self._laid), key=lambda one: one.start))

    def extracted(
        self,
        *,
        title: str = "",
        authors: Iterable[str] = (),
        date: str | None = None,
        left_out: Iterable[ReadFailure] = (),
    ) -> Extracted:
        """Return everything collected so far as a reader's result."""
        return Extracted(
            text=self.text,
            title=title,
            pages=tuple(self.pages),
            headings=tuple(self.headings),
            authors=tuple(authors),
            date=date,
            tables=self.tables,
            left_out=tuple(left_out),
        )

    def words(self, text: str) -> None:
        """Add running text; each run of spaces and line breaks becomes a single space."""
        core = _BLANKS.sub(" ", text)
        if not core:
            return
        self._blank = self._blank or core[0] == " "
        if stripped := core.strip(" "):
            self._add(stripped)
            self._blank = core[-1] == " "

    def verbatim(self, text: str) -> None:
        """Add text, keeping its inner whitespace; whitespace at its ends is delayed as usual."""
        text = cleaned(text)
        core = text.strip()
        if not core:
            self._breaks = max(self._breaks, min(text.count("\n"), 2))
            self._blank = self._blank or bool(text)
            return
        begin = text.index(core)
        self._breaks = max(self._breaks, min(text[:begin].count("\n"), 2))
        self._blank = self._blank or begin > 0
        self._add(core)
        tail = text[begin + len(core) :]
        self._breaks = min(tail.count("\n"), 2)
        self._blank = bool(tail)

    def note_marks(self, marks: Iterable[str]) -> None:
        """Name the marks that refer to notes of the document, where they are raised."""
        self._notes = frozenset(marks)

    def raised(self, begins: bool) -> None:
        """Begin or end superscript text: a superscript that refers to a note is not part of the preceding word, and an
        exponent is marked: 10^6.
        """
        self._raised = begins

    def lowered(self, begins: bool) -> None:
        """Begin or end subscript text."""
        self._lowered = begins

    def line(self) -> None:
        """Begin a new line."""
        if not self._fresh_cell:
            self._breaks = max(self._breaks, 1)

    def block(self) -> None:
        """Begin a new paragraph; inside a table, a new line."""
        if not self._fresh_cell:
            self._breaks = max(self._breaks, 1 if self._rows else 2)

    def begin_row(self, *, header: bool = False) -> None:
        """Begin a table row; `header` means that the file marks it as the header row."""
        self._fresh_cell = False
        first = not self._rows and self._begins_table()
        if not self._rows:
            self._recorder.begin_row(new_table=first, header=header and first)
        self.line()
        if not self._rows:
            self._covered = CoveredCells() if first else self._covered
            self._covered.begin_row()
        self._rows.append(_TableRow(first=len(self._parts), header=header and first))
        self._separators = 0

    def begin_cell(self, *, header: bool = False, rows: int = 1, columns: int = 1) -> None:
        """Begin a cell of the current row; outside a row, begin a line instead.

        `header` means that the file marks the cell as a header cell. The cell spans the given numbers of rows and
        columns; a cell of zero rows belongs to the cell above.
        """
        if not self._rows:
            self.line()
            return
        row = self._rows[-1]
        if len(self._rows) == 1:
            for text in self._covered.before_cell(goes_on=rows == 0):
                self._repeat(text)
            self._recorder.begin_cell(header=header, rows=rows, columns=columns)
        self._begin_cell(row)
        row.header_cells += header
        row.cell, row.span = len(self._parts), (rows, columns)

    def _begin_cell(self, row: _TableRow) -> None:
        if row.tall:
            self._breaks = max(self._breaks, 1)
        elif row.cells:
            self._separators += 1
            self._breaks = 0 if row.started else self._breaks
        row.cells += 1
        self._fresh_cell = True
        self._cell_before, self._cell_words = self._cell_words if row.cells > 1 else "", ""

    def end_cell(self) -> None:
        """End the cell; line breaks at its end are dropped."""
        if self._rows:
            row = self._rows[-1]
            if row.started:
                self._breaks = 0
            if len(self._rows) == 1:
                self._end_outer_cell(row)
            self._fresh_cell = False

    def end_row(self) -> None:
        """End the row; empty cells at its end are dropped."""
        if self._rows:
            if len(self._rows) == 1:
                for text in self._covered.end_row():
                    self._repeat(text)
            row = self._rows.pop()
            if not self._rows:
                self._recorder.end_row()
                self._end_outer_row(row)
        self._separators = 0
        self._fresh_cell = False
        self.line()

    def laid_table(self, lines: str, table: Table) -> None:
        """Add the lines of a table with known cell positions."""
        self.verbatim(lines)
        self._laid += shifted((table,), self._length - len(lines))

    def hidden(self, part: TextBuilder) -> None:
        """Add the text of a part that the file does not show, with a mark on every line."""
        for line in filter(str.strip, part.text.split("\n")):
            self.line()
            self.verbatim(marked_hidden(line))

    def grid(self, cells: Sequence[Sequence[str]]) -> None:
        """Add a table of texts: a line for each row, in which each value follows the names of its column."""
        lines = filled_lines(cells)
        text = "\n".join(line.text for line in lines)
        if table := table_of(lines, text):
            self.laid_table(text, table)
        else:
            self.verbatim(text)
        self.block()

    def row_or_cell(self, name: str, begins: bool, *, header: bool = False, columns: int = 1, rows: int = 1) -> None:
        """Begin or end an Office Open XML element `tr` (a row) or `tc` (a cell)."""
        if name == "tr":
            self.begin_row(header=header) if begins else self.end_row()
        else:
            self.begin_cell(columns=columns, rows=rows) if begins else self.end_cell()

    def begin_heading(self) -> None:
        """Begin a heading, which continues up to `end_heading`."""
        self.block()
        self._heading = len(self._parts)

    def end_heading(self) -> None:
        """End the heading; an empty one is dropped."""
        if self._heading is not None:
            raw = "".join(self._parts[self._heading :])
            core = raw.strip(" |\n")
            if core:
                start = self._length - len(raw) + raw.index(core)
                self.headings.append(Heading(text=_BLANKS.sub(" ", core), start=start))
        self._heading = None
        self.block()

    def heading(self, text: str) -> None:
        """Add a heading."""
        self.begin_heading()
        self.verbatim(text)
        self.end_heading()

    def begin_page(self, number: int) -> None:
        """Begin page `number` (from 1); pages without text get no span."""
        self.end_page()
        self._rows.clear()
        self._separators = 0
        self._fresh_cell = False
        self._blank = False
        self._breaks = 2
        self._page = (number, self._length)

    def end_page(self) -> None:
        """End the page."""
        if self._page is not None and self._length > self._page[1]:
            number, start = self._page
            begin = start + (2 if start else 0)
            self.pages.append(PageSpan(page=number, start=begin, end=self._length))
        self._page = None

    def _begins_table(self) -> bool:
        """Return True if the next row is the first of its table; otherwise, repeat the header if it is due."""
        if self._length != self._table_end or self._breaks > 1:
            self._header, self._header_names = "", []
            return True
        if self._length - self._header_end > _HEADER_REACH and self._header and are_names(self._header_names):
            self.line()
            self._add_copy(self._header)
            self._header_end = self._length
        return False

    def _end_outer_cell(self, row: _TableRow) -> None:
        """Note what the cell covers; a cell that goes on from the row above gets the text of that cell."""
        rows, columns = row.span
        if rows == 0:
            text = self._covered.covered(columns)
            if text and len(self._parts) == row.cell:
                self._add_copy(text)
            return
        self._covered.end_cell("".join(self._parts[row.cell :]).strip(" |\n"), rows, columns)

    def _repeat(self, text: str) -> None:
        """Add a cell with the text of a merged cell that covers its place."""
        row = self._rows[-1]
        self._begin_cell(row)
        row.header_cells += row.header_cells == row.cells - 1
        if text:
            self._add_copy(text)
        self._fresh_cell = False

    def _add_copy(self, text: str) -> None:
        recorder, self._recorder = self._recorder, TableRecorder()  # the merged cell itself is recorded where it stands
        self._add(text)
        self._recorder = recorder

    def _end_outer_row(self, row: _TableRow) -> None:
        marked = row.header or row.cells == row.header_cells
        goes_on = self._header == "" or self._header_end == self._table_end
        if marked and goes_on and not row.tall:
            line = "".join(self._parts[row.first :]).strip()
            cells = line.split(" | ")
            if 1 < len(cells) == row.cells and all(cells):
                above = self._header_names if len(self._header_names) == len(cells) else [""] * len(cells)
                names = [f"{a} {c}".strip() if a != c else c for a, c in zip(above, cells, strict=True)]
                self._header = f"{self._header}\n{line}" if self._header and any(above) else line
                self._header_names, self._header_end = names, self._length
        self._table_end = self._length

    def _add(self, core: str) -> None:
        core = cleaned(core)
        if not core:
            return
        if self._fresh_cell and self._separators == 1 and len(self._rows) == 1 and not self._breaks:
            self._join_signs(core)
        if (self._raised or self._lowered) and self._parts and not (self._breaks or self._separators):
            before = "".join(self._parts[-3:])[-_BEFORE:]
            self._blank, core = shifted_text(before, core, self._notes, blank=self._blank, lowered=self._lowered)
        lead = self._lead() if self._parts else ""
        self._parts.append(lead + core)
        self._length += len(lead) + len(core)
        if self._rows:
            self._recorder.words(self._length - len(core), self._length)
        self._cell_words += core
        for row in self._rows:
            row.tall = row.tall or (row.started and self._breaks > 0)
            row.started = True
        self._breaks = self._separators = 0
        self._blank = self._fresh_cell = False

    def _join_signs(self, core: str) -> None:
        """Join a sign in a separate cell with its figure: "$ | 12", "(3 | )", "4 | %"."""
        leads = CURRENCY_SIGN.fullmatch(self._cell_before) is not None and is_value(core)
        if leads or (_CLOSING.fullmatch(core) and self._cell_before[-1:].isdigit()):
            self._recorder.joins(leads=leads)
            self._separators, self._blank = 0, not core.startswith(")")

    def _lead(self) -> str:
        """Return the whitespace and separators between the text so far and the next word."""
        if self._separators:
            joint = " | " * self._separators
            return "\n" * self._breaks + joint.lstrip() if self._breaks else joint
        return "\n" * self._breaks or (" " if self._blank else "")


def spanned(written: str | None) -> int:
    """Return the number of rows or columns given in an attribute of a cell; 1 if it is not a number."""
    value = (written or "").strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) < _LONGEST_SPAN else 1
