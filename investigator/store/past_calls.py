"""The calls of a run that has ended, for replaying it: nothing is written and nothing is paid."""

from __future__ import annotations

from threading import Lock

from sqlalchemy import select

from investigator.records import Prompt, Reply, Usage
from investigator.store.database import Database
from investigator.store.schema import calls, too_long


class PastCalls:
    """The journal of one run, read only. `spent` and `elapsed` (seconds) are what the run is taken to have used up.

    Safe to use from several threads.
    """

    def __init__(self, database: Database, run_id: str, spent: Usage | None = None, elapsed: float = 0.0) -> None:
        self._spent = spent or Usage()
        self._elapsed = elapsed
        query = select(calls.c.key, calls.c.reply).where(calls.c.run_id == run_id)
        refused = select(too_long.c.key, too_long.c.tokens).where(too_long.c.run_id == run_id)
        with database.begin() as connection:
            rows = connection.execute(query).all()
            self._too_long = {row.key: row.tokens for row in connection.execute(refused)}
        self._replies = {row.key: Reply.model_validate_json(row.reply) for row in rows}
        self._used: set[str] = set()
        self._lock = Lock()

    @property
    def used(self) -> int:
        """The number of calls that were asked for."""
        return len(self._used)

    def find(self, key: str) -> Reply | None:
        """Return the reply kept under a key."""
        with self._lock:
            if key in self._replies:
                self._used.add(key)
        return self._replies.get(key)

    def keep(self, key: str, prompt: Prompt, engine: str, reply: Reply) -> None:
        """Do nothing: what was not kept then is not kept now."""

    def too_long(self, key: str) -> int | None:
        """Return the tokens of a prompt that did not fit then, 0 if they are unknown; None for any other prompt."""
        return self._too_long.get(key)

    def keep_too_long(self, key: str, tokens: int) -> None:
        """Do nothing, as `keep`."""

    def usage(self) -> Usage:
        """Return what the run is taken to have used up; nothing is paid now."""
        return self._spent

    def elapsed(self) -> float:
        """Return the seconds that the run is taken to have used up."""
        return self._elapsed
