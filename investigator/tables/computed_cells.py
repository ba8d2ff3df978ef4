"""Finds the cells for a computation: of named rows, of all rows of a column, or of the periods of a row.
Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from operator import attrgetter

from investigator.language.units import unit_pattern
from investigator.questions.cues import patterns
from investigator.questions.related import roots
from investigator.records import Computation, Operation, TableCell
from investigator.tables.asked import AskedTerm, TableQuestion, table_question
from investigator.tables.cell_values import timeless
from investigator.tables.cells import PlacedCell, TableView
from investigator.tables.computing import computation, figure_in
from investigator.tables.document_tables import DocumentTables
from investigator.tables.lookup import FoundCell, best_cells
from investigator.tables.naming import says, share_not_said
from investigator.tables.operands import EXTREMES, AskedComputation, asked_computation
from investigator.tables.shape import CURRENCY_SIGN
from investigator.tables.times import TableTime, agrees, times_between

_MOST_OF_MEAN = 40  # maximum number of figures to average
_MOST_QUOTED = 12  # maximum number of ordered figures to quote
_FEWEST = 2

_Fit = tuple[int, float]
"""The number of words from the question that are in a header, and the share of the header's words that are not in the
question.
"""


@dataclass(frozen=True)
class ComputedCells:
    """A computed figure with the cells that it is computed from, in the order of the formula. `are_of_row` is True if
    the cells are the periods of one row.

    `count` is the number of figures among which the highest or lowest was found.
    """

    result: Computation
    cells: tuple[PlacedCell, ...]
    count: int
    are_of_row: bool = False


@lru_cache(maxsize=64)
def computed_cells(question: str, tables: DocumentTables) -> ComputedCells | None:
    """Return the figure that a question asks to compute from a document's tables. Return None if it asks for no
    computation, if a cell is missing or ambiguous, or if units, periods or subjects differ.
    """
    asked = asked_computation(question)
    if asked is None or not tables.views:
        return None
    for operands in asked.operands:
        found = _of_times(operands, tables) if asked.are_times else _of_rows(operands, tables)
        if found:
            cells = [(one.view, one.cell) for one in found]
            are_of_row = len({one.cell.row for one in found}) == 1
            return _computed(asked.operation, cells, question, are_of_row=are_of_row)
    if asked.operands:
        return None
    is_mean = asked.operation is Operation.MEAN
    if is_mean and any(one.is_met and _says_mean(one) for one in best_cells(question, tables)):
        return None
    if is_mean or patterns("extremes")["period"].search(question):
        periods = _periods_of_row(asked.about, tables)
        if periods:
            return _computed(asked.operation, periods, question, are_of_row=True)
    return _computed(asked.operation, _column(asked, tables), question)


def _computed(
    operation: Operation, cells: Sequence[PlacedCell], question: str, *, are_of_row: bool = False
) -> ComputedCells | None:
    """Return the result computed from the given cells, which are sorted first if the highest or lowest figure is
    requested.
    """
    if len(cells) < _FEWEST or (operation is Operation.MEAN and len(cells) > _MOST_OF_MEAN):
        return None
    asked, ordered = table_question(question), list(cells)
    if operation in EXTREMES:
        values = {cell: figure.value for view, cell in cells if (figure := figure_in(view.quoted(cell))) is not None}
        if len(values) < len(cells):
            return None
        ordered.sort(key=lambda place: values[place[1]], reverse=operation is Operation.MAXIMUM)
    quoted = [view.quoted(cell) for view, cell in ordered]
    every = computation(operation, *quoted, wants_share=asked.asks_share, wants_means=asked.asks_figure)
    if every is None or operation not in EXTREMES:
        return ComputedCells(every, tuple(ordered), len(cells), are_of_row) if every else None
    result = computation(operation, *quoted[:_MOST_QUOTED])
    return ComputedCells(result, tuple(ordered[:_MOST_QUOTED]), len(cells), are_of_row) if result else None


def _of_rows(operands: Sequence[str], tables: DocumentTables) -> tuple[FoundCell, ...]:
    """Return the cells of several rows in one column; () if one of them is ambiguous, or if the rows are about
    different things.
    """
    each = (next((one for one in best_cells(text, tables, most=1) if one.is_met), None) for text in operands)
    found = [one for text, one in zip(operands, each, strict=True) if one is not None and _is_named(text, one)]
    rows, places = {one.cell.row for one in found}, {(one.view.table.start, one.cell.column) for one in found}
    if len(rows) < len(operands) or len(places) != 1:
        return ()
    parents = {_labels(one.view, one.cell.row)[0] for one in found}
    return tuple(found) if len(parents) == 1 or not _repeats_rows(found[0].view) else ()


def _of_times(operands: Sequence[str], tables: DocumentTables) -> tuple[FoundCell, ...]:
    """Return the cells of one thing at several times, which are the columns or the rows of a table; () if one of them
    is ambiguous.
    """
    each = (next((one for one in best_cells(text, tables, most=1) if one.is_met), None) for text in operands)
    found = [one for text, one in zip(operands, each, strict=True) if one is not None and one.time_agrees]
    rows, columns = ({place(one.cell) for one in found} for place in (attrgetter("row"), attrgetter("column")))
    is_line = sorted((len(rows), len(columns))) == [1, len(operands)]
    return tuple(found) if is_line and len({one.view.table.start for one in found}) == 1 else ()


def _is_named(question: str, found: FoundCell) -> bool:
    """Return True if a row label consists of words from the question and words for money: "Staff costs" for "staff"."""
    said, money = table_question(question).said, patterns("carried")["money"]
    _, own = _labels(found.view, found.cell.row)
    return found.is_named_by_question or any(all(map(money.fullmatch, roots(label) - said)) for label in own)


def _repeats_rows(view: TableView) -> bool:
    """Return True if rows with equal labels occur under several headings, which then name different things, such as
    depots.
    """
    names = {_labels(view, row) for row in view.rows if row >= view.table.header_rows}
    return any(count > 1 for count in Counter(own for above, own in names if above).values())


def _labels(view: TableView, row: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the headings above a row, and its own labels, one for each column of labels."""
    every = view.row_labels(row)
    own = sum(cell.column < view.table.label_columns for cell in view.rows[row])
    return every[: len(every) - own], every[len(every) - own :]


