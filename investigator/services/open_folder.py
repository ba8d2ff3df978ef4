"""A folder that is open for investigation: its index is up to date, and no other process writes to its workspace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Lock
from typing import NamedTuple

from investigator.asking.budget import CEILINGS, Budget, ceiling_reached
from investigator.documents.fresh import FreshReading
from investigator.engines.base import Engine
from investigator.engines.roles import Role
from investigator.evidence.standing import recheck
from investigator.records import Answered, Event, Investigation, Notice, Search, Started, Usage
from investigator.research.loop import Research
from investigator.retrieval.library import Library
from investigator.services.cited_files import CitedFiles, is_as_checked
from investigator.services.index_service import IndexService
from investigator.services.parts import OpenIndex, Parts
from investigator.services.run_records import (
    RunOptions,
    answered_already,
    corpus_digest,
    open_run,
    run_identity,
    scope_of,
)
from investigator.store.database import Database
from investigator.store.journal import Run, Runs
from investigator.tracing.base import RunTrace, Tracer


class Spent(NamedTuple):
    """The cost of a run, and its start and end in seconds since 1970."""

    usage: Usage = Usage()
    began: float = 0.0
    ended: float = 0.0


class OpenFolder:
    """Investigates questions in an open folder, concurrently if each question has its own thread.

    `joint` is a budget that all questions share; `drifted` contains documents that changed while they were investigated
    and must be read again. Created by `open_folder`.
    """

    def __init__(
        self,
        service: IndexService,
        parts: Parts,
        engines: Mapping[Role, Engine],
        index: OpenIndex,
        runs: Database,
        fresh: FreshReading,
        tracer: Tracer,
        joint: Budget | None = None,
    ) -> None:
        self.index = index
        self.runs = runs
        self.drifted: set[str] = set()
        self._service = service
        self._parts = parts
        self._engines = engines
        self._fresh = fresh
        self._tracer = tracer
        self._joint = joint
        self._libraries: dict[Search, Library] = {}
        self._opening = Lock()

    def read(self, again: frozenset[str] = frozenset()) -> Iterator[Event]:
        """Update the text and words, and read the documents in `again` from their files once more. Call it only while
        no investigation is running. Raises FolderError if no document could be read.
        """
        self._libraries.clear()
        self.drifted -= again
        yield from self._service.read(self.index, again)

    def investigate(
        self, new: Investigation, options: RunOptions, again: frozenset[str] = frozenset()
    ) -> Iterator[Event]:
        """Start or resume the run that a new record describes, or return the existing answer; the last event is
        Answered.

        Raises DamagedDocumentError for documents that no longer match their files and were not read `again`;
        FolderError if the folder has no document in the question's scope; WorkspaceLockedError if another process is
        running the same investigation in a shared database; and the same errors as `Investigator.investigate`.
        """
        new, corpus = self._placed(new, options)
        identity = self._identity(new, options)
        with self.runs.held(f"{identity} {corpus}") as runs:
            run, record = self._opened(runs, new, identity, corpus, fresh=options.fresh and not again)
            yield from self._gone_on(runs, run, record, options, again)

    def _gone_on(
        self, runs: Database, run: Run, record: Investigation, options: RunOptions, again: frozenset[str]
    ) -> Iterator[Event]:
        """Continue a run, which was opened in `runs`, until it ends."""
        with self._tracer.run(run.id, record.question, record.engine, resumed=run.resumed) as trace:
            finished = self._finished(runs, run, again)
            if finished is not None:
                trace.ended(finished)
                yield Notice(text=answered_already(finished))
                yield Answered(investigation=finished)
            else:
                yield from self.prepare(record.search)
                yield from self._run(runs, run, record, trace, reuse=options.reuses)

    def spent(self, new: Investigation, options: RunOptions) -> Spent:
        """Return the usage and the time span so far of the run that a record describes; both are zero for a new run."""
        new, corpus = self._placed(new, options)
        run = Runs(self.runs).latest(self._identity(new, options), corpus) if not options.fresh else None
        if run is None:
            return Spent()
        journal, began = self._parts.journal(self.runs, run.id, reuse=False), datetime.fromisoformat(run.created)
        return Spent(journal.usage(), began.timestamp(), began.timestamp() + journal.elapsed())

    def prepare(self, search: Search) -> Iterator[Event]:
        """Prepare the search, unless it has been prepared already."""
        with self._opening:
            if search not in self._libraries:
                yield from self._service.prepare(self.index, search)
                self._libraries[search] = self.index.library(search, self._parts.caching_embedder)

    def _placed(self, new: Investigation, options: RunOptions) -> tuple[Investigation, str]:
        """Return a new record, completed with its scope, and the digest of its documents. Raises FolderError."""
        parts, held = self._parts, self.index.corpus
        every = (*held.document_ids(), *(file.path for file in held.unreadable())) if options.only else ()
        new = new.changed(scope=scope_of(options.only, every))
        chunks = parts.settings.chunks.model_dump_json()
        return new, corpus_digest(held.fingerprint(new.scope), parts.embedder.name, chunks)

    def _opened(
        self, runs: Database, new: Investigation, identity: str, corpus: str, *, fresh: bool
    ) -> tuple[Run, Investigation]:
        new = new.changed(search=self.index.best_search(), templates=self._parts.prompts.own())
        return open_run(Runs(runs), new, identity, corpus, fresh=fresh, now=datetime.now(UTC))

    def _identity(self, new: Investigation, options: RunOptions) -> str:
        return run_identity(new, self._parts.prompts.fingerprint(), options.repetition)

    def _finished(self, runs: Database, run: Run, again: frozenset[str]) -> Investigation | None:
        """Return the record of a finished run if its quotes are still in the files.

        Return None for a run that should be resumed: it was stopped by a limit that has since been raised, or its
        sources have changed. Raises DamagedDocumentError for documents that lack quotes of the run and were not read
        `again`.
        """
        if not run.finished:
            return None
        record, cited = Runs(runs).investigation(run.id), CitedFiles(self._fresh, self.index.corpus)
        answer = record.answer
        if answer is None or answer.source_changed:
            return None
        if answer.stop in CEILINGS:
            journal = self._parts.journal(runs, run.id, reuse=False)
            if not ceiling_reached(self._parts.settings.budget, journal.usage(), journal.elapsed()):
                return None
        checked = recheck(answer.claims, answer.question, cited.reread)
        if cited.drifted - again:
            raise cited.damage()
        return record if is_as_checked(answer, checked, self._parts.judge()) else None

    def _run(self, runs: Database, run: Run, record: Investigation, trace: RunTrace, *, reuse: bool) -> Iterator[Event]:
        parts, cited = self._parts, CitedFiles(self._fresh, self.index.corpus)
        library = self._libraries[record.search]
        yield from parts.notices()
        documents = len(record.scope) or len(library.document_ids())
        yield Started(run_id=run.id, engine=record.engine, documents=documents, resumed=run.resumed)
        journal = parts.journal(runs, run.id, reuse=reuse)
        client = parts.client(self._engines, journal, trace=trace, joint=self._joint)
        method, judge = parts.settings.method, parts.judge()
        if judge is not None:
            judge.check()  # check the judge before anything is paid for
        research = Research(client, library, method, journal.keep_record, journal.keep_memory, cited.reread, judge)
        for event in research.investigate(record):
            if isinstance(event, Answered):
                if cited.drifted:
                    yield Notice(text=f"{cited.damage().message}; these files are read again.")
                    self.drifted |= cited.drifted
                trace.ended(event.investigation)
            yield from parts.notices()
            yield event


@contextmanager
def open_folder(
    service: IndexService, parts: Parts, engines: Mapping[Role, Engine], tracer: Tracer, joint: Budget | None = None
) -> Iterator[OpenFolder]:
    """Open a folder for investigation until the context manager exits; call `OpenFolder.read` before anything else.

    Raises the same errors as `Workspace`.
    """
    with service.workspace(write=True) as workspace, service.fresh_reading() as fresh:
        index = parts.folder_index(service.folder, workspace)
        with parts.caching_embedder.backed_by(index.kept_sentences):
            yield OpenFolder(service, parts, engines, index, workspace.runs, fresh, tracer, joint)
