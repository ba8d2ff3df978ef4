"""Ranks documents by their metadata and their best chunks, before passages are searched for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from investigator.language.relevance import overlap, share_of_weight
from investigator.language.terms import content_words, words
from investigator.records import Standing
from investigator.retrieval.chunk_search import ChunkHit, ChunkSearch, CorpusView, WordSearch, in_one_order
from investigator.retrieval.names import Names, named_words, names_nothing
from investigator.scoring.calibration import default_calibration

_LOOKED_INTO = 60  # maximum number of found documents that are ranked
_BREADTH = 300  # number of chunks examined to rank the documents in a folder
_FRONTS = 6  # maximum number of documents added because their name, headings or first lines match
_FEWEST_WORDS = 4  # minimum number of words in a chunk that can answer a question
USUAL_CHUNKS = 200  # number of chunks in a typical folder; in a smaller one, fewer texts resemble a question by chance
_NAMED = 12  # number of best-matching names whose documents are ranked even if no search found them


@dataclass(frozen=True)
class RankedDocument:
    """A document, the probability (0..1) that it contains the answer, its features, and its best chunk, if any."""

    document_id: str
    chance: float
    standing: Standing
    best: ChunkHit | None


@dataclass(frozen=True)
class DocumentsFirst:
    """Ranks the documents in a folder for a question."""

    corpus: CorpusView
    full_text: WordSearch
    search: ChunkSearch
    names: Names

    def rank(
        self, question: str, weights: Mapping[str, float], holders: Mapping[str, frozenset[str]]
    ) -> tuple[RankedDocument, ...]:
        """Return the documents worth examining, most promising first.

        `weights` are the weights of the question's stems, and `holders` are the documents that contain each stem.
        """
        named, period = self.names.named(question), self.names.in_period(question)
        age = self.names.of_age(question, named)
        best, nearest = self._best_chunks(question, named)
        spans = self.corpus.chunk_spans([chunk.chunk_id for chunk in best.values()])
        texts = {i: self.corpus.chunk_text(spans[chunk.chunk_id]) for i, chunk in best.items()}
        telling = [i for i, text in texts.items() if len(words(text)) >= _FEWEST_WORDS] or list(best)
        leader = max((best[document_id].score for document_id in telling), default=0.0)
        called = {word: weights[word] for word in named_words(question) if word in weights}
        wanted, plain = called or weights, names_nothing(question)
        few = math.log(max(1.0, USUAL_CHUNKS / max(1, self.corpus.chunk_count())))
        model, ranked = default_calibration().of(question), []
        for document_id, chunk in best.items():
            held = [word for word in wanted if document_id in holders.get(word, frozenset())]
            others = max((nearest[other] for other in telling if other != document_id), default=0.0)
            standing = Standing(
                gap=min(0.0, chunk.score - leader),
                similarity=nearest[document_id],
                overlap=overlap(weights, texts[document_id]),
                named=named.get(document_id, 0.0),
                names=share_of_weight(wanted, held),
                period=period.get(document_id, 0.0),
                age=age.get(document_id, 0.0),
                naming=0.0 if plain else 1.0,
                stands_out=max(0.0, nearest[document_id] - others) if plain else 0.0,
                few=few,
            )
            ranked.append(RankedDocument(document_id, model.chance(standing), standing, chunk))
        return tuple(sorted(ranked, key=lambda entry: -entry.chance))

    def _best_chunks(self, question: str, named: Mapping[str, float]) -> tuple[dict[str, ChunkHit], dict[str, float]]:
        """Return the best chunk of each examined document, and the similarity of its nearest chunk."""
        chunks = {chunk.chunk_id: chunk for chunk in self.search.best(question, _BREADTH)}
        documents = dict.fromkeys(chunk.document_id for chunk in chunks.values())
        called = sorted(named, key=lambda i: (-named[i], i))[:_NAMED]
        fronts = self.full_text.cards(content_words(question), _FRONTS)
        called += [document_id for document_id, _ in fronts if document_id not in called]
        for document_id in called:
            if document_id not in documents:
                inside = self.search.best(question, _BREADTH, document_id=document_id)
                chunks |= {chunk.chunk_id: chunk for chunk in inside}
        looked_into = {*list(documents)[:_LOOKED_INTO], *called}
        best: dict[str, ChunkHit] = {}
        nearest: dict[str, float] = {}
        for chunk in in_one_order(chunks.values()):
            if chunk.document_id in looked_into:
                best.setdefault(chunk.document_id, chunk)
                nearest[chunk.document_id] = max(nearest.get(chunk.document_id, 0.0), chunk.similarity or 0.0)
        return best, nearest
