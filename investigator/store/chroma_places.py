"""The possible locations of a Chroma collection (files or a server), and the check that it is unchanged."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import stat
from abc import ABC, abstractmethod
from pathlib import Path

from pydantic import ValidationError

from investigator.errors import StoreError
from investigator.records import Record
from investigator.store.chroma_process import without_password
from investigator.store.chroma_session import ChromaSession
from investigator.store.database import Database, get_meta, set_meta
from investigator.store.vectors import VectorTable

_LEFT = "chroma_checksums"
"""The key under which the workspace stores the last known state of the collection, on disk or on a server."""


class ChromaPlace(ABC):
    """The location of one embedder's collection; its vectors are in `table`. `not_left` is the message about a
    collection that has changed since its last use.
    """

    not_left: str

    def __init__(self, table: VectorTable) -> None:
        self.table = table

    @abstractmethod
    def is_as_left(self) -> bool:
        """Return True if the collection is unchanged, or missing as expected. Raises StoreError if this cannot be
        determined.
        """

    @abstractmethod
    def open(self) -> ChromaSession:
        """Open the collection, creating it if it is missing. Raises StoreError and DiskFullError."""

    def opened(self) -> None:  # noqa: B027 - a server needs no record
        """Record that the collection was opened and is intact."""

    @abstractmethod
    def doubt(self) -> None:
        """Record that a write to the collection is about to begin."""

    @abstractmethod
    def settle(self, session: ChromaSession) -> ChromaSession | None:
        """Record that all writes are complete; return the session if it can still be used. Raises StoreError."""

    @abstractmethod
    def forget(self) -> None:
        """Delete the collection. Raises StoreError."""

    def distrust(self) -> None:
        """Make the next command rebuild the collection."""
        self.doubt()

    def failed(self) -> None:  # noqa: B027 - the stamp of a server shows if the collection changed
        """Record that the collection could not be used, for any reason."""


class ChromaFiles(ChromaPlace):
    """A collection in a directory of the workspace; the database stores its checksums.

    Chroma's native code trusts its files, and one damaged byte can crash it, so files that have changed are never
    opened. Raises StoreError if there is something other than a directory at its path.
    """

    not_left = "its files have changed since the last use"

    def __init__(self, directory: Path, table: VectorTable) -> None:
        _refuse_other_kinds(directory)
        super().__init__(table)
        self._directory = directory
        self._collection = f"chunks-{_digest(table.embedder)}"
        self._known: dict[tuple[str, int, int, int], str] = {}

    def is_as_left(self) -> bool:
        """Return True if the files are unchanged, or if there are neither files nor checksums."""
        kept = _left(self.table.database)
        return kept == self._now() if os.path.lexists(self._directory) else not (kept or self.table.in_chroma())

    def open(self) -> ChromaSession:
        """Open the collection in a separate process."""
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        return ChromaSession(self._directory, self._collection)

    def opened(self) -> None:
        """Store the new checksums of the files, because Chroma writes to its files when it opens them."""
        _leave(self.table.database, self._now())

    def doubt(self) -> None:
        """Mark the files as unverified."""
        _leave(self.table.database, "")

    def settle(self, session: ChromaSession) -> ChromaSession | None:
        """Let Chroma flush everything to its files, and store their checksums."""
        if not session.close():
            raise StoreError("the process that runs Chroma did not end cleanly")
        self.opened()
        return None

    def forget(self) -> None:
        """Delete the files."""
        self.doubt()
        shutil.rmtree(self._directory, ignore_errors=True)

    def failed(self) -> None:
        """Mark the files as unverified: they may have caused Chroma's failure."""
        self.doubt()

    def _now(self) -> str:
        """Return the files with their checksums as one text; "?" if there is anything but files and directories."""
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
        """Return the sha256 of a file; an unchanged file is not read again."""
        key = (path, about.st_ino, about.st_size, about.st_mtime_ns)
        if key not in self._known:
            with open(path, "rb") as file:
                self._known[key] = hashlib.file_digest(file, "sha256").hexdigest()
        return self._known[key]


