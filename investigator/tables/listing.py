"""Finds the table rows for a requested list or count: all rows, or those that meet the question's conditions. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from investigator.language.negation import negates
from investigator.language.terms import words
from investigator.questions.cues import cue_roots, patterns
from investigator.questions.related import root, roots
from investigator.records import TableCell
from investigator.tables.asked import AskedTerm, TableQuestion, table_question
from investigator.tables.binding import TOTAL, WITHOUT
from investigator.tables.cell_values import currencies, gives_no_value, has_amount
from investigator.tables.cells import PlacedCell, TableView
from investigator.tables.document_tables import DocumentTables
from investigator.tables.naming import Named, says, share_not_said
from investigator.tables.shape import CURRENCY_SIGN, is_value
from investigator.tables.things import AskedThings, asked_things
from investigator.tables.times import TableTime, agrees, header_time

_MOST_LISTED = 2_000  # maximum number of rows listed from a document
_VALUES = re.compile(r"^\W*what(?:['’]s| is| was| are| were)\b", re.IGNORECASE)
_FEW = 20  # a whole column is listed, as for "What is the price?", up to this number of rows
_SHORTEST_VERB = 5  # minimum number of letters in a verb's root
_MOSTLY = 0.6  # minimum fraction of a column's non-empty cells
_YES = frozenset(("yes", "y", "true", "✓", "✔", "✅", "ja", "oui", "sí"))
_DASHES = frozenset(("-", "–", "—"))
_NO = frozenset(("no", "n", "false", "✗", "✘", "❌", "nein", "non")) | _DASHES


class ListedRow(NamedTuple):
    """A row that may belong to a list: the cell that names the item, and the cell that shows whether the item
    `belongs`.
    """

    view: TableView
    thing: TableCell
    shown: TableCell
    belongs: bool


def says_yes_or_no(value: str) -> bool | None:
    """Return the value of a yes/no cell; None for any other value, including a dash."""
    said = value.strip().casefold()
    return True if said in _YES else False if said in _NO and said not in _DASHES else None


def listed_cells(question: str, tables: DocumentTables) -> tuple[PlacedCell, ...]:
    """Return the cells that a question asks to list: all cells of a short column that it names, or one for each row."""
    if _VALUES.match(question) and (values := tuple(_whole_column(table_question(question), tables))):
        return values
    things = asked_things(question)
    if things is None or things.is_count:
        return ()
    return tuple((row.view, row.shown) for row in listed_rows(question, tables) if row.belongs)


def listed_rows(question: str, tables: DocumentTables) -> tuple[ListedRow, ...]:
    """Return one row for each thing that a question asks to list or count; () if no table lists such things.

    If no row meets the conditions, all rows are returned. Totals are excluded.
    """
    things = asked_things(question)
    if things is None or (WITHOUT.search(question) and (things.amounts or things.numbers)):
        return ()
    denies = WITHOUT.search(question) is not None
    every = [row for view in tables.views for row in _Rows(things, view, tables, denies)]
    found = [row for row in every if row.belongs] or every
    if things.kind[-1].root not in cue_roots("lists", "rows"):  # counted rows may be identical
        once: dict[tuple[str, ...], ListedRow] = {}
        for row in found:
            once.setdefault(tuple(words(row.view.words(row.thing))), row)
        found = list(once.values())
    return tuple(found[:_MOST_LISTED])


def names_things(question: str, tables: DocumentTables) -> bool:
    """Return True if a column of a table is named after the things that a question asks to list."""
    things = asked_things(question)
    headers = (tables.named(text) for view in tables.views for text in _headers(view).values())
    return things is not None and any(says(header, things.kind[-1]) for header in headers)


def _whole_column(asked: TableQuestion, tables: DocumentTables) -> Iterator[PlacedCell]:
    """Yield the values of a short table's column, if its header, title and caption contain every word of a question."""
    if asked.times or asked.conditions or not asked.terms:
        return
    for view in tables.views:
        rows = list(_body(view))
        over = tables.named(f"{view.caption} {tables.heading_over(view)}")
        for column, text in _headers(view).items() if len(rows) <= _FEW else ():
            header = tables.named(CURRENCY_SIGN.sub(" ", text))
            is_said = all(says(header, term) or says(over, term) for term in asked.terms)
            if is_said and header.telling and not header.not_said(asked.said) and column >= view.table.label_columns:
                yield from ((view, cell) for row in rows for cell in row if cell.column == column)


