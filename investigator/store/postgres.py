"""Runs and memories in a PostgreSQL database shared by several machines; each folder has a separate schema.

Exclusive work is protected by an advisory lock on its connection, which the server releases when the process dies. The
same connection writes, so nothing is written once the lock is lost.
"""

from __future__ import annotations

import hashlib
import os
import platform
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sqlalchemy import Connection, Engine, RootTransaction, create_engine, event, inspect, make_url, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError

from investigator.errors import DiskFullError, SettingsError, StoreError, WorkspaceLockedError
from investigator.resources.distribution import install_command
from investigator.store.database import SCHEMA_VERSION, Database, get_meta, set_meta
from investigator.store.schema import CODED, DROP_FACT_TERMS, RUNS, meta

_VERSION = 2  # of the tables on a server, whose versions are counted separately
_CONNECTING = {
    "connect_timeout": "10",
    "client_encoding": "utf8",
    "keepalives_idle": "10",  # a dead server is detected within half a minute
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "25000",
}
_NOTICING = ("tcp_keepalives_idle = 10", "tcp_keepalives_interval = 5", "tcp_keepalives_count = 3")
"""Session settings that let the server detect a dead client within half a minute, and release its locks."""
_PATIENCE, _PAUSE = 30.0, 0.5  # seconds to keep retrying, and between retries: a paid reply must survive a restart
_LONGEST_NAME = 63
_SAME_AGAIN = "Finished work is kept: try again"
_HINTS = {
    "25006": "A standby server rejects writes, so use the primary server in store.url.",
    "42501": "Let the user of store.url create and change tables: GRANT CREATE ON DATABASE ... TO ...",
}
_HOLDER = """
    SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND (classid::bigint << 32 | objid::bigint) = :key
"""


class _ServerDatabase(Database):
    """The runs and memories of the folder `name` on a server."""

    def __init__(self, engine: Engine, place: str, name: str) -> None:
        super().__init__(engine, place)
        self._name = name

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """Open a write transaction that waits for any other transaction opened by `alone` on this folder's data."""
        with self.begin() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _number("alone", self._name)})
            yield connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise _store_error(error, self.place) from error


class PostgresDatabase(_ServerDatabase):
    """The runs and memories of the folder `name` in the PostgreSQL database at the given address; missing tables are
    created.

    Raises SettingsError if the address is invalid or a package is missing, and StoreError if the server cannot be used
    or a newer version created the tables.
    """

    def __init__(self, url: str, name: str) -> None:
        place, engine = _engine(url, f"runs_{name}")
        super().__init__(engine, place, name)
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def _prepare(self) -> None:
        """Create missing tables, and change those of an earlier version, all or none."""
        with self.begin() as connection:
            if _version(connection) == _VERSION:
                return
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _number("making", self._name)})
            if _version(connection) > _VERSION:
                raise StoreError(
                    f"the runs in {self.place} were created by a newer version of this program",
                    hint="Upgrade investigator, or use separate runs for this version with --set store.name=NAME",
                )
            schema = f"runs_{self._name}"
            if schema not in inspect(connection).get_schema_names():  # not every user may create schemas
                connection.execute(text(f"CREATE SCHEMA {connection.dialect.identifier_preparer.quote(schema)}"))
            RUNS.metadata.create_all(connection)
            for table in CODED:
                connection.execute(text(f"ALTER TABLE {table.name} DROP COLUMN IF EXISTS code"))
            connection.execute(text(DROP_FACT_TERMS))
            set_meta(connection, SCHEMA_VERSION, str(_VERSION))

    @contextmanager
    def held(self, what: str) -> Iterator[Database]:
        """Hold a lock that only one process can hold, through a connection that is reopened if it is lost."""
        held = _HeldDatabase(self._engine, self.place, self._name, what)
        try:
            yield held
        finally:
            held.let_go()


