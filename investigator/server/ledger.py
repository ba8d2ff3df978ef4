"""Stores the jobs and chats of a server, so that clients' requests and users' conversations outlive it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Select, delete, func, insert, select, tuple_, update
from sqlalchemy.engine import Connection

from investigator.records import Record
from investigator.secrets import redacted
from investigator.server.records import (
    ChatSummary,
    ChatTurn,
    JobRequest,
    JobState,
    LoggedEvent,
    Problem,
    ServerJob,
    kind_of,
)
from investigator.store.database import Database
from investigator.store.schema import chat_turns, job_events, served_chats, served_jobs

_MOST_ENDED = 1_000
"""Maximum number of finished jobs to keep, newest first; their runs stay in the workspaces of their folders."""
_MOST_KEPT = 200
"""Maximum number of chats per folder; if there are more, the oldest chat is deleted."""
_UNFINISHED = [state for state in JobState if not state.has_ended]


class JobLedger:
    """Stores jobs and their events. Thread-safe. Raises StoreError or a subclass."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, job: ServerJob, idempotency_key: str | None = None) -> None:
        """Store a new job, and delete the oldest finished jobs if there are too many."""
        request = job.request.model_dump_json()
        values = {"id": job.id, "request": request, "created": job.created, "idempotency_key": idempotency_key}
        ended = select(served_jobs.c.key).where(served_jobs.c.state.not_in(_UNFINISHED))
        old = ended.order_by(served_jobs.c.key.desc()).offset(_MOST_ENDED)
        with self._database.begin() as connection:
            connection.execute(insert(served_jobs).values(**values, **_progress(job)))
            connection.execute(delete(served_jobs).where(served_jobs.c.key.in_(old)))

    def change(self, job: ServerJob, event: Record | None = None) -> ServerJob:
        """Store the state, the run and the problem of a job, and an event in the same transaction; return the job."""
        with self._database.begin() as connection:
            connection.execute(update(served_jobs).where(served_jobs.c.id == job.id).values(_progress(job)))
            if event is not None:
                _log(connection, job.id, event)
        return job

    def job(self, job_id: str) -> ServerJob | None:
        """Return the job with the given id; None if it does not exist."""
        return next(iter(self._jobs(select(served_jobs).where(served_jobs.c.id == job_id))), None)

    def job_of_key(self, idempotency_key: str) -> ServerJob | None:
        """Return the job that a client submitted under a key; None if no such job exists."""
        return next(iter(self._jobs(select(served_jobs).where(served_jobs.c.idempotency_key == idempotency_key))), None)

    def jobs(self, *, before: ServerJob | None = None, limit: int = 50) -> tuple[ServerJob, ...]:
        """Return jobs that are older than the job `before`, newest first; `before` may belong to another folder."""
        query = select(served_jobs).order_by(served_jobs.c.created.desc(), served_jobs.c.id.desc()).limit(limit)
        if before is not None:
            query = query.where(tuple_(served_jobs.c.created, served_jobs.c.id) < (before.created, before.id))
        return self._jobs(query)

    def jobs_of(self, run_id: str) -> tuple[ServerJob, ...]:
        """Return the jobs of a run, newest first."""
        return self._jobs(select(served_jobs).where(served_jobs.c.run_id == run_id).order_by(served_jobs.c.key.desc()))

    def forget_run(self, run_id: str) -> None:
        """Delete the finished jobs of a run with their events, and erase them from the database file."""
        own = (served_jobs.c.run_id == run_id) & served_jobs.c.state.not_in(_UNFINISHED)
        with self._database.alone() as connection:
            connection.execute(delete(served_jobs).where(own))

    def unfinished(self) -> tuple[ServerJob, ...]:
        """Return the waiting and running jobs, oldest first; when a server starts, these are the jobs that the previous
        server left unfinished.
        """
        return self._jobs(select(served_jobs).where(served_jobs.c.state.in_(_UNFINISHED)).order_by(served_jobs.c.key))

    def log(self, job_id: str, event: Record) -> None:
        """Store an event of a job, with the current time."""
        with self._database.begin() as connection:
            _log(connection, job_id, event)

    def events(self, job_id: str, after: int = 0, limit: int | None = 500) -> Sequence[LoggedEvent]:
        """Return the events of a job after a given number, in order."""
        columns = (job_events.c.number, job_events.c.at, job_events.c.kind, job_events.c.body)
        query = select(*columns).where(job_events.c.job == job_id, job_events.c.number > after)
        with self._database.begin() as connection:
            rows = connection.execute(query.order_by(job_events.c.number).limit(limit)).mappings()
            return [LoggedEvent.model_validate(dict(row)) for row in rows]

    def _jobs(self, query: Select[Any]) -> tuple[ServerJob, ...]:
        with self._database.begin() as connection:
            return tuple(
                ServerJob(
                    id=row["id"],
                    request=JobRequest.model_validate_json(row["request"]),
                    created=row["created"],
                    state=JobState(row["state"]),
                    run_id=row["run_id"],
                    problem=Problem.model_validate_json(row["problem"]) if row["problem"] else None,
                )
                for row in connection.execute(query).mappings()
            )


