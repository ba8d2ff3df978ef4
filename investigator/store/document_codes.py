"""The codes by which a stored document is known to be as this program wrote it for this user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from sqlalchemy import RowMapping

from investigator.store.user_key import code, same_code

StoredRow: TypeAlias = Mapping[str, Any] | RowMapping

CARD = ("id", "content_hash", "title", "authors", "pages", "date", "headings", "imprint", "card", "reader", "text_code")
"""The columns of a document that the code of its card covers: all but text and tables, and the code of these."""


def with_codes(key: bytes, row: StoredRow) -> dict[str, Any]:
    """Return the row of a document with the codes of its text with its tables, and of its card."""
    sealed = {**row, "text_code": _text_code(key, row)}
    return {**sealed, "card_code": _card_code(key, sealed)}


def card_stands(key: bytes, row: StoredRow) -> bool:
    """Return True if the columns of a document but its text and tables are as they were written."""
    return same_code(_card_code(key, row), row["card_code"])


def document_stands(key: bytes, row: StoredRow) -> bool:
    """Return True if the whole row of a document is as it was written."""
    return card_stands(key, row) and same_code(_text_code(key, row), row["text_code"])


def _text_code(key: bytes, row: StoredRow) -> str:
    return code(key, "text", *(_typed(row[name]) for name in ("id", "content_hash", "reader", "text", "tables")))


def _card_code(key: bytes, row: StoredRow) -> str:
    return code(key, "card", *(_typed(row[name]) for name in CARD))


def _typed(value: Any) -> str:
    """Return a value with its type: a forged row may hold any type in any column."""
    return f"{type(value).__name__} {value}"
