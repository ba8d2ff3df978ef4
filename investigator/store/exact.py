"""Searches by comparing a query with every vector, which is exact and needs no index."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from threading import Lock

import numpy as np

from investigator.engines.base import Vectors
from investigator.store.vectors import VectorBlock, VectorMatch, VectorTable, best_matches, compared

_HELD = 250_000  # maximum number of vectors in memory (384 MB at 384 dimensions); more are read for each search
_ROUNDING = 1e-5  # exceeds the error of single precision, so that no nearest vector is lost


class ExactIndex:
    """All vectors of an embedder, read by the first search. Thread-safe."""

    def __init__(self, table: VectorTable) -> None:
        self._table = table
        self._held: tuple[VectorBlock, ...] | None = None
        self._reading = Lock()

    def nearest(self, vector: Vectors, limit: int) -> list[VectorMatch]:
        """Return the chunks nearest to a unit vector of shape (dimensions,), nearest first."""
        best: list[VectorMatch] = []
        for block in self._blocks(len(vector)):
            best = best_matches([*best, *_near(block, vector, limit)], limit)
        return best

    def matches(self, chunk_ids: Sequence[int], vector: Vectors, limit: int) -> list[VectorMatch]:
        """Return the nearest of the given chunks to a unit vector of shape (dimensions,), nearest first."""
        blocks = self._blocks(len(vector))
        if not isinstance(blocks, tuple):
            return self._table.matches(chunk_ids, vector, limit)
        matches: list[VectorMatch] = []
        for block in blocks:
            places = [bisect_left(block.chunk_ids, chunk_id) for chunk_id in chunk_ids]
            held = [k for k, i in zip(places, chunk_ids, strict=True) if block.chunk_ids[k : k + 1] == [i]]
            matches += compared(_part(block, held), vector)
        return best_matches(matches, limit)

    def _blocks(self, dimensions: int) -> Iterable[VectorBlock]:
        with self._reading:
            if self._held is None and self._table.count() <= _HELD:
                self._held = tuple(self._table.blocks(dimensions))
            return self._held if self._held is not None else self._table.blocks(dimensions)


def _near(block: VectorBlock, vector: Vectors, limit: int) -> list[VectorMatch]:
    """Return the nearest chunks of a block, selected in single precision and compared in double precision."""
    near = np.einsum("ij,j->i", block.rows, vector)  # no slower than BLAS, whose threads wait for each other
    if limit >= len(near):
        return compared(block, vector)
    least = np.partition(near, -limit)[-limit] - _ROUNDING
    places = np.flatnonzero(near >= least).tolist()
    return compared(_part(block, places), vector)


def _part(block: VectorBlock, places: Sequence[int]) -> VectorBlock:
    chunk_ids, document_ids = [block.chunk_ids[i] for i in places], [block.document_ids[i] for i in places]
    return VectorBlock(chunk_ids, document_ids, block.rows[places])
