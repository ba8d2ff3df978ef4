"""Runs, and the journal of their engine calls: each call is written before its reply is used."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection, RowMapping, Table, bindparam, delete, func, insert, select, update

from investigator.errors import NotFoundError, UnreadableRunError
from investigator.records import Investigation, Memory, Prompt, Reply, RunSummary, Usage, together, usage_of
from investigator.scoring.prices import Price, priced
from investigator.store.database import Database, get_meta, new_rows, set_meta
from investigator.store.schema import calls, intents, memories, meta, runs, too_long

TRIAL = "trial:"
"""Prefix of the identity of a run that only tries out a template."""
PART_OF = "part-of-"
"""The beginning of the id of a run that belongs to another one, before that one's id; it is not listed."""
_LAST_ASKED = "last_asked"
_LISTED = ~runs.c.identity.startswith(TRIAL) & ~runs.c.id.startswith(PART_OF)

# statements that are executed often are built once, because building one takes longer than executing it
_OWN_REPLY = select(calls.c.reply).where(calls.c.run_id == bindparam("of_run"), calls.c.key == bindparam("of_key"))
_REPLIES = select(calls).where(calls.c.key == bindparam("of_key")).order_by(calls.c.id.desc()).limit(1)
_COUNTED = select(too_long.c.tokens).where(too_long.c.key == bindparam("of_key"), too_long.c.tokens > 0).limit(1)
_COUNTED_HERE = _COUNTED.where(too_long.c.run_id == bindparam("of_run"))
_INTEND = insert(intents)
_FORGET_INTENT = delete(intents).where(intents.c.id == bindparam("begun"))
_NEWEST_FIRST = (runs.c.created.desc(), runs.c.id.desc())
_REWRITE = update(runs).where(runs.c.id == bindparam("of_run"))


@dataclass(frozen=True)
class Run:
    """An opened run: its id, its creation time, and its previous state (begun or finished)."""

    id: str
    created: str
    resumed: bool
    finished: bool


