"""A session with the process that runs Chroma; if that process crashes or hangs, the caller gets an error."""

from __future__ import annotations

import os
import subprocess
import threading
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from investigator.engines.base import Vectors
from investigator.errors import DiskFullError, StoreError
from investigator.files.own_process import pipe, start_module
from investigator.store.chroma_process import ChromaAction, ChromaAnswer, ChromaRequest, send, without_password

_MODULE = "investigator.store.chroma_process"
_SECONDS = 300.0  # time limit for a request; the slowest (2,000 new vectors in a large collection) takes about 10 s
_OPENING_SECONDS = 60.0  # time limit for a server's first response
_LAST_SECONDS = 60.0
_INHERITED = (
    *("PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
    *("HOME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LANG", "LC_ALL"),
)
"""Environment variables that are passed to the process; all others are withheld, because they could be settings of
Chroma.
"""


class ChromaSession:
    """One collection, open in a separate process that ends when `close` is called or this process ends.

    The collection is in the process's working directory, or on a Chroma server (http://HOST:PORT). A session
    may be used by only one thread at a time. Raises StoreError if the process does not start, is lost, or reports a
    failure of Chroma; DiskFullError if the disk is full.
    """

    def __init__(self, directory: Path, collection: str, address: str = "") -> None:
        self._place = without_password(address) if address else str(directory)
        self._process = _started(directory)
        self._end = weakref.finalize(self, _ended, self._process)
        opening = ChromaRequest(
            action=ChromaAction.OPEN, directory=str(directory), address=address, collection=collection
        )
        answer = self._ask(opening, seconds=_OPENING_SECONDS if address else _SECONDS)
        self.held = answer.held
        """Number of vectors in the collection when it was opened."""
        self.stamp = answer.stamp
        """The last stamp that any process wrote into the collection."""

    def delete(self, chunk_ids: Sequence[int]) -> None:
        """Delete chunks from every collection of the workspace."""
        self._ask(ChromaRequest(action=ChromaAction.DELETE, ids=tuple(chunk_ids)))

    def upsert(self, chunk_ids: Sequence[int], rows: Vectors) -> None:
        """Add the vectors of the given chunks, or replace them."""
        self._ask(ChromaRequest(action=ChromaAction.UPSERT, ids=tuple(chunk_ids)), rows)

    def nearest(self, vector: Vectors, limit: int) -> tuple[int, ...]:
        """Return the ids of the nearest chunks, nearest first."""
        return self._ask(ChromaRequest(action=ChromaAction.NEAREST, limit=limit), vector).ids

    def write_stamp(self, stamp: str) -> None:
        """Write a stamp into the metadata of every collection of the workspace."""
        self._ask(ChromaRequest(action=ChromaAction.STAMP, stamp=stamp))

    def drop(self) -> None:
        """Delete every collection of the workspace; the session cannot be used afterwards."""
        self._ask(ChromaRequest(action=ChromaAction.DROP))

    def close(self) -> bool:
        """Let the process end; return True if it ended cleanly."""
        return bool(self._end())

    def _ask(self, request: ChromaRequest, rows: Vectors | None = None, *, seconds: float = _SECONDS) -> ChromaAnswer:
        raw = rows.astype("<f4").tobytes() if rows is not None else b""
        timer = threading.Timer(seconds, self._process.kill)
        timer.daemon = True
        timer.start()
        try:
            send(pipe(self._process.stdin), request.changed(size=len(raw)), raw)
            line = pipe(self._process.stdout).readline()
            answer = ChromaAnswer.model_validate_json(line)
        except (OSError, ValueError) as error:  # the pipe is broken, or the data is not an answer
            self._process.kill()  # this has no effect if it has already ended
            self.close()
            raise StoreError(f"its process died with exit code {self._process.returncode}") from error
        finally:
            timer.cancel()
        if answer.error:
            self.close()
            raise _translated(answer.error, self._place)
        return answer


def _ended(process: subprocess.Popen[bytes]) -> bool:
    """Let an idle process end, and return True if it ended cleanly."""
    with suppress(OSError):
        pipe(process.stdin).close()
    try:
        ended_well = process.wait(_LAST_SECONDS) == 0
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        ended_well = False
    with suppress(OSError):
        pipe(process.stdout).close()
    return ended_well


def _translated(reason: str, place: str) -> StoreError:
    said = reason.lower()
    if "full" in said or "no space" in said or "disk i/o" in said:
        return DiskFullError(f"no space is left on the disk of {place}")
    return StoreError(f"the vector index in {place} failed: {reason}")


def _started(directory: Path) -> subprocess.Popen[bytes]:
    """Start the process in the index's own directory, because Chroma reads a settings file in its working directory."""
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    try:
        return start_module(_MODULE, directory=directory, environment=inherited)
    except OSError as error:
        raise StoreError(f"the process that runs Chroma does not start: {error.strerror}") from error
