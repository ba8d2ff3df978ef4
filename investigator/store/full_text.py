"""Finds chunks and documents by the words of a query, ranked by BM25 (SQLite FTS5)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import text

from investigator.store.database import Database

_CHUNKS = """
    SELECT c.id, c.document_id, -bm25(chunk_words) AS score FROM chunk_words JOIN chunks c ON c.id = chunk_words.rowid
    WHERE chunk_words MATCH :query {where} ORDER BY score DESC, c.document_id, c.start LIMIT :limit
"""
_IN_FOLDER = text(_CHUNKS.format(where=""))
_IN_DOCUMENT = text(_CHUNKS.format(where="AND c.document_id = :document_id"))
_CARDS = text("""
    SELECT document_id, -bm25(card_words) AS score FROM card_words
    WHERE card_words MATCH :query ORDER BY score DESC, document_id LIMIT :limit
""")
_HOLDERS = """
    SELECT DISTINCT asked.key, c.document_id
    FROM json_each(?) AS asked CROSS JOIN chunk_words CROSS JOIN chunks c ON c.id = chunk_words.rowid
    WHERE chunk_words MATCH asked.value
"""
"""One statement for all words, because a long question has thousands, and executing a statement takes longer than the
search.
"""
_HOLDING = """
    SELECT c.id, c.document_id FROM chunk_words JOIN chunks c ON c.id = chunk_words.rowid WHERE chunk_words MATCH ?
"""
_MOST_ABSENT = 100_000  # maximum number of cached words


class ChunkMatch(NamedTuple):
    """A matching chunk, and its BM25 score (higher is better; comparable within one query)."""

    chunk_id: int
    document_id: str
    score: float


class FullText:
    """The full-text index of a workspace. Queries are plain words, never expressions in the index's query language.
    Words that no document contains are cached, because each word of a query costs time even if it finds nothing.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._absent: frozenset[str] = frozenset()

    def chunks(self, words: Sequence[str], limit: int, document_id: str | None = None) -> list[ChunkMatch]:
        """Return the best chunks that contain at least one of the words, in one document or in all."""
        words = [word for word in words if word not in self._absent]
        if not words:
            return []
        values = {"query": any_of(words), "limit": limit}
        if document_id is not None:
            values["document_id"] = document_id
        with self._database.begin() as connection:
            rows = connection.execute(_IN_FOLDER if document_id is None else _IN_DOCUMENT, values)
            return [ChunkMatch(*row) for row in rows]

    def cards(self, words: Sequence[str], limit: int) -> list[tuple[str, float]]:
        """Return (document id, BM25 score) for documents whose title, path, headings or first lines contain a word."""
        if not words:
            return []
        with self._database.begin() as connection:
            rows = connection.execute(_CARDS, {"query": any_of(words), "limit": limit})
            return [(document_id, score) for document_id, score in rows]

    def holders(self, phrases: Sequence[str]) -> dict[str, frozenset[str]]:
        """Return the documents that contain each word or phrase."""
        holders: list[set[str]] = [set() for _ in phrases]
        queries = json.dumps([any_of([phrase]) for phrase in phrases])
        with self._database.begin() as connection:
            for number, name in connection.exec_driver_sql(_HOLDERS, (queries,)):
                holders[number].add(name)
        absent = frozenset(phrase for phrase, names in zip(phrases, holders, strict=True) if not names)
        self._absent = absent if len(self._absent) > _MOST_ABSENT else self._absent | absent
        return {phrase: frozenset(names) for phrase, names in zip(phrases, holders, strict=True)}

    def holding(self, phrases: Sequence[str]) -> dict[int, str]:
        """Return the chunks that contain one of the given words or phrases, with their documents."""
        with self._database.begin() as connection:
            return dict(connection.exec_driver_sql(_HOLDING, (any_of(phrases),)).all()) if phrases else {}


def any_of(words: Sequence[str]) -> str:
    """Return the query for rows that contain at least one of the given words or phrases."""
    return " OR ".join('"' + word.replace('"', '""') + '"' for word in words)
