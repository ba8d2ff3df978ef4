"""The vector index of a large folder: a Chroma collection made from the vectors of the database, which can be lost.

Chroma's native code believes its files, and one damaged byte there can crash it. So the database keeps the checksums of
the files that were left in a clean state; files that are not exactly these are never opened, but deleted and built
again.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from investigator.engines.base import Vectors
from investigator.errors import DiskFullError, StoreError
from investigator.store.chroma_session import ChromaSession
from investigator.store.corpus import in_batches
from investigator.store.database import Database, get_meta, set_meta
from investigator.store.exact import ExactIndex
from investigator.store.vectors import VectorMatch, VectorTable

_BATCH = 2000
_CHECKSUMS = "chroma_checksums"  # the key of the workspace


class ChromaIndex:
    """The Chroma collection of one embedder's vectors, brought up to date from the database when it is opened.

    `notice` is called if it has to be built again, or if Chroma cannot be used: every vector is then compared. Only the
    process that may write to the workspace may open it. Safe to use from several threads.
    Raises StoreError if something else has the place of the directory, DiskFullError.
    """

    def __init__(self, directory: Path, table: VectorTable, notice: Callable[[str], None]) -> None:
        _refuse_other_kinds(directory)
        self._directory = directory
        self._table = table
        self._notice = notice
        self._checksums = _Checksums(directory, table.database)
        self._name = "chunks-" + hashlib.sha256(table.embedder.encode()).hexdigest()[:12]
        self._session: ChromaSession | None = None
        self._instead: ExactIndex | None = None
        self._asking = Lock()
        if not self._checksums.hold() or (not directory.exists() and table.in_chroma()):
            self._forget("its files are not those that were left")
        self.synchronise()

    def synchronise(self) -> None:
        """Bring the collection up to date with the database: delete chunks that are gone, add new vectors."""
        if not self._table.gone() and not self._table.pending_count():
            return
        with self._asking:
            try:
                self._write()
            except DiskFullError:
                raise
            except StoreError as error:
                self._forget(error.message)
                self._write_or_do_without()

    def _write_or_do_without(self) -> None:
        try:
            self._write()
        except DiskFullError:
            raise
        except StoreError as error:
            self._do_without(error.message)

    def nearest(self, vector: Vectors, limit: int) -> list[VectorMatch]:
        """Return the chunks nearest to a unit vector of shape (dimensions,), nearest first.

        Chroma names them; how near they are is measured on the vectors of the database.
        """
        with self._asking:
            if self._instead is None:
                try:
                    found = self._opened().nearest(vector, limit)
                    if not found and self._table.count_in_chroma():
                        raise StoreError("it finds nothing")
                    return self._table.matches(found, vector, limit)
                except DiskFullError:
                    raise
                except StoreError as error:
                    self._do_without(error.message)
            instead = self._instead or ExactIndex(self._table)
        return instead.nearest(vector, limit)

    def close(self) -> None:
        """End the process in which Chroma runs."""
        if self._session is not None:
            self._session.close()
        self._session = None

    def _opened(self) -> ChromaSession:
        if self._session is None:
            self._session = session = ChromaSession(self._directory, self._name)
            held = self._table.count_in_chroma()
            if session.held != held:
                raise StoreError(f"it holds {session.held:,} vectors instead of {held:,}")
            self._checksums.keep()  # Chroma writes into its files when it opens them
        return self._session

    def _write(self) -> None:
        """Chroma's files are in doubt from here to the clean end of its process."""
        self.close()
        self._checksums.clear()
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        session = ChromaSession(self._directory, self._name)
        for part in in_batches(self._table.gone(), _BATCH):
            session.delete(part)
            self._table.clear_gone(part)
        while len((block := self._table.pending(_BATCH)).chunk_ids):
            session.upsert(block.chunk_ids, block.rows)
            self._table.mark_in_chroma(block.chunk_ids)
        if not session.close():
            raise StoreError("the process in which Chroma runs did not end well")
        self._checksums.keep()

    def _forget(self, reason: str) -> None:
        """Delete what Chroma holds, so that it is built again."""
        self._notice(f"The vector index was damaged ({reason}); it is built again from the database.")
        self.close()
        self._checksums.clear()
        self._table.mark_none_in_chroma()
        shutil.rmtree(self._directory, ignore_errors=True)

    def _do_without(self, reason: str) -> None:
        self._notice(f"Chroma cannot be used ({reason}): every vector is compared instead. Nothing else changes.")
        self.close()
        self._checksums.clear()
        self._instead = ExactIndex(self._table)


def discard(directory: Path, table: VectorTable) -> None:
    """Delete a collection that is not needed: nobody would delete from it what is deleted from the documents."""
    if os.path.lexists(directory) or table.in_chroma():
        _refuse_other_kinds(directory)
        _Checksums(directory, table.database).clear()
        table.mark_none_in_chroma()
        shutil.rmtree(directory, ignore_errors=True)


class _Checksums:
    """The checksums of the files that Chroma left in a clean state, as the database keeps them."""

    def __init__(self, directory: Path, database: Database) -> None:
        self._directory = directory
        self._database = database
        self._known: dict[tuple[str, int, int, int], str] = {}

    def hold(self) -> bool:
        """Return True if the files are those that were left, or if neither files nor checksums are there."""
        with self._database.begin() as connection:
            kept = get_meta(connection, _CHECKSUMS) or ""
        return kept == self._now() if os.path.lexists(self._directory) else not kept

    def keep(self) -> None:
        """Keep the checksums of the files as they are now."""
        self._set(self._now())

    def clear(self) -> None:
        """Note that the files are in doubt."""
        self._set("")

    def _set(self, checksums: str) -> None:
        with self._database.begin() as connection:
            set_meta(connection, _CHECKSUMS, checksums)

    def _now(self) -> str:
        """Return the files with their checksums in one text; "?" if something there is no plain file."""
        found = {}
        for folder, folders, files in os.walk(self._directory):
            for name in (*folders, *files):
                path = os.path.join(folder, name)
                about = os.lstat(path)
                if stat.S_ISREG(about.st_mode):
                    found[os.path.relpath(path, self._directory)] = self._checksum(path, about)
                elif not stat.S_ISDIR(about.st_mode):
                    return "?"
        return json.dumps(found, sort_keys=True)

    def _checksum(self, path: str, about: os.stat_result) -> str:
        """Return the sha256 of a file; one that has not changed since is not read again."""
        key = (path, about.st_ino, about.st_size, about.st_mtime_ns)
        if key not in self._known:
            with open(path, "rb") as file:
                self._known[key] = hashlib.file_digest(file, "sha256").hexdigest()
        return self._known[key]


def _refuse_other_kinds(directory: Path) -> None:
    if os.path.lexists(directory) and not stat.S_ISDIR(directory.lstat().st_mode):
        raise StoreError(
            f"{directory} is a file or a link, and the vector index is kept in a folder of that name",
            hint="Move the file away; the vector index is then built again from the database.",
        )
