"""Finds the rows of a table that a question identifies by their values, such as "invoice K-2" or "M42 by Greta Holm".
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from investigator.language.terms import words
from investigator.questions.cues import cue_roots
from investigator.questions.periods import periods
from investigator.questions.related import roots
from investigator.tables.asked import table_question
from investigator.tables.cells import TableView
from investigator.tables.document_tables import DocumentTables
from investigator.tables.naming import is_called
from investigator.tables.times import header_time

WITHOUT = re.compile(r"\b(?:not|no|non|without|free of|lack)\b|n['’]t\b", re.IGNORECASE)
TOTAL = re.compile(r"\b(?:total|sum|combined|altogether|in all|overall)\b", re.IGNORECASE)
_LONGEST_VALUE = 6  # maximum number of words
_EMPTY = frozenset(("", "-", "–", "—"))


class Binding:
    """The requirements that the rows of one table must meet to answer a question."""

    def __init__(self, question: str, tables: DocumentTables, view: TableView) -> None:
        self._view = view
        self._asks_total = TOTAL.search(question) is not None
        self._bound = _bound(question, tables, view)
        self._asked = () if WITHOUT.search(question) else tuple(_asked_columns(question, tables, view))

    def fits(self, row: int) -> bool:
        """Return True if a row meets these requirements: for each column, one of the named values is in the row or in
        its labels, headers or caption; no cell under a named header is empty; and the question does not ask for the
        total of several rows that include this one.
        """
        return self._has_values(row) and not (row in self._parts and len(self._parts) > 1)

    @cached_property
    def _parts(self) -> frozenset[int]:
        """Return the rows of a list whose total is requested, without the total row."""
        if not self._bound or not self._asks_total:
            return frozenset()
        flat = (row for row in self._view.rows if self._view.row_labels(row) and self._is_flat(row))
        return frozenset(row for row in flat if not TOTAL.search(self._words_of_row(row)) and self._has_values(row))

    def _is_flat(self, row: int) -> bool:
        """Return True if a row of a list has no heading row above it, which means that an empty cell in the row is an
        unknown value.
        """
        return len(self._view.row_labels(row)) == sum(
            cell.column < self._view.table.label_columns for cell in self._view.rows[row]
        )

    def _has_values(self, row: int) -> bool:
        cells = self._view.rows.get(row, ())
        filled = {cell.column for cell in cells if self._view.words(cell) not in _EMPTY}
        if row in self._view.rows and self._is_flat(row) and not filled.issuperset(self._asked):
            return False
        if not self._bound:
            return True
        said = self._words_of_row(row)
        return all(any(f" {' '.join(value)} " in said for value in values) for values in self._bound)

    def _words_of_row(self, row: int) -> str:
        """Return the folded words of a row and its names, cell by cell."""
        cells = self._view.rows.get(row, ())
        headers = (header for cell in cells for header in self._view.column_headers(cell))
        texts = (*map(self._view.words, cells), *self._view.row_labels(row), *headers, self._view.caption)
        return f" {' | '.join(' '.join(words(text)) for text in texts)} "


def _bound(question: str, tables: DocumentTables, view: TableView) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """Return the values that a question names, keyed by column. If the table has quantities, but no cell has the number
    that a question names ("300 cards"), no row fits.
    """
    about = roots(tables.own_name)
    found: dict[int, list[tuple[str, ...]]] = {}
    quantities = _quantity_columns(view)
    for value, columns in _values(question, view, quantities):
        if not roots(" ".join(value)) <= about:
            for column in columns:
                found.setdefault(column, []).append(value)
    if quantities:
        numbers: list[tuple[str, ...]] = [(word,) for word in words(question) if word.isdigit() and not periods(word)]
        if numbers and not any(number in view.named_values for number in numbers):
            found[min(quantities)] = numbers
    return tuple(map(tuple, found.values()))


def _values(
    question: str, view: TableView, quantities: frozenset[int]
) -> Iterator[tuple[tuple[str, ...], frozenset[int]]]:
    """Yield the values of a table that a question names, with their columns. A name has a capital, or letters and
    digits; times are not names. A number names a quantity: "500 cards".
    """
    parts = words(question)
    for start in range(len(parts)):
        for end in range(start + 1, min(len(parts), start + _LONGEST_VALUE) + 1):
            value = tuple(parts[start:end])
            for text, columns in view.named_values.get(value, {}).items():
                names = _is_name(text, question) and header_time(text) is None
                if names or (text.isdigit() and columns <= quantities):
                    yield value, columns


def _quantity_columns(view: TableView) -> frozenset[int]:
    headers = {column: roots(" ".join(view.column_headers(cell))) for column, cell in view.columns.items()}
    return frozenset(column for column, own in headers.items() if own & cue_roots("lists", "quantities"))


def _is_name(text: str, question: str) -> bool:
    has_digit, has_letter = any(map(str.isdigit, text)), any(map(str.isalpha, text))
    return has_letter and (has_digit or (any(map(str.isupper, text)) and text in question))


def _asked_columns(question: str, tables: DocumentTables, view: TableView) -> Iterator[int]:
    """Yield the columns for which the question contains every distinctive word of the header."""
    asked = table_question(question)
    for column, cell in view.columns.items():
        if is_called(tables.named(" ".join(view.column_headers(cell))), asked):
            yield column
