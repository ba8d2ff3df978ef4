"""A finished index: one file that is never written again, and is opened without locks on any file system."""

from __future__ import annotations

import sqlite3
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection, QueuePool, create_engine

from investigator.errors import StoreError
from investigator.store.database import Database, translated
from investigator.store.inspection import secured


class FrozenDatabase(Database):
    """The database of a finished index. Writes raise StoreError.

    The caller guarantees that this program wrote the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(create_engine("sqlite://", creator=self._connected, poolclass=QueuePool), str(path))

    def _connected(self) -> sqlite3.Connection:
        address = f"file:{quote(str(self.path.absolute()))}?mode=ro&immutable=1"
        return secured(sqlite3.connect(address, uri=True, check_same_thread=False))

    def alone(self) -> AbstractContextManager[Connection]:
        """Raise StoreError: a finished index is read-only."""
        raise StoreError(f"the finished index {self.path} cannot be written to")

    def _translated(self) -> AbstractContextManager[None]:
        return translated(self.path)


def freeze(database: Database, path: Path) -> None:
    """Write the contents of an SQLite database to a new file. Raises StoreError."""
    with database.begin() as connection:
        connection.connection.commit()  # VACUUM INTO cannot run inside a transaction
        connection.exec_driver_sql("VACUUM INTO ?", (str(path),))
    path.chmod(0o600)
