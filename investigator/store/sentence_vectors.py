"""Stores sentence vectors along with their chunks, so that sentences need not be embedded again for each question.

A vector is looked up by the digest of its sentence. Vectors are stored exactly as computed, so no answer depends on
whether a vector was cached.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from sqlalchemy import bindparam, delete, select
from sqlalchemy.dialects.sqlite import insert

from investigator.engines.base import Vectors
from investigator.store.corpus import in_batches
from investigator.store.database import Database
from investigator.store.schema import chunks, sentence_vectors
from investigator.store.vectors import chunks_by_document

_DIGEST = 16  # length in bytes
_OFF_LENGTH = 0.002  # maximum deviation of a row's squared length from 1

# statements that are executed often are built once, because building one takes longer than executing it
_OF_TEXTS = select(sentence_vectors.c.digest, sentence_vectors.c.vector).where(
    sentence_vectors.c.embedder == bindparam("own"),
    sentence_vectors.c.digest.in_(bindparam("digests", expanding=True)),
)
_FIRST = (
    (sentence_vectors.c.chunk_id == chunks.c.id)
    & (sentence_vectors.c.embedder == bindparam("own"))
    & (sentence_vectors.c.place == 0)
)
_WITHOUT = select(chunks.c.id).outerjoin(sentence_vectors, _FIRST).where(sentence_vectors.c.chunk_id.is_(None))
_LACKING = _WITHOUT.where(chunks.c.id.in_(bindparam("ids", expanding=True)))
_MISSING = _WITHOUT.with_only_columns(chunks.c.document_id, chunks.c.id).order_by(chunks.c.document_id, chunks.c.start)


class SentenceVectorTable:
    """The sentence vectors computed by one embedder. If a vector's length is not 1, all vectors of its chunk are
    deleted.
    """

    def __init__(self, database: Database, embedder: str) -> None:
        self._database = database
        self._embedder = embedder

    def get(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """Return the stored vectors, each of shape (dimensions,), for the given texts."""
        by_digest = {_digest(text): text for text in texts}
        vectors: dict[str, Vectors] = {}
        damaged: list[bytes] = []
        with self._database.begin() as connection:
            for part in in_batches(list(by_digest)):
                for digest, stored in connection.execute(_OF_TEXTS, {"own": self._embedder, "digests": part}):
                    vector = _sound(stored)
                    if vector is None:
                        damaged.append(digest)
                    else:
                        vectors[by_digest[digest]] = vector
        if damaged:
            self._delete_chunks(damaged)
        return vectors

    def _delete_chunks(self, digests: Sequence[bytes]) -> None:
        """Delete all sentence vectors of every chunk that has a sentence with one of the digests; they are recomputed
        when needed.
        """
        with self._database.begin() as connection:
            for part in in_batches(digests):
                chunk_ids = select(sentence_vectors.c.chunk_id).where(sentence_vectors.c.digest.in_(part))
                connection.execute(delete(sentence_vectors).where(sentence_vectors.c.chunk_id.in_(chunk_ids)))

    def put(self, texts: Mapping[int, Sequence[str]], rows: Mapping[str, Vectors]) -> None:
        """Store the vectors of the sentences of the given chunks, by text; chunks deleted in the meantime are
        skipped.
        """
        values = [
            {
                "chunk_id": chunk_id,
                "embedder": self._embedder,
                "place": place,
                "digest": _digest(text),
                "vector": rows[text].astype("<f4").tobytes(),
            }
            for chunk_id, sentences in texts.items()
            for place, text in enumerate(sentences)
        ]
        with self._database.begin() as connection:
            there = set(connection.execute(select(chunks.c.id).where(chunks.c.id.in_(list(texts)))).scalars())
            kept = [value for value in values if value["chunk_id"] in there]
            if kept:
                connection.execute(insert(sentence_vectors).on_conflict_do_nothing(), kept)

    def missing(self) -> dict[str, tuple[int, ...]]:
        """Return the ids of chunks whose sentences have no vectors yet, grouped by document, in text order."""
        return chunks_by_document(self._database, _MISSING.params(own=self._embedder))

    def lacking(self, chunk_ids: Iterable[int]) -> set[int]:
        """Return the chunks whose sentences have no vectors yet."""
        with self._database.begin() as connection:
            return set(connection.execute(_LACKING, {"own": self._embedder, "ids": list(chunk_ids)}).scalars())


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:_DIGEST]


def _sound(stored: bytes) -> Vectors | None:
    if not stored or len(stored) % 4:
        return None
    vector: Vectors = np.frombuffer(stored, dtype="<f4")
    with np.errstate(all="ignore"):
        length = float(vector @ vector)
    return vector if abs(length - 1.0) <= _OFF_LENGTH else None
