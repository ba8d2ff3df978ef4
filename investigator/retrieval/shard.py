"""One shard of an index. Results merged across all shards equal the results of an undivided index."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from investigator.engines.base import Vectors
from investigator.store.corpus import Corpus
from investigator.store.database import Database
from investigator.store.full_text import FullText
from investigator.store.schema import chunks
from investigator.store.vectors import ExactIndex, VectorMatch, VectorTable
from investigator.store.word_counts import Rows, WordCounts, WordScores, WordTable

Reply = TypeVar("Reply")


class ScoredChunk(NamedTuple):
    """A chunk that contains words of a query, with its location; the best one is the smallest. `loss` is the negative
    score by the word counts of all shards.
    """

    loss: float
    document_id: str
    start: int
    chunk_id: int


class Shard:
    """One part of an index; no other part contains its documents. Chunk ids are local to the shard."""

    def __init__(self, database: Database, embedder: str) -> None:
        self.corpus = Corpus(database)
        self._database = database
        self._full_text = FullText(database)
        self._vectors = ExactIndex(VectorTable(database, embedder))

    def warm(self) -> bool:
        """Load the counts of words that searches need, and return True. Raises StoreError."""
        self.counts(WordTable.CHUNKS, ())
        return True

    def counts(self, table: WordTable, words: Sequence[str]) -> WordCounts:
        """Return the numbers of rows and words in a table, and the number of rows that contain each given word."""
        return self._scores[table].counts(words)

    def best_chunks(
        self, words: Sequence[str], counts: WordCounts, limit: int, document_id: str | None
    ) -> list[ScoredChunk]:
        """Return the best chunks that contain one of the words, scored by the counts of all shards, best first."""
        scores, (names, documents, starts) = self._scores[WordTable.CHUNKS], self._rows
        places, scored = scores.scored(words, counts)
        if document_id is not None:
            number = bisect_left(names, document_id)
            is_here = names[number : number + 1] == [document_id]
            inside = np.flatnonzero(documents[places] == (number if is_here else -1))
            places, scored = places[inside], scored[inside]
        order = np.lexsort((starts[places], documents[places], -scored))[:limit]
        best = zip((-scored[order]).tolist(), places[order].tolist(), strict=True)
        return [ScoredChunk(loss, names[documents[at]], int(starts[at]), int(scores.ids[at])) for loss, at in best]

    def best_cards(self, words: Sequence[str], counts: WordCounts, limit: int) -> list[tuple[str, float]]:
        """Return the documents whose cards contain one of the words, with their scores, best first."""
        places, scored = self._scores[WordTable.CARDS].scored(words, counts)
        scores = [(self._cards[at], score) for at, score in zip(places.tolist(), scored.tolist(), strict=True)]
        return sorted(scores, key=lambda card: (-card[1], card[0]))[:limit]

    def holders(self, phrases: Sequence[str]) -> dict[str, frozenset[str]]:
        return self._full_text.holders(phrases)

    def holding(self, phrases: Sequence[str]) -> dict[int, str]:
        return self._full_text.holding(phrases)

    def nearest(self, vector: Vectors, limit: int) -> list[VectorMatch]:
        return self._vectors.nearest(vector, limit)

    def matches(self, chunk_ids: Sequence[int], vector: Vectors, limit: int) -> list[VectorMatch]:
        return self._vectors.matches(chunk_ids, vector, limit)

    @cached_property
    def _scores(self) -> Mapping[WordTable, WordScores]:
        return {table: WordScores(self._database, table) for table in WordTable}

    @cached_property
    def _rows(self) -> tuple[list[str], Rows, Rows]:
        """The sorted documents; the place of each chunk's document among them, and its start, ordered by chunk id."""
        columns = chunks.select().with_only_columns(chunks.c.document_id, chunks.c.start).order_by(chunks.c.id)
        with self._database.begin() as connection:
            stored = connection.execute(columns).all()
        names = sorted({row.document_id for row in stored})
        number_of = {name: number for number, name in enumerate(names)}
        documents = np.array([number_of[row.document_id] for row in stored], dtype=np.int64)
        return names, documents, np.array([row.start for row in stored], dtype=np.int64)

    @cached_property
    def _cards(self) -> list[str]:
        with self._database.begin() as connection:
            return list(connection.exec_driver_sql("SELECT document_id FROM card_words ORDER BY rowid").scalars())


class ShardHolders(Protocol):
    """Holds the shards of an index, local or remote, numbered from 0. Thread-safe.

    A shard that does not reply raises ShardLostError.
    """

    def on(self, number: int, call: Callable[[Shard], Reply]) -> Reply:
        """Call a named function, or a partial of one, with one shard and return its result."""

    def on_all(self, call: Callable[[Shard], Reply]) -> dict[int, Reply]:
        """Call a function with every shard, and return the results in order, keyed by shard number."""
