"""The vectors of chunks in the database, and exact search in them; every other search index is built from them and can
be rebuilt.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
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
_HELD = 250_000  # maximum number of vectors in memory (384 MB at 384 dimensions); more are read for each search
_ROUNDING = 1e-5  # exceeds the error of single precision, so that no nearest vector is lost

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

    chunk_ids: Sequence[int]
    document_ids: Sequence[str]
    rows: Vectors

    def matches(self, vector: Vectors, places: list[int] | None = None) -> list[VectorMatch]:
        """Return each chunk, or those at the given places, with its similarity to a unit vector."""
        near = cosines(self.rows if places is None else self.rows[places], vector)
        numbered = zip(range(len(self.rows)) if places is None else places, near, strict=True)
        return [VectorMatch(self.chunk_ids[k], self.document_ids[k], similarity) for k, similarity in numbered]

    def nearest(self, vector: Vectors, limit: int) -> list[VectorMatch]:
        """Return the nearest chunks, selected in single precision and compared in double precision."""
        near = np.einsum("ij,j->i", self.rows, vector)  # no slower than BLAS, whose threads wait for each other
        if limit >= len(near):
            return self.matches(vector)
        return self.matches(vector, np.flatnonzero(near >= np.partition(near, -limit)[-limit] - _ROUNDING).tolist())


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
        self._own = vectors.c.embedder == embedder

    def missing(self) -> dict[str, tuple[int, ...]]:
        """Return the ids of chunks without a vector, grouped by document, in text order."""
        query = self._without_vector(chunks.c.document_id, chunks.c.id).order_by(chunks.c.document_id, chunks.c.start)
        return chunks_by_document(self.database, query)

    def missing_count(self) -> int:
        """Return the number of chunks without a vector."""
        return self._number(self._without_vector(func.count()))

    def _without_vector(self, *columns: Any) -> Select[Any]:
        joined = (vectors.c.chunk_id == chunks.c.id) & self._own
        return select(*columns).select_from(chunks).outerjoin(vectors, joined).where(vectors.c.chunk_id.is_(None))

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
        return best_matches([match for block in blocks for match in block.matches(vector)], limit)

    def _parts(self, chunk_ids: Sequence[int], dimensions: int | None) -> Iterator[VectorBlock]:
        for part in in_batches(chunk_ids):
            yield self._block(self._stored(vectors.c.chunk_id.in_(part)), dimensions)

    def blocks(self, dimensions: int) -> Iterator[VectorBlock]:
        """Yield all vectors in the order of their chunk ids, a few thousand at a time."""
        last = -1
        while True:
            query = self._stored(vectors.c.chunk_id > last).order_by(vectors.c.chunk_id).limit(_BLOCK)
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

    def count(self, *, in_chroma: bool | None = None) -> int:
        """Return the number of vectors, or of those that Chroma should have, or does not have yet."""
        query = select(func.count()).select_from(vectors).where(self._own)
        return self._number(query if in_chroma is None else query.where(vectors.c.in_chroma == int(in_chroma)))

    def pending(self, limit: int) -> VectorBlock:
        """Return the vectors that Chroma does not have yet, oldest first."""
        return self._block(self._stored(vectors.c.in_chroma == 0).order_by(vectors.c.chunk_id).limit(limit), None)

    def mark_in_chroma(self, chunk_ids: Sequence[int]) -> None:
        """Mark the vectors of these chunks as present in Chroma."""
        change = update(vectors).where(self._own).values(in_chroma=1)
        with self.database.begin() as connection:
            for part in in_batches(chunk_ids):
                connection.execute(change.where(vectors.c.chunk_id.in_(part)))

    def mark_none_in_chroma(self) -> None:
        """Mark all vectors, of any embedder, as missing in Chroma."""
        with self.database.begin() as connection:
            connection.execute(update(vectors).where(vectors.c.in_chroma == 1).values(in_chroma=0))
            connection.execute(delete(gone_chunks))

    def gone(self) -> tuple[int, ...]:
        """Return the ids of deleted chunks that Chroma may still contain."""
        with self.database.begin() as connection:
            return tuple(connection.execute(select(gone_chunks.c.chunk_id)).scalars())

    def clear_gone(self, chunk_ids: Sequence[int]) -> None:
        """Mark these chunk ids as removed from Chroma."""
        with self.database.begin() as connection:
            for part in in_batches(chunk_ids):
                connection.execute(delete(gone_chunks).where(gone_chunks.c.chunk_id.in_(part)))

    def _number(self, query: Select[Any]) -> int:
        with self.database.begin() as connection:
            return int(connection.execute(query).scalar_one())

    def _stored(self, condition: Any) -> Select[Any]:
        columns = select(vectors.c.chunk_id, chunks.c.document_id, vectors.c.vector)
        return columns.join(chunks, chunks.c.id == vectors.c.chunk_id).where(self._own, condition)

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
        sound = _have_unit_length(rows)
        if len(whole) == len(stored) and bool(sound.all()):
            return _in_one_block(stored, rows)
        known = {row.chunk_id: vector for row, vector, good in zip(whole, rows, sound, strict=True) if good}
        known |= self._replaced([row.chunk_id for row in stored if row.chunk_id not in known])
        kept = [row for row in stored if row.chunk_id in known]
        return _in_one_block(kept, np.array([known[row.chunk_id] for row in kept], dtype="<f4"))

    def _replaced(self, damaged: Sequence[int]) -> dict[int, Vectors]:
        with self.database.begin() as connection:
            for part in in_batches(damaged):
                connection.execute(delete(vectors).where(self._own, vectors.c.chunk_id.in_(part)))
        made: dict[int, Vectors] = {}
        for part in in_batches(damaged, _WINDOW) if self._remake else ():
            window = self._remake(part) if self._remake else {}
            self.put(list(window), np.array(list(window.values())))
            made |= window
        return made


class ExactIndex:
    """All vectors of an embedder, read by the first search and compared with each query. Thread-safe."""

    def __init__(self, table: VectorTable) -> None:
        self._table = table
        self._held: tuple[VectorBlock, ...] | None = None
        self._reading = Lock()

    def nearest(self, vector: Vectors, limit: int) -> list[VectorMatch]:
        best: list[VectorMatch] = []
        for block in self._blocks(len(vector)):
            best = best_matches([*best, *block.nearest(vector, limit)], limit)
        return best

    def matches(self, chunk_ids: Sequence[int], vector: Vectors, limit: int) -> list[VectorMatch]:
        blocks = self._blocks(len(vector))
        if not isinstance(blocks, tuple):
            return self._table.matches(chunk_ids, vector, limit)
        matches: list[VectorMatch] = []
        for block in blocks:
            places = [bisect_left(block.chunk_ids, chunk_id) for chunk_id in chunk_ids]
            held = [k for k, i in zip(places, chunk_ids, strict=True) if block.chunk_ids[k : k + 1] == [i]]
            matches += block.matches(vector, held)
        return best_matches(matches, limit)

    def _blocks(self, dimensions: int) -> Iterable[VectorBlock]:
        with self._reading:
            if self._held is None and self._table.count() <= _HELD:
                self._held = tuple(self._table.blocks(dimensions))
            return self._held if self._held is not None else self._table.blocks(dimensions)


def is_sound(stored: bytes) -> bool:
    """Return True if stored bytes are a vector of unit length."""
    return bool(stored) and len(stored) % 4 == 0 and bool(_have_unit_length(np.frombuffer(stored, dtype="<f4"))[()])


def _have_unit_length(rows: Vectors) -> Any:
    with np.errstate(all="ignore"):
        return np.abs(np.einsum("...j,...j->...", rows, rows) - 1.0) <= _OFF_LENGTH  # False also for non-finite numbers


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