class Journal:
    """The calls, memories and record of one run. Thread-safe.

    A reply that an earlier run of the workspace paid for is reused unless `reuse` is off. `price_of` returns the price
    of an engine, given its name.
    """

    def __init__(
        self,
        database: Database,
        run_id: str,
        clock: Callable[[], float],
        *,
        reuse: bool,
        price_of: Callable[[str], Price | None] = lambda _: None,
    ) -> None:
        self._database = database
        self._price_of = price_of
        self.run_id = run_id
        self._clock = clock
        self._reuse = reuse
        self._writing = threading.Lock()
        self._begun: dict[str, list[int]] = {}  # lists of ids, because two threads may send the same prompt
        self._paid: dict[str, Usage] = {}
        self._before = self._read_earlier()
        self._began = clock()

    def elapsed(self) -> float:
        """Return the seconds that the run has taken so far, across all its processes."""
        return self._before + self._clock() - self._began

    def find(self, key: str) -> Reply | None:
        """Return the reply stored under a key by this run or, if reuse is on, by an earlier run in the workspace."""
        with self._writing, self._database.begin() as connection:
            reply = connection.execute(_OWN_REPLY, {"of_run": self.run_id, "of_key": key}).scalar()
            if reply is None and self._reuse:
                row = connection.execute(_REPLIES, {"of_key": key}).mappings().first()
                if row is not None:
                    reply = row["reply"]
                    copied = {name: value for name, value in row.items() if name != "id"}
                    copied |= {"run_id": self.run_id, "elapsed": self.elapsed(), "reused": 1}
                    self._put(connection, calls, copied)
            return Reply.model_validate_json(reply) if reply is not None else None

    def begin(self, key: str, engine: str, tokens: int) -> None:
        """Record that a prompt is about to be sent; callers must not send it before this returns."""
        row = {"run_id": self.run_id, "key": key, "engine": engine, "input_tokens": tokens, "elapsed": self.elapsed()}
        with self._writing, self._database.begin() as connection:
            (begun,) = connection.execute(_INTEND, row).inserted_primary_key or (0,)
        with self._writing:
            self._begun.setdefault(key, []).append(begun)

    def withdraw(self, key: str, *, sent: bool) -> None:
        """Forget a call that got no reply, unless it was `sent`; in that case it stays recorded and counts."""
        with self._writing, self._database.begin() as connection:
            begun = self._ended(key)
            if not sent:
                connection.execute(_FORGET_INTENT, {"begun": begun})
                return
            row = connection.execute(select(intents).where(intents.c.id == begun)).one_or_none()
            if row is not None:
                self._add(row.engine, Usage(calls=1, input_tokens=row.input_tokens, unanswered=1))

    def keep(self, key: str, prompt: Prompt, engine: str, reply: Reply) -> None:
        """Record a call; callers must not use the reply before this returns."""
        row = {
            "run_id": self.run_id,
            "key": key,
            "template": prompt.template,
            "engine": engine,
            "prompt": prompt.text,
            "reply": reply.model_dump_json(),
            "input_tokens": reply.input_tokens,
            "output_tokens": reply.output_tokens,
            "seconds": reply.seconds,
            "elapsed": self.elapsed(),
            "reused": 0,
        }
        with self._writing, self._database.begin() as connection:
            if self._put(connection, calls, row):
                self._add(engine, usage_of(reply))
            connection.execute(_FORGET_INTENT, {"begun": self._ended(key)})

    def too_long(self, key: str) -> int | None:
        """Return the number of tokens in a prompt that was counted and did not fit; None for any other prompt.

        A prompt that the engine rejected without a count is sent again, because the server may accept longer prompts
        now.
        """
        values = {"of_run": self.run_id, "of_key": key}
        with self._writing, self._database.begin() as connection:
            tokens: int | None = connection.execute(_COUNTED_HERE, values).scalar()
            if tokens is None and self._reuse:
                tokens = connection.execute(_COUNTED, values).scalar()
                if tokens is not None:
                    self._put(connection, too_long, {"run_id": self.run_id, "key": key, "tokens": tokens})
        return tokens

    def keep_too_long(self, key: str, tokens: int) -> None:
        """Record that a prompt did not fit."""
        with self._writing, self._database.begin() as connection:
            self._put(connection, too_long, {"run_id": self.run_id, "key": key, "tokens": tokens})

    def usage(self) -> Usage:
        """Return the cost of this run; replies from earlier runs cost nothing."""
        with self._writing:
            return together(*(priced(usage, self._price_of(engine)) for engine, usage in self._paid.items()))

    def _ended(self, key: str) -> int:
        ids = self._begun.get(key)
        return ids.pop() if ids else 0

    def _add(self, engine: str, usage: Usage) -> None:
        self._paid[engine] = together(self._paid.get(engine, Usage()), usage)

    def _put(self, connection: Connection, table: Table, row: dict[str, Any]) -> bool:
        """Store a row under its key in this run. Return False if this run has such a row."""
        return connection.execute(new_rows(connection, table).returning(table.c.key), row).first() is not None

    def _read_earlier(self) -> float:
        """Add the costs of earlier processes of this run, grouped by engine; return the seconds that these processes
        took.
        """
        elapsed = 0.0
        with self._database.begin() as connection:
            for row in connection.execute(select(calls).where(calls.c.run_id == self.run_id)).mappings():
                elapsed = max(elapsed, row["elapsed"])
                if not row["reused"]:
                    counted = {name: row[name] for name in ("input_tokens", "output_tokens", "seconds")}
                    self._add(row["engine"], Usage(calls=1, **counted))
            for row in connection.execute(select(intents).where(intents.c.run_id == self.run_id)).mappings():
                elapsed = max(elapsed, row["elapsed"])
                self._add(row["engine"], Usage(calls=1, input_tokens=row["input_tokens"], unanswered=1))
            kept = connection.execute(select(runs.c.record).where(runs.c.id == self.run_id)).scalar()
            with suppress(ValidationError):  # an unreadable record has no time
                elapsed = max(elapsed, Investigation.model_validate_json(kept or "").elapsed)
            return elapsed

    def keep_memory(self, memory: Memory) -> None:
        """Write a memory; writing it again (after a restart) changes nothing."""
        row = {
            "run_id": self.run_id,
            "id": memory.id,
            "target_document_id": memory.target_document_id,
            "point": memory.point,
            "record": memory.model_dump_json(),
        }
        with self._writing, self._database.begin() as connection:
            connection.execute(new_rows(connection, memories), row)

    def keep_record(self, investigation: Investigation) -> None:
        """Write the current state of the investigation."""
        status = investigation.answer.status if investigation.answer else None
        values = {"record": investigation.model_dump_json(), "answer_status": status}
        with self._writing, self._database.begin() as connection:
            connection.execute(_REWRITE, {"of_run": self.run_id, **values})


