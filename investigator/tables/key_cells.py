"""Chooses the cells that represent the tables of a document: totals, or else the rows of short tables. Pure."""

from __future__ import annotations

import re
from itertools import chain, zip_longest

from investigator.language.late_patterns import late
from investigator.records import TableCell
from investigator.tables.cells import PlacedCell, TableView
from investigator.tables.document_tables import DocumentTables
from investigator.tables.shape import is_time, is_value

_KEY = late(r"\b(?:total|sum|net|result|balance|average|mean|overall|gesamt|summe)\b", re.IGNORECASE)
_SHORT = 8  # maximum number of rows in a table that is shown without a total
_MOST_TABLES = 20
_NO_TIME = (0, 0, 0)


def key_cells(tables: DocumentTables, most: int) -> tuple[PlacedCell, ...]:
    """Return up to `most` cells, drawn evenly from the tables, in text order."""
    each = ([(view, cell) for cell in _of_table(view, tables)] for view in tables.views[:_MOST_TABLES])
    found = [one for one in chain.from_iterable(zip_longest(*each)) if one is not None][:most]
    return tuple(sorted(found, key=lambda one: one[1].start))


def _of_table(view: TableView, tables: DocumentTables) -> list[TableCell]:
    """Return the totals of the newest column, or of all columns if they have no times. Without totals, return all
    figures of the column if there are few.
    """
    columns: dict[int, list[TableCell]] = {}
    for cell in view.values():
        if view.row_labels(cell.row) and _is_figure(view.words(cell)):
            columns.setdefault(cell.column, []).append(cell)
    if not columns or not view.table.header_rows:
        return []
    cells = max(columns.values(), key=lambda own: (_order(view, own[0], tables), len(own), -own[0].column))
    every = cells if _order(view, cells[0], tables) > _NO_TIME else [cell for own in columns.values() for cell in own]
    totals = [cell for cell in every if _KEY.search(view.row_labels(cell.row)[-1])]
    return totals or (cells if len(cells) <= _SHORT else [])


def _order(view: TableView, cell: TableCell, tables: DocumentTables) -> tuple[int, int, int]:
    time = tables.time_of(view, cell)
    return time.order if time is not None else _NO_TIME


def _is_figure(text: str) -> bool:
    return is_value(text) and not is_time(text) and any(map(str.isdigit, text))
