"""The directory of a workspace: private, checked before anything in it is opened, and written to by one process at a
time.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Self

from filelock import FileLock, Timeout
from pydantic import ValidationError

from investigator.errors import (
    DamagedDatabaseError,
    DiskFullError,
    ForeignFileError,
    SettingsError,
    WorkspaceLockedError,
)
from investigator.files import (
    check_private_file,
    check_private_folder,
    is_plain_file,
    make_private_folder,
    open_private,
    read_private,
    write_private,
)
from investigator.records import Memory, Record, Reply
from investigator.store.corpus import DecodedDocuments
from investigator.store.database import Database, FileDatabase, secured, translated
from investigator.store.locations import note_folder, shared_name
from investigator.store.schema import INDEX, RUNS, Schema
from investigator.store.store_settings import StoreSettings

DATABASE_NAME = "index.db"
RUNS_NAME = "runs.db"

_DAMAGED_INDEX, _DAMAGED_RUNS = "damaged", "damaged-runs"
"""Names of the marker files for databases that were found damaged when last used."""

_EARLIER_NAME = "investigator.db"
_ENDS = ("", "-wal", "-shm", "-journal")
_DATABASE_FILES = tuple(name + end for name in (DATABASE_NAME, RUNS_NAME, _EARLIER_NAME) for end in _ENDS)
_LOCKS = ("writer.pid", "writer.lock", "watch.lock")
_FILES = (*_DATABASE_FILES, *_LOCKS, "servers.json", "folder", _DAMAGED_INDEX, _DAMAGED_RUNS)
_FOLDERS = ("chroma", "chats", "evaluations", "shards")


def has_database(directory: Path) -> bool:
    """Return True if a workspace directory has an index."""
    return is_plain_file(directory / DATABASE_NAME)


def has_runs(directory: Path) -> bool:
    """Return True if a workspace directory has runs or chats."""
    return any(is_plain_file(directory / name) for name in (RUNS_NAME, DATABASE_NAME, _EARLIER_NAME))


def foreign_names(directory: Path) -> list[str]:
    """Return the names in a directory that do not belong in a workspace, except hidden ones; empty if the directory is
    a workspace.
    """
    with suppress(OSError):  # opening the directory will report the problem
        if not has_runs(directory):
            known = {*_FILES, *_FOLDERS}
            return sorted(name for name in os.listdir(directory) if name not in known and not name.startswith("."))
    return []


@contextmanager
def sole_watcher(directory: Path) -> Iterator[None]:
    """Make sure that no other process watches the folder of this workspace. Raises SettingsError if one does."""
    make_private_folder(directory)
    check_private_folder(directory)
    lock = FileLock(str(directory / "watch.lock"), mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        hint = "Stop it with Ctrl-C where it runs. Its file of questions may be changed while it runs."
        raise SettingsError("another process is already watching this folder", hint=hint) from None
    try:
        yield
    finally:
        lock.release()


class Workspace:
    """An open workspace: its directory, its two databases, and the lock of its single writer.

    `folder` is recorded in the workspace, so that the workspace is found again if the folder moves. `store` may name
    another place for the runs, and `decoded` contains documents that need not be decoded again. `is_suspected` means
    that the last writer was killed; the databases are then checked. Use it as a context manager. Raises StoreError;
    SettingsError if the directory cannot be created; ForeignFileError if something in it is a link or a pipe, or
    belongs to another user; and WorkspaceLockedError if another process is writing.
    """

    def __init__(
        self,
        directory: Path,
        *,
        write: bool,
        folder: Path | None = None,
        notice: Callable[[str], None] = lambda _: None,
        store: StoreSettings = StoreSettings(),
        decoded: DecodedDocuments | None = None,
    ) -> None:
        self.directory = directory
        self._store = store
        self.writes = write
        self._notice = notice
        self.is_suspected = False
        self.decoded = decoded or DecodedDocuments()
        self._at_close = ExitStack()
        _prepare(directory)
        if not write and is_plain_file(directory / _DAMAGED_RUNS) and not store.url:  # a reader noticed it before
            with suppress(WorkspaceLockedError), Workspace(directory, write=True, notice=notice):
                pass
        self._lock = FileLock(str(directory / "writer.lock"), mode=0o600)
        if write:
            self._acquire()
        try:
            if folder is not None:
                with translated(directory):
                    note_folder(directory, folder)
            if write and is_plain_file(directory / _DAMAGED_RUNS) and not store.url:
                _ = self.runs  # even a command that does not use the runs moves the readable ones
        except BaseException:
            self._lock.release()
            raise

    @cached_property
    def runs(self) -> Database:
        """Return the database of runs and memories, which is a file in the workspace unless `store` names another
        place; it is opened on first use. The writer moves the readable rows of a damaged file to a new one, with a
        notice. Raises DamagedDatabaseError if the file is damaged and this is not the writer, SettingsError and
        StoreError.
        """
        if self._store.url:
            from investigator.store.postgres import PostgresDatabase  # imported here, because few workspaces use it

            return PostgresDatabase(self._store.url, self._store.name or shared_name(self.directory))
        path, mark = self.directory / RUNS_NAME, self.directory / _DAMAGED_RUNS
        is_suspected = self.writes and (self.is_suspected or is_plain_file(mark))
        try:
            opened = FileDatabase(path, RUNS, thorough=is_suspected)
            if is_suspected and is_plain_file(mark):
                _check_rows(opened)
        except DamagedDatabaseError as error:
            if not self.writes:
                with suppress(OSError):
                    write_private(mark, b"")
                raise
            kept = _salvage(path, RUNS)
            self._notice(
                f"The readable runs and memories were moved to a new {path}; {kept} is damaged: {error.message}."
            )
            opened = FileDatabase(path, RUNS)
        if self.writes:
            mark.unlink(missing_ok=True)
        return opened

    @cached_property
    def index(self) -> Database:
        """Return the database of the index. The writer drops a damaged or foreign database with a notice, and rebuilds
        it. Raises DamagedDatabaseError if the database cannot be used and this is not the writer, and StoreError.
        """
        path = self.directory / DATABASE_NAME
        try:
            if is_plain_file(self.directory / _DAMAGED_INDEX):
                raise DamagedDatabaseError(f"the index {path} was found damaged when it was last used")
            if is_plain_file(self.directory / _EARLIER_NAME):
                raise DamagedDatabaseError(f"the index in {self.directory} was created by an earlier version")
            return FileDatabase(path, INDEX, thorough=self.is_suspected)
        except DamagedDatabaseError as error:
            if not self.writes:
                raise
            self._notice(f"The index is rebuilt from the documents; runs and memories are kept: {error.message}.")
            for name in _DATABASE_FILES:  # Chroma's files would not match a new index, and are rebuilt together with it
                if not name.startswith(RUNS_NAME):
                    (self.directory / name).unlink(missing_ok=True)
            (self.directory / _DAMAGED_INDEX).unlink(missing_ok=True)
            return FileDatabase(path, INDEX)

    def call_at_close(self, closing: Callable[[], None]) -> None:
        """Register a function to call when the workspace is closed."""
        self._at_close.callback(closing)

    def close(self) -> None:
        """Close the databases and let other processes write."""
        self._at_close.close()
        for name, mark in (("index", _DAMAGED_INDEX), ("runs", _DAMAGED_RUNS)):
            database = self.__dict__.get(name)
            if isinstance(database, Database):
                if database.damaged:
                    with suppress(OSError):  # without the marker, the damage is detected again
                        write_private(self.directory / mark, b"")
                database.close()
        if self.writes:
            with suppress(OSError):  # if the file remains, the next writer checks the databases
                (self.directory / "writer.pid").unlink(missing_ok=True)
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _acquire(self) -> None:
        holder = self.directory / "writer.pid"
        try:
            self._lock.acquire(timeout=0)
            self.is_suspected = is_plain_file(holder)  # left behind by a writer that did not finish
            with open(open_private(holder, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
                file.write(str(os.getpid()).encode("ascii"))
        except Timeout:
            pid = read_private(holder, 20).decode("ascii", "replace") if is_plain_file(holder) else "unknown"
            raise WorkspaceLockedError(f"process {pid} is writing to the workspace {self.directory}") from None
        except OSError as error:
            self._lock.release()
            raise DiskFullError(f"the workspace {self.directory} cannot be written to: {error.strerror}") from error
        except BaseException:
            self._lock.release()
            raise


def _prepare(directory: Path) -> None:
    """Create a workspace directory, or check the existing one."""
    try:
        make_private_folder(directory)
        check_private_folder(directory)
        for name in _FOLDERS:
            if os.path.lexists(directory / name):
                check_private_folder(directory / name)
        for name in _FILES:
            check_private_file(directory / name)
        with tempfile.TemporaryFile(dir=directory):
            pass  # permission bits can mislead (root, network drives, read-only mounts)
    except ForeignFileError:
        raise
    except OSError as error:
        raise SettingsError(
            f"the workspace {directory} cannot be written to: {error.strerror or error}",
            hint="Use --workspace DIR to choose a writable folder.",
        ) from error


def _salvage(path: Path, schema: Schema) -> Path:
    """Replace a damaged database with one that contains its readable rows; return the path of the damaged file.

    Raises StoreError, after which the damaged file may have its new path.
    """
    kept = _free_name(path)
    with translated(path):
        for end in ("-wal", "-shm", ""):
            with suppress(FileNotFoundError):
                path.with_name(path.name + end).rename(kept.with_name(kept.name + end))
        FileDatabase(path, schema).close()
        with closing(secured(sqlite3.connect(kept))) as damaged, closing(secured(sqlite3.connect(path))) as whole:
            damaged.text_factory = partial(str, encoding="utf-8", errors="replace")
            names = [table.name for table in schema.metadata.sorted_tables if table.name != "meta"]
            for name in ("meta", *names, *schema.full_text):
                _copy(damaged, whole, name)
            whole.commit()
    return kept


_RECORDS: Mapping[str, tuple[str, type[Record]]] = {"calls": ("reply", Reply), "memories": ("record", Memory)}
"""The columns that hold records, by table. Runs are kept even if their records are of another version."""


def _check_rows(database: FileDatabase) -> None:
    """Raise DamagedDatabaseError, and close the database, if a row is not a valid record."""
    try:
        with database.begin() as connection:
            for table, (column, record) in _RECORDS.items():
                for (value,) in connection.exec_driver_sql(f'SELECT "{column}" FROM {table}'):
                    record.model_validate_json(value)
    except DamagedDatabaseError:
        database.close()
        raise


def _copy(damaged: sqlite3.Connection, whole: sqlite3.Connection, table: str) -> None:
    at, record = _RECORDS.get(table, ("", None))
    columns = [row[1] for row in whole.execute(f"PRAGMA table_info({table})")]
    named = ", ".join(f'"{name}"' for name in ("rowid", *columns))
    values = ", ".join("?" * (len(columns) + 1))
    statement = f"INSERT OR IGNORE INTO {table} ({named}) VALUES ({values})"
    for order in ("", " DESC"):  # from both ends up to the first damaged page
        with suppress(sqlite3.DatabaseError):
            for row in damaged.execute(f"SELECT {named} FROM {table} ORDER BY rowid{order}"):
                with suppress(sqlite3.Error, ValidationError):  # a row whose values the table or its record refuses
                    if record is not None:
                        record.model_validate_json(row[columns.index(at) + 1])
                    whole.execute(statement, row)
            return


def _free_name(path: Path) -> Path:
    names = (path.with_name(f"{path.name}.damaged{n or ''}") for n in range(1_000))
    return next(name for name in names if not name.exists())
