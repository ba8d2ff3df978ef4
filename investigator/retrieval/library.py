"""The library: everything that the method needs to know about a folder, and every place where words occur in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from functools import lru_cache
from itertools import groupby
from typing import Self

from investigator.documents.pages import heading_at
from investigator.engines.embedding.rerankers import Reranker
from investigator.language.relevance import word_weights
from investigator.language.sentences import sentence_spans
from investigator.language.terms import content_words, porter_stem, stem, stop_words, tokens, words
from investigator.records import (
    Chunk,
    Document,
    DocumentCard,
    LeftOut,
    Mentioning,
    Mentions,
    Passage,
    SearchHit,
    Unreadable,
)
from investigator.retrieval.chunk_search import (
    ChunkHit,
    ChunkSearch,
    CorpusView,
    Half,
    VectorSearch,
    WordSearch,
    in_one_order,
)
from investigator.retrieval.documents_first import DocumentsFirst, RankedDocument
from investigator.retrieval.kept_sentences import KeptSentences
from investigator.retrieval.names import Names
from investigator.retrieval.passages import passage_at, passage_of, windows
from investigator.retrieval.retrieval_settings import RetrievalSettings

_DEPTH = 30  # number of chunks that keyword search and vector search each return
_MOST_LOOKED_UP = 40
"""Number of words of a query that are looked up to name those that no document contains."""
_RERANKED = 15  # number of chunks of a document that the reranker scores
_SNIPPET = 300  # maximum length of the excerpt that represents a document, in characters
_EXAMINED = 5  # number of documents that a search examines, most promising first
_MOST_TERMS = 50_000
"""Number of words whose documents are cached; the longest question has fewer."""


class Library:
    """A searchable folder: finds documents by their metadata and best passages, then the passages inside them. `kept`
    stores the sentence vectors that the reranker compares.
    """

    def __init__(
        self,
        corpus: CorpusView,
        full_text: WordSearch,
        vectors: VectorSearch,
        reranker: Reranker,
        settings: RetrievalSettings,
        kept: KeptSentences | None = None,
    ) -> None:
        self._corpus = corpus
        self._scope: frozenset[str] | None = None
        self._full_text = full_text
        self._settings = settings
        self._queries = vectors.queries
        self._search = ChunkSearch(full_text, vectors)
        self._reranker = reranker
        self._kept = kept
        self._known_holders: dict[str, frozenset[str]] = {}
        self._ranked = lru_cache(maxsize=64)(self._rank)
        self._weights = lru_cache(maxsize=64)(self._weigh)
        self._documents = DocumentsFirst(corpus, full_text, self._search, Names(corpus.cards().values()))

    def within(self, scope: Sequence[str]) -> Self:
        """Return a library whose documents, files, cards, hits of a query and missing words are limited to a scope; an
        empty scope sets no limit. Other searches and word frequencies refer to the whole folder.
        """
        other = copy(self)
        other._scope = frozenset(scope) or None
        return other

    def _is_in_scope(self, path: str) -> bool:
        return self._scope is None or path in self._scope

    def document_ids(self) -> tuple[str, ...]:
        """Return the ids of all documents that were read, sorted."""
        return tuple(filter(self._is_in_scope, self._corpus.document_ids()))

    def document(self, document_id: str) -> Document:
        """Return a document with its text. Raises KeyError for an unknown id."""
        if not self._is_in_scope(document_id):
            raise KeyError(document_id)
        return self._corpus.document(document_id)

    def unreadable(self) -> tuple[Unreadable, ...]:
        """Return the files in the folder that could not be read, with the reasons."""
        return tuple(file for file in self._corpus.unreadable() if self._is_in_scope(file.path))

    def left_out(self) -> tuple[LeftOut, ...]:
        """Return the files in the folder that are not documents, grouped by reason."""
        return self._corpus.left_out() if self._scope is None else ()

    def cards(self, queries: Sequence[str]) -> tuple[DocumentCard, ...]:
        """Return all documents, the most promising for any of the queries first; `match` is the probability for the
        first query.
        """
        self._queries.expect(queries)
        first = {entry.document_id: entry for entry in self._ranked(queries[0])}
        chances = {document_id: entry.chance for document_id, entry in first.items()}
        for query in queries[1:]:
            for entry in self._ranked(query):
                chances[entry.document_id] = max(entry.chance, chances.get(entry.document_id, 0.0))
        ranked = sorted(chances, key=lambda document_id: -chances[document_id])
        outside = self._corpus.cards()
        rest = sorted(outside.keys() - chances.keys())
        spans = self._corpus.chunk_spans([entry.best.chunk_id for entry in first.values() if entry.best is not None])
        return tuple(self._card(outside[i], first.get(i), spans) for i in (*ranked, *rest) if self._is_in_scope(i))

    def passages(self, query: str, document_id: str | None = None) -> tuple[Passage, ...]:
        """Return the best passages for a query, best first, in one document or in the most promising ones."""
        if document_id is not None:
            return self._inside(query, document_id)
        likeliest = self._ranked(query)[:_EXAMINED]
        passages = [(entry.chance, p) for entry in likeliest for p in self._inside(query, entry.document_id)]
        passages.sort(key=lambda entry: -(entry[0] + entry[1].score))
        return tuple(passage for _, passage in passages[: self._settings.passages])

    def spans(self, query: str, document_id: str, limit: int, *, is_reranked: bool) -> tuple[tuple[int, int], ...]:
        """Return the spans of a document's best chunks for a query, best first; with `is_reranked`, as the reranker
        orders them, which takes longer.
        """
        if is_reranked:
            chunks: Mapping[int, Chunk] = self._corpus.chunks_of(document_id)
            hits = self._search.best(query, len(chunks), document_id=document_id)
            scores = self._reranked(query, document_id, chunks, hits)
            order = sorted(scores, key=lambda i: -scores[i])
        else:
            hits = self._search.best(query, max(limit, _DEPTH), document_id=document_id)
            order = [hit.chunk_id for hit in sorted(hits, key=lambda hit: -hit.score)[:limit]]
            chunks = self._corpus.chunk_spans(order)
        return tuple((chunks[i].start, chunks[i].end) for i in order if i in chunks)[:limit]

    def ranked(self, query: str, limit: int, half: Half = Half.BOTH) -> tuple[ChunkHit, ...]:
        """Return the best chunks in the folder for a query, best first, found by keyword search, vector search, or
        both.
        """
        return tuple(self._search.best(query, limit, half))

    def standings(self, question: str) -> tuple[RankedDocument, ...]:
        """Return the documents worth examining with their features, most promising first."""
        return self._ranked(question)

    def hits(self, query: str, limit: int, document_id: str | None = None) -> tuple[SearchHit, ...]:
        """Return the best chunks for a query, in one document or in all, with their scores in keyword search and vector
        search.

        In a search of the whole folder, half of a chunk's score is the probability of its document.
        """
        if document_id is None and self._scope is not None:
            every = (hit for name in sorted(self._scope) for hit in self.hits(query, limit, name))
            return tuple(sorted(every, key=lambda hit: -hit.passage.score)[:limit])
        chunks = self._search.best(query, max(limit, _DEPTH), document_id=document_id)
        chances: dict[str, float] = {}
        if document_id is None:
            likeliest = self._ranked(query)
            chances = {entry.document_id: entry.chance for entry in likeliest}
            for entry in likeliest[:_EXAMINED]:
                chunks += self._search.best(query, _DEPTH, document_id=entry.document_id)
            chunks = in_one_order(chunks)
        scores = {c.chunk_id: (c.score + chances.get(c.document_id, 0.0)) / 2 if chances else c.score for c in chunks}
        best = sorted(chunks, key=lambda chunk: -scores[chunk.chunk_id])[:limit]
        spans = self._corpus.chunk_spans([chunk.chunk_id for chunk in best])
        weights = self._weights(query)
        hits = []
        for chunk in best:
            if chunk.chunk_id in spans:
                document, score = self.document(chunk.document_id), scores[chunk.chunk_id]
                passage = passage_of(document, [spans[chunk.chunk_id]], score, chunk.similarity or 0.0, weights)
                hits.append(SearchHit(passage=passage, bm25=chunk.bm25, similarity=chunk.similarity))
        return tuple(hits)

    def missing_words(self, query: str) -> tuple[str, ...]:
        """Return the words of a query that no document contains, as written and without duplicates; of a long query, of
        its first words.
        """
        first = list(dict.fromkeys(tokens(query)))[:_MOST_LOOKED_UP]
        holders, every = self._holders(content_words(" ".join(first))), frozenset(self.document_ids())
        return tuple(t for t in first if not any(holders.get(word, every) & every for word in words(t)))

    def mentions(self, query: str) -> Mentions:
        """Return every document that contains all words and phrases of a query, with the places."""
        phrases = phrases_of(query)
        return Mentions(
            phrases=phrases,
            documents=tuple(mentioning(self._corpus, self._full_text, phrases)),
            searched=len(self._corpus.cards()),
            unreadable=self.unreadable(),
        )

    def _inside(self, query: str, document_id: str) -> tuple[Passage, ...]:
        """Return the best passages of a document, best first: its best chunks with their neighbours."""
        document, chunks = self._corpus.document(document_id), self._corpus.chunks_of(document_id)
        chance = next((entry.chance for entry in self._ranked(query) if entry.document_id == document_id), 0.0)
        hits = self._search.best(query, len(chunks), document_id=document_id)
        similarity = {hit.chunk_id: hit.similarity or 0.0 for hit in hits}
        scores = self._reranked(query, document_id, chunks, hits)
        order = list(chunks)
        place_of = {chunk_id: place for place, chunk_id in enumerate(order)}
        ranked = (place_of[i] for i in sorted(scores, key=lambda i: -scores[i]) if i in place_of)
        limit, characters = self._settings.passages, self._settings.passage_characters
        passages = []
        for window in windows(ranked, list(chunks.values()), limit, characters):
            own = [order[place] for place in window]
            best = max(own, key=lambda i: scores.get(i, 0.0))
            near = max(similarity.get(i, 0.0) for i in own)
            passage = passage_of(document, [chunks[i] for i in own], scores.get(best, 0.0), near, self._weights(query))
            heading = heading_at(document.headings, chunks[best].start)
            passages.append(passage.changed(heading=heading, document_match=round(chance, 4)))
        return tuple(passages)

    def _reranked(
        self, query: str, document_id: str, chunks: Mapping[int, Chunk], hits: Sequence[ChunkHit]
    ) -> dict[int, float]:
        """Return the scores (about 0..1); for the best chunks, they are combined with the reranker's scores."""
        scores = {hit.chunk_id: hit.score for hit in hits}
        best = [i for i in scores if i in chunks][:_RERANKED]
        if not best:
            return scores
        text = self._corpus.document(document_id).text
        texts = {i: text[chunks[i].start : chunks[i].end] for i in best}
        if self._kept is not None:
            self._kept.keep(texts)
        second = dict(zip(best, self._reranker.scores(query, list(texts.values())), strict=True))
        weight = self._reranker.weight
        return {i: (score + weight * max(0.0, second.get(i, 0.0))) / (1 + weight) for i, score in scores.items()}

    def _card(self, outside: DocumentCard, entry: RankedDocument | None, spans: Mapping[int, Chunk]) -> DocumentCard:
        if entry is None or entry.best is None:
            return outside
        text = self._corpus.chunk_text(spans[entry.best.chunk_id])
        snippet = " ".join(text.split())[:_SNIPPET]
        return outside.changed(match=round(entry.chance, 4), snippet=snippet)

    def _rank(self, question: str) -> tuple[RankedDocument, ...]:
        holders: dict[str, frozenset[str]] = {}
        for word, documents in self._holders(content_words(question)).items():
            holders[stem(word)] = holders.get(stem(word), frozenset()) | documents
        return self._documents.rank(question, self._weights(question), holders)

    def _weigh(self, question: str) -> Mapping[str, float]:
        total, holders = len(self._corpus.cards()) or 1, self._holders(content_words(question))
        return word_weights(question, {word: round(len(names) / total, 4) for word, names in holders.items()})

    def _holders(self, terms: Sequence[str]) -> dict[str, frozenset[str]]:
        known = self._known_holders
        missing = [term for term in terms if term not in known]
        if missing:
            holders = self._full_text.holders(missing)
            if len(known) + len(holders) > _MOST_TERMS:
                known = {}
            known = self._known_holders = known | holders
        return {term: known[term] for term in terms}