def _says_mean(found: FoundCell) -> bool:
    names = (*found.view.row_labels(found.cell.row), *found.view.column_headers(found.cell), found.view.caption)
    return any(patterns("extremes")["mean"].search(f"{name} ") for name in names)


def _periods_of_row(about: str, tables: DocumentTables) -> list[PlacedCell]:
    """Return the cells of the row that a question names, for the periods that it names or for all periods; empty if one
    is missing.
    """
    times = table_question(about).times
    untimed = about
    for asked in times:
        untimed = untimed.replace(asked.words, " ") if asked.words else untimed
    row = next((one for one in best_cells(untimed, tables, most=1) if one.is_met and _is_named(untimed, one)), None)
    if row is None or row.time is None or len(times) == 1 or _lacks_rate(about, row.time):
        return []
    places = [(row.view, cell) for cell in row.view.rows[row.cell.row] if cell.column >= row.view.table.label_columns]
    places = [place for place in places if not _is_planned(_header(*place), about)]
    timed = [(place, time) for place in places if _is_period(_header(*place)) and (time := tables.time_of(*place))]
    if len(times) == _FEWEST and patterns("extremes")["span"].search(about):
        times = times_between(*times)
    found = [[place for place, time in timed if agrees(asked, time)] for asked in times]
    if times:
        return [own[0] for own in found] if all(len(own) == 1 for own in found) else []
    return [place for place, _ in timed]


def _is_period(header: str) -> bool:
    return patterns("extremes")["result"].search(header) is None


def _is_planned(header: str, question: str) -> bool:
    """Return True if a header describes planned figures but the question does not ask for them."""
    planned = patterns("modality")["figures_planned"]
    return planned.search(header.replace("_", " ")) is not None and planned.search(question) is None


def _lacks_rate(question: str, time: TableTime | None) -> bool:
    """Return True if a question asks for a rate, such as a monthly average, but the figures cover other periods."""
    return patterns("extremes")["rate"].search(question) is not None and (time is None or time.months not in (1, 3))


def _column(asked: AskedComputation, tables: DocumentTables) -> list[PlacedCell]:
    """Return the figures of the column that a question names, without totals; empty if several columns, or columns of
    several tables, fit equally well.
    """
    wanted = table_question(asked.about)
    is_rate = asked.operation is Operation.MEAN and _lacks_rate(asked.about, None)
    if not wanted.terms or len(wanted.times) > 1 or is_rate:
        return []
    found = sorted(_columns(wanted, asked.rows, tables), key=lambda one: one[:2], reverse=True)
    if len({view.table.start for _, _, cells in found for view, _ in cells[:1]}) != 1:
        return []
    return found[0][2] if len(found) == 1 or found[0][:2] != found[1][:2] else []


def _columns(
    asked: TableQuestion, kinds: Sequence[str], tables: DocumentTables
) -> Iterator[tuple[_Fit, tuple[int, ...], list[PlacedCell]]]:
    """Yield each column that a question may mean: how well it fits, its time, and its figures."""
    unsaid = roots(" ".join(kinds)).difference(*(term.roots for term in asked.terms))
    for view in tables.views:
        columns: dict[int, list[TableCell]] = {}
        for cell in view.values():
            if view.row_labels(cell.row) and any(map(str.isdigit, view.words(cell))):
                columns.setdefault(cell.column, []).append(cell)
        for cells in columns.values():
            rows = _rows_of(asked, view, cells, tables)
            if len(rows) < _FEWEST or not unsaid <= tables.about | roots(_over(view, cells[0], tables)):
                continue
            time, header = tables.time_of(view, rows[0]), tables.named(_header(view, rows[0]))
            if not _is_at(asked.times[0] if asked.times else None, time, tables):
                continue
            fit = sum(says(header, term) for term in asked.terms), -share_not_said(header, asked.said, asked)
            yield fit, time.order if time else (), [(view, cell) for cell in rows]


