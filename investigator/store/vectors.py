"""The vectors of chunks, kept in the database so that Chroma can be built again without embedding anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import Select, delete, func, select, text, update

from investigator.engines.base import Vectors
from investigator.store.corpus import in_batches
from investigator.store.database import Database
from investigator.store.schema import chunks, gone_chunks, vectors

_PUT = text(
    "INSERT OR IGNORE INTO vectors (chunk_id, embedder, vector, in_chroma) "
    "SELECT id, :embedder, :vector, 0 FROM chunks WHERE id = :chunk_id"
)


class VectorTable:
    """Vectors of one embedder; those of another are in the same table and are never mixed in."""

    def __init__(self, database: Database, embedder: str) -> None:
        self._database = database
        self.embedder = embedder

    def missing(self) -> dict[str, tuple[int, ...]]:
        """Return the ids of chunks that have no vector yet, by document, in the order of the text."""
        query = self._without_vector(chunks.c.document_id, chunks.c.id).order_by(chunks.c.document_id, chunks.c.start)
        found: dict[str, list[int]] = {}
        with self._database.begin() as connection:
            for document_id, chunk_id in connection.execute(query):
                found.setdefault(document_id, []).append(chunk_id)
        return {document_id: tuple(ids) for document_id, ids in found.items()}

    def missing_count(self) -> int:
        """Return the number of chunks that have no vector yet."""
        with self._database.begin() as connection:
            return int(connection.execute(self._without_vector(func.count())).scalar_one())

    def _without_vector(self, *columns: Any) -> Select[Any]:
        own = (vectors.c.chunk_id == chunks.c.id) & (vectors.c.embedder == self.embedder)
        return select(*columns).select_from(chunks).outerjoin(vectors, own).where(vectors.c.chunk_id.is_(None))

    def get(self, chunk_ids: Sequence[int]) -> dict[int, Vectors]:
        """Return the vectors, each of shape (dimensions,), of those of the chunks that have one."""
        query = select(vectors.c.chunk_id, vectors.c.vector).where(vectors.c.embedder == self.embedder)
        found: dict[int, Vectors] = {}
        with self._database.begin() as connection:
            for part in in_batches(chunk_ids):
                for chunk_id, raw in connection.execute(query.where(vectors.c.chunk_id.in_(part))):
                    found[chunk_id] = np.frombuffer(raw, dtype="<f4")
        return found

    def put(self, chunk_ids: Sequence[int], rows: Vectors) -> None:
        """Keep the vectors of some chunks, one row each; skip chunks that have gone in the meantime."""
        values = [
            {"chunk_id": i, "embedder": self.embedder, "vector": row.astype("<f4").tobytes()}
            for i, row in zip(chunk_ids, rows, strict=True)
        ]
        if values:
            with self._database.begin() as connection:
                connection.execute(_PUT, values)

    def pending(self, limit: int) -> list[tuple[int, str, Vectors]]:
        """Return (chunk id, document id, vector) of vectors that Chroma does not hold yet, oldest first."""
        query = (
            select(vectors.c.chunk_id, chunks.c.document_id, vectors.c.vector)
            .join(chunks, chunks.c.id == vectors.c.chunk_id)
            .where(vectors.c.embedder == self.embedder, vectors.c.in_chroma == 0)
            .order_by(vectors.c.chunk_id)
            .limit(limit)
        )
        with self._database.begin() as connection:
            return [(i, doc, np.frombuffer(raw, dtype="<f4")) for i, doc, raw in connection.execute(query)]

    def mark_in_chroma(self, chunk_ids: Sequence[int]) -> None:
        """Note that Chroma holds the vectors of these chunks."""
        change = update(vectors).where(vectors.c.embedder == self.embedder).values(in_chroma=1)
        with self._database.begin() as connection:
            for part in in_batches(chunk_ids):
                connection.execute(change.where(vectors.c.chunk_id.in_(part)))

    def mark_none_in_chroma(self) -> None:
        """Note that Chroma holds none of these vectors."""
        with self._database.begin() as connection:
            connection.execute(update(vectors).where(vectors.c.embedder == self.embedder).values(in_chroma=0))

    def count_in_chroma(self) -> int:
        """Return the number of vectors that Chroma should hold."""
        return self._count(in_chroma=1)

    def pending_count(self) -> int:
        """Return the number of vectors that Chroma does not hold yet."""
        return self._count(in_chroma=0)

    def _count(self, in_chroma: int) -> int:
        own = (vectors.c.embedder == self.embedder) & (vectors.c.in_chroma == in_chroma)
        with self._database.begin() as connection:
            return int(connection.execute(select(func.count()).select_from(vectors).where(own)).scalar_one())

    def gone(self) -> tuple[int, ...]:
        """Return the chunk ids that Chroma may still hold although their chunks are gone."""
        with self._database.begin() as connection:
            return tuple(connection.execute(select(gone_chunks.c.chunk_id)).scalars())

    def clear_gone(self, chunk_ids: Sequence[int]) -> None:
        """Note that Chroma no longer holds these chunk ids."""
        with self._database.begin() as connection:
            for part in in_batches(chunk_ids):
                connection.execute(delete(gone_chunks).where(gone_chunks.c.chunk_id.in_(part)))
