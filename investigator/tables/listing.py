"""The rows of a table that a list question selects: those with a yes, or a no, in the named column. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from investigator.records import TableCell
from investigator.tables.asked import TableQuestion, table_question
from investigator.tables.cells import TableView
from investigator.tables.document_tables import DocumentTables
from investigator.tables.naming import says, share_not_said

_MOST_LISTED = 50
_LISTS = re.compile(r"^\W*(?:which|what|list|name|show|find|give)\b.*?\b[^\W\d_]{3,}s\b", re.IGNORECASE)
_WITHOUT = re.compile(r"\b(?:not|no|non|without|free of|lack)\b|n['’]t\b", re.IGNORECASE)
_YES = frozenset(("yes", "y", "true", "✓", "✔", "✅", "ja", "oui", "sí"))
_NO = frozenset(("no", "n", "false", "✗", "✘", "❌", "nein", "non", "-", "–", "—"))


def lists_rows(question: str) -> bool:
    """Return True if a question asks for several things, for example which products are vegan."""
    return _LISTS.match(question) is not None


def listed_cells(question: str, tables: DocumentTables) -> tuple[tuple[TableView, TableCell], ...]:
    """Return the cells which show that their row belongs to the requested list; () if no column shows it."""
    asked = table_question(question)
    if not lists_rows(question) or not asked.terms:
        return ()
    wanted = _NO if _WITHOUT.search(question) else _YES
    found = ((view, cell) for view in tables.views for cell in _told(view, asked, tables))
    return tuple(one for one in found if _plain(one[0], one[1]) in wanted)[:_MOST_LISTED]


def _told(view: TableView, asked: TableQuestion, tables: DocumentTables) -> Iterator[TableCell]:
    """Yield the cells of yes/no columns named in a question, one set for each requested property."""
    columns: dict[int, list[TableCell]] = {}
    for cell in view.values():
        columns.setdefault(cell.column, []).append(cell)
    corner = tables.named(" ".join((*(view.words(cell) for cell in view.rows.get(0, ())[:1]), view.caption)))
    over = tables.named(tables.heading_over(view))
    for cells in columns.values():
        if any(_plain(view, cell) not in _YES | _NO for cell in cells):
            continue
        header = tables.named(" ".join(view.column_headers(cells[0])))
        others = [term for term in asked.terms if not says(header, term)]
        is_named = len(others) < len(asked.terms) and not share_not_said(header, asked.said, asked)
        if is_named and all(says(corner, term) or says(over, term) or term.root in tables.about for term in others):
            yield from (cell for cell in cells if view.row_labels(cell.row))


def _plain(view: TableView, cell: TableCell) -> str:
    return view.words(cell).strip(" .*").casefold()
