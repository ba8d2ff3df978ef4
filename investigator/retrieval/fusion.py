"""Fuses two rankings into one, and merges a chunk with its neighbours into a passage. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from investigator.records import Chunk

Item = TypeVar("Item", bound=Hashable)

VECTOR_WEIGHT = 2.5  # measured by `benchmarks/retrieval.py`: 2 to 4 is best or nearly best on every set
BEST_SCORE = 1.0 + VECTOR_WEIGHT


def fused(bm25: Mapping[Item, float], similarity: Mapping[Item, float]) -> dict[Item, float]:
    """Return one score (about 0..1, higher is better) for each item found by either search, best first.

    BM25 is divided by the best score of the query, because its scale differs between queries. Cosine similarity (-1..1)
    is used unchanged: if an embedder cannot distinguish texts (a language it never learned), all similarities are alike
    and the words decide. Each search contributes a score only for the chunks that it found. Source: convex combination,
    Bruch, Gai and Ingber, "An analysis of fusion functions for hybrid retrieval" (2023).
    """
    best = max(bm25.values(), default=0.0) or 1.0
    scores = {
        item: (bm25.get(item, 0.0) / best + VECTOR_WEIGHT * similarity.get(item, 0.0)) / BEST_SCORE
        for item in dict.fromkeys((*bm25, *similarity))
    }
    return dict(sorted(scores.items(), key=lambda entry: -entry[1]))


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
