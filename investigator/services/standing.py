"""Updates standing questions: asks again only those whose answers the changes in the folder may have changed."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TypeAlias

from pydantic import ValidationError
from sqlalchemy import select

from investigator.engines.base import Engine
from investigator.engines.roles import Role
from investigator.errors import NotFoundError, StoreError
from investigator.records import (
    AskedAnew,
    AskedQuestions,
    BatchEnded,
    Change,
    DocumentChange,
    Event,
    FileRecord,
    Investigation,
    QuestionOutcome,
    Record,
    Scope,
    StandingAnswer,
    StandingUpdate,
)
from investigator.retrieval.library import Library
from investigator.services.batch import asked_questions
from investigator.services.indexed_folder import IndexedFolder
from investigator.services.open_folder import open_folder
from investigator.services.run_records import RunOptions, run_identity
from investigator.store.database import Database, get_meta, set_meta
from investigator.store.journal import Runs
from investigator.store.schema import meta

_STATE, _FILES = "standing:", "standing files:"  # apart, because a page shows the state, and the files may be many
_LENGTH = 20  # characters of a digest that tell one from another

_Due: TypeAlias = dict[str, tuple[DocumentChange, ...]]


class _State(Record):
    """The stored state of standing questions: for each question, by the identity of its runs, the run of the answer
    that stands, of the one that was reported last, and of the one before the last difference.
    """

    kept: Mapping[str, str] = {}
    reported: Mapping[str, str] = {}
    before: Mapping[str, str] = {}


def standing_update(
    place: IndexedFolder, engines: Mapping[Role, Engine], records: Sequence[Investigation], name: str
) -> Iterator[Event]:
    """Update the index, and ask the questions of new records that have no answer yet, and those whose earlier answer
    cites a changed document, or for which a new or changed document is among those that the planner would see first;
    a question that every document decides, after each change. The last event contains a StandingUpdate.

    Other answers stand, without a call. `name` tells sets of questions apart: each has its own state in the workspace,
    which is stored before the last event; an update whose consumer ends before it asks for more is reported again.
    Limits apply to the total of an update. Raises the errors of `Investigator.investigate_all`.
    """
    began, key = time.monotonic(), _digest(name)
    with open_folder(place, engines) as folder:
        yield from folder.read()
        identities = {_digest(run_identity(new, place.parts.prompts.fingerprint())): new for new in records}
        state, stamps = _state(folder.runs, key), {file.path: _stamp(file) for file in folder.index.corpus.files()}
        changes = tuple(_changes(_stored(folder.runs, _FILES + key), stamps))
        finished = _finished(folder.runs, {*state.kept.values(), *state.reported.values()})
        answered = {i: finished[run] for i, run in state.kept.items() if i in identities and run in finished}
        reported = {i: finished[run] for i, run in state.reported.items() if i in identities and run in finished}
        due: _Due = {i: () for i in identities if i not in answered or _lacks_sources(answered[i])}
        if changes and answered:
            library = yield from folder.prepare(folder.index.best_search())
            seen = place.parts.settings.research.planner.documents
            because = {i: _because(run, changes, library, seen) for i, run in answered.items()}
            due |= {identity: some for identity, some in because.items() if some}
    batch = yield from _asked(place, engines, [identities[identity] for identity in due])
    asked = dict(zip(due, batch.outcomes, strict=True))
    asked |= {  # the report of these did not end
        identity: QuestionOutcome(question=run.question, investigation=run)
        for identity, run in answered.items()
        if identity not in due and state.reported.get(identity) != state.kept[identity]
    }
    kept = {i: run.id for i, run in answered.items() if i not in due}
    kept |= {i: each.investigation.id for i, each in asked.items() if each.investigation is not None}
    news = {i: _asked_anew(each, due.get(i, ()), reported.get(i)) for i, each in asked.items()}
    before = {i: run for i, run in state.before.items() if i in kept}
    before |= {i: each.earlier.run_id for i, each in news.items() if each.earlier is not None and each.differs}
    state = _State(kept=kept, reported={i: run.id for i, run in reported.items()}, before=before)
    _store(place, {_STATE + key: state.model_dump_json(), _FILES + key: json.dumps(stamps)})
    update = StandingUpdate(
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        documents=changes,
        asked=tuple(news.values()),
        kept=tuple(new.question for identity, new in identities.items() if identity not in asked),
        usage=batch.usage,
        seconds=round(time.monotonic() - began, 3),
    )
    yield BatchEnded(outcome=update)
    if kept != state.reported:
        state = state.changed(reported={**state.reported, **kept})
        _store(place, {_STATE + key: state.model_dump_json()})


def _asked(
    place: IndexedFolder, engines: Mapping[Role, Engine], records: Sequence[Investigation]
) -> Generator[Event, None, AskedQuestions]:
    """Ask the questions of new records, yield the events, and return the outcome."""
    outcome = AskedQuestions(outcomes=())
    for event in asked_questions(place, engines, records, RunOptions(), notes_last=False) if records else ():
        if isinstance(event, BatchEnded) and isinstance(event.outcome, AskedQuestions):
            outcome = event.outcome
        else:
            yield event
    return outcome


def _because(
    run: Investigation, changes: Sequence[DocumentChange], library: Library, seen: int
) -> tuple[DocumentChange, ...]:
    """Return the changes that may change an answer: all, if every document decides it."""
    if run.decides is Scope.EVERY:
        return tuple(changes)
    answer = run.answer
    cited = {quote.document_id for quote in answer.citations} if answer is not None else set[str]()
    best = {card.document_id for card in library.cards((run.full_question, *run.wordings))[:seen]}
    return tuple(change for change in changes if change.document_id in cited | best)


def _lacks_sources(run: Investigation) -> bool:
    """Return True if documents changed while a question was asked, so that its answer lacks quotes."""
    return run.answer is not None and bool(run.answer.coverage.source_changed)


def _changes(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[DocumentChange]:
    """Yield the changes between two states of the files, by path; none before the first state."""
    for path in sorted(before.keys() | now.keys()) if before else ():
        if path not in before:
            yield DocumentChange(document_id=path, change=Change.NEW)
        elif path not in now:
            yield DocumentChange(document_id=path, change=Change.GONE)
        elif before[path] != now[path]:
            yield DocumentChange(document_id=path, change=Change.CHANGED)


def _stamp(file: FileRecord) -> str:
    return f"{file.status} {file.content_hash[:_LENGTH]}"


def _asked_anew(
    outcome: QuestionOutcome, because: tuple[DocumentChange, ...], before: Investigation | None
) -> AskedAnew:
    answer, earlier = _answer(outcome.investigation), _answer(before)
    return AskedAnew(
        question=outcome.question,
        because=because,
        differs=answer is not None and answer.differs_from(earlier),
        earlier=earlier,
        answer=answer,
        failure=outcome.failure,
    )


def _answer(run: Investigation | None) -> StandingAnswer | None:
    return StandingAnswer.of(run.answer) if run is not None and run.answer is not None else None


def _finished(database: Database, ids: Collection[str]) -> dict[str, Investigation]:
    """Return the finished runs among these, by id, without those that are gone or cannot be read."""
    runs: dict[str, Investigation] = {}
    for run_id in ids:
        with suppress(NotFoundError, StoreError):
            run = Runs(database).investigation(run_id)
            if run.answer is not None:
                runs[run_id] = run
    return runs


def _state(database: Database, key: str) -> _State:
    """Return the stored state, which is empty at first, or if another version stored it."""
    with suppress(ValidationError):
        return _State.model_validate(_stored(database, _STATE + key))
    return _State()


def _stored(database: Database, key: str) -> dict[str, Any]:
    with database.begin() as connection, suppress(ValueError):
        stored: dict[str, Any] = json.loads(get_meta(connection, key) or "{}")
        return stored
    return {}


def standing_runs(database: Database) -> dict[str, str]:
    """Return the ids of the runs whose answers are kept up to date, each with the run of the answer before the last
    difference, if there is one, or else "".
    """
    with database.begin() as connection:
        keys = connection.execute(select(meta.c.key).where(meta.c.key.startswith(_STATE))).scalars().all()
    states = [_state(database, key.removeprefix(_STATE)) for key in keys]
    return {run: state.before.get(identity, "") for state in states for identity, run in state.kept.items()}


def _store(place: IndexedFolder, values: Mapping[str, str]) -> None:
    with place.open_workspace(write=False) as workspace, workspace.runs.begin() as connection:
        for key, value in values.items():
            set_meta(connection, key, value)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]
