"""Searches every document in the folder for the given words, using the index; texts without them are not read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from investigator.language.relevance import rarity
from investigator.retrieval.chunk_search import ChunkSearch, Half
from investigator.retrieval.sources import CorpusView, WordSearch

_LOOKED_INTO = 6  # number of chunks per document; more are added only if they contain another of the wanted things
_NEAREST = 4  # number of chunks per document that vector search may add
_MOST_NEAREST = 4_000


@dataclass(frozen=True)
class FoundSpan:
    """A piece of a document, the indices of the `wanted` things that it contains, and its similarity to the query."""

    start: int
    end: int
    held: frozenset[int]
    similarity: float


@dataclass(frozen=True)
class Survey:
    """The matches in each document of a folder, best first, and the weight (rarity) of each of the `wanted` things."""

    spans: Mapping[str, tuple[FoundSpan, ...]]
    weights: tuple[float, ...]


def surveyed(
    corpus: CorpusView, full_text: WordSearch, search: ChunkSearch, wanted: Sequence[Sequence[str]], query: str
) -> Survey:
    """Return the best pieces of each document: those with the most `wanted` things, then those nearest in meaning.

    Each of the `wanted` things has several wordings, one of which must occur (in any inflection). If a document
    contains a thing, so does at least one of the pieces returned for that document.
    """
    held: dict[int, set[int]] = {}
    owner: dict[int, str] = {}
    weights = []
    documents = corpus.document_ids()
    for number, wordings in enumerate(wanted):
        found = full_text.holding(wordings)
        owner |= found
        for chunk_id in found:
            held.setdefault(chunk_id, set()).add(number)
        weights.append(rarity(len(set(found.values())) / max(1, len(documents))))
    near: dict[int, float] = {}
    for hit in search.best(query, min(_MOST_NEAREST, _NEAREST * len(documents)), Half.VECTORS):
        owner[hit.chunk_id], near[hit.chunk_id] = hit.document_id, hit.similarity or 0.0

    def rank(chunk_id: int) -> tuple[float, float, int]:
        return -sum(weights[i] for i in held.get(chunk_id, ())), -near.get(chunk_id, 0.0), chunk_id

    best: dict[str, list[int]] = {document_id: [] for document_id in documents}
    covered: dict[str, set[int]] = {document_id: set() for document_id in documents}
    for chunk_id in sorted(owner, key=rank):
        document_id, own = owner[chunk_id], held.get(chunk_id, set())
        if len(best[document_id]) < _LOOKED_INTO or not own <= covered[document_id]:
            best[document_id].append(chunk_id)
            covered[document_id] |= own
    spans = corpus.chunk_spans([chunk_id for ids in best.values() for chunk_id in ids])
    return Survey(
        {
            document_id: tuple(
                FoundSpan(spans[i].start, spans[i].end, frozenset(held.get(i, ())), near.get(i, 0.0))
                for i in ids
                if i in spans
            )
            for document_id, ids in best.items()
        },
        tuple(weights),
    )