def _is_at(asked: TableTime | None, time: TableTime | None, tables: DocumentTables) -> bool:
    """Return True if a column has the requested time; if none is requested, a year or no time is accepted."""
    if time is None:
        return asked is None or tables.is_of(asked)
    is_part_of_year = bool(time.quarter or time.month or time.months not in (None, 12))
    if asked is None or not (asked.quarter or asked.month or asked.months):
        return not is_part_of_year and (asked is None or agrees(asked, time) is True)
    return agrees(asked, time) is True


def _rows_of(
    asked: TableQuestion, view: TableView, cells: Sequence[TableCell], tables: DocumentTables
) -> list[TableCell]:
    """Return the cells of a column that are of the requested kind: all of them if the header, the caption, the title or
    the corner of the table names that kind, otherwise those under a heading that names it. Totals and other results are
    omitted.
    """
    header = _header(view, cells[0])
    if (
        _is_planned(header, asked.text)
        or patterns("extremes")["change"].search(header)
        or _is_of_another_thing(header, asked, tables)
    ):
        return []
    names = tables.named(_over(view, cells[0], tables))
    is_said = any(says(names, term) for term in asked.terms)
    kept = _without_results(view, cells)
    if other := _opposite_kind(asked.text):
        labels = (label for cell in kept for label in view.row_labels(cell.row))
        if any(map(other.search, (view.caption, *labels))):
            is_said, kept = True, [cell for cell in kept if _is_under(view, cell, asked.terms, tables)]
    for term in asked.terms:
        if not says(names, term):
            under = [cell for cell in kept if _is_under(view, cell, (term,), tables)]
            if not under and term.root not in tables.about:
                return []
            is_said, kept = is_said or bool(under), under or kept
    return kept if is_said else []


def _is_of_another_thing(header: str, asked: TableQuestion, tables: DocumentTables) -> bool:
    """Return True if a header has words other than times and units, but shares none of them with the question:
    "Employees" below a title about costs.
    """
    name = tables.named(CURRENCY_SIGN.sub(" ", timeless(header)))
    if any(says(name, term) for term in asked.terms):
        return False
    spent = patterns("modality")["asks_spent"]
    others = name.not_said(asked.said | asked.optional)
    return any(not spent.fullmatch(word) and re.fullmatch(unit_pattern(), word) is None for word in others)


def _over(view: TableView, cell: TableCell, tables: DocumentTables) -> str:
    """Return the names of a column: its headers, the corner of the table, its caption and the heading above it."""
    return f"{_header(view, cell)} {view.caption} {tables.heading_over(view)} {view.stub}"


def _header(view: TableView, cell: TableCell) -> str:
    return " ".join(view.column_headers(cell))


def _is_under(view: TableView, cell: TableCell, terms: Sequence[AskedTerm], tables: DocumentTables) -> bool:
    """Return True if a heading above the row of a cell contains one of the given words."""
    above = tables.named(" ".join(_labels(view, cell.row)[0]))
    return any(says(above, term) for term in terms)


def _opposite_kind(question: str) -> re.Pattern[str] | None:
    """Return the words for income if a question asks for costs, and vice versa; None for other questions."""
    costs, income = (patterns("money_kinds")[name] for name in ("costs", "income"))
    return income if costs.search(question) else costs if income.search(question) else None


def _without_results(view: TableView, cells: Sequence[TableCell]) -> list[TableCell]:
    """Return the cells of rows that are not computed from other rows. A row is omitted if its label says total,
    average or balance, if its parts are listed below it, or if it is the sum of the rows before or after it. If two
    rows happen to add up to the next one, no cell is returned, because that row may be their sum.
    """
    cells = [cell for cell in cells if not _is_result(view, cell)]
    values = [figure.value if (figure := figure_in(view.quoted(cell))) else None for cell in cells]
    sums = {at: most for at in range(len(values)) if (most := _addends(values, at))}
    if any(most == _FEWEST for most in sums.values()):
        return []
    return [cell for at, cell in enumerate(cells) if at not in sums]


def _is_result(view: TableView, cell: TableCell) -> bool:
    indents = view.table.indents[cell.row : cell.row + 2]
    has_parts = len(indents) > 1 and indents[0] < indents[1]
    return has_parts or any(map(patterns("extremes")["result"].search, _labels(view, cell.row)[1]))


def _addends(values: Sequence[Fraction | None], at: int) -> int:
    """Return the number of adjacent values whose sum is the given value; 0 if there are none."""
    for around in (values[:at][::-1], values[at + 1 :]):
        total = Fraction(0)
        for count, value in enumerate(around, 1):
            total += value or 0
            if count >= _FEWEST and total == values[at]:
                return count
    return 0