class _LeftOnServer(Record):
    """The name of the workspace's collections on a server, and the last stamp in their metadata. During a write there
    are two stamps, one from before and one from after. Either stamp shows that the collection belongs to the workspace,
    and which writes are pending; pending writes can be repeated.
    """

    address: str
    workspace: str
    stamps: tuple[str, ...] = ()


class ChromaServer(ChromaPlace):
    """A collection on a Chroma server. The collection's metadata contain a stamp that changes with every write.

    A collection is rebuilt if its stamp is unexpected, because it is missing, was restored from a backup, or was
    changed by a copy of the workspace. `address` is http://HOST:PORT. Only chunk numbers and vectors are sent to the
    server; the process that sends them runs in `directory`.
    """

    not_left = "its collection is missing, or was changed or replaced"

    def __init__(self, address: str, directory: Path, table: VectorTable) -> None:
        super().__init__(table)
        self._address = address
        self._directory = directory
        self._left = self._read()
        self._collection = f"investigator-{self._left.workspace}-{_digest(table.embedder)}"
        self._stamp = ""  # the stamp of the collection
        self._waiting: ChromaSession | None = None

    def is_as_left(self) -> bool:
        """Ask the server for the stamp of the collection."""
        self._waiting = session = self.open()
        self._stamp = session.stamp
        if session.stamp:
            return session.stamp in self._left.stamps
        return not (session.held or self.table.count_in_chroma())

    def open(self) -> ChromaSession:
        """Open the collection, or return the session left open when its stamp was read."""
        waiting, self._waiting = self._waiting, None
        return waiting or ChromaSession(self._directory, self._collection, self._address)

    def doubt(self) -> None:
        """Keep the new stamp along with the old stamp, because every pending write can be repeated."""
        self._keep((self._stamp, secrets.token_hex(8)))

    def settle(self, session: ChromaSession) -> ChromaSession | None:
        """Write the new stamp to the collections of all embedders, because chunks were deleted from all of them."""
        after = self._left.stamps[-1]
        session.write_stamp(after)
        self._stamp = after
        self._keep((after,))
        return session

    def forget(self) -> None:
        """Delete the collections of the workspace."""
        session = self.open()
        session.drop()
        session.close()
        self._stamp = ""
        self._keep(())

    def distrust(self) -> None:
        """Make the next command rebuild the collection."""
        self._keep(())

    def _read(self) -> _LeftOnServer:
        """Return the last known state of the collection, or an empty state if the address has changed."""
        shown = without_password(self._address)
        try:
            left = _LeftOnServer.model_validate_json(_left(self.table.database))
        except ValidationError:  # nothing was stored, or the collection was in files
            left = _LeftOnServer(address=shown, workspace=secrets.token_hex(8))
        return left if left.address == shown else left.changed(address=shown, stamps=())

    def _keep(self, stamps: tuple[str, ...]) -> None:
        self._left = self._left.changed(stamps=tuple(filter(None, stamps)))
        _leave(self.table.database, self._left.model_dump_json())


def discard_files(directory: Path, database: Database) -> None:
    """Delete the files of a collection that is no longer needed."""
    _refuse_other_kinds(directory)
    _leave(database, "")
    shutil.rmtree(directory, ignore_errors=True)


def _left(database: Database) -> str:
    with database.begin() as connection:
        return get_meta(connection, _LEFT) or ""


def _leave(database: Database, how: str) -> None:
    with database.begin() as connection:
        set_meta(connection, _LEFT, how)


def _digest(embedder: str) -> str:
    return hashlib.sha256(embedder.encode()).hexdigest()[:12]


def _refuse_other_kinds(directory: Path) -> None:
    if os.path.lexists(directory) and not stat.S_ISDIR(directory.lstat().st_mode):
        raise StoreError(
            f"{directory} is a file or a link, but the vector index needs a folder of that name",
            hint="Move the file away; the vector index is then rebuilt from the database.",
        )
