"""Runs, and the journal of their engine calls: each is written before its reply is used."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass

from pydantic import ValidationError
from sqlalchemy import Select, case, delete, func, insert, select, update

from investigator.errors import StoreError, UnknownRunError
from investigator.records import (
    AnswerStatus,
    Investigation,
    Memory,
    Prompt,
    Reply,
    RunSummary,
    Usage,
    together,
    usage_of,
)
from investigator.scoring.prices import Price, priced
from investigator.store.database import Database
from investigator.store.schema import calls, intents, memories, runs, too_long

_SCOPE = case((func.json_valid(runs.c.record), func.json_extract(runs.c.record, "$.scope")))


@dataclass(frozen=True)
class Run:
    """A run that was opened: its id, and whether it was begun or finished before."""

    id: str
    resumed: bool
    finished: bool


class Journal:
    """The calls, memories and record of one run. Safe to use from several threads.

    A reply that an earlier run of the workspace paid for is used again unless `reuse` is off. `price_of` gives the
    price of an engine by its name.
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
        self._begun: dict[str, list[int]] = {}  # ids of intents; two threads may ask the same
        self._paid = self._paid_before()
        self._before = self._elapsed_before()
        self._began = clock()

    def elapsed(self) -> float:
        """Return the seconds that the run has taken so far, over all its processes."""
        return self._before + self._clock() - self._began

    def find(self, key: str) -> Reply | None:
        """Return the reply kept under a key: in this run, else (if reuse is on) in an earlier one of the workspace."""
        query = select(calls).where(calls.c.key == key)
        with self._writing, self._database.begin() as connection:
            row = connection.execute(query.where(calls.c.run_id == self.run_id)).mappings().first()
            if row is None and self._reuse:
                row = connection.execute(query.order_by(calls.c.id.desc()).limit(1)).mappings().first()
                if row is not None:
                    copied = {name: value for name, value in row.items() if name != "id"}
                    copied |= {"run_id": self.run_id, "elapsed": self.elapsed(), "reused": 1}
                    connection.execute(insert(calls), copied)
        return Reply.model_validate_json(row["reply"]) if row is not None else None

    def begin(self, key: str, engine: str, tokens: int) -> None:
        """Write that a prompt is about to be sent; it must not be sent before this has returned."""
        row = {"run_id": self.run_id, "key": key, "engine": engine, "input_tokens": tokens, "elapsed": self.elapsed()}
        with self._writing, self._database.begin() as connection:
            (begun,) = connection.execute(insert(intents), row).inserted_primary_key or (0,)
        with self._writing:
            self._begun.setdefault(key, []).append(begun)

    def withdraw(self, key: str, *, sent: bool) -> None:
        """Forget a call that got no reply; one that was `sent` stays written, and counts."""
        with self._writing, self._database.begin() as connection:
            begun = self._ended(key)
            if not sent:
                connection.execute(delete(intents).where(intents.c.id == begun))
                return
            row = connection.execute(select(intents).where(intents.c.id == begun)).one_or_none()
            if row is not None:
                self._add(row.engine, Usage(calls=1, input_tokens=row.input_tokens, unanswered=1))

    def keep(self, key: str, prompt: Prompt, engine: str, reply: Reply) -> None:
        """Write a call; the reply must not be used before this has returned."""
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
            known = select(calls.c.id).where(calls.c.run_id == self.run_id, calls.c.key == key)
            if connection.execute(known).scalar() is None:
                connection.execute(insert(calls), row)
                self._add(engine, usage_of(reply))
            connection.execute(delete(intents).where(intents.c.id == self._ended(key)))

    def too_long(self, key: str) -> int | None:
        """Return the tokens of a prompt that was counted and did not fit; None for any other prompt.

        One that the engine refused without a count is tried again: its server may read more by now.
        """
        counted = select(too_long.c.tokens).where(too_long.c.key == key, too_long.c.tokens > 0)
        with self._writing, self._database.begin() as connection:
            tokens = connection.execute(counted.where(too_long.c.run_id == self.run_id)).scalar()
            if tokens is None and self._reuse and (tokens := connection.execute(counted.limit(1)).scalar()) is not None:
                connection.execute(insert(too_long), {"run_id": self.run_id, "key": key, "tokens": tokens})
        return tokens

    def keep_too_long(self, key: str, tokens: int) -> None:
        """Write that a prompt did not fit."""
        row = {"run_id": self.run_id, "key": key, "tokens": tokens}
        with self._writing, self._database.begin() as connection:
            connection.execute(insert(too_long).prefix_with("OR IGNORE"), row)

    def usage(self) -> Usage:
        """Return what this run has paid for: reused replies of earlier runs cost nothing."""
        with self._writing:
            return together(*(priced(usage, self._price_of(engine)) for engine, usage in self._paid.items()))

    def _ended(self, key: str) -> int:
        ids = self._begun.get(key)
        return ids.pop() if ids else 0

    def _add(self, engine: str, usage: Usage) -> None:
        self._paid[engine] = together(self._paid.get(engine, Usage()), usage)

    def _paid_before(self) -> dict[str, Usage]:
        """Return what earlier processes of this run paid, by engine, with the calls that got no reply."""
        lost = (
            select(
                intents.c.engine,
                func.count().label("calls"),
                func.count().label("unanswered"),
                func.sum(intents.c.input_tokens).label("input_tokens"),
            )
            .where(intents.c.run_id == self.run_id)
            .group_by(intents.c.engine)
        )
        totals = (
            select(
                calls.c.engine,
                func.count().label("calls"),
                func.sum(calls.c.input_tokens).label("input_tokens"),
                func.sum(calls.c.output_tokens).label("output_tokens"),
                func.sum(calls.c.seconds).label("seconds"),
            )
            .where(calls.c.run_id == self.run_id, calls.c.reused == 0)
            .group_by(calls.c.engine)
        )
        with self._database.begin() as connection:
            rows = [*connection.execute(totals).mappings(), *connection.execute(lost).mappings()]
        paid: dict[str, Usage] = {}
        for row in rows:
            usage = Usage(**{name: row[name] for name in row if name != "engine"})
            paid[row["engine"]] = together(paid.get(row["engine"], Usage()), usage)
        return paid

    def keep_memory(self, memory: Memory) -> None:
        """Write a memory; writing one again (after a restart) changes nothing."""
        row = {
            "run_id": self.run_id,
            "id": memory.id,
            "target_document_id": memory.target_document_id,
            "point": memory.point,
            "record": memory.model_dump_json(),
        }
        with self._writing, self._database.begin() as connection:
            same = (memories.c.run_id == self.run_id) & (memories.c.id == memory.id)
            if connection.execute(select(memories.c.id).where(same)).scalar() is None:
                connection.execute(insert(memories), row)

    def keep_record(self, investigation: Investigation) -> None:
        """Write the investigation as far as it has come."""
        status = investigation.answer.status if investigation.answer else None
        values = {"record": investigation.model_dump_json(), "answer_status": status}
        with self._writing, self._database.begin() as connection:
            connection.execute(update(runs).where(runs.c.id == self.run_id).values(values))

    def _elapsed_before(self) -> float:
        latest = select(func.coalesce(func.max(calls.c.elapsed), 0.0)).where(calls.c.run_id == self.run_id)
        begun = select(func.coalesce(func.max(intents.c.elapsed), 0.0)).where(intents.c.run_id == self.run_id)
        record = select(runs.c.record).where(runs.c.id == self.run_id)
        with self._database.begin() as connection:
            kept = connection.execute(record).scalar()
            last_call = float(connection.execute(latest).scalar_one())
            last_begun = float(connection.execute(begun).scalar_one())
        return max(last_call, last_begun, Investigation.model_validate_json(kept).elapsed if kept else 0.0)


