"""Finds the rows of a table that belong in a list: all rows, those with a yes or a no in a column, or those with a
value. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from investigator.language.negation import negates
from investigator.language.terms import words
from investigator.questions.cues import cue_roots, patterns
from investigator.questions.related import root
from investigator.records import TableCell
from investigator.tables.asked import AskedTerm, TableQuestion, table_question
from investigator.tables.binding import TOTAL, WITHOUT
from investigator.tables.cells import TableView
from investigator.tables.document_tables import DocumentTables
from investigator.tables.naming import says, share_not_said
from investigator.tables.shape import CURRENCY_SIGN

_MOST_LISTED = 200
_PLURAL = r"(?-i:\b[^\W_]*[^\W\d_]{2}(?<![A-Zs])s\b)"
_VERB = r"(?:is|was|does|did|do|has|had|have|can|will|of|in|on|at|for|from)"
_LISTS = re.compile(
    rf"^\W*(?:what (?:are|were)\b.*?|what(?: (?!{_VERB}\b)[\w'’-]+){{0,3}}? (?!{_VERB}\b)"
    rf"|(?:which|list|name|show|find|give)\b.*?){_PLURAL}",
    re.IGNORECASE,
)
"""The first words of a question that asks for several things; "what is the share of women" asks for one."""
_ALL = re.compile(r"^\W*(?:list|name|show|find|give)\b", re.IGNORECASE)
_VALUES = re.compile(r"^\W*what(?:['’]s| is| was| are| were)\b", re.IGNORECASE)
_FEW = 20  # maximum number of rows that are all listed if a question names only a column: "What is the price?"
_MARKED = re.compile(r"\d")
_YES = frozenset(("yes", "y", "true", "✓", "✔", "✅", "ja", "oui", "sí"))
_DASHES = frozenset(("-", "–", "—"))
_NO = frozenset(("no", "n", "false", "✗", "✘", "❌", "nein", "non")) | _DASHES

Listed = tuple[TableView, TableCell]


def lists_rows(question: str) -> bool:
    """Return True if a question asks for several things, for example which products are vegan."""
    return _LISTS.match(question) is not None


def says_yes_or_no(value: str) -> bool | None:
    """Return the value of a yes/no cell; None for any other value, including a dash."""
    said = value.strip().casefold()
    return True if said in _YES else False if said in _NO and said not in _DASHES else None


def listed_cells(question: str, tables: DocumentTables) -> tuple[Listed, ...]:
    """Return the cells which show that their row belongs in the list; () if no column shows it."""
    asked = table_question(question)
    if not asked.terms:
        return ()
    values = tuple(_whole_column(asked, tables)) if _VALUES.match(question) else ()
    if values or not lists_rows(question):
        return values
    found = list(_said_yes_or_no(question, asked, tables))
    if (
        not found
        and not (WITHOUT.search(question) or TOTAL.search(question))
        and not patterns("lists")["compares"].search(question)
    ):
        for view in tables.views:
            found += _with_value(question, asked, view, tables)
    return tuple(found[:_MOST_LISTED])


def _whole_column(asked: TableQuestion, tables: DocumentTables) -> Iterator[Listed]:
    """Yield the values of a short table's column if header, title and caption together contain everything that is
    asked.
    """
    if asked.times or asked.conditions:
        return
    for view in tables.views:
        rows = list(_rows(view))
        over = tables.named(f"{view.caption} {tables.heading_over(view)}")
        for column, text in _headers(view).items() if len(rows) <= _FEW else ():
            header = tables.named(CURRENCY_SIGN.sub(" ", text))
            is_said = all(says(header, term) or says(over, term) for term in asked.terms)
            if is_said and header.telling and not header.not_said(asked.said) and column >= view.table.label_columns:
                yield from ((view, cell) for row in rows for cell in row if cell.column == column)


def _headers(view: TableView) -> dict[int, str]:
    """Return the lowest header of each column; none without header rows."""
    return {cell.column: view.words(cell) for row in range(view.table.header_rows) for cell in view.rows.get(row, ())}


def _said_yes_or_no(question: str, asked: TableQuestion, tables: DocumentTables) -> Iterator[Listed]:
    wanted = _NO if WITHOUT.search(question) else _YES
    for view in tables.views:
        yield from ((view, cell) for cell in _told(view, asked, tables) if _plain(view, cell) in wanted)


def _told(view: TableView, asked: TableQuestion, tables: DocumentTables) -> Iterator[TableCell]:
    """Yield the cells of yes/no columns named in a question, one set for each requested property."""
    columns: dict[int, list[TableCell]] = {}
    for cell in view.values():
        columns.setdefault(cell.column, []).append(cell)
    for cells in columns.values():
        if any(_plain(view, cell) not in _YES | _NO for cell in cells):
            continue
        header = tables.named(" ".join(view.column_headers(cells[0])))
        others = [term for term in asked.terms if not says(header, term)]
        names_it = len(others) < len(asked.terms) or not header.telling.isdisjoint(asked.optional)  # "paid"
        unsaid = share_not_said(header, asked.said | asked.optional, asked)
        if names_it and not unsaid and all(_is_of(view, term, tables) for term in others):
            yield from (cell for cell in cells if view.row_labels(cell.row))


def _is_of(view: TableView, term: AskedTerm, tables: DocumentTables) -> bool:
    """Return True if a table states that its rows are things of the kind that a word names."""
    corner = tables.named(" ".join((*(view.words(cell) for cell in view.rows.get(0, ())[:1]), view.caption)))
    over = tables.named(tables.heading_over(view))
    return says(corner, term) or says(over, term) or term.root in tables.about


def _with_value(question: str, asked: TableQuestion, view: TableView, tables: DocumentTables) -> Iterator[Listed]:
    """Yield the cells whose values meet the list's condition; all cells of a column that names the listed things."""
    if not view.table.header_rows:
        return
    headers = _headers(view)
    column = next((at for at, text in headers.items() if _names_all(text, asked, tables)), None)
    own = (view.caption, tables.heading_over(view), tables.document.id)
    if column is None and any(_names_all(text, asked, tables, whole=False) for text in own):
        column = min(headers)
    if column is not None:
        cells = (cell for row in _rows(view) for cell in row if cell.column == column and view.words(cell))
        yield from ((view, cell) for cell in cells if _ALL.match(question))
        return
    things = [term for term in asked.terms if _is_of(view, term, tables)]
    light = cue_roots("lists", "light")
    wanted = {term.root for term in asked.terms if term not in things and term.root not in light}
    wanted |= {word for word in words(question) if _MARKED.search(word)}
    is_first = bool(things) and asked.terms.index(things[0]) == 0
    if not is_first or not wanted:
        return
    for row in _rows(view):
        shown = _showing(wanted, row, view, headers)
        if shown is not None:
            yield view, shown


