"""Moves the readable rows of a damaged database to a new one; the damaged file is kept beside it."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

from investigator.store.database import FileDatabase, secured, translated
from investigator.store.schema import Schema


def salvage(path: Path, schema: Schema) -> Path:
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


def _copy(damaged: sqlite3.Connection, whole: sqlite3.Connection, table: str) -> None:
    columns = [row[1] for row in whole.execute(f"PRAGMA table_info({table})")]
    named = ", ".join(f'"{name}"' for name in ("rowid", *columns))
    values = ", ".join("?" * (len(columns) + 1))
    statement = f"INSERT OR IGNORE INTO {table} ({named}) VALUES ({values})"
    for order in ("", " DESC"):  # from both ends up to the first damaged page
        with suppress(sqlite3.DatabaseError):
            for row in damaged.execute(f"SELECT {named} FROM {table} ORDER BY rowid{order}"):
                with suppress(sqlite3.Error):  # a row whose values the table refuses
                    whole.execute(statement, row)
            return


def _free_name(path: Path) -> Path:
    names = (path.with_name(f"{path.name}.damaged{n or ''}") for n in range(1_000))
    return next(name for name in names if not name.exists())
