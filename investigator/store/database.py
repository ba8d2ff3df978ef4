"""The workspace database: opens and checks it, and translates its foreign errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, MetaData, Table, create_engine, event, select, text
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.schema import CreateIndex, CreateTable

from investigator.errors import DiskFullError, StoreError, WorkspaceLockedError
from investigator.store import schema

_BUSY_SECONDS = 30
_RUNS_GO_TOO = "The investigations kept there go with it."


class Database:
    """A connection pool to one workspace database, with its tables made.

    Safe to use from several threads. Raises StoreError if the file is not a database of ours.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._engine = _open(path)
        with self.begin() as connection:
            _make(connection, [schema.meta])
            self._check_version(connection)
            _make(connection, schema.metadata.sorted_tables, *schema.FULL_TEXT)

    def add_tables(self, tables: MetaData, *statements: str) -> None:
        """Make the tables of a part that brings its own, and run its statements; what is there already stays as it is.

        Raises StoreError.
        """
        with self.begin() as connection:
            _make(connection, tables.sorted_tables, *statements)

    def _check_version(self, connection: Connection) -> None:
        """Set the version of this program; drop what an older one derived from the documents."""
        kept = get_meta(connection, "schema_version")
        version = int(kept or schema.SCHEMA_VERSION)
        if version > schema.SCHEMA_VERSION:
            raise StoreError(
                f"the workspace database {self.path} was made by a newer version of this program",
                hint=f"Upgrade investigator, or move {self.path.parent} away: the index is built again. {_RUNS_GO_TOO}",
            )
        if version < schema.SCHEMA_VERSION:
            for table in ("chunk_words", "card_words", *(table.name for table in schema.DERIVED)):
                connection.execute(text(f"DROP TABLE IF EXISTS {table}"))
        if kept != str(schema.SCHEMA_VERSION):
            set_meta(connection, "schema_version", str(schema.SCHEMA_VERSION))

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """Open a transaction: committed at the end, rolled back on an error. Raises StoreError and its kinds."""
        with _translated(self.path), self._engine.begin() as connection:
            yield connection

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def get_meta(connection: Connection, key: str) -> str | None:
    """Return the value kept under a key of the workspace, or None."""
    return connection.execute(select(schema.meta.c.value).where(schema.meta.c.key == key)).scalar()


def set_meta(connection: Connection, key: str, value: str) -> None:
    """Keep a value under a key of the workspace."""
    connection.execute(
        text("INSERT INTO meta (key, value) VALUES (:k, :v) ON CONFLICT (key) DO UPDATE SET value = :v"),
        {"k": key, "v": value},
    )


def _make(connection: Connection, tables: Iterable[Table], *statements: str) -> None:
    """Make tables with their indexes if they are missing: another process may be making them at this moment."""
    for table in tables:
        connection.execute(CreateTable(table, if_not_exists=True))
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            connection.execute(CreateIndex(index, if_not_exists=True))
    for statement in statements:
        connection.execute(text(statement))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _open(path: Path) -> Engine:
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": _BUSY_SECONDS, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def _configure(connection: sqlite3.Connection, _: object) -> None:
        connection.text_factory = _text  # a damaged text must not stop the whole query
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")

    return engine


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except OperationalError as error:
        raise _operational(error, path) from error
    except (DatabaseError, sqlite3.DatabaseError) as error:
        reason = str(getattr(error, "orig", error))
        if "disk is full" in reason or "disk I/O" in reason:
            raise _disk_full(path) from error
        raise StoreError(
            f"the workspace database {path} cannot be used: {reason}",
            hint=f"Move {path.parent} away: the index is then built again from the documents. {_RUNS_GO_TOO}",
        ) from error


def _operational(error: OperationalError, path: Path) -> StoreError | WorkspaceLockedError:
    reason = str(error.orig)
    if "full" in reason or "disk I/O" in reason:
        return _disk_full(path)
    if "locked" in reason or "busy" in reason:
        return WorkspaceLockedError(f"the workspace database {path} is in use by another process")
    if path.is_dir():
        return StoreError(f"{path} is a folder, and the database is a file of that name", hint="Move the folder away.")
    if "readonly" in reason or "unable to open" in reason:
        return StoreError(
            f"the workspace {path.parent} cannot be written: {reason}",
            hint="Name a folder that can be written with --workspace DIR.",
        )
    return StoreError(f"the workspace database {path} failed: {reason}")


def _disk_full(path: Path) -> DiskFullError:
    return DiskFullError(f"no space is left on the disk that holds {path.parent}")
