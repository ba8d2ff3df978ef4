"""Computes and checks the codes that prove that a row is unchanged since this program wrote it for this user."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from sqlalchemy import Connection, Float, RowMapping, Select, Table

from investigator.store.schema import CODE, calls, intents, personal_facts
from investigator.store.user_key import code, same_code

StoredRow: TypeAlias = Mapping[str, Any] | RowMapping

_NOT_COVERED: Mapping[Table, frozenset[str]] = dict.fromkeys((calls, intents, personal_facts), frozenset({"id"}))
"""Columns that the code does not cover: row numbers from SQLite, which only order the rows."""

_CARD = (
    *("id", "content_hash", "title", "authors", "pages", "date", "headings", "imprint", "card", "reader"),
    "text_code",
)
"""The columns of a document's card: all except `text`, `tables` and the code that covers these two."""
_TEXT = ("id", "content_hash", "reader", "text", "tables")


def row_code(key: bytes, purpose: str, row: StoredRow, columns: Iterable[str]) -> str:
    """Return the code for the given columns of a row, including the types of the values."""
    return code(key, purpose, *(_typed(row[name]) for name in columns))


def with_code(key: bytes, table: Table, row: StoredRow) -> dict[str, Any]:
    """Return a row of the runs' database, with its code if its table has codes."""
    if CODE not in table.columns:
        return dict(row)
    values = {name: float(value) if _is_float(table, name, value) else value for name, value in row.items()}
    return {**values, CODE: row_code(key, table.name, values, _covered(table))}


def stands(key: bytes, table: Table, row: StoredRow) -> bool:
    """Return True if a row of the runs' database is unaltered."""
    return same_code(row_code(key, table.name, row, _covered(table)), str(row[CODE]))


def standing(
    connection: Connection, key: bytes, table: Table, query: Select[Any], **values: str
) -> Iterator[RowMapping]:
    """Yield the unaltered rows that a query, with these values, returns from a table of the runs' database."""
    rows = connection.execute(query, values).mappings()
    return (row for row in rows if stands(key, table, row))


def _covered(table: Table) -> list[str]:
    apart = _NOT_COVERED.get(table, frozenset())
    return [column.name for column in table.columns if column.name != CODE and column.name not in apart]


def _is_float(table: Table, name: str, value: Any) -> bool:
    """Return True if the value is an integer in a float column; SQLite returns such a value as a float."""
    return isinstance(value, int) and isinstance(table.columns[name].type, Float)


def _typed(value: Any) -> str:
    """Return a value with its type, because a forged row may contain any type in any column."""
    return f"str {value}" if isinstance(value, str) else f"{type(value).__name__} {value}"


def with_document_codes(key: bytes, row: StoredRow) -> dict[str, Any]:
    """Return the row of a document with two codes, one for its text with its tables, and one for its card."""
    sealed = {**row, "text_code": row_code(key, "text", row, _TEXT)}
    return {**sealed, "card_code": row_code(key, "card", sealed, _CARD)}


def card_stands(key: bytes, row: StoredRow) -> bool:
    """Return True if the columns of a document, except its text and tables, are unaltered."""
    return same_code(row_code(key, "card", row, _CARD), row["card_code"])


def document_stands(key: bytes, row: StoredRow) -> bool:
    """Return True if the whole row of a document is unaltered."""
    return card_stands(key, row) and same_code(row_code(key, "text", row, _TEXT), row["text_code"])
