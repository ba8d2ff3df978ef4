"""Rankings made one, and neighbouring chunks made passages. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

from investigator.records import Chunk

Item = TypeVar("Item", bound=Hashable)

RANK_CONSTANT = 60.0


def reciprocal_rank_fusion(rankings: Iterable[Sequence[Item]], constant: float = RANK_CONSTANT) -> list[Item]:
    """One ranking from several, best first; ties keep the order of first appearance.

    Source: Cormack, Clarke and Buettcher, "Reciprocal rank fusion outperforms Condorcet" (SIGIR 2009).
    """
    scores: dict[Item, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + 1.0 / (constant + rank)
    return sorted(scores, key=lambda item: -scores[item])


def joined(chunks: Sequence[Chunk], text: str) -> list[list[Chunk]]:
    """Chunks of one document in groups that stand side by side in its text, in the order of the text.

    Chunks are neighbours when nothing but white space lies between them and they share page and heading.
    """
    groups: list[list[Chunk]] = []
    for chunk in sorted(chunks, key=lambda c: c.start):
        last = groups[-1][-1] if groups else None
        if last is not None and _neighbours(last, chunk, text):
            groups[-1].append(chunk)
        else:
            groups.append([chunk])
    return groups


def _neighbours(first: Chunk, second: Chunk, text: str) -> bool:
    same_place = (first.page, first.heading) == (second.page, second.heading)
    return same_place and not text[first.end : second.start].strip()
