"""Stores sentence vectors along with their chunks, so that sentences need not be embedded again for each question: all
of them in advance, or only those from passages that are read for a question.

A vector is looked up by the digest of its sentence. Vectors are stored exactly as computed, so no answer depends on
whether a vector was cached.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from sqlalchemy import bindparam, delete, select
from sqlalchemy.dialects.sqlite import insert

from investigator.engines.base import Embedder, Vectors
from investigator.engines.embedding.rerankers import sentences
from investigator.engines.extractive.candidates import compared_spans
from investigator.records import Embedded
from investigator.store.corpus import Corpus, FollowedText, in_batches
from investigator.store.schema import chunks, sentence_vectors
from investigator.store.vectors import VectorTable, chunks_by_document, is_sound

_DIGEST = 16  # length in bytes
_WINDOW = 128  # number of chunks whose sentences are embedded at a time, so that an interruption loses little

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


class KeptSentences:
    """The vectors of the sentences that are compared with questions, computed by the embedder of the chunks' vectors.
    If a vector's length is not 1, all vectors of its chunk are deleted. Thread-safe.
    """

    def __init__(self, table: VectorTable, embedder: Embedder) -> None:
        self._database = table.database
        self._table = table
        self._embedder = embedder
        self._complete: set[int] = set()  # chunks known to have all their vectors

    def get(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """Return the stored vectors, each of shape (dimensions,), for the given texts."""
        by_digest = {_digest(text): text for text in texts}
        vectors: dict[str, Vectors] = {}
        damaged: list[bytes] = []
        with self._database.begin() as connection:
            for part in in_batches(list(by_digest)):
                for digest, stored in connection.execute(_OF_TEXTS, {"own": self._embedder.name, "digests": part}):
                    if is_sound(stored):
                        vectors[by_digest[digest]] = np.frombuffer(stored, dtype="<f4")
                    else:
                        damaged.append(digest)
            for part in in_batches(damaged):
                chunk_ids = select(sentence_vectors.c.chunk_id).where(sentence_vectors.c.digest.in_(part))
                connection.execute(delete(sentence_vectors).where(sentence_vectors.c.chunk_id.in_(chunk_ids)))
        return vectors

    def keep(self, texts: Mapping[int, str], following: Mapping[int, FollowedText] | None = None) -> None:
        """Compute and store the missing vectors of the chunks whose texts are given.

        With `following`, sentences that continue in the next chunk are included. Raises EngineError and StoreError.
        """
        if self._complete.issuperset(texts):
            return
        with self._database.begin() as connection:
            own = {"own": self._embedder.name, "ids": list(texts)}
            lacking = set(connection.execute(_LACKING, own).scalars())
        following = following or {}
        compared = {i: _compared(texts[i], following.get(i)) for i in texts if i in lacking}
        if compared:
            whole = self._table.get([i for i, each in compared.items() if texts[i] in each])
            rows = {texts[chunk_id]: vector for chunk_id, vector in whole.items()}
            others = list(dict.fromkeys(text for each in compared.values() for text in each if text not in rows))
            if others:
                rows |= zip(others, self._embedder.embed(others), strict=True)
            self._put(compared, rows)
        self._complete |= texts.keys()

    def _put(self, texts: Mapping[int, Sequence[str]], rows: Mapping[str, Vectors]) -> None:
        """Store the vectors of the sentences of chunks; chunks deleted in the meantime are skipped."""
        with self._database.begin() as connection:
            there = connection.execute(select(chunks.c.id).where(chunks.c.id.in_(list(texts)))).scalars().all()
            values = [
                {
                    "chunk_id": chunk_id,
                    "embedder": self._embedder.name,
                    "place": place,
                    "digest": _digest(text),
                    "vector": rows[text].astype("<f4").tobytes(),
                }
                for chunk_id in there
                for place, text in enumerate(texts[chunk_id])
            ]
            if values:
                connection.execute(insert(sentence_vectors).on_conflict_do_nothing(), values)

    def keep_all(self, corpus: Corpus) -> Iterator[Embedded]:
        """Compute and store the missing vectors in batches; yield the number of chunks done and the total.

        Raises EngineError and StoreError.
        """
        missing = chunks_by_document(self._database, _MISSING.params(own=self._embedder.name))
        for texts, done, total in windows(corpus, missing, _WINDOW):
            self.keep(texts, corpus.followed_texts(texts))
            yield Embedded(done=done, total=total, sentences=True)


def windows(
    corpus: Corpus, missing: Mapping[str, Sequence[int]], size: int
) -> Iterator[tuple[Mapping[int, str], int, int]]:
    """Yield the texts of chunks in batches of about `size`, with the number of chunks done so far and the total.

    `missing` contains chunk ids, grouped by document. Chunks that another process deletes in the meantime are skipped.
    """
    total, done = sum(map(len, missing.values())), 0
    texts: dict[int, str] = {}
    for document_id, ids in missing.items():
        for part in in_batches(ids, size):
            texts |= corpus.chunk_texts(document_id, part)
            done += len(part)
            if len(texts) >= size:
                yield texts, done, total
                texts = {}
    if texts:
        yield texts, done, total


def _compared(text: str, followed: FollowedText | None) -> list[str]:
    """Return the sentences in a chunk and, if `followed` is given, those that extend across the boundary to the next
    chunk.
    """
    compared = [*sentences(text), *_candidates(text)]
    if followed is not None:
        own = {*compared, *_candidates(followed.next)}
        compared += [sentence for sentence in _candidates(followed.both) if sentence not in own]
    return list(dict.fromkeys(compared))


def _candidates(text: str) -> list[str]:
    return [text[start:end] for start, end in compared_spans(text)]


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:_DIGEST]
