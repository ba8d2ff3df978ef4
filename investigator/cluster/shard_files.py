"""The finished shards of an index. Each shard is a file that is written once, and has a record. A new version of
a shard is written to a new file, named after its sha256, before its record is replaced. After a crash in between, the
previous version is still valid, and the new file is unused.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import quote

from pydantic import Field, ValidationError
from sqlalchemy import QueuePool, create_engine

from investigator.documents.scanning import FoundFile
from investigator.errors import DamagedDatabaseError, ForeignFileError
from investigator.files import check_private_folder, make_private_folder, read_private, write_private
from investigator.records import Record
from investigator.store.database import Database, FileDatabase, secured, translated

FOLDER = "shards"
"""The folder within a workspace that contains the shards."""

_USUAL = 8  # default number of shards in a new index


class ShardRecord(Record):
    """One finished shard: its file, a hash of the stamps of its source files (`listed`), and a hash of the settings and
    versions that it was made with.
    """

    number: int
    count: int
    file: str
    sha256: str
    size: int
    listed: str
    made_with: str


class ClusterProgress(Record):
    """The shards of an index."""

    shards: int
    finished: int = Field(description="number of searchable shards")
    dead: tuple[str, ...] = Field(default=(), description="machines of the cluster that do not answer")

    @property
    def line(self) -> str:
        """Return the progress in one line."""
        dead = f"; machines that do not answer: {', '.join(self.dead)}" if self.dead else ""
        return f"{self.finished} of {self.shards} shards can be searched{dead}"


class ShardDatabase(FileDatabase):
    """The database of a finished shard, a file that is never written again and is opened without locks on any file
    system. Writes raise StoreError.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        Database.__init__(self, create_engine("sqlite://", creator=self._connected, poolclass=QueuePool), str(path))

    def _connected(self) -> sqlite3.Connection:
        address = f"file:{quote(str(self.path.absolute()))}?mode=ro&immutable=1"
        return secured(sqlite3.connect(address, uri=True, check_same_thread=False))


class ShardFiles:
    """The folder that holds the shards of one workspace. It may be on a shared file system."""

    def __init__(self, workspace: Path) -> None:
        self.directory = workspace / FOLDER

    def prepare(self) -> None:
        """Create the folder. Raises ForeignFileError and StoreError."""
        with translated(self.directory):
            make_private_folder(self.directory)
            check_private_folder(self.directory)

    def record(self, number: int, count: int) -> ShardRecord | None:
        """Return the record of a shard; None if this user has no such shard, or its file is gone."""
        try:
            record = ShardRecord.model_validate_json(read_private(self.directory / f"{_name(number, count)}.json"))
            there = self.path(record).stat().st_size == record.size
        except (ValidationError, OSError, ForeignFileError):
            return None
        return record if there and (record.number, record.count) == (number, count) else None

    def records(self, count: int) -> dict[int, ShardRecord]:
        """Return the records of the finished shards, keyed by shard number."""
        records = {number: self.record(number, count) for number in range(count)}
        return {number: record for number, record in records.items() if record is not None}

    def path(self, record: ShardRecord) -> Path:
        """Return the path of a shard's file."""
        return self.directory / Path(record.file).name

    def open(self, record: ShardRecord) -> ShardDatabase:
        """Open a shard after checking its whole file. Raises DamagedDatabaseError and StoreError."""
        path = self.path(record)
        with translated(path), path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != record.sha256:
                raise DamagedDatabaseError(f"the shard {path} was changed after it was written")
        return ShardDatabase(path)

    def publish(self, database: Database, number: int, count: int, listed: str, made_with: str) -> ShardRecord:
        """Write an index as the new version of a shard; return its record."""
        name = _name(number, count)
        draft = self.directory / f".{name}.{secrets.token_hex(6)}"
        with translated(draft):
            try:
                freeze(database, draft)
                with draft.open("rb") as file:
                    os.fsync(file.fileno())
                    sha256 = hashlib.file_digest(file, "sha256").hexdigest()
                record = ShardRecord(
                    number=number,
                    count=count,
                    file=f"{name}-{sha256[:16]}.db",
                    sha256=sha256,
                    size=draft.stat().st_size,
                    listed=listed,
                    made_with=made_with,
                )
                draft.replace(self.path(record))
            except BaseException:
                draft.unlink(missing_ok=True)
                raise
            write_private(self.directory / f"{name}.json", record.model_dump_json().encode())
        return record

    def forget_damaged(self, count: int) -> None:
        """Delete the records of damaged shards, so that these are built from scratch."""
        for number, record in self.records(count).items():
            try:
                self.open(record)
            except DamagedDatabaseError:
                (self.directory / f"{_name(number, count)}.json").unlink(missing_ok=True)

    def sweep(self, count: int) -> None:
        """Delete all files except finished shards. Call it only if no build is in progress."""
        kept = set[str]()
        for number, record in self.records(count).items():
            kept |= {record.file, f"{_name(number, count)}.json"}
        with translated(self.directory):
            for path in self.directory.iterdir():
                if path.name not in kept:
                    path.unlink(missing_ok=True)

    def count(self, wanted: int) -> int:
        """Return the number of shards in the index: the requested number or, for 0, the existing number."""
        existing = (int(path.stem.rpartition("-")[2]) for path in self.directory.glob("[0-9]*-of-[0-9]*.json"))
        return wanted or max(existing, default=_USUAL)


def freeze(database: Database, path: Path) -> None:
    """Write the contents of an SQLite database to a new file. Raises StoreError."""
    with database.begin() as connection:
        connection.connection.commit()  # VACUUM INTO cannot run inside a transaction
        connection.exec_driver_sql("VACUUM INTO ?", (str(path),))
    path.chmod(0o600)


def shard_of(file_id: str, count: int) -> int:
    """Return a file's shard number, which depends only on its path."""
    return int.from_bytes(hashlib.sha256(file_id.encode("utf-8", "surrogatepass")).digest()[:8], "big") % count


def shares(files: Iterable[FoundFile], count: int) -> tuple[tuple[FoundFile, ...], ...]:
    """Return the files of each shard, in the order given."""
    by_shard: tuple[list[FoundFile], ...] = tuple([] for _ in range(count))
    for file in files:
        by_shard[shard_of(file.id, count)].append(file)
    return tuple(map(tuple, by_shard))


def stamp_of(files: Sequence[FoundFile]) -> str:
    """Return a hash of file stamps, which changes if a name, size, time or path changes."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(repr((file.id, file.path, file.size, file.mtime_ns, file.inode, file.problem)).encode())
    return digest.hexdigest()


def _name(number: int, count: int) -> str:
    return f"{number:04d}-of-{count:04d}"
