"""The vector index of a large folder, a Chroma collection that is built from the vectors in the database and can be
deleted at any time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from investigator.engines.base import Vectors
from investigator.errors import DiskFullError, StoreError
from investigator.store.chroma_places import ChromaPlace, discard_files
from investigator.store.chroma_session import ChromaSession
from investigator.store.corpus import in_batches
from investigator.store.exact import ExactIndex
from investigator.store.vectors import VectorMatch, VectorTable

_BATCH = 2000


class ChromaIndex:
    """The Chroma collection of one embedder's vectors, updated from the database when it is opened.

    `notice` is called if the collection has to be rebuilt, or if Chroma cannot be used and every vector is compared
    instead. Only the process that may write to the workspace may open it. Thread-safe. Raises DiskFullError.
    """

    def __init__(self, place: ChromaPlace, notice: Callable[[str], None]) -> None:
        self._place = place
        self._table = place.table
        self._notice = notice
        self._session: ChromaSession | None = None
        self._instead: ExactIndex | None = None
        self._asking = Lock()
        try:
            as_left = place.is_as_left()
        except StoreError as error:
            self._do_without(error.message)
            return
        if not as_left:
            self._rebuild(place.not_left)
        self.synchronise()

    def synchronise(self) -> None:
        """Synchronise the collection with the database: remove deleted chunks, add new vectors."""
        if self._instead is not None or not (self._table.gone() or self._table.pending_count()):
            return
        with self._asking:
            try:
                self._write()
            except DiskFullError:
                raise
            except StoreError as error:
                self._rebuild(error.message)

    def nearest(self, vector: Vectors, limit: int) -> list[VectorMatch]:
        """Return the chunks nearest to a unit vector of shape (dimensions,), nearest first.

        Chroma selects the chunks; their similarity is computed from the vectors in the database.
        """
        with self._asking:
            if self._instead is None:
                try:
                    found = self._opened().nearest(vector, limit)
                    if not found and self._table.count_in_chroma():
                        self._place.distrust()
                        raise StoreError("it returned no result")
                    return self._table.matches(found, vector, limit)
                except DiskFullError:
                    raise
                except StoreError as error:
                    self._do_without(error.message)
            instead = self._instead or ExactIndex(self._table)
        return instead.nearest(vector, limit)

    def close(self) -> None:
        """End the process that runs Chroma."""
        if self._session is not None:
            self._session.close()
        self._session = None

    def _opened(self) -> ChromaSession:
        if self._session is None:
            self._session = session = self._place.open()
            held = self._table.count_in_chroma()
            if session.held != held:
                self._place.distrust()
                raise StoreError(f"it contains {session.held:,} vectors instead of {held:,}")
            self._place.opened()
        return self._session

    def _write(self) -> None:
        """Delete obsolete entries and write new ones; until both are complete, the collection is not trusted."""
        self.close()
        self._place.doubt()
        session = self._place.open()
        for part in in_batches(self._table.gone(), _BATCH):
            session.delete(part)
            self._table.clear_gone(part)
        while len((block := self._table.pending(_BATCH)).chunk_ids):
            session.upsert(block.chunk_ids, block.rows)
            self._table.mark_in_chroma(block.chunk_ids)
        self._session = self._place.settle(session)

    def _rebuild(self, reason: str) -> None:
        """Delete Chroma's data and write it again."""
        self._notice(f"The vector index was damaged ({reason}) and is being rebuilt from the database.")
        try:
            self.close()
            self._place.forget()
            self._table.mark_none_in_chroma()
            self._write()
        except DiskFullError:
            raise
        except StoreError as error:
            self._do_without(error.message)

    def _do_without(self, reason: str) -> None:
        self._notice(f"Chroma cannot be used ({reason}), so every vector is compared instead, with the same results.")
        self.close()
        self._place.failed()
        self._instead = ExactIndex(self._table)


def discard(directory: Path, table: VectorTable) -> None:
    """Delete a collection that is no longer used, because it would become outdated."""
    if os.path.lexists(directory) or table.in_chroma():
        discard_files(directory, table.database)
        table.mark_none_in_chroma()