class Runs:
    """All runs in a workspace."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def open(self, identity: str, corpus: str, blank: Investigation, created: str, *, fresh: bool) -> Run:
        """Return the latest run with this identity over the same corpus, or a new run if there is none or `fresh` is
        set. `blank` is the initial record of a new run; the run's id is added to it.
        """
        if not fresh and (run := self.latest(identity, corpus)) is not None:
            return run
        values = {"id": blank.id, "identity": identity, "corpus": corpus, "created": created}
        values |= {"question": blank.question, "engine": blank.setup.engine, "record": blank.model_dump_json()}
        with self._database.begin() as connection:
            connection.execute(insert(runs), values)
        return Run(blank.id, created, resumed=False, finished=False)

    def latest(self, identity: str, corpus: str) -> Run | None:
        """Return the latest run with this identity over this corpus, or None."""
        of_both = select(runs).where(runs.c.identity == identity, runs.c.corpus == corpus)
        with self._database.begin() as connection:
            row = connection.execute(of_both.order_by(*_NEWEST_FIRST).limit(1)).mappings().first()
        if row is None:
            return None
        return Run(row["id"], row["created"], resumed=True, finished=row["answer_status"] is not None)

    def note_asked(self, run_id: str) -> None:
        """Record that a user has asked a run's question, even if the answer was cached."""
        with self._database.begin() as connection:
            set_meta(connection, _LAST_ASKED, run_id)

    def last_asked(self) -> str:
        """Return the run of the last question that a user asked; questions from evaluations and matrices do not count.

        Raises NotFoundError if no question was asked.
        """
        with self._database.begin() as connection:
            run_id = get_meta(connection, _LAST_ASKED)
        if run_id is None:
            raise NotFoundError("no individual question has been asked in this workspace yet")
        return run_id

    def asking(self, words: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the ids of the runs whose questions contain all these words in any case, newest first."""
        wanted = [word.casefold() for word in words]
        query = select(runs.c.id, runs.c.question).where(_LISTED).order_by(*_NEWEST_FIRST)
        with self._database.begin() as connection:
            rows = connection.execute(query)
            return tuple(row.id for row in rows if all(word in row.question.casefold() for word in wanted))

    def summaries(self, ids: Sequence[str] | None = None) -> tuple[RunSummary, ...]:
        """Return a summary of each run that is listed, or of the runs with these ids, newest first."""
        paid = select(func.count()).where(calls.c.run_id == runs.c.id, calls.c.reused == 0).scalar_subquery()
        lost = select(func.count()).where(intents.c.run_id == runs.c.id).scalar_subquery()
        own = select(runs, (paid + lost).label("calls")).where(_LISTED if ids is None else runs.c.id.in_(ids))
        query = own.order_by(*_NEWEST_FIRST)
        with self._database.begin() as connection:
            return tuple(_summary(row) for row in connection.execute(query).mappings())

    def investigation(self, run_id: str) -> Investigation:
        """Return the record of a run, given its id or the beginning of its id. Raises NotFoundError, and
        UnreadableRunError if it is damaged or another version stored it in an unknown form.
        """
        if not run_id.strip():
            raise NotFoundError("the run id is empty")
        query = select(runs).where(runs.c.id.startswith(run_id, autoescape=True))
        with self._database.begin() as connection:
            rows = connection.execute(query).mappings().all()
        exact = [row for row in rows if row["id"] == run_id] or rows
        if len(exact) != 1:
            problem = "several runs begin with" if len(exact) > 1 else "no run begins with"
            raise NotFoundError(f"{problem} {run_id!r} in this workspace")
        (row,) = exact
        try:
            return Investigation.model_validate_json(row["record"])
        except ValidationError as error:
            raise UnreadableRunError(
                f"the run {row['id']} cannot be read: it is damaged, or was made by another version of this program; "
                f"its question was: {row['question']}"
            ) from error

    def forget(self, run_id: str) -> None:
        """Delete the run with this full id and its parts, with their calls and memories. Raises NotFoundError if there
        is none.
        """
        with self._database.alone() as connection:
            for table in (calls, intents, too_long, memories):
                own = table.c.run_id.startswith(f"{PART_OF}{run_id}-") | (table.c.run_id == run_id)
                connection.execute(delete(table).where(own))
            connection.execute(delete(runs).where(runs.c.id.startswith(f"{PART_OF}{run_id}-")))
            if not connection.execute(delete(runs).where(runs.c.id == run_id)).rowcount:
                raise NotFoundError(f"the run {run_id} is not in this workspace")
            connection.execute(delete(meta).where(meta.c.key == _LAST_ASKED, meta.c.value == run_id))


def _summary(row: RowMapping) -> RunSummary:
    """Return what is listed of a run: only its question if another version wrote its record in a different form."""
    try:
        record = json.loads(row["record"])
        shown = {name: row[name] for name in RunSummary.model_fields if name in row}
        calls_of_all = max(row["calls"], record["usage"]["calls"])  # those of the parts of a report are in its record
        return RunSummary.model_validate({**shown, "calls": calls_of_all, "scope": record["setup"]["scope"]})
    except (KeyError, TypeError, ValueError):  # also raised if it is not JSON, or not valid
        return RunSummary(id=row["id"], question=str(row["question"]), created=str(row["created"]), engine="")
