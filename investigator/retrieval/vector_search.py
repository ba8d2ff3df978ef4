"""Vector search in two forms: across all chunks, or only those that match the words of a query. An index begins with
words only, so that a question can be asked immediately. Until every chunk has a vector, vectors are computed only for
the chunks that match the words of a question; they are stored, so no vector is computed twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from investigator.engines.base import Embedder, Vectors
from investigator.engines.embedding.cached import CachedEmbedder
from investigator.language.terms import content_words
from investigator.store.corpus import Corpus
from investigator.store.full_text import FullText
from investigator.store.vectors import VectorMatch, VectorTable, best_matches, cosines

if TYPE_CHECKING:
    from investigator.store.chroma import ChromaIndex
    from investigator.store.vectors import ExactIndex

_CANDIDATES = 60  # number of chunks whose vectors are computed for a question while the index has no vectors
_MOST_QUERIES = 256  # number of queries whose vectors are cached
_TOGETHER, _SHORT = 16, 4_000  # maximum number of queries embedded together, and of characters in all of them


class QueryVectors:
    """Embeds queries; recent vectors are cached. Thread-safe."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = CachedEmbedder(embedder, _MOST_QUERIES)

    def __call__(self, query: str) -> Vectors:
        """Return the vector of a query, of shape (dimensions,). Raises EngineError."""
        vector: Vectors = self._embedder.embed([query])[0]
        return vector

    def expect(self, queries: Sequence[str]) -> None:
        """Compute the vectors of queries in advance, because several together take less time. Raises EngineError."""
        for start in range(0, len(queries), _TOGETHER):
            some = queries[start : start + _TOGETHER]
            if sum(map(len, some)) <= _SHORT:
                self._embedder.embed(some)


VectorIndex: TypeAlias = "ExactIndex | ChromaIndex"
"""Finds the nearest of all vectors: `ExactIndex` compares every vector, `ChromaIndex` approximates."""


class WholeSearch:
    """Searches the vectors of all chunks; a search of one document compares every vector."""

    def __init__(self, index: VectorIndex, corpus: Corpus, embedder: Embedder) -> None:
        self._index = index
        self._corpus = corpus
        self.queries = QueryVectors(embedder)

    def nearest(self, query: str, limit: int, document_id: str | None = None) -> list[VectorMatch]:
        """Return the nearest chunks, nearest first, in one document or in all."""
        if document_id is None:
            return self._index.nearest(self.queries(query), limit)
        return self._index.matches(list(self._corpus.chunks_of(document_id)), self.queries(query), limit)

    def similarities(self, query: str, chunk_ids: Sequence[int]) -> dict[int, float]:
        matches = self._index.matches(chunk_ids, self.queries(query), len(chunk_ids))
        return {match.chunk_id: match.similarity for match in matches}


class CandidateSearch:
    """Searches the chunks that contain words from the query, and every chunk of a short document.

    The result depends only on the documents, not on the vectors that
    already exist. Thread-safe.
    """

    def __init__(self, corpus: Corpus, full_text: FullText, table: VectorTable, embedder: Embedder) -> None:
        self._corpus = corpus
        self._full_text = full_text
        self._table = table
        self._embedder = embedder
        self.queries = QueryVectors(embedder)
        self._embedding = Lock()

    def nearest(self, query: str, limit: int, document_id: str | None = None) -> list[VectorMatch]:
        documents = self._candidates(query, document_id)
        near = self._similarities(query, documents)
        return best_matches([VectorMatch(i, documents[i], similarity) for i, similarity in near.items()], limit)

    def similarities(self, query: str, chunk_ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine similarity (-1..1) between the query and each of the chunks that are candidates in the
        folder.
        """
        wanted = set(chunk_ids)
        documents = {i: name for i, name in self._candidates(query, None).items() if i in wanted}
        return self._similarities(query, documents)

    def _similarities(self, query: str, documents: Mapping[int, str]) -> dict[int, float]:
        if not documents:
            return {}
        vector = self.queries(query)
        rows = self._vectors(documents, len(vector))
        return dict(zip(rows, cosines(np.array(list(rows.values())), vector), strict=True))

    def _candidates(self, query: str, document_id: str | None) -> dict[int, str]:
        """Return the ids of the candidates, with their documents."""
        if document_id is not None:
            every = self._corpus.chunks_of(document_id)
            if len(every) <= _CANDIDATES:
                return dict.fromkeys(every, document_id)
        matches = self._full_text.chunks(content_words(query), _CANDIDATES, document_id)
        return {match.chunk_id: match.document_id for match in matches}

    def _vectors(self, documents: Mapping[int, str], dimensions: int) -> dict[int, Vectors]:
        with self._embedding:
            vectors = self._table.get(list(documents), dimensions)
            missing = [chunk_id for chunk_id in documents if chunk_id not in vectors]
            if missing:
                texts = chunk_texts(self._corpus, {i: documents[i] for i in missing})
                rows = self._embedder.embed(list(texts.values()))
                self._table.put(list(texts), rows)
                vectors |= zip(texts, rows, strict=True)
        return vectors


def chunk_texts(corpus: Corpus, chunk_ids: Mapping[int, str]) -> dict[int, str]:
    """Return the texts of chunks; `chunk_ids` maps each id to its document. Deleted chunks are omitted."""
    texts: dict[int, str] = {}
    for document_id in dict.fromkeys(chunk_ids.values()):
        texts |= corpus.chunk_texts(document_id, [i for i, owner in chunk_ids.items() if owner == document_id])
    return texts
