"""The codes that prove that a stored document is unchanged since this program wrote it for this user."""

from __future__ import annotations

from typing import Any

from investigator.store.row_codes import StoredRow, row_code
from investigator.store.user_key import same_code

CARD = ("id", "content_hash", "title", "authors", "pages", "date", "headings", "imprint", "card", "reader", "text_code")
"""The columns covered by the code of a document's card: all columns except text and tables, and the code of those
two.
"""

_TEXT = ("id", "content_hash", "reader", "text", "tables")


def with_codes(key: bytes, row: StoredRow) -> dict[str, Any]:
    """Return the row of a document with two codes: of its text with its tables, and of its card."""
    sealed = {**row, "text_code": row_code(key, "text", row, _TEXT)}
    return {**sealed, "card_code": row_code(key, "card", sealed, CARD)}


def card_stands(key: bytes, row: StoredRow) -> bool:
    """Return True if the columns of a document, except its text and tables, are unaltered."""
    return same_code(row_code(key, "card", row, CARD), row["card_code"])


def document_stands(key: bytes, row: StoredRow) -> bool:
    """Return True if the whole row of a document is unaltered."""
    return card_stands(key, row) and same_code(row_code(key, "text", row, _TEXT), row["text_code"])
