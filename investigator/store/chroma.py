"""The vector index of a large folder: a Chroma collection in the workspace or on a server. It is built from the vectors
in the database, and can be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock, Timer

import numpy as np
from pydantic import ValidationError

from investigator.engines.base import Vectors
from investigator.errors import DiskFullError, StoreError
from investigator.files import check_private_folder, make_private_folder
from investigator.files.own_process import pipe, start_module
from investigator.records import Record
from investigator.store.chroma_collection import ChromaCheck, ChromaCollection, ChromaState, without_password
from investigator.store.corpus import in_batches
from investigator.store.database import get_meta, set_meta
from investigator.store.exact import ExactIndex
from investigator.store.vectors import VectorMatch, VectorTable

_BATCH = 2000
_CHECKED = 20  # number of vectors that are looked up when the files are opened
_SECONDS = 300.0  # time limit for that
_KEPT = "chroma"
"""The key under which the database stores its last known state of the collection."""


class _KeptState(Record):
    """The place, the name and the embedder of the collection, and the stamps that its metadata may have. During a write
    there are two, one from before and one from after. Each shows that the collection belongs to this database, and that
    the pending writes can be repeated. `files` identifies the files as they were when Chroma was last closed; "" while
    Chroma is in use, or if it crashed.
    """

    address: str
    embedder: str
    name: str
    stamps: tuple[str, ...] = ()
    files: str = ""


class ChromaIndex:
    """The Chroma collection of one embedder's vectors, updated from the database when it is opened. It is in a private
    `directory`, or on the server at `address` (http://HOST:PORT); only chunk numbers and vectors are sent there.

    `notice` is called if the collection has to be rebuilt, or if Chroma cannot be used and every vector is compared
    instead. Only the process that may write to the workspace may open it. Thread-safe. Raises DiskFullError, and
    ForeignFileError if the directory is a link or belongs to another user.
    """

    def __init__(self, directory: Path, address: str, table: VectorTable, notice: Callable[[str], None]) -> None:
        self._directory = directory
        self._address = address
        self._table = table
        self._notice = notice
        self._collection: ChromaCollection | None = None
        self._instead: ExactIndex | None = None
        self._asking = Lock()
        if not address:
            make_private_folder(directory)
            check_private_folder(directory)
        self._kept = self._read()
        try:
            problem = self._problem()
        except StoreError as error:
            self._do_without(error)
            return
        if problem:
            self._rebuild(problem)
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
                    return self._table.matches(self._found(vector, limit), vector, limit)
                except DiskFullError:
                    raise
                except StoreError as error:
                    self._do_without(error)
            instead = self._instead or ExactIndex(self._table)
        return instead.nearest(vector, limit)

    def close(self) -> None:
        """Close Chroma."""
        if self._collection is not None:
            self._collection.close()
            if not self._address:
                self._keep(self._kept.stamps, self._files())
        self._collection = None

    def _found(self, vector: Vectors, limit: int) -> list[int]:
        held, collection = self._table.count_in_chroma(), self._opened()
        if collection.count() != held:
            raise StoreError(f"it contains {collection.count():,} vectors instead of {held:,}")
        nearest = collection.nearest(vector[np.newaxis], min(limit, held))[0] if held else []
        if held and not nearest:
            raise StoreError("it returned no result")
        return [chunk_id for chunk_id, _ in nearest]

    def _opened(self) -> ChromaCollection:
        if self._collection is None:
            if self._kept.files:
                self._keep(self._kept.stamps)
            self._collection = ChromaCollection(self._directory, self._address, self._kept.name)
        return self._collection

    def _problem(self) -> str:
        """Return why the collection has to be rebuilt, or "". Files that were not closed, or have changed since, are
        checked first. Raises StoreError if the server does not answer.
        """
        if self._address:
            state = ChromaState(stamp=self._opened().stamp)
        elif self._kept.files and self._kept.files == self._files():
            return ""
        elif any(self._directory.iterdir()):
            try:
                state = self._checked()
            except StoreError as error:
                return error.message
        else:
            state = ChromaState(stamp="")
        if not state.is_sound:
            return "it does not find its vectors"
        if (state.stamp or self._kept.stamps) and state.stamp not in self._kept.stamps:
            return "its collection is missing, or was changed or replaced"
        return "" if state.stamp or not self._table.count_in_chroma() else "its collection is missing"

    def _checked(self) -> ChromaState:
        """Open the files in a separate process, because one damaged byte can crash Chroma's native code. Raises
        StoreError if the process crashes.
        """
        vectors = self._table.known_in_chroma(_CHECKED)
        request = ChromaCheck(
            directory=str(self._directory),
            collection=self._kept.name,
            vectors=tuple(tuple(row) for row in vectors.tolist()),
        )
        process = start_module("investigator.store.chroma_collection", directory=self._directory)
        timer = Timer(_SECONDS, process.kill)
        timer.start()
        try:
            with suppress(OSError), pipe(process.stdin) as requests:  # the process may have died
                requests.write(request.model_dump_json().encode() + b"\n")
            with pipe(process.stdout) as answers:
                answer = answers.read()
            if code := process.wait():
                raise StoreError(f"the process that checks it died with exit code {code}")
        finally:
            timer.cancel()
        return ChromaState.model_validate_json(answer.splitlines()[-1])

    def _write(self) -> None:
        """Delete obsolete entries and write new ones, and change the stamp."""
        after = secrets.token_hex(8)
        self._keep((*self._kept.stamps[-1:], after))
        try:
            collection = self._opened()
            for part in in_batches(self._table.gone(), _BATCH):
                collection.delete(part)
                self._table.clear_gone(part)
            while len((block := self._table.pending(_BATCH)).chunk_ids):
                collection.upsert(block.chunk_ids, block.rows)
                self._table.mark_in_chroma(block.chunk_ids)
            collection.write_stamp(after)
        except BaseException:
            self.close()
            raise
        self._keep((after,))

    def _rebuild(self, reason: str) -> None:
        """Delete the collection and write it again."""
        self._notice(f"The vector index was damaged ({reason}) and is being rebuilt from the database.")
        try:
            self._forget()
            self._table.mark_none_in_chroma()
            self._write()
        except DiskFullError:
            raise
        except StoreError as error:
            self._do_without(error)

    def _forget(self) -> None:
        """Delete the collection, on the server or with its files."""
        if self._address:
            self._opened().drop()
        self.close()
        if not self._address:
            shutil.rmtree(self._directory, ignore_errors=True)
            make_private_folder(self._directory)
        self._keep(())

    def _do_without(self, error: StoreError) -> None:
        self._notice(
            f"Chroma cannot be used ({error.message}), so every vector is compared instead, with the same results."
        )
        self.close()
        if not self._address:  # its files may have caused the failure; a server that is back has a stamp
            self._keep(())
        self._instead = ExactIndex(self._table)

    def _read(self) -> _KeptState:
        """Return the last known state of the collection. A collection of another embedder or in another place is not
        used again.
        """
        address, embedder = without_password(self._address), self._table.embedder
        with self._table.database.begin() as connection:
            stored = get_meta(connection, _KEPT) or ""
        with suppress(ValidationError):  # nothing was stored
            kept = _KeptState.model_validate_json(stored)
            if (kept.address, kept.embedder) == (address, embedder):
                return kept
            discard(self._directory, self._table)
            if not self._address:
                make_private_folder(self._directory)
        return _KeptState(address=address, embedder=embedder, name=f"investigator-{secrets.token_hex(8)}")

    def _files(self) -> str:
        """Make Chroma's files private, and return a hash of their names, sizes and times."""
        listed = []
        for path in sorted(self._directory.rglob("*")):
            status = path.lstat()
            if stat.S_ISREG(status.st_mode):
                listed.append((str(path), status.st_size, status.st_mtime_ns))
                path.chmod(0o600)  # Chroma creates its files with the permissions that the umask leaves
        return hashlib.sha256(repr(listed).encode()).hexdigest()

    def _keep(self, stamps: tuple[str, ...], files: str = "") -> None:
        self._kept = self._kept.changed(stamps=stamps, files=files)
        with self._table.database.begin() as connection:
            set_meta(connection, _KEPT, self._kept.model_dump_json())


def discard(directory: Path, table: VectorTable) -> None:
    """Delete a collection that is no longer used, because it would become outdated."""
    if os.path.lexists(directory):
        check_private_folder(directory)
        shutil.rmtree(directory, ignore_errors=True)
    with table.database.begin() as connection:
        if not get_meta(connection, _KEPT):
            return
        set_meta(connection, _KEPT, "")
    table.mark_none_in_chroma()
