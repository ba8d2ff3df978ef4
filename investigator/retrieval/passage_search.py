"""Finds the passages of one document: its best chunks, ranked in two stages, with their neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from investigator.documents.pages import heading_at, line_at, page_at
from investigator.engines.embedding.rerankers import Reranker
from investigator.language.relevance import overlap
from investigator.records import Chunk, Document, Passage
from investigator.retrieval.chunk_search import ChunkHit, ChunkSearch, CorpusView
from investigator.retrieval.kept_sentences import KeptSentences
from investigator.retrieval.retrieval_settings import RetrievalSettings

_RERANKED = 15  # number of chunks of a document that the reranker scores


class PassageSearch:
    """Finds the passages in a document that match a query; `kept` stores the sentence vectors used for comparison."""

    def __init__(
        self,
        corpus: CorpusView,
        search: ChunkSearch,
        reranker: Reranker,
        settings: RetrievalSettings,
        kept: KeptSentences | None = None,
    ) -> None:
        self._corpus = corpus
        self._search = search
        self._reranker = reranker
        self._settings = settings
        self._kept = kept

    def best(self, query: str, document_id: str, weights: Mapping[str, float]) -> tuple[Passage, ...]:
        """Return the best passages, best first; `weights` are the weights of the query's stems."""
        chunks = self._corpus.chunks_of(document_id)
        document = self._corpus.document(document_id)
        hits = self._search.best(query, len(chunks), document_id=document_id)
        similarity = {hit.chunk_id: hit.similarity or 0.0 for hit in hits}
        scores = self._reranked(query, document, chunks, hits)
        order = list(chunks)
        place_of = {chunk_id: place for place, chunk_id in enumerate(order)}
        ranked = (place_of[i] for i in sorted(scores, key=lambda i: -scores[i]) if i in place_of)
        limit, characters = self._settings.passages, self._settings.passage_characters
        passages = []
        for window in windows(ranked, list(chunks.values()), limit, characters):
            own = [order[place] for place in window]
            best = max(own, key=lambda i: scores.get(i, 0.0))
            near = max(similarity.get(i, 0.0) for i in own)
            passage = passage_of(document, [chunks[i] for i in own], scores.get(best, 0.0), near, weights)
            passages.append(passage.changed(heading=heading_at(document.headings, chunks[best].start)))
        return tuple(passages)

    def spans(self, query: str, document_id: str, limit: int) -> tuple[tuple[int, int], ...]:
        """Return the spans of the best chunks, best first, as the reranker orders them."""
        chunks = self._corpus.chunks_of(document_id)
        hits = self._search.best(query, len(chunks), document_id=document_id)
        scores = self._reranked(query, self._corpus.document(document_id), chunks, hits)
        best = [chunks[i] for i in sorted(scores, key=lambda i: -scores[i]) if i in chunks][:limit]
        return tuple((chunk.start, chunk.end) for chunk in best)

    def _reranked(
        self, query: str, document: Document, chunks: Mapping[int, Chunk], hits: Sequence[ChunkHit]
    ) -> dict[int, float]:
        """Return the scores (about 0..1); for the best chunks, they are combined with the reranker's scores."""
        scores = {hit.chunk_id: hit.score for hit in hits}
        best = [i for i in scores if i in chunks][:_RERANKED]
        if not best:
            return scores
        texts = {i: document.text[chunks[i].start : chunks[i].end] for i in best}
        if self._kept is not None:
            self._kept.keep(texts)
        second = dict(zip(best, self._reranker.scores(query, list(texts.values())), strict=True))
        weight = self._reranker.weight
        return {i: (score + weight * max(0.0, second.get(i, 0.0))) / (1 + weight) for i, score in scores.items()}


def passage_of(
    document: Document, group: Sequence[Chunk], score: float, similarity: float, weights: Mapping[str, float]
) -> Passage:
    """Return neighbouring chunks of a document as one passage."""
    return passage_at(document, group[0].start, group[-1].end).changed(
        score=round(min(1.0, max(0.0, score)), 4),
        similarity=round(similarity, 4),
        overlap=round(max(overlap(weights, document.text[c.start : c.end]) for c in group), 4),
    )


def passage_at(document: Document, start: int, end: int) -> Passage:
    """Return a span of a document as a passage without scores."""
    return Passage(
        document_id=document.id,
        start=start,
        end=end,
        text=document.text[start:end],
        page=page_at(document.pages, start),
        line=line_at(document.text, start),
        own_lines=document.own_lines,
        heading=heading_at(document.headings, start),
    )


def windows(ranked: Iterable[int], chunks: Sequence[Chunk], count: int, characters: int) -> list[range]:
    """Return the first `count` windows of neighbouring chunks around ranked chunks, best first.

    `ranked` contains positions in `chunks`, which are the chunks of one document in text order. A window grows in both
    directions, never crosses a page boundary, and never exceeds the given number of characters; no chunk is in two
    windows.
    """
    used: set[int] = set()
    windows: list[range] = []
    for place in ranked:
        if len(windows) == count:
            break
        if place not in used:
            window = _grown(place, chunks, used, characters)
            used.update(window)
            windows.append(window)
    return windows


def _grown(place: int, chunks: Sequence[Chunk], used: set[int], characters: int) -> range:
    def fits(first: int, last: int, near: int) -> bool:
        return (
            0 <= near < len(chunks)
            and near not in used
            and chunks[near].page == chunks[place].page
            and chunks[max(last, near)].end - chunks[min(first, near)].start <= characters
        )

    first = last = place
    while True:
        before = (first, last)
        if fits(first, last, last + 1):
            last += 1
        if fits(first, last, first - 1):
            first -= 1
        if (first, last) == before:
            return range(first, last + 1)
