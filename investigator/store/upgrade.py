"""Upgrades the runs of the previous version, whose rows had no codes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection, RowMapping, Table, insert, select

from investigator.store.database import SCHEMA_VERSION, FileDatabase, set_meta
from investigator.store.row_codes import with_code
from investigator.store.schema import CODE, RUNS, UNCODED_RUNS, meta, statements_of
from investigator.store.user_key import user_key

_KEPT = [table for table in RUNS.metadata.sorted_tables if table.name != meta.name]


def give_codes(path: Path) -> None:
    """Give each row of a database of runs its code, in one transaction.

    Use it only for a file that nobody else could write to. Raises StoreError and its kinds.
    """
    key, database = user_key(), FileDatabase(path, UNCODED_RUNS)
    with closing(database), database.begin() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        rows = {table: _uncoded_rows(connection, table) for table in _KEPT}
        numbers = connection.exec_driver_sql("SELECT name, seq FROM sqlite_sequence").all()
        for table in reversed(_KEPT):
            connection.exec_driver_sql(f"DROP TABLE {table.name}")
        for statement in statements_of(RUNS):
            connection.exec_driver_sql(statement)
        for table in _KEPT:
            for row in rows[table]:
                connection.execute(insert(table), with_code(key, table, row))
        for name, number in numbers:  # a number that was assigned once is not reused
            connection.exec_driver_sql("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", (number, name))
        set_meta(connection, SCHEMA_VERSION, str(RUNS.version))


def _uncoded_rows(connection: Connection, table: Table) -> Sequence[RowMapping]:
    columns = (column for column in table.columns if column.name != CODE)
    return connection.execute(select(*columns)).mappings().all()
