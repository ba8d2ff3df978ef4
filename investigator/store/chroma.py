"""The vector index of a large folder: a Chroma collection in the workspace or on a server. It is built from the vectors
in the database, and can be deleted at any time.

The collection is accessed through the API below Chroma's client, because the client would create the embedding function
that a stored collection names, and so could run code chosen by a server; only vectors are exchanged.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import sqlite3
import stat
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from pydantic import ValidationError

from investigator.engines.base import Vectors
from investigator.errors import DiskFullError, StoreError
from investigator.files import check_private_folder, make_private_folder
from investigator.records import Record
from investigator.store.corpus import in_batches
from investigator.store.database import get_meta, set_meta
from investigator.store.vectors import ExactIndex, VectorMatch, VectorTable

_BATCH = 2000
_KEPT = "chroma"
"""The key under which the database stores its last known state of the collection."""
_CHECKING_SECONDS = 20.0
_STAMP = "investigator-stamp"
_SEARCH_WIDTH = 400  # Chroma's default of 100 misses neighbours; see benchmarks
_CONFIGURATION = {"hnsw": {"space": "cosine", "ef_search": _SEARCH_WIDTH, "ef_construction": 200}}


class _KeptState(Record):
    """The place, the name and the embedder of the collection, and the marks that it may have: a hash of its files as
    they were when Chroma was closed (none while Chroma is open, or if it crashed), or the stamps of a collection on a
    server (two during a write, so that an interrupted one can be repeated).
    """

    address: str
    embedder: str
    name: str
    marks: tuple[str, ...] = ()


class ChromaIndex:
    """The Chroma collection of one embedder's vectors, updated from the database when it is opened. It is in a private
    `directory`, or on the server at `address` (http://HOST:PORT); only chunk numbers and vectors are sent there.

    `notice` is called if the collection has to be rebuilt, or if Chroma cannot be used and every vector is compared
    instead; also if its files would have to be rebuilt, which takes minutes, and `rebuild` is False. Only the process
    that may write to the workspace may open it. Thread-safe. Raises DiskFullError, and ForeignFileError if the
    directory is a link or belongs to another user.
    """

    def __init__(
        self,
        directory: Path,
        address: str,
        table: VectorTable,
        notice: Callable[[str], None],
        *,
        rebuild: bool = True,
    ) -> None:
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
            if problem and not (rebuild or address):
                raise StoreError(f"{problem}; to rebuild it: investigator index --vectors FOLDER")
        except StoreError as error:
            self._do_without(error)
            return
        if problem:
            self._rebuild(problem)
        if self._instead is None and (self._table.gone() or self._table.count(in_chroma=False)):
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
                    return self._table.matches(self._nearest_ids(vector, limit), vector, limit)
                except StoreError as error:
                    self._do_without(error)
            instead = self._instead or ExactIndex(self._table)
        return instead.nearest(vector, limit)

    def matches(self, chunk_ids: Sequence[int], vector: Vectors, limit: int) -> list[VectorMatch]:
        return self._table.matches(chunk_ids, vector, limit)

    def close(self) -> None:
        """Close Chroma."""
        if self._collection is not None:
            self._collection.close()
            self._collection = None
            if not self._address:
                self._keep(self._files())

    def _nearest_ids(self, vector: Vectors, limit: int) -> list[int]:
        held, collection = self._table.count(in_chroma=True), self._opened()
        if collection.count() != held:
            raise StoreError(f"it contains {collection.count():,} vectors instead of {held:,}")
        nearest = collection.nearest(vector, min(limit, held)) if held else []
        if held and not nearest:
            raise StoreError("it returned no result")
        return nearest

    def _opened(self) -> ChromaCollection:
        if self._collection is None:
            if not self._address:
                self._keep()
            self._collection = ChromaCollection(self._directory, self._address, self._kept.name)
        return self._collection

    def _problem(self) -> str:
        """Return why the collection has to be rebuilt, or "". Files that were not closed, or have changed since, are
        never opened, because one damaged byte can crash Chroma's native code. Raises StoreError if the server does not
        answer.
        """
        mark = self._opened().stamp if self._address else self._files()
        if mark in self._kept.marks or not (mark or self._kept.marks or self._table.count(in_chroma=True)):
            return ""
        return "it was not closed, or was changed or replaced" if mark else "its collection is missing"

    def _write(self) -> None:
        """Delete obsolete entries and write new ones, and change the stamp."""
        after = secrets.token_hex(8)
        try:
            collection = self._opened()
            if self._address:
                self._keep(*self._kept.marks[-1:], after)
            for part in in_batches(self._table.gone(), _BATCH):
                collection.delete(part)
                self._table.clear_gone(part)
            while len((block := self._table.pending(_BATCH)).chunk_ids):
                collection.upsert(block.chunk_ids, block.rows)
                self._table.mark_in_chroma(block.chunk_ids)
            if self._address:
                collection.write_stamp(after)
                self._keep(after)
        except BaseException:
            self.close()
            raise

    def _rebuild(self, reason: str) -> None:
        """Delete the collection and write it again."""
        self._notice(f"The vector index was damaged ({reason}) and is being rebuilt from the database.")
        try:
            self._forget()
            self._table.mark_none_in_chroma()
            self._write()
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
        self._keep()

    def _do_without(self, error: StoreError) -> None:
        if isinstance(error, DiskFullError):
            raise error
        self._notice(
            f"Chroma cannot be used ({error.message}), so every vector is compared instead, with the same results."
        )
        self.close()
        if not self._address:  # its files may have caused the failure; a server that is back has a stamp
            self._keep()
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
        """Make Chroma's files private, and return a hash of their names, sizes and times; "" if there are none."""
        listed = []
        for path in sorted(self._directory.rglob("*")):
            status = path.lstat()
            if stat.S_ISREG(status.st_mode):
                listed.append((str(path.relative_to(self._directory)), status.st_size, status.st_mtime_ns))
                path.chmod(0o600)  # Chroma creates its files with the permissions that the umask leaves
        return hashlib.sha256(repr(listed).encode()).hexdigest() if listed else ""

    def _keep(self, *marks: str) -> None:
        self._kept = self._kept.changed(marks=marks)
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


class ChromaCollection:
    """The collection of a name in a directory, or on the server at an address (http://HOST:PORT), created if it is
    missing. Raises StoreError and DiskFullError.
    """

    def __init__(self, directory: Path, address: str, name: str) -> None:
        self._place = without_password(address) or str(directory)
        self._is_remote = bool(address)
        self._name = name
        settings = _settings(directory, address)
        import httpx
        from chromadb.api import ServerAPI
        from chromadb.config import System

        with self._translated():
            if address:  # Chroma's client would wait forever, and hide the error of a proxy
                heartbeat = f"{self._place}/api/v2/heartbeat"
                httpx.get(heartbeat, headers=_headers(address), timeout=_CHECKING_SECONDS).raise_for_status()
            self._system: Any = System(settings)
            self._api: Any = self._system.instance(ServerAPI)
            self._system.start()
            made = self._api.create_collection(name, configuration=_CONFIGURATION, get_or_create=True)
        self._id = made.id
        self.stamp = str((made.metadata or {}).get(_STAMP, ""))
        """The last stamp that any process wrote into the collection."""

    def count(self) -> int:
        """Return the number of vectors."""
        with self._translated():
            return int(self._api._count(self._id))

    def delete(self, chunk_ids: Sequence[int]) -> None:
        """Delete chunks."""
        with self._translated():
            self._api._delete(self._id, ids=[str(i) for i in chunk_ids])

    def upsert(self, chunk_ids: Sequence[int], rows: Vectors) -> None:
        """Add the vectors of the given chunks, or replace them; one row of shape (dimensions,) each."""
        with self._translated():
            self._api._upsert(self._id, ids=[str(i) for i in chunk_ids], embeddings=rows.tolist())

    def nearest(self, vector: Vectors, limit: int) -> list[int]:
        """Return the ids of the chunks nearest to a vector, nearest first."""
        query = [vector if self._is_remote else vector.tolist()]
        with self._translated():
            reply = self._api._query(self._id, query_embeddings=query, n_results=limit, include=[])
        return [int(chunk_id) for chunk_id in reply["ids"][0]]

    def write_stamp(self, stamp: str) -> None:
        """Write a stamp into the metadata of the collection."""
        with self._translated():
            self._api._modify(self._id, new_metadata={_STAMP: stamp})

    def drop(self) -> None:
        """Delete the collection."""
        with self._translated():
            self._api.delete_collection(self._name)

    def close(self) -> None:
        """Close the files, or the connection to the server, which Chroma itself leaves open."""
        self._system.stop()
        if self._is_remote:
            self._api._session.close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        import httpx
        from chromadb.errors import ChromaError

        try:
            yield
        except (ChromaError, httpx.HTTPError, sqlite3.Error, ValueError, LookupError, RuntimeError, OSError) as error:
            reason = str(error).partition("\n")[0][:200] or type(error).__name__
            if any(sign in reason.lower() for sign in ("full", "no space", "disk i/o")):
                raise DiskFullError(f"no space is left on the disk of {self._place}") from error
            raise StoreError(f"the vector index in {self._place} failed: {reason}") from error


def without_password(address: str) -> str:
    """Return an address without its user and password."""
    parts = urlsplit(address)
    return address and f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _headers(address: str) -> dict[str, str]:
    parts = urlsplit(address)
    named = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}".encode()
    return {"Authorization": f"Basic {b64encode(named).decode()}"} if parts.password else {}


def _settings(directory: Path, address: str) -> Any:
    """Return Chroma's settings. None are read from the environment or from a file `.env`, which Chroma does when it is
    imported and for every settings object.
    """
    with _only_settings_made_here():
        from chromadb.config import Settings

        if not address:
            return Settings(is_persistent=True, persist_directory=str(directory), anonymized_telemetry=False)
        parts = urlsplit(address)
        return Settings(
            chroma_api_impl="chromadb.api.fastapi.FastAPI",
            chroma_server_host=parts.hostname,
            chroma_server_http_port=parts.port or (443 if parts.scheme == "https" else 80),
            chroma_server_ssl_enabled=parts.scheme == "https",
            chroma_server_headers=_headers(address),
            anonymized_telemetry=False,
        )


@contextmanager
def _only_settings_made_here() -> Iterator[None]:
    from pydantic_settings import BaseSettings

    own, settings = vars(BaseSettings)["settings_customise_sources"], cast(Any, BaseSettings)
    settings.settings_customise_sources = lambda settings_cls, init_settings, *others, **named: (init_settings,)
    try:
        yield
    finally:
        settings.settings_customise_sources = own
