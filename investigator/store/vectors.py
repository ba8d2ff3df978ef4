"""The vectors of chunks in the database; every search index is built from them and can be rebuilt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sqlalchemy import Row, Select, delete, func, select, text, update

from investigator.engines.base import Vectors
from investigator.store.corpus import in_batches
from investigator.store.database import Database
from investigator.store.schema import chunks, gone_chunks, vectors

_PUT = text(
    "INSERT INTO vectors (chunk_id, embedder, vector, in_chroma) "
    "SELECT id, :embedder, :vector, 0 FROM chunks WHERE id = :chunk_id "
    "ON CONFLICT (chunk_id, embedder) DO UPDATE SET vector = excluded.vector, in_chroma = 0"
)
_BLOCK = 8192  # number of rows read at a time: 12 MB at 384 dimensions
_WINDOW = 512  # number of damaged rows recomputed at a time
_OFF_LENGTH = 0.002  # maximum deviation of a row's squared length from 1

Remake: TypeAlias = Callable[[Sequence[int]], dict[int, Vectors]]
"""Recomputes the vectors of the given chunks; chunks deleted in the meantime are omitted."""


class VectorMatch(NamedTuple):
    """A chunk near a query, and the cosine similarity between the two (-1..1)."""

    chunk_id: int
    document_id: str
    similarity: float


@dataclass(frozen=True)
class VectorBlock:
    """The vectors of the given chunks, one row of shape (dimensions,) each, and the documents of the chunks."""

    chunk_ids: list[int]
    document_ids: Sequence[str]
    rows: Vectors


class VectorTable:
    """The vectors computed by one embedder. The same table contains the vectors of other embedders, but they are never
    mixed.

    Each row that is read must have the expected size and unit length. A damaged row is deleted and, with `remake`,
    computed and stored again.
    """

    def __init__(self, database: Database, embedder: str, remake: Remake | None = None) -> None:
        self.database = database
        self.embedder = embedder
        self._remake = remake

    def missing(self) -> dict[str, tuple[int, ...]]:
        """Return the ids of chunks without a vector, grouped by document, in text order."""
        query = self._without_vector(chunks.c.document_id, chunks.c.id).order_by(chunks.c.document_id, chunks.c.start)
        return chunks_by_document(self.database, query)

    def missing_count(self) -> int:
        """Return the number of chunks without a vector."""
        with self.database.begin() as connection:
            return int(connection.execute(self._without_vector(func.count())).scalar_one())

    def _without_vector(self, *columns: Any) -> Select[Any]:
        own = (vectors.c.chunk_id == chunks.c.id) & (vectors.c.embedder == self.embedder)
        return select(*columns).select_from(chunks).outerjoin(vectors, own).where(vectors.c.chunk_id.is_(None))

    def get(self, chunk_ids: Sequence[int], dimensions: int | None = None) -> dict[int, Vectors]:
        """Return the existing vectors, each of shape (dimensions,), for the given chunks. Without `dimensions`, the
        length of most rows is the expected length.
        """
        rows: dict[int, Vectors] = {}
        for block in self._parts(chunk_ids, dimensions):
            rows |= zip(block.chunk_ids, block.rows, strict=True)
        return rows

    def matches(self, chunk_ids: Sequence[int], vector: Vectors, limit: int) -> list[VectorMatch]:
        """Return the nearest of the given chunks to a unit vector of shape (dimensions,), nearest first."""
        blocks = self._parts(chunk_ids, len(vector))
        return best_matches([match for block in blocks for match in compared(block, vector)], limit)

    def _parts(self, chunk_ids: Sequence[int], dimensions: int | None) -> Iterator[VectorBlock]:
        for part in in_batches(chunk_ids):
            yield self._block(self._stored().where(vectors.c.chunk_id.in_(part)), dimensions)

    def blocks(self, dimensions: int) -> Iterator[VectorBlock]:
        """Yield all vectors in the order of their chunk ids, a few thousand at a time."""
        last = -1
        while True:
            query = self._stored().where(vectors.c.chunk_id > last).order_by(vectors.c.chunk_id).limit(_BLOCK)
            rows = self._rows(query)
            if not rows:
                return
            last = rows[-1].chunk_id
            yield self._checked(rows, dimensions)

    def put(self, chunk_ids: Sequence[int], rows: Vectors) -> None:
        """Store the vectors of the given chunks, one row each; chunks deleted in the meantime are skipped."""
        values = [
            {"chunk_id": i, "embedder": self.embedder, "vector": row.astype("<f4").tobytes()}
            for i, row in zip(chunk_ids, rows, strict=True)
        ]
        if values:
            with self.database.begin() as connection:
                connection.execute(_PUT, values)

    def count(self) -> int:
        """Return the number of vectors."""
        return self._count()

    def pending(self, limit: int) -> VectorBlock:
        """Return the vectors that Chroma does not have yet, oldest first."""
        query = self._stored().where(vectors.c.in_chroma == 0).order_by(vectors.c.chunk_id).limit(limit)
        return self._block(query, None)

    def mark_in_chroma(self, chunk_ids: Sequence[int]) -> None:
        """Mark the vectors of these chunks as present in Chroma."""
        change = update(vectors).where(vectors.c.embedder == self.embedder).values(in_chroma=1)
        with self.database.begin() as connection:
            for part in in_batches(chunk_ids):
                connection.execute(change.where(vectors.c.chunk_id.in_(part)))

    def mark_none_in_chroma(self) -> None:
        """Mark all vectors, of any embedder, as missing in Chroma."""
        with self.database.begin() as connection:
            connection.execute(update(vectors).where(vectors.c.in_chroma == 1).values(in_chroma=0))
            connection.execute(delete(gone_chunks))

    def count_in_chroma(self) -> int:
        """Return the number of vectors that Chroma should have."""
        return self._count(vectors.c.in_chroma == 1)

    def pending_count(self) -> int:
        """Return the number of vectors that Chroma does not have yet."""
        return self._count(vectors.c.in_chroma == 0)

    def _count(self, *conditions: Any) -> int:
        query = select(func.count()).select_from(vectors).where(vectors.c.embedder == self.embedder, *conditions)
        with self.database.begin() as connection:
            return int(connection.execute(query).scalar_one())

    def gone(self) -> tuple[int, ...]:
        """Return the ids of deleted chunks that Chroma may still contain."""
        with self.database.begin() as connection:
            return tuple(connection.execute(select(gone_chunks.c.chunk_id)).scalars())

    def clear_gone(self, chunk_ids: Sequence[int]) -> None:
        """Mark these chunk ids as removed from Chroma."""
        with self.database.begin() as connection:
            for part in in_batches(chunk_ids):
                connection.execute(delete(gone_chunks).where(gone_chunks.c.chunk_id.in_(part)))

    def _stored(self) -> Select[Any]:
        return (
            select(vectors.c.chunk_id, chunks.c.document_id, vectors.c.vector)
            .join(chunks, chunks.c.id == vectors.c.chunk_id)
            .where(vectors.c.embedder == self.embedder)
        )

    def _rows(self, query: Select[Any]) -> Sequence[Row[Any]]:
        with self.database.begin() as connection:
            return connection.execute(query).all()

    def _block(self, query: Select[Any], dimensions: int | None) -> VectorBlock:
        return self._checked(self._rows(query), dimensions)

    def _checked(self, stored: Sequence[Row[Any]], dimensions: int | None) -> VectorBlock:
        """Return the undamaged rows, and replacements for damaged rows."""
        size = 4 * dimensions if dimensions else _commonest_size(stored)
        whole = [row for row in stored if len(row.vector) == size]
        rows: Vectors = np.frombuffer(b"".join(row.vector for row in whole), dtype="<f4").reshape(len(whole), size // 4)
        with np.errstate(all="ignore"):
            sound = np.abs(np.einsum("ij,ij->i", rows, rows) - 1.0) <= _OFF_LENGTH  # False also for non-finite numbers
        if len(whole) == len(stored) and bool(sound.all()):
            return _in_one_block(stored, rows)
        known = {row.chunk_id: vector for row, vector, good in zip(whole, rows, sound, strict=True) if good}
        known |= self._replaced([row.chunk_id for row in stored if row.chunk_id not in known])
        kept = [row for row in stored if row.chunk_id in known]
        return _in_one_block(kept, np.array([known[row.chunk_id] for row in kept], dtype="<f4"))

    def _replaced(self, damaged: Sequence[int]) -> dict[int, Vectors]:
        own = vectors.c.embedder == self.embedder
        with self.database.begin() as connection:
            for part in in_batches(damaged):
                connection.execute(delete(vectors).where(own, vectors.c.chunk_id.in_(part)))
        made: dict[int, Vectors] = {}
        for part in in_batches(damaged, _WINDOW) if self._remake else ():
            window = self._remake(part) if self._remake else {}
            self.put(list(window), np.array(list(window.values())))
            made |= window
        return made


def chunks_by_document(database: Database, query: Select[Any]) -> dict[str, tuple[int, ...]]:
    """Run a query for documents and chunks, and return the chunk ids grouped by document, in the order of the
    results.
    """
    by_document: dict[str, list[int]] = {}
    with database.begin() as connection:
        for document_id, chunk_id in connection.execute(query):
            by_document.setdefault(document_id, []).append(chunk_id)
    return {document_id: tuple(ids) for document_id, ids in by_document.items()}


def cosines(rows: Vectors, vector: Vectors) -> list[float]:
    """Return the dot product of a unit vector with each row, in double precision. Each product depends only on its own
    row, so equal rows get equal numbers regardless of their neighbours.
    """
    near: list[float] = np.add.reduce(rows.astype(np.float64) * vector.astype(np.float64), axis=-1).tolist()
    return near


def compared(block: VectorBlock, vector: Vectors) -> list[VectorMatch]:
    """Return each chunk of a block with its similarity to a unit vector."""
    near = cosines(block.rows, vector)
    rows = zip(block.chunk_ids, block.document_ids, near, strict=True)
    return [VectorMatch(chunk_id, document_id, similarity) for chunk_id, document_id, similarity in rows]


def best_matches(matches: Sequence[VectorMatch], limit: int) -> list[VectorMatch]:
    """Return the best matches, nearest first; ties are ordered by document."""
    return sorted(matches, key=lambda match: (-match.similarity, match.document_id, match.chunk_id))[:limit]


def _in_one_block(stored: Sequence[Row[Any]], rows: Vectors) -> VectorBlock:
    names: dict[str, str] = {}  # interned: one string per document instead of one per row
    documents = [names.setdefault(row.document_id, row.document_id) for row in stored]
    return VectorBlock([row.chunk_id for row in stored], documents, rows)


def _commonest_size(stored: Sequence[Row[Any]]) -> int:
    sizes = Counter(len(row.vector) for row in stored if len(row.vector) and len(row.vector) % 4 == 0)
    return sizes.most_common(1)[0][0] if sizes else 4
