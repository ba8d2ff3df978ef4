"""Imports runs and memories from the database of an earlier version.

The file may come from anywhere, so every row is checked, only a copy is opened, and no code in its schema is run.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError
from sqlalchemy import Connection, Float, Integer, Table

from investigator.errors import StoreError
from investigator.files import is_plain_file
from investigator.records import AnswerStatus, Investigation, Memory, Record, Reply
from investigator.store.database import Database, new_rows, set_meta
from investigator.store.inspection import entries_of, secured
from investigator.store.row_codes import with_code
from investigator.store.schema import CODE, calls, memories, personal_facts, runs, too_long
from investigator.store.user_key import user_key

_LONGEST_FACT = 2_000
UNSORTED_FACTS = "facts_without_terms"
"""Key in the runs' database that marks imported facts without search terms."""

Value = str | int | float | None
Row = Mapping[str, Value]


class TakenOver(Record):
    """The numbers of imported runs and memories, and of rows left out because this program would not write them."""

    runs: int = 0
    memories: int = 0
    left: int = 0


def take_over(source: Path, into: Database) -> TakenOver:
    """Copy the runs, calls and personal facts of an earlier version's database that are still missing.

    Rows that this program would not write are skipped; nothing is copied if the file is not a database, or has triggers
    or views. Raises StoreError if it cannot be read, or the rows cannot be written.
    """
    found: dict[Table, list[Row]] = {}
    left = 0
    if is_plain_file(source):
        with _copied(source) as copy:
            found, left = _rows(copy)
    known = {row["id"] for row in found.get(runs, ())}
    with into.begin() as connection:
        kept: dict[Table, int] = {}
        for table, rows in found.items():
            of_runs = [row for row in rows if "run_id" not in row or row["run_id"] in known]
            left += len(rows) - len(of_runs)
            kept[table] = _insert(connection, table, of_runs)
        if kept.get(personal_facts):
            set_meta(connection, UNSORTED_FACTS, "1")
    return TakenOver(runs=kept.get(runs, 0), memories=kept.get(personal_facts, 0), left=left)


@contextmanager
def _copied(source: Path) -> Iterator[sqlite3.Connection]:
    """Open a copy of a database and its log in a directory to which nobody else can write."""
    with tempfile.TemporaryDirectory() as directory:
        try:
            for name in (source.name, f"{source.name}-wal"):
                if is_plain_file(source.with_name(name)):
                    shutil.copyfile(source.with_name(name), Path(directory, name), follow_symlinks=False)
            with closing(secured(sqlite3.connect(Path(directory, source.name)))) as connection:
                yield connection
        except (OSError, sqlite3.Error) as error:
            raise StoreError(
                f"the runs of {source} cannot be read: {error}",
                hint="Move the file away if it is damaged or not yours; the index is rebuilt from the documents.",
            ) from error


def _rows(copy: sqlite3.Connection) -> tuple[dict[Table, list[Row]], int]:
    """Return the importable rows by table, and the number of other rows."""
    entries = entries_of(copy)
    if strange := sorted(name for kind, name, *_ in entries if kind not in {"table", "index"}):
        raise sqlite3.DatabaseError(f"it contains triggers or views ({', '.join(strange[:3])})")
    plain = {name for kind, name, _, sql in entries if kind == "table" and not sql.startswith("createvirtual")}
    found: dict[Table, list[Row]] = {}
    left = 0
    for table, is_sound in _CHECKS.items():
        if table.name in plain:
            rows = list(_read(copy, table))
            found[table] = [
                row for row in rows if all(_fits(table, *item) for item in row.items()) and _passes(is_sound, row)
            ]
            left += len(rows) - len(found[table])
    return found, left


def _read(copy: sqlite3.Connection, table: Table) -> Iterator[Row]:
    """Yield the rows of a table without their codes, and without the row numbers that the new database assigns."""
    numbered = (column.name for column in table.columns if column.primary_key and column.autoincrement is True)
    left_out = {CODE, *numbered}
    names = [column.name for column in table.columns if column.name not in left_out]
    listed = ", ".join(f'"{name}"' for name in names)
    for row in copy.execute(f"SELECT {listed} FROM {table.name} ORDER BY rowid"):
        yield dict(zip(names, row, strict=True))


def _fits(table: Table, name: str, value: Value) -> bool:
    column = table.columns[name]
    if value is None:
        return bool(column.nullable)
    if isinstance(column.type, Integer):
        return isinstance(value, int)
    return isinstance(value, int | float) if isinstance(column.type, Float) else isinstance(value, str)


def _passes(is_sound: Callable[[Row], bool], row: Row) -> bool:
    try:
        return is_sound(row)
    except (ValidationError, ValueError):
        return False


def _is_run(row: Row) -> bool:
    datetime.fromisoformat(str(row["created"]))
    record = Investigation.model_validate_json(str(row["record"]))
    status = record.answer.status if record.answer else None
    stored = AnswerStatus(str(row["answer_status"])) if row["answer_status"] is not None else None
    return record.id == row["id"] and _RUN_ID.fullmatch(record.id) is not None and status == stored


def _is_call(row: Row) -> bool:
    Reply.model_validate_json(str(row["reply"]))
    return True


def _is_memory(row: Row) -> bool:
    return Memory.model_validate_json(str(row["record"])).id == row["id"]


def _insert(connection: Connection, table: Table, rows: list[Row]) -> int:
    if not rows:
        return 0
    before = {"used_at": 0} if table is personal_facts else {}
    key, written = user_key(), new_rows(connection, table)
    return sum(connection.execute(written, with_code(key, table, {**row, **before})).rowcount for row in rows)


_RUN_ID = re.compile(r"[0-9A-Za-z-]{1,64}")
_CHECKS: Mapping[Table, Callable[[Row], bool]] = {
    runs: _is_run,
    calls: _is_call,
    too_long: lambda _: True,
    memories: _is_memory,
    personal_facts: lambda row: len(str(row["text"])) <= _LONGEST_FACT,
}
