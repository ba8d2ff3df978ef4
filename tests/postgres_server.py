"""A PostgreSQL server on a socket for tests, started once from the programs of the distribution's package."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

import psycopg
from psycopg import sql

if TYPE_CHECKING:
    from typing import LiteralString

_DATABASE = "postgres"
_AS_ROOT = hasattr(os, "getuid") and os.getuid() == 0
_QUICK = "-c fsync=off -c full_page_writes=off -c max_connections=40"


def programs() -> Path | None:
    """Return the folder of PostgreSQL's programs, the newest of Debian's; None if there are none."""
    on_path = shutil.which("initdb")
    if on_path is not None:
        return Path(on_path).resolve().parent
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


class PostgresServer:
    """A server with private databases; as root it runs as the user `postgres`, which must exist."""

    def __init__(self, bin_folder: Path) -> None:
        self._bin = bin_folder
        self._user = "postgres" if _AS_ROOT else getpass.getuser()
        self._root = Path(tempfile.mkdtemp(prefix="pg-"))  # the path of a socket is short
        if _AS_ROOT:
            shutil.chown(self._root, self._user)
        self._root.chmod(0o755)
        self._run("initdb", "-D", str(self._data), "-U", self._user, "-A", "trust", "-E", "UTF8", "--no-sync")
        self.start()

    @property
    def _data(self) -> Path:
        return self._root / "data"

    def start(self) -> None:
        """Start the server, which listens only on a socket."""
        options = f"-c listen_addresses='' -k {self._root} {_QUICK}"
        self._run("pg_ctl", "-D", str(self._data), "-l", str(self._root / "log"), "-w", "-o", options, "start")

    def stop(self) -> None:
        """Stop the server at once, like a machine that is switched off."""
        self._run("pg_ctl", "-D", str(self._data), "-m", "immediate", "stop")

    def close(self) -> None:
        """Stop the server and delete its files."""
        self.stop()
        shutil.rmtree(self._root)

    def emptied(self) -> str:
        """Return the address of a database without runs; it is always the same one, for speed."""
        with self._connected(self.address) as connection:
            for schema in _schemas(connection):
                connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(schema)))
        return self.address

    @property
    def address(self) -> str:
        """Return the address of the database for tests."""
        return self.url(_DATABASE)

    def url(self, database: str, user: str = "") -> str:
        """Return the address of a database for a user, by default the administrator."""
        return f"postgresql+psycopg://{user or self._user}@/{database}?host={self._root}"

    def execute(self, statement: str) -> int:
        """Run a statement on the runs of the first folder; return the number of affected rows."""
        with self._connected(self.address) as connection:
            return connection.execute(cast("LiteralString", statement)).rowcount

    def rows(self, query: str) -> list[tuple[object, ...]]:
        """Return the rows of a query on the runs of the first folder."""
        with self._connected(self.address) as connection:
            return connection.execute(cast("LiteralString", query)).fetchall()

    @contextmanager
    def _connected(self, url: str) -> Iterator[psycopg.Connection]:
        with psycopg.connect(url.replace("postgresql+psycopg://", "postgresql://"), autocommit=True) as connection:
            for schema in _schemas(connection)[:1]:
                connection.execute(sql.SQL("SET search_path = {}").format(sql.Identifier(schema)))
            yield connection

    def drop_connections(self) -> int:
        """Cut every client connection, as a network failure does; return their number."""
        others = "FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        return len(self.rows(f"SELECT pg_terminate_backend(pid) {others}"))

    def _run(self, program: str, *words: str) -> None:
        ended = subprocess.run(
            [str(self._bin / program), *words],
            user=self._user if _AS_ROOT else None,
            cwd=self._root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL,
            check=False,
        )
        assert ended.returncode == 0, (program, ended.stderr)


def _schemas(connection: psycopg.Connection) -> list[str]:
    found = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'runs\\_%' ORDER BY 1")
    return [str(name) for (name,) in found]
