"""The process in which Chroma runs: its native code can crash there, and its settings come from here alone.

It takes requests from standard input until that ends. Collections are reached below Chroma's client, which would build
the embedding function that a stored collection names; vectors are all that we give and ask for.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable
from enum import StrEnum
from typing import Any, BinaryIO

import numpy as np

from investigator.engines.base import Vectors
from investigator.records import Record

_SEARCH_WIDTH = 400  # Chroma's default of 100 loses neighbours; see benchmarks
_CONFIGURATION = {"hnsw": {"space": "cosine", "ef_search": _SEARCH_WIDTH, "ef_construction": 200}}


class ChromaAction(StrEnum):
    """A request to the process of Chroma."""

    OPEN = "open"
    DELETE = "delete"
    UPSERT = "upsert"
    NEAREST = "nearest"


class ChromaRequest(Record):
    """A request; `size` bytes follow it: float32 rows, one for each of `ids`, or the one to find `limit` ids for.

    OPEN names the `directory` and the `collection` that the other requests are about; DELETE is about all collections.
    """

    action: ChromaAction
    directory: str = ""
    collection: str = ""
    ids: tuple[int, ...] = ()
    limit: int = 0
    size: int = 0


class ChromaAnswer(Record):
    """The ids that were found, nearest first, the number of vectors held when it was opened, or an error."""

    ids: tuple[int, ...] = ()
    held: int = 0
    error: str = ""


def send(stream: BinaryIO, record: Record, raw: bytes = b"") -> None:
    """Write one record as a line of JSON, and the bytes that follow it. Raises OSError if nobody reads any more."""
    stream.write(record.model_dump_json().encode("utf-8") + b"\n" + raw)
    stream.flush()


def main() -> None:
    """Answer requests until there are no more."""
    os.umask(0o077)
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints goes to standard error
    collection = _Collection()
    while line := requests.readline():
        request = ChromaRequest.model_validate_json(line)
        raw = requests.read(request.size)
        send(answers, _answer(collection, request, np.frombuffer(raw, dtype="<f4")))


def _answer(collection: _Collection, request: ChromaRequest, numbers: Vectors) -> ChromaAnswer:
    from chromadb.errors import ChromaError

    act: Callable[[ChromaRequest, Vectors], ChromaAnswer] = getattr(collection, request.action.value)
    try:
        return act(request, numbers)
    except (ChromaError, sqlite3.DatabaseError, ValueError, LookupError, RuntimeError, OSError, TypeError) as error:
        return ChromaAnswer(error=str(error).partition("\n")[0][:200] or type(error).__name__)


class _Collection:
    """One collection; each method carries out the action of its name."""

    _api: Any
    _id: Any

    def open(self, request: ChromaRequest, numbers: Vectors) -> ChromaAnswer:
        from chromadb.api import ServerAPI
        from chromadb.config import System

        system = System(_settings(request.directory))
        self._api = system.instance(ServerAPI)
        system.start()
        made = self._api.create_collection(request.collection, configuration=_CONFIGURATION, get_or_create=True)
        self._id = made.id
        return ChromaAnswer(held=self._api._count(self._id))

    def delete(self, request: ChromaRequest, numbers: Vectors) -> ChromaAnswer:
        for collection in self._api.list_collections():
            self._api._delete(collection.id, ids=[str(i) for i in request.ids])
        return ChromaAnswer()

    def upsert(self, request: ChromaRequest, numbers: Vectors) -> ChromaAnswer:
        rows = numbers.reshape(len(request.ids), -1)
        self._api._upsert(self._id, ids=[str(i) for i in request.ids], embeddings=rows.tolist())
        return ChromaAnswer()

    def nearest(self, request: ChromaRequest, numbers: Vectors) -> ChromaAnswer:
        limit = min(request.limit, self._api._count(self._id))
        if not limit:
            return ChromaAnswer()
        query = [numbers.tolist()]
        found = self._api._query(self._id, query_embeddings=query, n_results=limit, include=["distances"])
        return ChromaAnswer(ids=tuple(int(i) for i in found["ids"][0]))


def _settings(directory: str) -> Any:
    """Return Chroma's settings, of which nothing is read from the environment or from a file."""
    from chromadb.config import Settings

    class OwnSettings(Settings):  # type: ignore[misc]
        @classmethod
        def settings_customise_sources(cls, settings_cls: Any, init_settings: Any, *others: Any, **named: Any) -> Any:
            return (init_settings,)

    return OwnSettings(is_persistent=True, persist_directory=directory, anonymized_telemetry=False)
