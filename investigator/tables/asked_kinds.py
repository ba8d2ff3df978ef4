"""Decides from a cell's names whether the cell can contain the kind of figure that a question asks for. Pure; English
only.

"What did Dunlin cost?" names the row and the kind of figure, but no column. A figure in that row is a cost only if its
names, or its table, are about money; points and registration numbers are not.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from investigator.questions.answer_types import NO_FIGURES, AnswerType, required_type
from investigator.questions.constraints import counted_thing
from investigator.questions.cues import cue_roots, empty_words, patterns
from investigator.questions.kinds import kind_of
from investigator.questions.measured import is_unit
from investigator.questions.related import related_roots, root, roots
from investigator.records import QuestionKind, TableCell
from investigator.tables.asked import TableQuestion
from investigator.tables.cell_values import currencies, gives_no_value, timeless
from investigator.tables.cells import TableView
from investigator.tables.document_tables import DocumentTables
from investigator.tables.measures import is_unit_note
from investigator.tables.naming import Named, is_called

_HOW_MUCH = re.compile(r"(?<!by )\bhow much\b(?! (?:time|longer|older|later|earlier))", re.IGNORECASE)
_NAME_PART = r"(?:[A-ZÀ-ÖØ-Þ][\w.'’-]*|(?:de|von|van|der|di|da)\b)"
_PERSON = re.compile(rf"{_NAME_PART}(?:\s+{_NAME_PART})*")
_FREE = re.compile(
    r"\b(?:free|includ\w+|no charge|nothing|on request|price|waived|gratis|complimentary)\b", re.IGNORECASE
)
"""Matches words that a cell may contain instead of an amount of money."""


def is_of_asked_kind(asked: TableQuestion, tables: DocumentTables, view: TableView, cell: TableCell) -> bool:
    """Return False if a figure cannot be of the requested kind, because the question asks how much or how many and the
    figure's header names something else, or because the question asks for money and nothing describes the figure as
    money.
    """
    value = view.words(cell)
    header = " ".join(view.column_headers(cell))
    if not any(map(str.isdigit, value)):
        is_figure = asks_money(asked.text) and kind_of(asked.text) is not QuestionKind.YES_NO
        return not is_figure or gives_no_value(value) or _FREE.search(value) is not None
    if required_type(asked.text) in NO_FIGURES:
        return True
    names = tables.named(timeless(header))
    is_other = bool(names.not_said(asked.said) - _plain())
    is_much, wants_money = _HOW_MUCH.search(asked.text) is not None, asks_money(asked.text)
    if (asked.asks_count or is_much or wants_money) and is_other and patterns("columns")["identity"].search(header):
        return False
    if asked.asks_count:
        return not is_other or _is_counted(asked, names, view, cell)
    if wants_money or (is_much and is_other):
        return _is_money(tables, view, cell, header, value, has_name=bool(names.telling - _plain()))
    return True


def asked_label(asked: TableQuestion, tables: DocumentTables, view: TableView, row: int) -> TableCell | None:
    """Return the label in a row that a question asks for. This is the label under a header that the question names or,
    if the question asks for a person and another label gives the role, the person's name.
    """
    labels = [cell for cell in view.rows[row] if cell.column < view.table.label_columns]
    left = [cell for cell in labels if roots(view.words(cell)).isdisjoint(asked.said)]
    if not left or len(labels) == 1:
        return None
    headed = [cell for cell in left if is_called(tables.named(" ".join(view.column_headers(cell))), asked)]
    if headed:
        return headed[0] if len(headed) == 1 else None
    if required_type(asked.text) is not AnswerType.NAME or len(left) != 1 or not _PERSON.fullmatch(view.words(left[0])):
        return None
    header = roots(" ".join(view.column_headers(left[0])))
    return left[0] if not header.isdisjoint(cue_roots("lists", "people")) else None


@lru_cache(maxsize=256)
def asks_money(question: str) -> bool:
    """Return True if a question asks what something costs, or what somebody pays or earns."""
    return required_type(question) not in NO_FIGURES and patterns("columns")["asks_money"].search(question) is not None


@lru_cache(maxsize=4_096)
def says_money(text: str) -> bool:
    """Return True if a name shows that figures are amounts of money: "Fee (£)", "Turnover"."""
    plain = text.replace("_", " ")
    return bool(currencies(plain)) or patterns("columns")["money"].search(plain) is not None


def _is_counted(asked: TableQuestion, header: Named, view: TableView, cell: TableCell) -> bool:
    """Return True if the names of a cell contain the things that the question counts, or their unit."""
    thing = counted_thing(asked.text)
    same = {root(thing)} | related_roots(thing)
    if same & cue_roots("empty", "people"):
        same = same | cue_roots("empty", "counted_people")
    over = f"{view.caption} {view.unit} {view.stub} {' '.join(view.row_labels(cell.row))}"
    is_term = any(not term.roots.isdisjoint(header.every) for term in asked.terms)
    return is_term or not thing or is_unit(thing) or not same.isdisjoint(header.every | roots(over))


def _is_money(
    tables: DocumentTables, view: TableView, cell: TableCell, header: str, value: str, *, has_name: bool
) -> bool:
    """Return True if a cell or its header indicates money, or if the cell's other names do and the header does not
    contradict them. A column without a name contains the same kind of figures as the rest of its table.
    """
    if says_money(f"{header} {value}") or currencies(view.quoted(cell).measure):
        return True
    if patterns("columns")["other"].search(timeless(header)):
        return False
    over = (*view.row_labels(cell.row), view.caption, view.unit, tables.heading_over(view), tables.own_name)
    if any(map(says_money, over)) or is_unit_note(view.unit):
        return True
    return not has_name and says_money(view.all_words)


@cache
def _plain() -> frozenset[str]:
    return cue_roots("columns", "plain") | empty_words()
