"""Updates standing questions: asks again only those whose answers the changes in the folder may have changed."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime

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
    Investigation,
    QuestionOutcome,
    Quote,
    Record,
    Scope,
    StandingUpdate,
)
from investigator.retrieval.library import Library
from investigator.services.batch import answers_in
from investigator.services.indexed_folder import IndexedFolder
from investigator.services.open_folder import OpenFolder, open_folder
from investigator.services.run_records import RunOptions, digest, run_identity
from investigator.store.database import Database, get_meta, set_meta
from investigator.store.journal import Runs
from investigator.store.schema import meta

_STATE = "standing:"
_LENGTH = 20  # characters of a digest that tell one from another


class _State(Record):
    """The state at the last update that was reported: when it ended; the files with their contents; by the identity of
    its runs, the run that answered each question; and the questions that failed.
    """

    at: str = ""
    files: Mapping[str, str] = {}
    answers: Mapping[str, str] = {}
    failed: tuple[str, ...] = ()


def standing_update(
    place: IndexedFolder, engines: Mapping[Role, Engine], records: Sequence[Investigation], name: str
) -> Iterator[Event]:
    """Update the index, and ask the questions of new records that have no answer yet, and those whose earlier answer
    cites a changed document, or for which a new or changed document is among those that the planner would see first;
    a question that every document decides, after each change. The last event contains a StandingUpdate.

    Other answers stand, without a call. `name` tells sets of questions apart: each has its own state in the workspace.
    It is stored when the consumer asks for more after the last event; before, the update is reported again, from the
    answers that are there. Limits apply to the total of an update. Raises the errors of
    `Investigator.investigate_all`.
    """
    began, key = time.monotonic(), _STATE + digest(name)[:_LENGTH]
    with open_folder(place, engines) as folder:
        yield from folder.read()
        yield from place.parts.notices()
        templates = place.parts.prompts.fingerprint()
        identities = {digest(run_identity(new, templates))[:_LENGTH]: new for new in records}
        state, files = _state(folder.runs, key), files_of(folder)
        changes = tuple(changes_of(state.files, files))
        earlier = _finished(folder.runs, {i: run for i, run in state.answers.items() if i in identities})
        lacking = {i for i, run in earlier.items() if run.answer is not None and run.answer.coverage.source_changed}
        due: dict[str, tuple[DocumentChange, ...]]
        due = {i: () for i in identities if i not in earlier or i in lacking.union(state.failed)}
        if changes and earlier:
            library = yield from folder.prepare(folder.index.best_search())
            seen = place.parts.settings.research.planner.documents
            because = {i: because_of(run, changes, library, seen) for i, run in earlier.items()}
            due |= {identity: some for identity, some in because.items() if some}
        batch = AskedQuestions(outcomes=())
        if due:
            batch = yield from answers_in(folder, [identities[identity] for identity in due], RunOptions())
    asked = dict(zip(due, batch.outcomes, strict=True))
    update = StandingUpdate(
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        documents=changes,
        asked=tuple(_asked_anew(each, due[i], earlier.get(i)) for i, each in asked.items()),
        kept=tuple(new.question for identity, new in identities.items() if identity not in due),
        usage=batch.usage,
        seconds=round(time.monotonic() - began, 3),
    )
    yield BatchEnded(outcome=update)
    now = {i: each.investigation for i, each in asked.items() if each.investigation is not None}
    answers = {identity: run.id for identity, run in {**earlier, **now}.items()}
    after = _State(at=update.at, files=files, answers=answers, failed=tuple(i for i in asked if i not in now))
    with place.open_workspace(write=False) as workspace, workspace.runs.begin() as connection:
        set_meta(connection, key, after.model_dump_json())


def files_of(folder: OpenFolder) -> dict[str, str]:
    """Return the status and the contents of each file in the index, by path, as two states of a folder are compared."""
    return {file.path: f"{file.status} {file.content_hash[:_LENGTH]}" for file in folder.index.corpus.files()}


def because_of(
    run: Investigation,
    changes: Sequence[DocumentChange],
    library: Library,
    seen: int,
    quotes: Iterable[Quote] = (),
) -> tuple[DocumentChange, ...]:
    """Return the changes that may change an answer: all, if every document decides it; or else those of documents that
    it or the `quotes` cite, or that are among the first `seen` for its question.
    """
    if run.decides is Scope.EVERY:
        return tuple(changes)
    answer = run.answer
    cited = {quote.document_id for quote in (*quotes, *(answer.citations if answer is not None else ()))}
    best = {card.document_id for card in library.cards((run.full_question, *run.wordings))[:seen]}
    return tuple(change for change in changes if change.document_id in cited | best)


def changes_of(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[DocumentChange]:
    """Yield the changes between two states of the files, by path; none before the first state."""
    for path in sorted(before.keys() | now.keys()) if before else ():
        if path not in before:
            yield DocumentChange(document_id=path, change=Change.NEW)
        elif path not in now:
            yield DocumentChange(document_id=path, change=Change.GONE)
        elif before[path] != now[path]:
            yield DocumentChange(document_id=path, change=Change.CHANGED)


def _asked_anew(
    outcome: QuestionOutcome, because: tuple[DocumentChange, ...], before: Investigation | None
) -> AskedAnew:
    """Return an outcome beside the earlier answer; other words for the same quotes are no difference."""
    answer = outcome.investigation.answer if outcome.investigation is not None else None
    earlier = before.answer if before is not None else None
    both = [each and (each.status, {quote.text for quote in each.citations}) for each in (answer, earlier)]
    return AskedAnew(
        question=outcome.question,
        because=because,
        differs=answer is not None and both[0] != both[1],
        earlier=earlier,
        answer=answer,
        failure=outcome.failure,
    )


def _finished(database: Database, ids: Mapping[str, str]) -> dict[str, Investigation]:
    """Return the finished runs among these, without those that are gone or cannot be read."""
    runs: dict[str, Investigation] = {}
    for key, run_id in ids.items():
        with suppress(NotFoundError, StoreError):
            run = Runs(database).investigation(run_id)
            if run.answer is not None:
                runs[key] = run
    return runs


def _state(database: Database, key: str) -> _State:
    """Return the stored state, which is empty at first, or if another version stored it."""
    with database.begin() as connection, suppress(ValidationError):
        return _State.model_validate_json(get_meta(connection, key) or "{}")
    return _State()


def standing_runs(database: Database) -> Mapping[str, str]:
    """Return the ids of the runs that answer standing questions, each with what its last update did, in words."""
    with database.begin() as connection:
        keys = connection.execute(select(meta.c.key).where(meta.c.key.startswith(_STATE))).scalars().all()
    return {
        run: f"{'update failed' if identity in state.failed else 'updated'} {state.at[:16].replace('T', ' ')}"
        for state in (_state(database, key) for key in keys)
        for identity, run in state.answers.items()
    }
