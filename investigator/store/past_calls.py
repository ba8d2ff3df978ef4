"""Reads the calls of earlier runs for replays and measurements, without writing anything or calling an engine."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select

from investigator.records import Reply, Usage
from investigator.store.database import Database
from investigator.store.in_memory import InMemoryJournal
from investigator.store.schema import calls, too_long


@dataclass(frozen=True)
class PastCall:
    """A reply that a run used, with the names of its template and engine. `elapsed` is the time from the start of the
    run until the reply arrived, in seconds; a `reused` reply was paid for by an earlier run.
    """

    template: str
    engine: str
    reply: Reply
    elapsed: float = 0.0
    reused: bool = False


def calls_of(database: Database, run_id: str) -> tuple[PastCall, ...]:
    """Return the calls of a run, in order."""
    query = select(calls).where(calls.c.run_id == run_id).order_by(calls.c.id)
    with database.begin() as connection:
        rows = connection.execute(query).mappings()
        return tuple(
            PastCall(
                row["template"],
                row["engine"],
                Reply.model_validate_json(row["reply"]),
                row["elapsed"],
                bool(row["reused"]),
            )
            for row in rows
        )


class PastCalls(InMemoryJournal):
    """The journal of one run, for engines that never reply. `spent` and `elapsed` (seconds) are the assumed usage of
    the run; `used` are the keys of the calls that were requested. Thread-safe.
    """

    def __init__(self, database: Database, run_id: str, spent: Usage | None = None, elapsed: float = 0.0) -> None:
        super().__init__()
        self.spent_before(spent or Usage(), elapsed)
        with database.begin() as connection:
            kept = connection.execute(select(calls.c.key, calls.c.reply).where(calls.c.run_id == run_id))
            self._replies = {row.key: Reply.model_validate_json(row.reply) for row in kept}
            refused = connection.execute(select(too_long.c.key, too_long.c.tokens).where(too_long.c.run_id == run_id))
            self._too_long = {row.key: row.tokens for row in refused}
        self.used: set[str] = set()

    def find(self, key: str) -> Reply | None:
        reply = super().find(key)
        if reply is not None:
            self.used.add(key)
        return reply