class _HeldDatabase(_ServerDatabase):
    """The same database, used only through the connection that holds the lock."""

    def __init__(self, engine: Engine, place: str, name: str, what: str) -> None:
        super().__init__(engine, place, name)
        self._key = _number("held", name, what)
        self._using = threading.Lock()
        self._session = 0
        with self._translated():
            self._connection = self._take()

    def let_go(self) -> None:
        """Close the connection, which releases its lock."""
        with suppress(DBAPIError):
            self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with self._using, self._begun():
            yield self._connection

    def _begun(self) -> RootTransaction:
        """Begin a transaction on the connection that holds the lock; a lost connection is reopened."""
        if not self._connection.invalidated:
            transaction = self._connection.begin()
            try:
                session = _session(self._connection)
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
            else:
                if session == self._session:
                    return transaction
                raise StoreError(
                    f"each statement to {self.place} reaches a different session, so nothing can be locked",
                    hint="Use the address of the server itself in store.url, or of a pooler in session mode.",
                )
        self.let_go()
        self._connection = self._taken_again()
        return self._connection.begin()

    def _taken_again(self) -> Connection:
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                return self._take()
            except (DBAPIError, WorkspaceLockedError):  # the server is starting, or still holds the lost connection
                if time.monotonic() > until:
                    raise
                time.sleep(_PAUSE)

    def _take(self) -> Connection:
        connection = self._engine.connect()
        try:
            connection.detach()  # closed together with its lock, instead of being returned to the pool
            with connection.begin():
                taken = connection.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": self._key}).scalar_one()
                holder = connection.execute(text(_HOLDER), {"key": self._key}).scalar()
                self._session = _session(connection)
            if not taken:
                raise WorkspaceLockedError(
                    f"the same question is already being investigated by {holder or 'another process'}",
                    hint="Wait until it has ended, then ask again: its answer is returned.",
                )
        except BaseException:
            connection.close()
            raise
        return connection


def _version(connection: Connection) -> int:
    """Return the version of the tables; 0 if there are none."""
    if not inspect(connection).has_table(meta.name):
        return 0
    return int(get_meta(connection, SCHEMA_VERSION) or 0)


def _engine(url: str, schema: str) -> tuple[str, Engine]:
    """Return an address in a form that is safe to display, and the engine that connects to the address."""
    try:
        address = make_url(url)
        place = address.render_as_string(hide_password=True)
        who = f"investigator on {platform.node()}, process {os.getpid()}"[:_LONGEST_NAME]
        connecting = {**_CONNECTING, "application_name": who}
        engine = create_engine(
            address,
            pool_pre_ping=True,
            connect_args={name: value for name, value in connecting.items() if name not in address.query},
        )
    except (ArgumentError, ValueError) as error:
        raise SettingsError(
            f"store.url is not an address: {error}", hint="Write it as postgresql+psycopg://USER@HOST:5432/DATABASE"
        ) from error
    except ImportError as error:
        raise SettingsError(
            "runs in PostgreSQL need the package psycopg",
            hint=f"Install it with: {install_command('postgres')}",
        ) from error
    quoted = engine.dialect.identifier_preparer.quote_identifier(schema)

    @event.listens_for(engine, "connect")
    def _configure(connection: DBAPIConnection, _: object) -> None:
        cursor = connection.cursor()
        for setting in (*_NOTICING, f"search_path = {quoted}"):
            cursor.execute(f"SET {setting}")
        cursor.close()
        connection.commit()

    return place, engine


def _session(connection: Connection) -> int:
    return int(connection.execute(text("SELECT pg_backend_pid()")).scalar_one())


def _number(*parts: str) -> int:
    """Return the number of the advisory lock for these names."""
    digest = hashlib.sha256("\0".join(("investigator", *parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def _store_error(error: DBAPIError, place: str) -> StoreError:
    state = str(getattr(error.orig, "sqlstate", None) or "")
    reason = " ".join(str(error.orig).split())
    if state == "53100":
        return DiskFullError(
            f"no space is left on the server of {place}: {reason}", hint=f"Free some space there. {_SAME_AGAIN}."
        )
    if state in _HINTS:
        return StoreError(f"{place} rejects writes: {reason}", hint=f"{_HINTS[state]} {_SAME_AGAIN}.")
    if error.connection_invalidated or state.startswith("57P"):
        hint = f"{_SAME_AGAIN} when the server can be reached."
        return StoreError(f"the connection to {place} was lost: {reason}", hint=hint)
    if not state:
        return StoreError(
            f"{place} cannot be used: {reason}",
            hint="Check the server, user and database in store.url; the password may be in PGPASSWORD or ~/.pgpass.",
        )
    return StoreError(f"{place} failed: {reason}", hint=f"See the server log. {_SAME_AGAIN} when it is fixed.")
