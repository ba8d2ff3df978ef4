"""Runs Chroma in a separate process, where a crash of its native code does no harm, and with only the settings made
here.

The process reads requests until standard input ends. Collections are accessed through the API below Chroma's client,
because the client would create the embedding function that a stored collection names; only vectors are exchanged.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from base64 import b64encode
from collections.abc import Callable
from enum import StrEnum
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit

import numpy as np

from investigator.engines.base import Vectors
from investigator.records import Record

_CHECKING_SECONDS = 20.0
_STAMP = "investigator-stamp"
_SEARCH_WIDTH = 400  # Chroma's default of 100 misses neighbours; see benchmarks
_CONFIGURATION = {"hnsw": {"space": "cosine", "ef_search": _SEARCH_WIDTH, "ef_construction": 200}}


class ChromaAction(StrEnum):
    """An action of the process that runs Chroma."""

    OPEN = "open"
    DELETE = "delete"
    UPSERT = "upsert"
    NEAREST = "nearest"
    STAMP = "stamp"
    DROP = "drop"


class ChromaRequest(Record):
    """A request, followed by `size` bytes: float32 rows, one for each of `ids`, or a query for `limit` ids. OPEN names
    the `collection` for all later requests, and its `directory` or the `address` of its server. DELETE, STAMP and DROP
    apply to all collections of the workspace: their names are identical up to the last hyphen.
    """

    action: ChromaAction
    directory: str = ""
    address: str = ""
    stamp: str = ""
    collection: str = ""
    ids: tuple[int, ...] = ()
    limit: int = 0
    size: int = 0


class ChromaAnswer(Record):
    """The ids that were found, nearest first; or the number of vectors and the stamp after opening; or an error."""

    ids: tuple[int, ...] = ()
    held: int = 0
    stamp: str = ""
    error: str = ""


def send(stream: BinaryIO, record: Record, raw: bytes = b"") -> None:
    """Write one record as a line of JSON, followed by raw bytes. Raises OSError if the reader is gone."""
    stream.write(record.model_dump_json().encode("utf-8") + b"\n" + raw)
    stream.flush()


def main() -> None:
    """Answer requests until standard input ends."""
    os.umask(0o077)
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # redirects what libraries print to standard error
    collection = _Collection()
    while line := requests.readline():
        request = ChromaRequest.model_validate_json(line)
        raw = requests.read(request.size)
        send(answers, _answer(collection, request, np.frombuffer(raw, dtype="<f4")))


def _answer(collection: _Collection, request: ChromaRequest, numbers: Vectors) -> ChromaAnswer:
    import httpx
    from chromadb.errors import ChromaError

    act: Callable[[ChromaRequest, Vectors], ChromaAnswer] = getattr(collection, request.action.value)
    try:
        return act(request, numbers)
    except httpx.HTTPError as error:
        return ChromaAnswer(error=f"no answer: {str(error)[:200] or type(error).__name__}")
    except (ChromaError, sqlite3.DatabaseError, ValueError, LookupError, RuntimeError, OSError, TypeError) as error:
        return ChromaAnswer(error=str(error).partition("\n")[0][:200] or type(error).__name__)


class _Collection:
    """One collection; each method performs the action of the same name."""

    _api: Any
    _id: Any
    _family: str
    _is_remote: bool

    def open(self, request: ChromaRequest, numbers: Vectors) -> ChromaAnswer:
        from chromadb.api import ServerAPI
        from chromadb.config import System

        self._is_remote = bool(request.address)
        if self._is_remote:
            _check(request.address)
        system = System(_settings(request.directory, request.address))
        self._api = system.instance(ServerAPI)
        system.start()
        made = self._api.create_collection(request.collection, configuration=_CONFIGURATION, get_or_create=True)
        self._id, self._family = made.id, request.collection.rpartition("-")[0] + "-"
        stamp = str((made.metadata or {}).get(_STAMP, ""))
        return ChromaAnswer(held=self._api._count(self._id), stamp=stamp)

    def delete(self, request: ChromaRequest, numbers: Vectors) -> ChromaAnswer:
        for collection in self._own():
            self._api._delete(collection.id, ids=[str(i) for i in request.ids])
        return ChromaAnswer()

    def drop(self, request: ChromaRequest, numbers: Vectors) -> ChromaAnswer:
        for collection in self._own():
            self._api.delete_collection(collection.name)
        return ChromaAnswer()

    def stamp(self, request: ChromaRequest, numbers: Vectors) -> ChromaAnswer:
        for collection in self._own():
            self._api._modify(collection.id, new_metadata={_STAMP: request.stamp})
        return ChromaAnswer()

    def _own(self) -> list[Any]:
        return [collection for collection in self._api.list_collections() if collection.name.startswith(self._family)]

    def upsert(self, request: ChromaRequest, numbers: Vectors) -> ChromaAnswer:
        rows = numbers.reshape(len(request.ids), -1)
        self._api._upsert(self._id, ids=[str(i) for i in request.ids], embeddings=rows.tolist())
        return ChromaAnswer()

    def nearest(self, request: ChromaRequest, numbers: Vectors) -> ChromaAnswer:
        limit = min(request.limit, self._api._count(self._id))
        if not limit:
            return ChromaAnswer()
        query = [numbers if self._is_remote else numbers.tolist()]
        found = self._api._query(self._id, query_embeddings=query, n_results=limit, include=["distances"])
        return ChromaAnswer(ids=tuple(int(i) for i in found["ids"][0]))


def without_password(address: str) -> str:
    """Return an address without its user and password."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _check(address: str) -> None:
    """Check that a server responds, because Chroma's client would wait forever and hide the error of a proxy."""
    import httpx

    url = f"{without_password(address)}/api/v2/heartbeat"
    httpx.get(url, headers=_headers(address), timeout=_CHECKING_SECONDS).raise_for_status()


def _headers(address: str) -> dict[str, str]:
    parts = urlsplit(address)
    named = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}".encode()
    return {"Authorization": f"Basic {b64encode(named).decode()}"} if parts.password else {}


def _settings(directory: str, address: str) -> Any:
    """Return Chroma's settings; none are read from the environment or a file."""
    from chromadb.config import Settings

    class OwnSettings(Settings):  # type: ignore[misc]
        @classmethod
        def settings_customise_sources(cls, settings_cls: Any, init_settings: Any, *others: Any, **named: Any) -> Any:
            return (init_settings,)

    if not address:
        return OwnSettings(is_persistent=True, persist_directory=directory, anonymized_telemetry=False)
    parts = urlsplit(address)
    return OwnSettings(
        chroma_api_impl="chromadb.api.fastapi.FastAPI",
        chroma_server_host=parts.hostname,
        chroma_server_http_port=parts.port or (443 if parts.scheme == "https" else 80),
        chroma_server_ssl_enabled=parts.scheme == "https",
        chroma_server_headers=_headers(address),
        anonymized_telemetry=False,
    )
