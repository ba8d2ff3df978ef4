"""Finds documents whose text, card, chunks or words in the workspace were altered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, func, select, text

from investigator.store.corpus_rows import card_words, chunk_words, stored_document
from investigator.store.database import Database
from investigator.store.row_codes import document_stands
from investigator.store.schema import chunks, documents, files

_WORDS = text("SELECT rowid, words FROM chunk_words WHERE rowid IN (SELECT id FROM chunks WHERE document_id = :id)")
_CARD = text("SELECT words FROM card_words WHERE rowid = :key")


def damaged_documents(database: Database, key: bytes) -> frozenset[str]:
    """Return the ids of documents with any damaged, forged or missing data except vectors.

    Loads every text, one at a time. Raises StoreError.
    """
    with database.begin() as connection:
        ids = connection.execute(select(documents.c.id)).scalars().all()
        lost = frozenset(connection.execute(without_text()).scalars())
    return lost | _damaged(database, key, ids)


def without_text() -> Select[Any]:
    """Return the query for files that contained text but have no document in the index."""
    gave = files.outerjoin(documents, documents.c.id == files.c.path)
    return select(files.c.path).select_from(gave).where(files.c.characters > 0, documents.c.id.is_(None))


def _damaged(database: Database, key: bytes, ids: Iterable[str]) -> frozenset[str]:
    found = set()
    for document_id in ids:
        with database.begin() as connection:
            row = connection.execute(select(documents).where(documents.c.id == document_id)).mappings().one()
            if not (document_stands(key, row) and _derived_stands(connection, row)):
                found.add(document_id)
    return frozenset(found)


def _derived_stands(connection: Connection, row: RowMapping) -> bool:
    """Return True if chunks and words match the text of an unaltered document."""
    document = stored_document(row)
    own = chunks.c.document_id == document.id
    spans = {one.id: (one.start, one.end) for one in connection.execute(select(chunks).where(own))}
    counted = connection.execute(select(func.coalesce(files.c.chunks, 0)).where(files.c.path == document.id)).scalar()
    words = {one.rowid: one.words for one in connection.execute(_WORDS, {"id": document.id})}
    derived = {i: chunk_words(document.text[start:end]) for i, (start, end) in spans.items()}
    card = connection.execute(_CARD, {"key": row["key"]}).scalar()
    return len(spans) == counted and words == derived and card == card_words(document)