class Runs:
    """All investigations of a workspace."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def open(self, identity: str, corpus: str, blank: Investigation, created: str, *, fresh: bool) -> Run:
        """Return the latest run of that identity over the same corpus; a new one if there is none or `fresh` is set.

        `blank` is the record that a new run starts with; its id becomes the run's.
        """
        with self._database.begin() as connection:
            row = None if fresh else connection.execute(_latest(identity, corpus)).one_or_none()
            if row is not None:
                return Run(row.id, resumed=True, finished=row.answer_status is not None)
            values = {"id": blank.id, "identity": identity, "corpus": corpus, "created": created}
            values |= {"question": blank.question, "engine": blank.engine, "record": blank.model_dump_json()}
            connection.execute(insert(runs), values)
        return Run(blank.id, resumed=False, finished=False)

    def latest(self, identity: str, corpus: str) -> str | None:
        """Return the id of the latest run of that identity over the same corpus; None if there is none."""
        with self._database.begin() as connection:
            row = connection.execute(_latest(identity, corpus)).one_or_none()
        return row.id if row is not None else None

    def summaries(self) -> tuple[RunSummary, ...]:
        """Return one line about each run, newest first."""
        paid = (
            select(calls.c.run_id, func.count().label("calls"))
            .where(calls.c.reused == 0)
            .group_by(calls.c.run_id)
            .subquery()
        )
        lost = select(intents.c.run_id, func.count().label("calls")).group_by(intents.c.run_id).subquery()
        both = func.coalesce(paid.c.calls, 0) + func.coalesce(lost.c.calls, 0)
        query = (
            select(runs, both.label("calls"), _SCOPE.label("scope"))
            .outerjoin(paid, paid.c.run_id == runs.c.id)
            .outerjoin(lost, lost.c.run_id == runs.c.id)
            .order_by(runs.c.created.desc(), runs.c.id.desc())
        )
        with self._database.begin() as connection:
            return tuple(
                RunSummary(
                    id=row.id,
                    question=row.question,
                    created=row.created,
                    engine=row.engine,
                    answer_status=AnswerStatus(row.answer_status) if row.answer_status else None,
                    calls=row.calls,
                    scope=_texts(row.scope),
                )
                for row in connection.execute(query)
            )

    def investigation(self, run_id: str) -> Investigation:
        """Return the record of a run by its id or the beginning of it.

        Raises UnknownRunError, and StoreError if another version has kept it in a form that is not known here.
        """
        if not run_id.strip():
            raise UnknownRunError("the id of the run is empty")
        query = select(runs.c.id, runs.c.record).where(runs.c.id.startswith(run_id, autoescape=True))
        with self._database.begin() as connection:
            found = connection.execute(query).all()
        exact = [row for row in found if row.id == run_id] or found
        if len(exact) != 1:
            problem = "several runs begin with" if len(exact) > 1 else "there is no run"
            raise UnknownRunError(f"{problem} {run_id!r} in this workspace")
        try:
            return Investigation.model_validate_json(exact[0].record)
        except ValidationError as error:
            raise StoreError(
                f"the record of the run {exact[0].id} was kept by another version of this program",
                hint="Ask its question again: replies that were paid for are reused if the prompts are the same.",
            ) from error


def _latest(identity: str, corpus: str) -> Select[tuple[str, str | None]]:
    return (
        select(runs.c.id, runs.c.answer_status)
        .where(runs.c.identity == identity, runs.c.corpus == corpus)
        .order_by(runs.c.created.desc(), runs.c.id.desc())
        .limit(1)
    )


def _texts(listed: str | None) -> tuple[str, ...]:
    """Return the texts of a JSON list; nothing if it is none."""
    try:
        values = json.loads(listed or "[]")
    except ValueError:
        return ()
    return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list) else ()
