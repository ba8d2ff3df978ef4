"""Searches several shards as one index. The merged ranking is identical to the ranking of one workspace.

Outside its shard, a chunk has a different number: its id in the shard times the number of shards, plus the number of
the shard. Within a document, chunk numbers are in text order, as in one workspace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache, partial
from typing import TypeVar

from investigator.engines.base import Embedder
from investigator.records import Chunk, Document, DocumentCard, FileRecord, LeftOut, Unreadable
from investigator.retrieval.shard import Shard, ShardHolders
from investigator.retrieval.vector_search import QueryVectors
from investigator.store.corpus import Corpus, fingerprint_of
from investigator.store.full_text import ChunkMatch
from investigator.store.vectors import VectorMatch, best_matches
from investigator.store.word_counts import WordCounts, WordTable, added

_HELD_QUERIES = 256  # number of queries whose counts are cached

Value = TypeVar("Value")


class GatheredCorpus:
    """The documents and chunks of several shards, keyed by shard number; `count` is the number of all shards."""

    def __init__(self, shards: Mapping[int, Corpus], count: int, left_out: Sequence[LeftOut]) -> None:
        self.count = count
        self._shards = dict(sorted(shards.items()))
        self._left_out = tuple(left_out)

    def home(self, document_id: str) -> int:
        """Return the number of the shard that contains a document. Raises KeyError."""
        return self._homes[document_id]

    @cached_property
    def _homes(self) -> Mapping[str, int]:
        return {name: number for number, shard in self._shards.items() for name in shard.document_ids()}

    def numbered(self, number: int, chunks: Mapping[int, Value]) -> dict[int, Value]:
        """Return the values for a shard's chunks, keyed by global chunk number."""
        return {chunk_id * self.count + number: value for chunk_id, value in chunks.items()}

    def by_shard(self, chunk_ids: Sequence[int]) -> dict[int, list[int]]:
        """Group chunk numbers by shard, converted to the chunk ids used in that shard."""
        by_shard: dict[int, list[int]] = {}
        for chunk_id in chunk_ids:
            by_shard.setdefault(chunk_id % self.count, []).append(chunk_id // self.count)
        return by_shard

    def files(self) -> tuple[FileRecord, ...]:
        files = (file for shard in self._shards.values() for file in shard.files())
        return tuple(sorted(files, key=lambda file: file.path))

    def document_ids(self) -> tuple[str, ...]:
        return tuple(sorted(self._homes))

    def document(self, document_id: str) -> Document:
        return self._shards[self.home(document_id)].document(document_id)

    def unreadable(self) -> tuple[Unreadable, ...]:
        files = (file for shard in self._shards.values() for file in shard.unreadable())
        return tuple(sorted(files, key=lambda file: file.path))

    def left_out(self) -> tuple[LeftOut, ...]:
        return self._left_out

    def cards(self) -> Mapping[str, DocumentCard]:
        return self._cards

    @cached_property
    def _cards(self) -> Mapping[str, DocumentCard]:
        return dict(sorted(card for shard in self._shards.values() for card in shard.cards().items()))

    def fingerprint(self, scope: Sequence[str] = ()) -> str:
        """Return a hash of the folder's contents, which equals the hash of an undivided index."""
        return fingerprint_of(
            ((file.path, file.content_hash, file.status) for file in self.files() if not scope or file.path in scope),
            () if scope else self._left_out,
        )

    def chunk_count(self) -> int:
        return sum(shard.chunk_count() for shard in self._shards.values())

    def chunk_text(self, chunk: Chunk) -> str:
        return self.document(chunk.document_id).text[chunk.start : chunk.end]

    def chunk_spans(self, chunk_ids: Sequence[int]) -> dict[int, Chunk]:
        chunks: dict[int, Chunk] = {}
        for number, ids in self.by_shard(chunk_ids).items():
            chunks |= self.numbered(number, self._shards[number].chunk_spans(ids))
        return chunks

    def chunks_of(self, document_id: str) -> Mapping[int, Chunk]:
        number = self._homes.get(document_id)
        return {} if number is None else self.numbered(number, self._shards[number].chunks_of(document_id))


class GatheredWords:
    """Searches for words in several shards, and scores the matches using the counts from all shards."""

    def __init__(self, holders: ShardHolders, corpus: GatheredCorpus) -> None:
        self._holders = holders
        self._corpus = corpus
        self._counts = lru_cache(maxsize=_HELD_QUERIES)(self._count)

    def chunks(self, words: Sequence[str], limit: int, document_id: str | None = None) -> list[ChunkMatch]:
        counts = self._counts(WordTable.CHUNKS, tuple(words))
        if not any(counts.held):
            return []
        ask = partial(Shard.best_chunks, words=words, counts=counts, limit=limit, document_id=document_id)
        if document_id is None:
            replies = self._holders.on_all(ask)
        else:
            number = self._corpus.home(document_id)
            replies = {number: self._holders.on(number, ask)}
        best = sorted((chunk, number) for number, chunks in replies.items() for chunk in chunks)[:limit]
        count = self._corpus.count
        return [ChunkMatch(c.chunk_id * count + number, c.document_id, -c.loss) for c, number in best]

    def cards(self, words: Sequence[str], limit: int) -> list[tuple[str, float]]:
        counts = self._counts(WordTable.CARDS, tuple(words))
        if not any(counts.held):
            return []
        replies = self._holders.on_all(partial(Shard.best_cards, words=words, counts=counts, limit=limit))
        cards = (card for best in replies.values() for card in best)
        return sorted(cards, key=lambda card: (-card[1], card[0]))[:limit]

    def holders(self, phrases: Sequence[str]) -> dict[str, frozenset[str]]:
        replies = self._holders.on_all(partial(Shard.holders, phrases=tuple(phrases))).values()
        return {phrase: frozenset().union(*(reply[phrase] for reply in replies)) for phrase in phrases}

    def holding(self, phrases: Sequence[str]) -> dict[int, str]:
        texts: dict[int, str] = {}
        for number, reply in self._holders.on_all(partial(Shard.holding, phrases=tuple(phrases))).items():
            texts |= self._corpus.numbered(number, reply)
        return texts

    def _count(self, table: WordTable, words: tuple[str, ...]) -> WordCounts:
        return added(self._holders.on_all(partial(Shard.counts, table=table, words=words)).values())


class GatheredVectors:
    """Compares a query with the vectors of several shards."""

    def __init__(self, holders: ShardHolders, corpus: GatheredCorpus, embedder: Embedder) -> None:
        self._holders = holders
        self._corpus = corpus
        self.queries = QueryVectors(embedder)

    def nearest(self, query: str, limit: int, document_id: str | None = None) -> list[VectorMatch]:
        vector = self.queries(query)
        if document_id is not None:
            return self._matches(list(self._corpus.chunks_of(document_id)), query, limit)
        replies = self._holders.on_all(partial(Shard.nearest, vector=vector, limit=limit))
        return best_matches([match for number, near in replies.items() for match in self._outside(number, near)], limit)

    def similarities(self, query: str, chunk_ids: Sequence[int]) -> dict[int, float]:
        return {match.chunk_id: match.similarity for match in self._matches(chunk_ids, query, len(chunk_ids))}

    def _matches(self, chunk_ids: Sequence[int], query: str, limit: int) -> list[VectorMatch]:
        vector, matches = self.queries(query), list[VectorMatch]()
        for number, ids in self._corpus.by_shard(chunk_ids).items():
            near = self._holders.on(number, partial(Shard.matches, chunk_ids=ids, vector=vector, limit=limit))
            matches += self._outside(number, near)
        return best_matches(matches, limit)

    def _outside(self, number: int, near: Sequence[VectorMatch]) -> list[VectorMatch]:
        count = self._corpus.count
        return [VectorMatch(match.chunk_id * count + number, match.document_id, match.similarity) for match in near]
