"""Checks that this program created a database file, before any row is read or any statement in it can run."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

from investigator.errors import StoreError
from investigator.store.schema import Schema, statements_of

BUSY_SECONDS = 30

_ENTRIES = "SELECT type, name, tbl_name, sql FROM sqlite_master"
_VERSION = "SELECT value FROM meta WHERE key = 'schema_version'"
_SPACING = re.compile(r"[\s\"'`]+")  # another version of SQLAlchemy may quote the same statement differently

Entry = tuple[str, str, str, str]
"""A row of `sqlite_master`: type, name, table, and its SQL statement without spaces and quotation marks."""


def secured(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Return the connection, configured not to trust the schema of its file."""
    for statement in ("PRAGMA trusted_schema=OFF", "PRAGMA cell_size_check=ON", "PRAGMA mmap_size=0"):
        connection.execute(statement)
    if configure := getattr(connection, "setconfig", None):  # since Python 3.12
        for name, on in (("DEFENSIVE", True), ("ENABLE_TRIGGER", False), ("ENABLE_VIEW", False)):
            configure(getattr(sqlite3, f"SQLITE_DBCONFIG_{name}"), on)
    return connection


def entries_of(connection: sqlite3.Connection) -> frozenset[Entry]:
    """Return the entries of a database's schema."""
    rows = connection.execute(_ENTRIES).fetchall()
    return frozenset((kind, name, table, _SPACING.sub("", sql or "").casefold()) for kind, name, table, sql in rows)


def problem_of(path: Path, schema: Schema, *, thorough: bool) -> str:
    """Return a short reason why a database file cannot be used, or ""; with `thorough`, read every page.

    Raises StoreError if a newer version of this program made it, and sqlite3.OperationalError.
    """
    try:
        with closing(secured(sqlite3.connect(path, timeout=BUSY_SECONDS))) as connection:
            entries, own = entries_of(connection), _own_entries(schema)
            version = _version(connection, entries, schema)
            if version is not None and version > schema.version:
                raise StoreError(
                    f"the workspace database {path} was created by a newer version of this program",
                    hint=f"Upgrade investigator, or use another workspace with --workspace DIR; {path.parent} is kept.",
                )
            if version is not None and version < schema.version:
                return "it was created by an earlier version"
            if foreign := _named(entries - own):
                return f"it contains objects that this program did not create ({foreign})"
            if version is not None and (missing := _named(own - entries)):
                return f"it lacks {missing}"
            return _damage(connection, schema) if thorough else ""
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as error:
        return str(error)


def _named(entries: frozenset[Entry]) -> str:
    return ", ".join(sorted(f"the {kind} {name}" for kind, name, *_ in entries)[:3])


def _version(connection: sqlite3.Connection, entries: frozenset[Entry], schema: Schema) -> int | None:
    """Return the version recorded in a file; None if the file does not contain our `meta` table."""
    if not any(entry in entries and entry[:2] == ("table", "meta") for entry in _own_entries(schema)):
        return None
    row = connection.execute(_VERSION).fetchone()
    return int(row[0]) if row is not None and str(row[0]).isdecimal() else None


def _damage(connection: sqlite3.Connection, schema: Schema) -> str:
    found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    if found != "ok":
        return found
    there = {name for _, name, *_ in entries_of(connection)}
    for table, _ in schema.full_text:
        if table in there:
            connection.execute(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")
    return ""


@cache
def _own_entries(schema: Schema) -> frozenset[Entry]:
    """Return the entries that a database with this schema should have."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in statements_of(schema):
            connection.execute(statement)
        return entries_of(connection)