def _progress(job: ServerJob) -> Mapping[str, str]:
    problem = job.problem.model_dump_json() if job.problem is not None else ""
    return {"state": job.state, "run_id": job.run_id, "problem": problem}


def _log(connection: Connection, job_id: str, event: Record) -> None:
    last = select(func.coalesce(func.max(job_events.c.number), 0)).where(job_events.c.job == job_id)
    number = int(connection.execute(last).scalar_one()) + 1
    kind, body = kind_of(type(event)), event.model_dump_json()
    connection.execute(insert(job_events).values(job=job_id, number=number, at=time.time(), kind=kind, body=body))


class ChatLedger:
    """Stores the chats about a folder, with known secrets redacted. Thread-safe. Raises StoreError or a subclass."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, chat_id: str, created: str) -> None:
        """Store a new chat, and delete the oldest if there are too many."""
        with self._database.begin() as connection:
            connection.execute(insert(served_chats).values(id=chat_id, created=created))
            old = select(served_chats.c.key).order_by(served_chats.c.key.desc()).offset(_MOST_KEPT)
            connection.execute(delete(served_chats).where(served_chats.c.key.in_(old)))

    def keep(self, chat_id: str, turn: ChatTurn) -> None:
        """Store the current state of a turn."""
        values = {"chat": chat_id, "number": turn.number, "said": redacted(turn.said)}
        record = redacted(turn.model_dump_json())
        this = (chat_turns.c.chat == chat_id) & (chat_turns.c.number == turn.number)
        with self._database.begin() as connection:
            connection.execute(delete(chat_turns).where(this))
            connection.execute(insert(chat_turns).values(record=record, **values))

    def turns(self, chat_id: str) -> tuple[ChatTurn, ...] | None:
        """Return the turns of a chat, oldest first; None if the chat does not exist."""
        known = select(served_chats.c.key).where(served_chats.c.id == chat_id)
        query = select(chat_turns.c.record).where(chat_turns.c.chat == chat_id).order_by(chat_turns.c.number)
        with self._database.begin() as connection:
            if connection.execute(known).first() is None:
                return None
            return tuple(ChatTurn.model_validate_json(record) for record in connection.execute(query).scalars())

    def summaries(self) -> tuple[ChatSummary, ...]:
        """Return the non-empty chats, newest first."""
        query = (
            select(served_chats.c.id, served_chats.c.created, chat_turns.c.said)
            .join(chat_turns)
            .order_by(served_chats.c.key.desc(), chat_turns.c.number)
        )
        with self._database.begin() as connection:
            chats = [list(turns) for _, turns in groupby(connection.execute(query), key=lambda row: row.id)]
        return tuple(ChatSummary(id=t[0].id, created=t[0].created, said=t[0].said, turns=len(t)) for t in chats)

    def forget(self, chat_id: str) -> None:
        """Delete a chat with all its messages, and erase them from the database file."""
        with self._database.alone() as connection:
            connection.execute(delete(served_chats).where(served_chats.c.id == chat_id))
