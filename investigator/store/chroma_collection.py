"""One Chroma collection, opened with only the settings made here, and its check in a separate process, where a crash of
Chroma's native code does no harm.

The collection is accessed through the API below Chroma's client, because the client would create the embedding function
that a stored collection names, and so could run code chosen by a server; only vectors are exchanged.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, urlsplit

import numpy as np

from investigator.engines.base import Vectors
from investigator.errors import DiskFullError, StoreError
from investigator.records import Record

_CHECKING_SECONDS = 20.0
_STAMP = "investigator-stamp"
_SEARCH_WIDTH = 400  # Chroma's default of 100 misses neighbours; see benchmarks
_CONFIGURATION = {"hnsw": {"space": "cosine", "ef_search": _SEARCH_WIDTH, "ef_construction": 200}}
_SAME = 0.001  # maximum distance of a vector from itself
_LEAST_FOUND = 0.9  # share of known vectors that an undamaged collection finds


class ChromaCollection:
    """The collection of a name in a directory, or on the server at an address (http://HOST:PORT), created if it is
    missing. Raises StoreError and DiskFullError.
    """

    def __init__(self, directory: Path, address: str, name: str) -> None:
        self._place = without_password(address) or str(directory)
        self._is_remote = bool(address)
        self._name = name
        settings = _settings(directory, address)
        from chromadb.api import ServerAPI
        from chromadb.config import System

        with self._translated():
            if address:
                _check_server(address)
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

    def nearest(self, rows: Vectors, limit: int) -> list[list[tuple[int, float]]]:
        """Return the ids of the chunks nearest to each row, nearest first, with their cosine distances."""
        query = list(rows) if self._is_remote else rows.tolist()
        with self._translated():
            reply = self._api._query(self._id, query_embeddings=query, n_results=limit, include=["distances"])
        pairs = zip(reply["ids"], reply["distances"], strict=True)
        return [[(int(i), distance) for i, distance in zip(*pair, strict=True)] for pair in pairs]

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


class ChromaCheck(Record):
    """A request to open the collection of a directory and to find some of its vectors."""

    directory: str
    collection: str
    vectors: tuple[tuple[float, ...], ...]


class ChromaState(Record):
    """The stamp of a collection, and whether it finds the vectors that it should contain."""

    stamp: str
    is_sound: bool = True


def main() -> None:
    """Answer one ChromaCheck from standard input with a ChromaState, the last line of standard output."""
    os.umask(0o077)
    request = ChromaCheck.model_validate_json(sys.stdin.buffer.readline())
    collection = ChromaCollection(Path(request.directory), "", request.collection)
    rows = collection.nearest(np.array(request.vectors, dtype="<f4"), 1) if request.vectors else []
    near = sum(abs(distance) <= _SAME for row in rows for _, distance in row)
    collection.close()
    state = ChromaState(stamp=collection.stamp, is_sound=near >= _LEAST_FOUND * len(request.vectors))
    sys.stdout.write(f"\n{state.model_dump_json()}\n")
    sys.stdout.flush()


def without_password(address: str) -> str:
    """Return an address without its user and password."""
    parts = urlsplit(address)
    return address and f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _check_server(address: str) -> None:
    """Check that a server responds, because Chroma's client would wait forever and hide the error of a proxy."""
    import httpx

    url = f"{without_password(address)}/api/v2/heartbeat"
    httpx.get(url, headers=_headers(address), timeout=_CHECKING_SECONDS).raise_for_status()


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
