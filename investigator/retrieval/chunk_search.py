"""Hybrid search: chunks found by their words (BM25) and by their vectors, with one score for both."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from investigator.language.terms import content_words

if TYPE_CHECKING:
    from investigator.retrieval.gathering import GatheredCorpus, GatheredVectors, GatheredWords
    from investigator.retrieval.vector_search import CandidateSearch, WholeSearch
    from investigator.store.corpus import Corpus
    from investigator.store.full_text import FullText

CorpusView: TypeAlias = "Corpus | GatheredCorpus"
"""The documents and chunks of a folder: of one workspace, or of several shards."""

WordSearch: TypeAlias = "FullText | GatheredWords"
"""Finds words in the chunks and the documents of a folder."""

VectorSearch: TypeAlias = "WholeSearch | CandidateSearch | GatheredVectors"
"""Finds the chunks whose vectors are nearest to the vector of a query, which is one of its `queries`."""

_Item = TypeVar("_Item", bound=Hashable)

_VECTOR_WEIGHT = 2.5  # measured with `eval --retrieval`: 2 to 4 is best or nearly best on every set
_BEST_SCORE = 1.0 + _VECTOR_WEIGHT


class Half(StrEnum):
    """The basis of a ranking: the words of the query (BM25), vectors, or both fused."""

    WORDS = "words"
    VECTORS = "vectors"
    BOTH = "both"


class ChunkHit(NamedTuple):
    """A chunk found by a search, with its score (higher is better), and its scores in keyword search and vector search
    (None if that search did not find it). The fused score is about 0..1, and comparable between chunks found for the
    same query.
    """

    chunk_id: int
    document_id: str
    score: float
    bm25: float | None = None
    similarity: float | None = None


class ChunkSearch:
    """Finds chunks for a query, in one document or in the folder."""

    def __init__(self, full_text: WordSearch, vectors: VectorSearch) -> None:
        self._full_text = full_text
        self._vectors = vectors

    def best(self, query: str, limit: int, half: Half = Half.BOTH, document_id: str | None = None) -> list[ChunkHit]:
        """Return the best chunks for a query, best first; both searches examine the same number of chunks."""
        bm25: dict[int, float] = {}
        near: dict[int, float] = {}
        documents: dict[int, str] = {}
        if half is not Half.VECTORS:
            for match in self._full_text.chunks(content_words(query), limit, document_id):
                bm25[match.chunk_id], documents[match.chunk_id] = match.score, match.document_id
        if half is not Half.WORDS:
            for nearest in self._vectors.nearest(query, limit, document_id):
                near[nearest.chunk_id], documents[nearest.chunk_id] = nearest.similarity, nearest.document_id
        if half is Half.BOTH:
            near |= self._vectors.similarities(query, [i for i in bm25 if i not in near])
        scores = {Half.WORDS: bm25, Half.VECTORS: near}.get(half) or fused(bm25, near)
        hits = [ChunkHit(i, documents[i], score, bm25.get(i), near.get(i)) for i, score in scores.items()]
        return hits[:limit]


def in_one_order(chunks: Iterable[ChunkHit]) -> list[ChunkHit]:
    """Merge the chunks from several searches for one query, with comparable scores, best first."""
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    bm25 = {i: chunk.bm25 for i, chunk in by_id.items() if chunk.bm25 is not None}
    near = {i: chunk.similarity for i, chunk in by_id.items() if chunk.similarity is not None}
    return [
        ChunkHit(i, by_id[i].document_id, score, bm25.get(i), near.get(i)) for i, score in fused(bm25, near).items()
    ]


def fused(bm25: Mapping[_Item, float], similarity: Mapping[_Item, float]) -> dict[_Item, float]:
    """Return one score (about 0..1, higher is better) for each item found by either search, best first.

    BM25 is divided by the best score of the query, because its scale differs between queries. Cosine similarity (-1..1)
    is used unchanged: if an embedder cannot distinguish texts (a language it never learned), all similarities are alike
    and the words decide. Each search contributes a score only for the chunks that it found. Source: convex combination,
    Bruch, Gai and Ingber, "An analysis of fusion functions for hybrid retrieval" (2023).
    """
    best = max(bm25.values(), default=0.0) or 1.0
    scores = {
        item: (bm25.get(item, 0.0) / best + _VECTOR_WEIGHT * similarity.get(item, 0.0)) / _BEST_SCORE
        for item in dict.fromkeys((*bm25, *similarity))
    }
    return dict(sorted(scores.items(), key=lambda entry: -entry[1]))
