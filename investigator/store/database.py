"""The interface to this program's databases, and its implementation for SQLite files. The database library's errors are
translated.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, lru_cache, partial
from pathlib import Path

from pydantic import ValidationError
from sqlalchemy import Connection, Engine, Insert, Table, bindparam, create_engine, event, select, text
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError

from investigator.errors import DamagedDatabaseError, DiskFullError, StoreError, WorkspaceLockedError
from investigator.files import check_private_file, open_private, same_file
from investigator.store.schema import Schema, meta, statements_of

_BUSY_SECONDS = 30
_FULL = frozenset({errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG})
SCHEMA_VERSION = "schema_version"
"""The key in the `meta` table for the version of the tables."""
_DAMAGE = ("malformed", "not a database", "corrupt", "vtable constructor failed")
_VALUE = select(meta.c.value).where(meta.c.key == bindparam("of_key"))
_SET_VALUE = text("INSERT INTO meta (key, value) VALUES (:k, :v) ON CONFLICT (key) DO UPDATE SET value = :v")


class Database(ABC):
    """A connection pool for a database whose tables have been created. Thread-safe.

    `place` names the database in errors, and `damaged` is True if damage was found during use.
    """

    def __init__(self, engine: Engine, place: str) -> None:
        self.place = place
        self.damaged = False
        self._engine = engine

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """Open a transaction that is committed at the end, or rolled back on an error. Raises StoreError or a subclass.

        A row that is not a valid record counts as damage.
        """
        try:
            with self._translated(), self._transaction() as connection:
                yield connection
        except ValidationError as error:
            self.damaged = True
            what = f"a row is not a valid {error.title}"
            raise DamagedDatabaseError(f"the workspace database {self.place} is damaged: {what}") from error
        except DamagedDatabaseError:
            self.damaged = True
            raise

    @abstractmethod
    def alone(self) -> AbstractContextManager[Connection]:
        """Open an exclusive write transaction; what it reads stays valid until it ends. Raises the same errors as
        `begin`.
        """

    def held(self, what: str) -> AbstractContextManager[Database]:
        """Hold a resource that only one process may use; it is released when the context manager exits or the process
        dies. Use the database that the context yields. Raises WorkspaceLockedError if another process holds it. The
        writer of a workspace already holds every resource in its files.
        """
        return nullcontext(self)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def _transaction(self) -> AbstractContextManager[Connection]:
        return self._engine.begin()

    @abstractmethod
    def _translated(self) -> AbstractContextManager[None]:
        """Translate the database library's errors into StoreError or a subclass."""