def _headers(view: TableView) -> dict[int, str]:
    """Return the lowest header of each column; empty if the table has no header rows."""
    return {cell.column: view.words(cell) for row in range(view.table.header_rows) for cell in view.rows.get(row, ())}


def _body(view: TableView) -> Iterator[tuple[TableCell, ...]]:
    return (cells for row, cells in view.rows.items() if row >= view.table.header_rows)


class _Rows:
    """The rows of a table that describe the requested things; each row says whether it meets all conditions."""

    def __init__(self, things: AskedThings, view: TableView, tables: DocumentTables, denies: bool) -> None:
        self._things, self._view, self._tables, self._denies = things, view, tables, denies
        self._headers = {column: tables.named(text) for column, text in _headers(view).items()}

    def __iter__(self) -> Iterator[ListedRow]:
        things, column = self._things, self._thing_column()
        if column is None or not all(map(self._is_source, things.source)):
            return
        left = [*(term for term in things.kind if not self._names_thing(term, column)), *things.conditions]
        left = [term for term in left if not self._is_verb_of_column(term)]
        measured: int | None = None
        if things.amounts:
            measured, left = self._measured(left)
            if measured is None:
                return
        elif things.times:
            measured = next(iter(self._of_time(self._figures)), None)
        flags, left = self._flags(left)
        wanted = {term.root for term in left if self._may_show(term)}
        if (
            (self._denies and not flags)
            or not self._is_in_time(measured)
            or not all(term.root in wanted or says(self._over, term) for term in left)
        ):
            return
        for cells in self._rows:
            by_column = {cell.column: cell for cell in cells}
            thing, value = by_column.get(column), by_column.get(measured) if measured is not None else None
            if thing is None or gives_no_value(self._view.words(thing)) or (measured is not None and value is None):
                continue
            shown = self._shown(cells, by_column, flags, {*wanted, *things.numbers})
            if shown is not None and not flags and {*wanted, *things.numbers} <= self._said_by_labels(cells[0].row):
                shown = thing
            belongs = shown is not None and (value is None or self._is_within(value))
            if belongs or value is not None or (flags and not wanted):
                is_plain = not (flags or wanted or things.numbers)
                yield ListedRow(self._view, thing, value or (thing if is_plain else shown) or thing, belongs)

    def _said_by_labels(self, row: int) -> frozenset[str]:
        return frozenset(word for label in self._view.row_labels(row) for word in (*words(label), *roots(label)))

    def _names_thing(self, term: AskedTerm, column: int) -> bool:
        """Return True if a word of the requested kind need not be matched in the rows, because it only names what is
        listed, or because the header of the listed column contains it.
        """
        header = self._headers.get(column)
        is_plain = term.root in cue_roots("lists", "plain") | cue_roots("lists", "rows")
        is_noun = term is self._things.kind[-1] and not self._is_kind_of_row
        return is_plain or is_noun or (header is not None and says(header, term))

    @cached_property
    def _is_kind_of_row(self) -> bool:
        """Return True if none of the table's names contains the requested kind, but values in exactly one column do:
        "Lead Engineer".
        """
        noun = self._things.kind[-1]
        if says(self._over, noun) or any(says(header, noun) for header in self._headers.values()):
            return False
        cells = [cell for cells in self._rows for cell in cells if noun.root in roots(self._view.words(cell))]
        return len({cell.column for cell in cells}) == 1 and not self._is_of_figures(cells[0].column)

    def _is_verb_of_column(self, term: AskedTerm) -> bool:
        """Return True if a verb corresponds to a header, as "supplies" does to the column "Supplier"."""
        doers = {own for named in self._headers.values() for own in named.every if own.endswith(("er", "or"))}
        return len(term.root) >= _SHORTEST_VERB and any(own[:-2].startswith(term.root[:-1]) for own in doers)

    def _is_source(self, term: AskedTerm) -> bool:
        """Return True if the table's names or the beginning of its document contain a word."""
        is_said = says(self._over, term) or any(says(header, term) for header in self._headers.values())
        return is_said or term.root in self._tables.about

    def _may_show(self, term: AskedTerm) -> bool:
        """Return True if a word is in a row, or in a header but not above the table: "room" in "room 4"."""
        is_in_row = any(term.root in roots(self._view.words(cell)) for cells in self._rows for cell in cells)
        is_over = any(says(header, term) for header in self._headers.values()) and not says(self._over, term)
        return is_in_row or is_over

    @cached_property
    def _rows(self) -> tuple[tuple[TableCell, ...], ...]:
        """Return the rows that describe things, without group headings and totals."""
        width = max((len(cells) for cells in self._view.rows.values()), default=0)
        filled = (cells for cells in _body(self._view) if len(cells) > 1 or width == 1)
        return tuple(cells for cells in filled if not self._is_total(cells))

    def _is_total(self, cells: Sequence[TableCell]) -> bool:
        label = self._view.words(cells[0])
        named = self._tables.named(TOTAL.sub(" ", label))
        table = self._tables.named(f"{self._view.caption} {self._view.stub} {self._tables.heading_over(self._view)}")
        own = {term.root for term in self._things.kind} | table.every | cue_roots("lists", "total")
        return patterns("lists")["sums"].search(label) is not None and named.telling <= own

    @cached_property
    def _figures(self) -> tuple[int, ...]:
        """Return the columns that mostly contain figures."""
        return tuple(column for column in self._headers if self._is_of_figures(column))

    def _is_of_figures(self, column: int) -> bool:
        values = [self._view.words(cell) for cells in self._rows for cell in cells if cell.column == column]
        return bool(values) and sum(map(is_value, values)) >= _MOSTLY * len(values)

    def _thing_column(self) -> int | None:
        """Return the column that names the things; None if the table is not about them.

        This is the column with a header that names the things or, if the title or caption names them, the first column
        if it has no header.
        """
        noun = self._things.kind[-1]
        asked = frozenset(one for term in self._things.kind for one in term.roots)
        own = [column for column, header in self._headers.items() if says(header, noun)]
        plain = cue_roots("lists", "plain")
        exact = [column for column in own if self._headers[column].telling <= asked | plain]
        if own:
            best = min(exact, key=lambda at: (len(self._headers[at].telling - asked), at), default=None)
            return None if best is None or (self._things.is_count and self._is_of_figures(best)) else best
        if not self._headers or noun.root in cue_roots("lists", "rows"):
            return 0 if self._headers else None
        if noun.root in cue_roots("lists", "several"):
            return self._people_column()
        first = self._headers.get(0)
        is_plain = first is None or first.telling <= asked | plain
        over = [*map(self._tables.named, (self._view.caption, self._tables.heading_over(self._view), self._name))]
        is_over = any(says(name, noun) for name in over)
        is_all = any(says(name, noun) and name.telling <= asked | plain for name in over)
        if (is_plain and is_over) or is_all:
            return 0
        return self._people_column() if self._is_kind_of_row else None

    def _people_column(self) -> int | None:
        people = cue_roots("lists", "people")
        return next((at for at, own in self._headers.items() if own.telling and own.telling <= people), None)

    @cached_property
    def _name(self) -> str:
        return self._tables.document.names

    @cached_property
    def _over(self) -> Named:
        view, tables = self._view, self._tables
        return tables.named(f"{view.caption} {tables.heading_over(view)} {view.stub} {self._name}")

    def _measured(self, left: Sequence[AskedTerm]) -> tuple[int | None, list[AskedTerm]]:
        """Return the column of figures to which the amounts refer, and the words that do not name this column.

        Its header contains a requested word or unit, or it is the only column about money, and the question asks for
        money. It is None if several columns fit equally well.
        """
        asked = " ".join((*(term.text for term in left), *(one.text for one in self._things.amounts)))
        wants_money = any(pattern.search(asked) for pattern in (patterns("lists")["priced"], CURRENCY_SIGN))
        units = frozenset(unit for one in self._things.amounts for unit in one.units)
        found: dict[int, tuple[int, list[AskedTerm]]] = {}
        for column in self._figures:
            header, own = self._headers[column], self._units(column)
            if units and own and units.isdisjoint(own):
                continue
            is_price = bool(own) or patterns("lists")["priced"].search(" ".join(sorted(header.spelled))) is not None
            words_of = [term for term in left if says(header, term) or (is_price and _asks_price(term))]
            if not header.telling:  # its header is missing, or only a time
                words_of += [term for term in left if term not in words_of and says(self._over, term)]
            if words_of or (units & own) or (is_price and (wants_money or not left)) or not header.telling:
                found[column] = (len(words_of), [term for term in left if term not in words_of])
        best = max((fit for fit, _ in found.values()), default=0)
        columns = self._of_time([column for column, (fit, _) in found.items() if fit == best])
        return (columns[0], found[columns[0]][1]) if len(columns) == 1 else (None, list(left))

    def _units(self, column: int) -> frozenset[str]:
        """Return the currencies in a column's header and first cell."""
        cells = (cell for cells in self._rows for cell in cells if cell.column == column)
        return frozenset(currencies(f"{_headers(self._view).get(column, '')} {self._view.words(next(cells))}"))

    def _of_time(self, columns: Sequence[int]) -> list[int]:
        """Return the columns with the requested time; if no time is requested, the columns with the newest one."""
        times = {column: self._time(column) for column in columns}
        if self._things.times:
            of_time = [column for column, time in times.items() if time and self._agree(time)]
            return of_time or [column for column, time in times.items() if time is None]
        known = [time.order for time in times.values() if time is not None]
        return [column for column, time in times.items() if not known or (time and time.order == max(known))]

    def _time(self, column: int) -> TableTime | None:
        time = header_time(" ".join(self._view.column_headers(TableCell(row=0, column=column, start=0, end=0))))
        return time if time is not None and time.year else None

    def _agree(self, time: TableTime) -> bool:
        return all(agrees(wanted, time) is True for wanted in self._things.times)

    def _is_in_time(self, measured: int | None) -> bool:
        """Return True if a column, the caption or the document shows that the table has the requested time."""
        if not self._things.times or (measured is not None and self._time(measured) is not None):
            return True
        caption = header_time(self._view.caption)
        return (caption is not None and self._agree(caption)) or all(map(self._tables.is_of, self._things.times))

    def _is_within(self, cell: TableCell) -> bool:
        quoted = self._view.quoted(cell)
        return all(has_amount(one, quoted) for one in self._things.amounts)

    def _flags(self, left: Iterable[AskedTerm]) -> tuple[tuple[int, ...], list[AskedTerm]]:
        """Return the yes/no columns that some of the words name, and the remaining words."""
        every = (*self._things.kind, *self._things.source, *self._things.conditions)
        said = self._things.said.union(*(term.roots for term in every))
        asked = table_question(" ".join(term.text for term in every))
        flags, others = list[int](), list[AskedTerm]()
        for term in left:
            named = (at for at, header in self._headers.items() if says(header, term) and self._is_flag(at))
            column = next((at for at in named if not share_not_said(self._headers[at], said, asked)), None)
            if column is None:
                others.append(term)
            else:
                flags.append(column)
        return tuple(dict.fromkeys(flags)), others

    def _is_flag(self, column: int) -> bool:
        values = [_plain(self._view, cell) for cells in self._rows for cell in cells if cell.column == column]
        return bool(values) and all(value in _YES | _NO for value in values)

    def _shown(
        self, cells: Sequence[TableCell], by_column: dict[int, TableCell], flags: Sequence[int], words_of: set[str]
    ) -> TableCell | None:
        """Return the cell that shows that a row meets the conditions, or its first cell if there are no conditions.
        Return None if the row does not meet the conditions.
        """
        wanted = _NO if self._denies else _YES
        marks = [by_column.get(at) for at in flags]
        if not all(mark is not None and _plain(self._view, mark) in wanted for mark in marks):
            return None
        if words_of:
            return _showing(words_of, cells, self._view)
        return marks[0] if marks else cells[0]


def _asks_price(term: AskedTerm) -> bool:
    return patterns("lists")["priced"].fullmatch(term.text) is not None


def _showing(wanted: set[str], row: Sequence[TableCell], view: TableView) -> TableCell | None:
    """Return the first cell in a row that contains any of the wanted words; None unless the row contains all of them.
    One of the words may be in the header of a cell that contains another of them: "room 4".
    """
    left, shown = set(wanted), None
    for cell in row:
        value = view.words(cell)
        said = {*words(value), *roots(value)}
        if not said & wanted or negates(value):
            continue
        left -= said | set(map(root, words(" ".join(view.column_headers(cell)[-1:]))))
        shown = shown or cell
    return shown if not left else None


def _plain(view: TableView, cell: TableCell) -> str:
    return view.words(cell).strip(" .*").casefold()
