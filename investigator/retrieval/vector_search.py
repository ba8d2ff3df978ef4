"""The vector half of the search, in its two forms: over all chunks, or over those that the words of a query find.

An index begins with words alone, so that a question can be asked at once. Until every chunk has its vector, a question
gets the vectors of the chunks that its words find; they are kept, so that none is made twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from threading import Lock
from typing import Protocol

import numpy as np

from investigator.engines.base import Embedder, Vectors
from investigator.language.terms import content_words
from investigator.store.chroma import ChromaIndex, VectorMatch
from investigator.store.corpus import Corpus
from investigator.store.full_text import FullText
from investigator.store.vectors import VectorTable


class VectorSearch(Protocol):
    """Finds the chunks whose vectors are nearest to that of a query."""

    def nearest(self, query: str, limit: int, document_id: str | None = None) -> list[VectorMatch]:
        """Return the nearest chunks, nearest first, in one document or in all."""
        ...

    def similarities(self, query: str, chunk_ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine similarity (-1..1) of the query with those of the chunks that are searched."""
        ...


class WholeSearch:
    """Searches the vectors of all chunks: by Chroma in the folder, exactly (all of them) in one document."""

    def __init__(self, index: ChromaIndex, corpus: Corpus, table: VectorTable, embedder: Embedder) -> None:
        self._index = index
        self._corpus = corpus
        self._table = table
        self._embed = lru_cache(maxsize=256)(lambda text: embedder.embed([text])[0])

    def nearest(self, query: str, limit: int, document_id: str | None = None) -> list[VectorMatch]:
        """Return the nearest chunks, nearest first, in one document or in all."""
        if document_id is None:
            return self._index.nearest(self._embed(query), limit)
        inside = dict.fromkeys(self._corpus.chunks_of(document_id), document_id)
        return _nearest(self._table.get(list(inside)), inside, self._embed(query), limit)

    def similarities(self, query: str, chunk_ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine similarity (-1..1) of the query with the chunks."""
        return _similarities(self._table.get(chunk_ids), self._embed(query))


class CandidateSearch:
    """Searches the chunks that hold words of the query, and every chunk of a short document.

    `candidates` is the number of chunks that are looked at. The result depends on the documents only, not on which
    vectors happen to be there. Safe to use from several threads.
    """

    def __init__(
        self, corpus: Corpus, full_text: FullText, table: VectorTable, embedder: Embedder, candidates: int
    ) -> None:
        self._corpus = corpus
        self._full_text = full_text
        self._table = table
        self._embedder = embedder
        self._candidates = candidates
        self._embed = lru_cache(maxsize=256)(lambda text: embedder.embed([text])[0])
        self._embedding = Lock()

    def nearest(self, query: str, limit: int, document_id: str | None = None) -> list[VectorMatch]:
        """Return the nearest of the candidates, nearest first, in one document or in all."""
        found = self._found(query, document_id)
        return _nearest(self._vectors(found), found, self._embed(query), limit) if found else []

    def similarities(self, query: str, chunk_ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine similarity (-1..1) of the query with those chunks that are candidates in the folder."""
        wanted = set(chunk_ids)
        found = {i: name for i, name in self._found(query, None).items() if i in wanted}
        return _similarities(self._vectors(found), self._embed(query)) if found else {}

    def _found(self, query: str, document_id: str | None) -> dict[int, str]:
        """Return the ids of the candidates, with the documents they belong to."""
        if document_id is not None:
            every = self._corpus.chunks_of(document_id)
            if len(every) <= self._candidates:
                return dict.fromkeys(every, document_id)
        matches = self._full_text.chunks(content_words(query), self._candidates, document_id)
        return {match.chunk_id: match.document_id for match in matches}

    def _vectors(self, found: dict[int, str]) -> dict[int, Vectors]:
        with self._embedding:
            vectors = self._table.get(list(found))
            missing = [chunk_id for chunk_id in found if chunk_id not in vectors]
            if missing:
                vectors |= self._made(missing, found)
        return vectors

    def _made(self, missing: Sequence[int], found: dict[int, str]) -> dict[int, Vectors]:
        texts: dict[int, str] = {}
        for document_id in dict.fromkeys(found[i] for i in missing):
            texts |= self._corpus.chunk_texts(document_id, [i for i in missing if found[i] == document_id])
        rows = self._embedder.embed(list(texts.values()))
        self._table.put(list(texts), rows)
        return dict(zip(texts, rows, strict=True))


def _similarities(vectors: Mapping[int, Vectors], query: Vectors) -> dict[int, float]:
    return {chunk_id: float(np.dot(row, query)) for chunk_id, row in vectors.items()}


def _nearest(
    vectors: Mapping[int, Vectors], documents: Mapping[int, str], query: Vectors, limit: int
) -> list[VectorMatch]:
    matches = [VectorMatch(i, documents[i], near) for i, near in _similarities(vectors, query).items()]
    return sorted(matches, key=lambda match: (-match.similarity, match.document_id, match.chunk_id))[:limit]
