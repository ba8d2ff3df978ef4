"""Makes passages of a document's best chunks and their neighbours. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from investigator.documents.pages import heading_at, line_at, page_at
from investigator.language.relevance import overlap
from investigator.records import Chunk, Document, Passage


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
