"""Stores sentence vectors: all of them in advance, or only those from passages that are read for a question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from investigator.engines.base import Embedder
from investigator.engines.embedding.rerankers import sentences
from investigator.engines.extractive.candidates import compared_spans
from investigator.records import Embedded
from investigator.store.corpus import Corpus, FollowedText
from investigator.store.sentence_vectors import SentenceVectorTable
from investigator.store.vectors import VectorTable

_WINDOW = 128  # number of chunks whose sentences are embedded at a time, so that an interruption loses little


class KeptSentences:
    """Computes and stores the vectors of the sentences that are compared with questions. Thread-safe."""

    def __init__(self, table: SentenceVectorTable, chunks: VectorTable, embedder: Embedder) -> None:
        self._table = table
        self._chunks = chunks
        self._embedder = embedder
        self._complete: set[int] = set()  # chunks known to have all their vectors

    def keep(self, texts: Mapping[int, str], following: Mapping[int, FollowedText] | None = None) -> None:
        """Compute and store the missing vectors of the chunks whose texts are given.

        With `following`, sentences that continue in the next chunk are included. Raises EngineError and StoreError.
        """
        if self._complete.issuperset(texts):
            return
        lacking, following = self._table.lacking(texts), following or {}
        compared = {i: _compared(texts[i], following.get(i)) for i in texts if i in lacking}
        if compared:
            self._store(texts, compared)
        self._complete |= texts.keys()

    def _store(self, texts: Mapping[int, str], compared: Mapping[int, Sequence[str]]) -> None:
        """Compute and store the vectors of the sentences found in each chunk."""
        whole = self._chunks.get([chunk_id for chunk_id, each in compared.items() if texts[chunk_id] in each])
        rows = {texts[chunk_id]: vector for chunk_id, vector in whole.items()}
        others = list(
            dict.fromkeys(sentence for each in compared.values() for sentence in each if sentence not in rows)
        )
        if others:
            rows |= zip(others, self._embedder.embed(others), strict=True)
        self._table.put(compared, rows)

    def keep_all(self, corpus: Corpus) -> Iterator[Embedded]:
        """Compute and store the missing vectors in batches; yield the number of chunks done and the total.

        Raises EngineError and StoreError.
        """
        for texts, done, total in windows(corpus, self._table.missing(), _WINDOW):
            self.keep(texts, corpus.followed_texts(texts))
            yield Embedded(done=done, total=total, sentences=True)


def windows(
    corpus: Corpus, missing: Mapping[str, Sequence[int]], size: int
) -> Iterator[tuple[Mapping[int, str], int, int]]:
    """Yield the texts of chunks in batches of about `size`, with the number of chunks done so far and the total.

    `missing` contains chunk ids, grouped by document. Chunks that another process deletes in the meantime are skipped.
    """
    total, done = sum(map(len, missing.values())), 0
    texts: dict[int, str] = {}
    for document_id, ids in missing.items():
        for start in range(0, len(ids), size):
            part = ids[start : start + size]
            texts |= corpus.chunk_texts(document_id, part)
            done += len(part)
            if len(texts) >= size:
                yield texts, done, total
                texts = {}
    if texts:
        yield texts, done, total


def _compared(text: str, followed: FollowedText | None) -> list[str]:
    """Return the sentences in a chunk and, if `followed` is given, those that extend across the boundary to the next
    chunk.
    """
    compared = [*sentences(text), *_candidates(text)]
    if followed is not None:
        own = {*compared, *_candidates(followed.next)}
        compared += [sentence for sentence in _candidates(followed.both) if sentence not in own]
    return list(dict.fromkeys(compared))


def _candidates(text: str) -> list[str]:
    return [text[start:end] for start, end in compared_spans(text)]