_CURLY = re.compile("[\u201c\u201d\u201e\u00ab\u00bb]")
_PHRASE = re.compile(r'"([^"]*)"|([^\s"]+)')


def phrases_of(query: str) -> tuple[str, ...]:
    """Return the words of a query and its phrases in double quotation marks, without duplicates; stop words only in
    phrases, unless there are no other words.
    """
    phrases_and_words = (" ".join(words(phrase or word)) for phrase, word in _PHRASE.findall(_CURLY.sub('"', query)))
    phrases = tuple(dict.fromkeys(phrase for phrase in phrases_and_words if phrase))
    return tuple(phrase for phrase in phrases if phrase not in stop_words()) or phrases


def mentioning(corpus: CorpusView, full_text: WordSearch, phrases: Sequence[str]) -> Iterator[Mentioning]:
    """Yield the documents that contain every phrase, by id, with each sentence or line that contains one of them.

    Words match in all forms with the same stem, as in the index; a phrase that runs over the end of a passage, such as
    that of a page, is not found. Raises StoreError.
    """
    holders = full_text.holders(phrases)
    stems = [tuple(map(porter_stem, phrase.split())) for phrase in phrases]
    documents = frozenset.intersection(*holders.values()) if holders else frozenset[str]()
    chunks = sorted((name, chunk_id) for chunk_id, name in full_text.holding(phrases).items() if name in documents)
    for name, own in groupby(chunks, key=lambda entry: entry[0]):
        document = corpus.document(name)
        spans = corpus.chunk_spans([chunk_id for _, chunk_id in own])
        passages = tuple(_passages(document, spans, stems))
        yield Mentioning(document_id=name, title=document.title, passages=passages)


def _passages(document: Document, chunks: Mapping[int, Chunk], phrases: Sequence[tuple[str, ...]]) -> Iterator[Passage]:
    """Yield the sentences of chunks that contain a phrase; of a phrase that runs across sentences, the whole chunk."""
    last = -1
    for chunk in sorted(chunks.values(), key=lambda chunk: chunk.start):
        text = document.text[chunk.start : chunk.end]
        held = [span for span in sentence_spans(text) if _holds(text[slice(*span)], phrases)]
        for start, end in held or [(0, len(text))]:
            if chunk.start + start >= last:  # chunks may overlap
                last = chunk.start + end
                yield passage_at(document, chunk.start + start, last)


def _holds(text: str, phrases: Sequence[tuple[str, ...]]) -> bool:
    stems = tuple(map(porter_stem, words(text)))
    return any(
        stems[at : at + len(phrase)] == phrase
        for phrase in phrases
        for at in range(len(stems) - len(phrase) + 1)
        if stems[at] == phrase[0]
    )
