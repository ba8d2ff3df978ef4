"""The library: everything the method may ask of a folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Protocol

from pydantic import Field

from investigator.documents.pages import line_at
from investigator.records import Chunk, Document, DocumentCard, Passage, Record, SearchHit, TermFrequency, Unreadable
from investigator.retrieval.fusion import joined, reciprocal_rank_fusion
from investigator.retrieval.relevance import coverage, relevance, word_weights
from investigator.retrieval.vector_search import VectorSearch
from investigator.store.chroma import VectorMatch
from investigator.store.corpus import Corpus
from investigator.store.full_text import FullText
from investigator.text.terms import content_words, words


class RetrievalSettings(Record):
    """How passages are searched."""

    passages: int = Field(default=5, ge=1, le=50, description="passages of a document that one question is put to")
    depth: int = Field(default=30, ge=1, le=500, description="chunks that each half of the search looks at")
    breadth: int = Field(default=300, ge=1, le=5000, description="chunks looked at to rank the documents of a folder")
    candidates: int = Field(
        default=60, ge=1, le=1000, description="chunks that get vectors for a question while others have none yet"
    )
    embed_first: int = Field(
        default=400, ge=0, description="chunks without vectors up to which all are embedded before the first question"
    )
    snippet_characters: int = Field(default=300, ge=50, le=2000, description="length of a document's nearest passage")


class Shelf(Protocol):
    """What the method needs of a folder; `Library` is the one that ships."""

    def document_ids(self) -> tuple[str, ...]: ...
    def document(self, document_id: str) -> Document: ...
    def unreadable(self) -> tuple[Unreadable, ...]: ...
    def term_frequencies(self, question: str) -> tuple[TermFrequency, ...]: ...
    def cards(self, queries: Sequence[str]) -> tuple[DocumentCard, ...]: ...
    def passages(self, queries: Sequence[str], document_id: str | None = None) -> tuple[Passage, ...]: ...


class Library:
    """A folder that can be searched: documents by what they are and by their best passages, then passages inside.

    Both halves of the search (BM25 and vectors) are fused by rank.
    """

    def __init__(self, corpus: Corpus, full_text: FullText, vectors: VectorSearch, settings: RetrievalSettings) -> None:
        self._corpus = corpus
        self._full_text = full_text
        self._vectors = vectors
        self._settings = settings
        self._share = lru_cache(maxsize=4096)(self._document_share)

    def document_ids(self) -> tuple[str, ...]:
        """Ids of all documents that were read, sorted."""
        return self._corpus.document_ids()

    def document(self, document_id: str) -> Document:
        """A document with its text. Raises KeyError for an unknown id."""
        return self._corpus.document(document_id)

    def unreadable(self) -> tuple[Unreadable, ...]:
        """Files of the folder that could not be read, with the reason."""
        return self._corpus.unreadable()

    def term_frequencies(self, question: str) -> tuple[TermFrequency, ...]:
        """The content words of a question, and pairs of neighbouring ones that the folder holds as a phrase.

        Each with the share of documents that hold it.
        """
        every, single = words(question), content_words(question)
        pairs = [f"{a} {b}" for a, b in pairwise(every) if a in single and b in single]
        found = [TermFrequency(term=term, document_share=self._share(term)) for term in (*single, *_once(pairs))]
        return tuple(item for item in found if item.document_share or " " not in item.term)

    def cards(self, queries: Sequence[str]) -> tuple[DocumentCard, ...]:
        """All documents, the likeliest first, each with how well its best passage fits the first query."""
        rankings: list[list[str]] = []
        best: dict[str, VectorMatch] = {}
        for query in queries:
            near = self._vectors.nearest(query, self._settings.breadth)
            lexical = [m.document_id for m in self._full_text.chunks(content_words(query), self._settings.breadth)]
            titled = [document_id for document_id, _ in self._full_text.cards(content_words(query), 50)]
            rankings += [_once(c.document_id for c in near), _once(lexical), titled]
            for candidate in near:
                best.setdefault(candidate.document_id, candidate)
        ranked = reciprocal_rank_fusion(rankings)
        outside = self._corpus.cards()
        rest = sorted(outside.keys() - set(ranked))
        return tuple(self._card(outside[i], best.get(i), queries[0]) for i in (*ranked, *rest))

    def passages(self, queries: Sequence[str], document_id: str | None = None) -> tuple[Passage, ...]:
        """The best passages for some queries, in one document or in all; the score is their fit to the first query."""
        rankings: list[list[int]] = []
        for query in queries:
            rankings.append([c.chunk_id for c in self._vectors.nearest(query, self._settings.depth, document_id)])
            found = self._full_text.chunks(content_words(query), self._settings.depth, document_id)
            rankings.append([match.chunk_id for match in found])
        chosen = reciprocal_rank_fusion(rankings)[: self._settings.passages]
        chunks = self._corpus.chunk_spans(chosen)
        similarity = {
            c.chunk_id: c.similarity for c in self._vectors.nearest(queries[0], self._settings.breadth, document_id)
        }
        passages: list[Passage] = []
        for name in _once(chunks[i].document_id for i in chosen if i in chunks):
            own = {chunk: i for i, chunk in chunks.items() if chunk.document_id == name}
            document = self.document(name)
            for group in joined(list(own), document.text):
                best = max(similarity.get(own[chunk], 0.0) for chunk in group)
                passages.append(self._passage(document, group, best, queries[0]))
        return tuple(sorted(passages, key=lambda p: -p.score))

    def hits(self, query: str, limit: int, document_id: str | None = None) -> tuple[SearchHit, ...]:
        """The best chunks for a query, in one document or in all, with what each half of the search said of them."""
        depth = max(limit, self._settings.depth)
        words_half = self._full_text.chunks(content_words(query), depth, document_id)
        vectors_half = self._vectors.nearest(query, depth, document_id)
        by_words = {match.chunk_id: (rank, match.score) for rank, match in enumerate(words_half, start=1)}
        by_vectors = {match.chunk_id: (rank, match.similarity) for rank, match in enumerate(vectors_half, start=1)}
        ranked = reciprocal_rank_fusion([list(by_vectors), list(by_words)])[:limit]
        chunks = self._corpus.chunk_spans(ranked)
        return tuple(
            SearchHit(
                passage=self._passage(self.document(chunks[i].document_id), [chunks[i]], near or 0.0, query),
                words_rank=words_rank,
                bm25=bm25,
                vectors_rank=vectors_rank,
                similarity=near,
            )
            for i in ranked
            if i in chunks
            for words_rank, bm25 in [by_words.get(i, (None, None))]
            for vectors_rank, near in [by_vectors.get(i, (None, None))]
        )

    def _card(self, outside: DocumentCard, best: VectorMatch | None, question: str) -> DocumentCard:
        if best is None:
            return outside
        text = self._corpus.chunk_text(self._corpus.chunk_spans([best.chunk_id])[best.chunk_id])
        match = relevance(best.similarity, coverage(self._weights(question), text))
        snippet = " ".join(text.split())[: self._settings.snippet_characters]
        return outside.model_copy(update={"match": match, "snippet": snippet})

    def _passage(self, document: Document, group: Sequence[Chunk], similarity: float, question: str) -> Passage:
        start, end = group[0].start, group[-1].end
        text = document.text[start:end]
        return Passage(
            document_id=document.id,
            start=start,
            end=end,
            text=text,
            page=group[0].page,
            line=line_at(document.text, start),
            own_lines=document.own_lines,
            heading=group[0].heading,
            score=relevance(similarity, coverage(self._weights(question), text)),
        )

    def _weights(self, question: str) -> Mapping[str, float]:
        return word_weights(question, {word: self._share(word) for word in content_words(question)})

    def _document_share(self, word: str) -> float:
        total = len(self._corpus.cards())
        return round(self._full_text.document_count(word) / total, 4) if total else 0.0


def _once(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(items))
