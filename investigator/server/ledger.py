"""The jobs of a server and their events, in a database of its own: what a client asked for outlives the server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    delete,
    func,
    insert,
    select,
    tuple_,
)
from sqlalchemy import update as updated
from sqlalchemy.engine import Connection, RowMapping

from investigator.records.base import Record
from investigator.server.records import JobRequest, JobState, LoggedEvent, Problem, ServerJob, kind_of
from investigator.store.database import FileDatabase
from investigator.store.schema import Schema, meta

LEDGER_NAME = "server.db"
_MOST_ENDED = 1_000
"""Jobs that have ended and are kept, newest first; their runs stay in the workspaces of their folders."""

_metadata = MetaData()
meta.to_metadata(_metadata)
_jobs = Table(
    "jobs",
    _metadata,
    Column("key", Integer, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False, unique=True),
    Column("folder", String, nullable=False, index=True),
    Column("request", Text, nullable=False),
    Column("created", String, nullable=False),
    Column("state", String, nullable=False),
    Column("run_id", String, nullable=False),
    Column("problem", Text, nullable=False),
    Column("idempotency_key", String, unique=True),
    sqlite_autoincrement=True,
)
_events = Table(
    "events",
    _metadata,
    Column("job", String, ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("at", Float, nullable=False),
    Column("kind", String, nullable=False),
    Column("body", Text, nullable=False),
)
Index("jobs_by_state", _jobs.c.state)
_SCHEMA = Schema(_metadata, (), version=1)


class JobLedger:
    """Keeps jobs and their events; safe to use from several threads. Raises StoreError and its kinds."""

    def __init__(self, path: Path) -> None:
        self._database = FileDatabase(path, _SCHEMA)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def add(self, job: ServerJob, idempotency_key: str | None = None) -> None:
        """Keep a new job, and forget the oldest of those that have ended if there are too many."""
        with self._database.begin() as connection:
            connection.execute(
                insert(_jobs).values(
                    id=job.id,
                    folder=job.request.folder,
                    request=job.request.model_dump_json(),
                    created=job.created,
                    state=job.state,
                    run_id=job.run_id,
                    problem="",
                    idempotency_key=idempotency_key,
                )
            )
            ended = select(_jobs.c.key).where(_jobs.c.state.not_in((JobState.WAITING, JobState.RUNNING)))
            old = ended.order_by(_jobs.c.key.desc()).offset(_MOST_ENDED)
            connection.execute(delete(_jobs).where(_jobs.c.key.in_(old)))

    def change(self, job: ServerJob) -> None:
        """Keep the state, the run and the problem of a job."""
        with self._database.begin() as connection:
            _change(connection, job)

    def end(self, job: ServerJob, event: Record, at: float) -> None:
        """Keep that a job has ended, with its last event: both or neither."""
        with self._database.begin() as connection:
            _change(connection, job)
            _log(connection, job.id, event, at)

    def job(self, job_id: str) -> ServerJob | None:
        """Return a job by its id, or None."""
        return self._one(_jobs.c.id == job_id)

    def job_of_key(self, idempotency_key: str) -> ServerJob | None:
        """Return the job that a client asked for under a key, or None."""
        return self._one(_jobs.c.idempotency_key == idempotency_key)

    def jobs(self, *, before: ServerJob | None = None, limit: int = 50) -> tuple[ServerJob, ...]:
        """Return jobs, newest first: those older than the job `before`, which may be that of another folder."""
        query = select(_jobs).order_by(_jobs.c.created.desc(), _jobs.c.id.desc()).limit(limit)
        if before is not None:
            query = query.where(tuple_(_jobs.c.created, _jobs.c.id) < (before.created, before.id))
        with self._database.begin() as connection:
            return tuple(_job(row) for row in connection.execute(query).mappings())

    def unfinished(self) -> tuple[ServerJob, ...]:
        """Return the jobs that wait or run, oldest first; after a start those that the last server left."""
        query = select(_jobs).where(_jobs.c.state.in_((JobState.WAITING, JobState.RUNNING))).order_by(_jobs.c.key)
        with self._database.begin() as connection:
            return tuple(_job(row) for row in connection.execute(query).mappings())

    def log(self, job_id: str, event: Record, at: float) -> int:
        """Keep an event of a job that happened `at` a time in Unix seconds, and return its number: 1 for the first."""
        with self._database.begin() as connection:
            return _log(connection, job_id, event, at)

    def events(self, job_id: str, after: int = 0, limit: int = 500) -> Sequence[LoggedEvent]:
        """Return the events of a job after the one with a number, in their order."""
        query = select(_events.c.number, _events.c.at, _events.c.kind, _events.c.body).where(_events.c.job == job_id)
        query = query.where(_events.c.number > after).order_by(_events.c.number).limit(limit)
        with self._database.begin() as connection:
            return [LoggedEvent.model_validate(dict(row)) for row in connection.execute(query).mappings()]

    def _one(self, condition: object) -> ServerJob | None:
        with self._database.begin() as connection:
            row = connection.execute(select(_jobs).where(condition)).mappings().first()  # type: ignore[arg-type]
        return _job(row) if row is not None else None


def _change(connection: Connection, job: ServerJob) -> None:
    problem = job.problem.model_dump_json() if job.problem is not None else ""
    values = {"state": job.state, "run_id": job.run_id, "problem": problem}
    connection.execute(updated(_jobs).where(_jobs.c.id == job.id).values(values))


def _log(connection: Connection, job_id: str, event: Record, at: float) -> int:
    last = select(func.coalesce(func.max(_events.c.number), 0)).where(_events.c.job == job_id)
    number = int(connection.execute(last).scalar_one()) + 1
    kind, body = kind_of(type(event)), event.model_dump_json()
    connection.execute(insert(_events).values(job=job_id, number=number, at=at, kind=kind, body=body))
    return number


def _job(row: RowMapping) -> ServerJob:
    return ServerJob(
        id=row["id"],
        request=JobRequest.model_validate_json(row["request"]),
        created=row["created"],
        state=JobState(row["state"]),
        run_id=row["run_id"],
        problem=Problem.model_validate_json(row["problem"]) if row["problem"] else None,
    )
