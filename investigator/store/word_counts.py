"""Computes the BM25 scores of one shard from the counts of all shards, bit for bit as SQLite's `bm25` would compute
them for one common table.

SQLite's function uses only the rows of its own table. The score of one word in one row reveals how often the word
occurs there, because everything else in the formula is known. The score is recomputed from the number of occurrences
and the counts of all shards, in the order of SQLite's own operations.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from investigator.errors import DamagedDatabaseError
from investigator.store.database import Database
from investigator.store.full_text import any_of

K1, B, LEAST_IDF = 1.2, 0.75, 1e-6
"""The constants of SQLite's `bm25`."""

_HELD = 256  # number of words whose rows are cached
_OFF_WHOLE = 0.01  # maximum deviation of a computed number of occurrences from a whole number

Rows: TypeAlias = npt.NDArray[np.int64]
"""Positions in the table, or row numbers; shape (rows,)."""


class WordTable(StrEnum):
    """A full-text table of an index, which contains chunks or the cards of documents."""

    CHUNKS = "chunk_words"
    CARDS = "card_words"


@dataclass(frozen=True)
class WordCounts:
    """The numbers of rows and words in a full-text table, and the number of rows that contain each given word."""

    rows: int
    tokens: int
    held: tuple[int, ...]

    def idf(self) -> list[float]:
        """Return the weight of each word."""
        values = (math.log((self.rows - held + 0.5) / (held + 0.5)) for held in self.held)
        return [value if value > 0.0 else LEAST_IDF for value in values]


def added(counts: Iterable[WordCounts]) -> WordCounts:
    """Return the combined counts of several tables for the same words."""
    every = tuple(counts)
    held = tuple(map(sum, zip(*(count.held for count in every), strict=True)))
    return WordCounts(sum(count.rows for count in every), sum(count.tokens for count in every), held)


class WordScores:
    """Scores rows of a full-text table; `ids` are the row numbers in ascending order. Thread-safe."""

    def __init__(self, database: Database, table: WordTable) -> None:
        self._database = database
        self._table = table
        with database.begin() as connection:
            sizes = connection.exec_driver_sql(f"SELECT id, sz FROM {table}_docsize ORDER BY id").all()
        self.ids: Rows = np.array([row[0] for row in sizes], dtype=np.int64)
        self._sizes = np.array([_words_of(row[1]) for row in sizes], dtype=np.float64)
        self._tokens = int(self._sizes.sum())
        self._hits = lru_cache(maxsize=_HELD)(self._find)

    def counts(self, words: Sequence[str]) -> WordCounts:
        """Return the counts of this table. Raises StoreError."""
        return WordCounts(len(self.ids), self._tokens, tuple(len(self._hits(word)[0]) for word in words))

    def scored(self, words: Sequence[str], counts: WordCounts) -> tuple[Rows, npt.NDArray[np.float64]]:
        """Return the positions in `ids` of the rows that contain a word, and their BM25 scores by the counts of all
        tables. `counts` contains the counts of the words in all tables. Raises StoreError.
        """
        hits = [self._hits(word) for word in words]
        places: Rows = np.unique(np.concatenate([where for where, _ in hits] or [np.zeros(0, dtype=np.int64)]))
        lengths = _lengths(self._sizes[places], counts)
        scores = np.zeros(len(places))
        for (where, times), idf in zip(hits, counts.idf(), strict=True):
            frequency = np.zeros(len(places))
            frequency[np.searchsorted(places, where)] = times
            scores += idf * ((frequency * (K1 + 1.0)) / (frequency + lengths))
        return places, scores

    def _find(self, word: str) -> tuple[Rows, npt.NDArray[np.float64]]:
        """Return the positions of the rows that contain a word, and the number of occurrences in each."""
        query = f"SELECT rowid, -bm25({self._table}) FROM {self._table} WHERE {self._table} MATCH ? ORDER BY rowid"
        with self._database.begin() as connection:
            rows = connection.exec_driver_sql(query, (any_of([word]),)).all()
        places: Rows = np.searchsorted(self.ids, np.array([row[0] for row in rows], dtype=np.int64))
        scores = np.array([row[1] for row in rows], dtype=np.float64)
        own = WordCounts(len(self.ids), self._tokens, (len(rows),))
        lengths = _lengths(self._sizes[places], own)
        times = scores * lengths / (own.idf()[0] * (K1 + 1.0) - scores)
        whole = np.round(times)
        if len(whole) and (float(np.abs(times - whole).max()) > _OFF_WHOLE or float(whole.min()) < 1.0):
            raise DamagedDatabaseError(f"the words of {self._database.place} were changed")
        return places, whole


def _lengths(sizes: npt.NDArray[np.float64], counts: WordCounts) -> npt.NDArray[np.float64]:
    average = counts.tokens / counts.rows if counts.tokens else 1.0
    return K1 * (1 - B + B * sizes / average)


def _words_of(stored: bytes) -> int:
    """Return the number of words in a row: the sum of its columns, each encoded as SQLite encodes numbers."""
    total = number = 0
    for byte in stored:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            total, number = total + number, 0
    return total