class FileDatabase(Database):
    """One database of a workspace, an SQLite file. With `thorough`, every page of the file is checked first.

    Raises DamagedDatabaseError if the file is damaged, or was created by an earlier version from which no upgrade is
    known; and StoreError if a newer version created it.
    """

    def __init__(self, path: Path, schema: Schema, *, thorough: bool = False) -> None:
        self.path = path
        with translated(path):
            check_private_file(path)
            if not os.path.lexists(path):  # SQLite creates its other files with the same permissions
                os.close(open_private(path, os.O_RDWR | os.O_CREAT))
        with translated(path), same_file(path):
            found = path.stat()
            super().__init__(_open(path, (found.st_dev, found.st_ino), os.getpid()), str(path))
            self._engine.connect().close()
        try:
            with self.begin() as connection:
                self._prepare(connection, schema)
                if thorough:
                    self._check(connection, schema)
        except BaseException:
            self.close()
            raise

    def _prepare(self, connection: Connection, schema: Schema) -> None:
        """Create missing tables, and bring those of an earlier version up to date."""
        present = set(connection.exec_driver_sql("SELECT name FROM sqlite_master").scalars())
        version = self._version(connection) if meta.name in present else 0
        if version > schema.version:
            raise StoreError(
                f"the workspace database {self.path} was created by a newer version of this program",
                hint="Upgrade investigator, or use another workspace with --workspace DIR; "
                f"{self.path.parent} is kept.",
            )
        while 0 < version < schema.version:
            if version not in schema.upgrades:
                raise DamagedDatabaseError(f"{self.path} was created by an earlier version of this program")
            for statement in schema.upgrades[version]:
                connection.exec_driver_sql(statement)
            version += 1
            present.clear()
            set_meta(connection, SCHEMA_VERSION, str(version))
        for name, statement in statements_of(schema).items():
            if name not in present:
                connection.exec_driver_sql(statement)
        if not version:
            set_meta(connection, SCHEMA_VERSION, str(schema.version))

    def _version(self, connection: Connection) -> int:
        """Return the version of the tables; 0 if they have not been created completely."""
        version = get_meta(connection, SCHEMA_VERSION) or "0"
        if not version.isdecimal():
            raise DamagedDatabaseError(f"the workspace database {self.path} is damaged: its version is {version!r}")
        return int(version)

    def _check(self, connection: Connection, schema: Schema) -> None:
        problem = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
        if problem != "ok":
            raise DamagedDatabaseError(f"the workspace database {self.path} is damaged: {problem}")
        for table in schema.full_text:
            connection.exec_driver_sql(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """Open an exclusive write transaction; deleted data is not left in the files."""
        with self.begin() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            connection.exec_driver_sql("PRAGMA secure_delete = ON")
            yield connection
        with self._translated(), self._engine.connect() as connection:  # otherwise the log keeps deleted data
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def _translated(self) -> AbstractContextManager[None]:
        return translated(self.path)


def get_meta(connection: Connection, key: str) -> str | None:
    """Return the value stored under a key in the database, or None."""
    return connection.execute(_VALUE, {"of_key": key}).scalar()


def set_meta(connection: Connection, key: str, value: str) -> None:
    """Store a value under a key in the database."""
    connection.execute(_SET_VALUE, {"k": key, "v": value})


def new_rows(connection: Connection, table: Table) -> Insert:
    """Return the statement that inserts only the missing rows into a table."""
    return _new_rows(connection.dialect.name, table)


@cache  # building a statement takes longer than executing it
def _new_rows(dialect: str, table: Table) -> Insert:
    if dialect == "postgresql":
        from sqlalchemy.dialects import postgresql  # imported here, because it loads 20 modules that nothing else needs

        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()


def secured(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Return the connection, configured not to trust the schema of its file."""
    for statement in ("PRAGMA trusted_schema=OFF", "PRAGMA cell_size_check=ON", "PRAGMA mmap_size=0"):
        connection.execute(statement)
    return connection


@lru_cache(maxsize=32)  # an engine keeps its compiled statements, and compiling takes longer than executing
def _open(path: Path, _file: tuple[int, int], _process: int) -> Engine:
    """Return the engine of a database; a file that replaces another one, and a forked process, have their own."""
    engine = create_engine(
        f"sqlite:///{path}",
        connect_args={"timeout": _BUSY_SECONDS, "check_same_thread": False},
        max_overflow=-1,  # a transaction inside another one never waits
    )

    @event.listens_for(engine, "connect")
    def _configure(connection: sqlite3.Connection, _: object) -> None:
        # one damaged text must not abort the whole query; called for every text, so not a function in Python
        connection.text_factory = partial(str, encoding="utf-8", errors="replace")
        secured(connection)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")

    return engine


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Translate file and database errors at a path in a workspace into StoreError or a subclass."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise DiskFullError(f"no space is left on the disk of {path.parent}") from error
        raise _unwritable(path, error.strerror or str(error)) from error
    except (DBAPIError, sqlite3.Error) as error:
        raise _store_error(error.orig if isinstance(error, DBAPIError) else error, path) from error


def _store_error(error: BaseException | None, path: Path) -> StoreError | WorkspaceLockedError:
    reason = str(error)
    if "full" in reason:
        return DiskFullError(f"no space is left on the disk of {path.parent}")
    if "disk I/O" in reason:
        hint = "Free some space, or check the disk, then try again: finished work is kept."
        command = "--workspace DIR puts the workspace on another disk."
        return DiskFullError(f"the disk of {path.parent} is full or failing: {reason}", hint=hint, command=command)
    if "locked" in reason or "busy" in reason:
        return WorkspaceLockedError(f"the workspace database {path} is in use by another process")
    if "readonly" in reason or "unable to open" in reason:
        return _unwritable(path, reason)
    if isinstance(error, sqlite3.DatabaseError) and any(sign in reason for sign in _DAMAGE):
        return DamagedDatabaseError(f"the workspace database {path} is damaged: {reason}")
    return StoreError(f"the workspace database {path} failed: {reason}")


def _unwritable(path: Path, reason: str) -> StoreError:
    hint = "Use --workspace DIR to choose a writable folder."
    return StoreError(f"the workspace {path.parent} cannot be written to: {reason}", hint=hint)
