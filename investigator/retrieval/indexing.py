"""Makes the vectors that chunks still lack."""

from __future__ import annotations

from collections.abc import Iterator

from investigator.engines.base import Embedder
from investigator.records import Embedded
from investigator.store.corpus import Corpus
from investigator.store.vectors import VectorTable

_WINDOW = 512  # chunks at a time: enough to embed those of one length together, and little to lose at a stop


def embed_missing(corpus: Corpus, table: VectorTable, embedder: Embedder) -> Iterator[Embedded]:
    """Embeds and keeps, some hundred chunks at a time; yields how many of how many have been done.

    A stop loses no more than one window. Chunks that another process deletes meanwhile are passed over.
    Raises EmbedderError and StoreError.
    """
    missing = table.missing()
    total, done = sum(map(len, missing.values())), 0
    texts: dict[int, str] = {}
    for document_id, ids in missing.items():
        for start in range(0, len(ids), _WINDOW):
            part = ids[start : start + _WINDOW]
            texts |= corpus.chunk_texts(document_id, part)
            done += len(part)
            if len(texts) >= _WINDOW:
                table.put(list(texts), embedder.embed(list(texts.values())))
                texts.clear()
                yield Embedded(done=done, total=total)
    if texts:
        table.put(list(texts), embedder.embed(list(texts.values())))
        yield Embedded(done=done, total=total)
