"""The vector index: a Chroma collection made from the vectors of the database, which can be lost."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from investigator.engines.base import Vectors
from investigator.errors import DiskFullError, StoreError
from investigator.store.corpus import in_batches
from investigator.store.vectors import VectorTable

_BATCH = 2000
_SEARCH_WIDTH = 400  # Chroma's default of 100 loses neighbours; see benchmarks


@dataclass(frozen=True)
class VectorMatch:
    """A chunk near a query, and the cosine similarity of the two (-1..1)."""

    chunk_id: int
    document_id: str
    similarity: float


class ChromaIndex:
    """The Chroma collection of one embedder's vectors, brought up to date from the database when it is opened.

    A folder that Chroma cannot read is deleted and built again, and `notice` is called. Raises StoreError if it cannot
    be built.
    """

    def __init__(self, directory: Path, table: VectorTable, notice: Callable[[str], None]) -> None:
        self._directory = directory
        self._table = table
        if os.path.lexists(directory) and not directory.is_dir():
            raise StoreError(
                f"{directory} is a file, and the vector index is kept in a folder of that name",
                hint="Move the file away; the vector index is then built again from the database.",
            )
        try:
            self._collection = self._open()
            if not self._in_step():
                raise StoreError("it does not hold the vectors that it should")
        except _chroma_errors() as error:
            notice(f"The vector index was damaged ({_first_line(error)}); it is built again from the database.")
            with _translated(directory):
                self._rebuild()
        self.synchronise()

    def _in_step(self) -> bool:
        """Return True if the collection may hold what the database says; interrupted changes count either way."""
        least = self._table.count_in_chroma()
        held = int(self._collection.count())
        return least <= held <= least + len(self._table.gone()) + self._table.pending_count()

    def synchronise(self) -> None:
        """Bring the collection up to date with the database: delete chunks that are gone, add new vectors."""
        with _translated(self._directory):
            for part in in_batches(self._table.gone(), _BATCH):
                for collection in self._client.list_collections():  # those of other embedders hold them too
                    collection.delete(ids=[str(i) for i in part])
                self._table.clear_gone(part)
            while pending := self._table.pending(_BATCH):
                self._collection.upsert(
                    ids=[str(chunk_id) for chunk_id, _, _ in pending],
                    embeddings=[vector.tolist() for _, _, vector in pending],
                    metadatas=[{"document_id": document_id} for _, document_id, _ in pending],
                )
                self._table.mark_in_chroma([chunk_id for chunk_id, _, _ in pending])

    def nearest(self, vector: Vectors, limit: int, document_id: str | None = None) -> list[VectorMatch]:
        """Return the chunks nearest to a unit vector of shape (dimensions,), nearest first, in one document or all."""
        where = {"document_id": document_id} if document_id is not None else None
        with _translated(self._directory):
            size = self._collection.count()
            if not size:
                return []
            found = self._collection.query(
                query_embeddings=[vector.tolist()],
                n_results=min(limit, size),
                where=where,
                include=["distances", "metadatas"],
            )
        rows = zip(found["ids"][0], found["metadatas"][0], found["distances"][0], strict=True)
        matches = [VectorMatch(int(i), str(about["document_id"]), 1.0 - float(distance)) for i, about, distance in rows]
        return sorted(matches, key=lambda match: (-match.similarity, match.chunk_id))

    def _open(self) -> Any:
        import chromadb
        from chromadb.config import Settings

        self._client = chromadb.PersistentClient(str(self._directory), Settings(anonymized_telemetry=False))
        return self._client.get_or_create_collection(
            "chunks-" + hashlib.sha256(self._table.embedder.encode()).hexdigest()[:12],
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine", "ef_search": _SEARCH_WIDTH, "ef_construction": 200}},
        )

    def _rebuild(self) -> None:
        from chromadb.api.shared_system_client import SharedSystemClient

        SharedSystemClient.clear_system_cache()
        shutil.rmtree(self._directory, ignore_errors=True)
        self._table.mark_none_in_chroma()
        self._collection = self._open()


@contextmanager
def _translated(directory: Path) -> Iterator[None]:
    try:
        yield
    except StoreError:
        raise
    except _chroma_errors() as error:
        reason = str(error).lower()
        if "full" in reason or "no space" in reason or "disk i/o" in reason:
            raise DiskFullError(f"no space is left on the disk that holds {directory}") from error
        raise StoreError(
            f"the vector index in {directory} failed: {_first_line(error)}",
            hint=f"Delete {directory}; it is then built again from the database.",
        ) from error


def _chroma_errors() -> tuple[type[Exception], ...]:
    import sqlite3

    from chromadb.errors import ChromaError

    return (ChromaError, StoreError, sqlite3.DatabaseError, ValueError, KeyError, RuntimeError, OSError)


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0][:120] if str(error) else type(error).__name__