def _names_all(text: str, asked: TableQuestion, tables: DocumentTables, *, whole: bool = True) -> bool:
    """Return True if a text names everything the question asks for and, with `whole`, nothing else."""
    name = tables.named(CURRENCY_SIGN.sub(" ", text))
    is_all = not whole or not share_not_said(name, asked.said | asked.optional, asked)
    return is_all and all(says(name, term) for term in asked.terms)


def _rows(view: TableView) -> Iterator[tuple[TableCell, ...]]:
    return (cells for row, cells in view.rows.items() if row >= view.table.header_rows)


def _showing(
    wanted: set[str], row: tuple[TableCell, ...], view: TableView, headers: dict[int, str]
) -> TableCell | None:
    """Return the first cell of a row that contains some of the wanted words; None if the cells lack any of them. A
    header may contain a word if its cell contains another: "room 4".
    """
    left, shown = set(wanted), None
    for cell in row:
        value = view.words(cell)
        said = {word if _MARKED.search(word) else root(word) for word in words(value)}
        if not said & wanted or negates(value):
            continue
        left -= said | set(map(root, words(headers.get(cell.column, ""))))
        shown = shown or cell
    return shown if not left else None


def _plain(view: TableView, cell: TableCell) -> str:
    return view.words(cell).strip(" .*").casefold()
