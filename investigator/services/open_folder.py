"""A folder that is open for investigation: its index is up to date, and no other process writes to its workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Lock
from typing import NamedTuple

from investigator.asking.budget import CEILINGS, Budget, ceiling_reached
from investigator.documents.fresh import FreshReading
from investigator.engines.base import Engine
from investigator.engines.roles import Role
from investigator.errors import DamagedDocumentError, ShardLostError
from investigator.proof.standing import standing_answer
from investigator.records import Answered, BatchEnded, Event, Investigation, Notice, Search, Usage
from investigator.research.answer_text import answer_text
from investigator.research.loop import Research
from investigator.retrieval.library import Library
from investigator.services.cited_files import CitedFiles
from investigator.services.index_service import MOST_LOSSES, IndexService
from investigator.services.open_run import OpenRun
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
from investigator.store.journal import Runs
from investigator.tracing.base import Tracer


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
        with self.opened(new, options, again) as opened:
            finished = self._finished(opened, again)
            if finished is not None:
                opened.trace.ended(finished)
                yield Notice(text=answered_already(finished))
                yield Answered(investigation=finished)
            else:
                yield from self.prepare(opened.record.setup.search)
                yield from self._run(opened)

    @contextmanager
    def opened(
        self, new: Investigation, options: RunOptions, again: frozenset[str], *, kind: str = ""
    ) -> Iterator[OpenRun]:
        """Open the run that a new record describes until the context manager exits. `kind` is the beginning of its id,
        which sets it apart from other kinds of runs. Raises the same errors as `investigate`.
        """
        new, corpus = self._placed(new, options)
        identity = f"{kind}{self._identity(new, options)}"
        setup = new.setup.changed(search=self.index.best_search(), templates=self._parts.prompts.own())
        new = new.changed(setup=setup)
        fresh = options.fresh and not again
        with self.runs.held(f"{identity} {corpus}") as runs:
            run, record = open_run(Runs(runs), new, identity, corpus, fresh=fresh, now=datetime.now(UTC), kind=kind)
            cited = CitedFiles(self._fresh, self.index.corpus)
            with self._tracer.run(run.id, record.question, record.setup.engine, resumed=run.resumed) as trace:
                yield OpenRun(run, record, runs, self._parts, self._engines, cited, trace, options.reuses)

    def library(self, search: Search) -> Library:
        """Return the library for a search that was prepared."""
        return self._libraries[search]

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
        new = new.changed(setup=new.setup.changed(scope=scope_of(options.only, every)))
        chunks = parts.settings.chunks.model_dump_json()
        return new, corpus_digest(held.fingerprint(new.setup.scope), parts.embedder.name, chunks)

    def _identity(self, new: Investigation, options: RunOptions) -> str:
        return run_identity(new, self._parts.prompts.fingerprint(), options.repetition)

    def _finished(self, opened: OpenRun, again: frozenset[str]) -> Investigation | None:
        """Return the record of a finished run if its quotes are still in the files, and its text is that of its
        statements.

        Return None for a run that should be resumed: it was stopped by a limit that has since been raised, or its
        sources have changed. Raises DamagedDocumentError for documents that lack quotes of the run and were not read
        `again`.
        """
        if not opened.run.finished:
            return None
        record, cited = Runs(opened.database).investigation(opened.run.id), opened.cited
        answer = record.answer
        if answer is None or answer.coverage.source_changed:
            return None
        if answer.run.stop in CEILINGS:
            journal = opened.journal
            if not ceiling_reached(self._parts.settings.budget, journal.usage(), journal.elapsed()):
                return None
        standing = standing_answer(answer, cited.reread)
        if cited.drifted - again:
            raise cited.damage()
        is_in_place = not standing.coverage.source_changed and standing.citations == answer.citations
        return record if is_in_place and answer_text(answer) == answer.text else None

    def _run(self, opened: OpenRun) -> Iterator[Event]:
        parts, journal, record = self._parts, opened.journal, opened.record
        library = self.library(record.setup.search)
        yield from opened.started(len(record.setup.scope) or len(library.document_ids()))
        research = Research(
            opened.client(joint=self._joint),
            library,
            parts.settings.research,
            journal.keep_record,
            journal.keep_memory,
            opened.cited.reread,
            is_checked=not parts.settings.check.off,
        )
        for event in research.investigate(record):
            if isinstance(event, Answered):
                yield from self.drift(opened.cited)
                opened.trace.ended(event.investigation)
            yield from parts.notices()
            yield event

    def drift(self, cited: CitedFiles) -> Iterator[Event]:
        """Note the cited documents that differ from the index, which are read again."""
        if cited.drifted:
            yield Notice(text=f"{cited.damage().message}; these files are read again.")
            self.drifted |= cited.drifted

    def mending(self, work: Callable[[frozenset[str]], Iterator[Event]], *, is_read: bool = False) -> Iterator[Event]:
        """Yield the events of some work in this folder, after reading the folder, unless it `is_read` already. Each
        damaged document is read again once, and the work, which takes these documents, is repeated; lost shards are
        reopened.

        Raises DamagedDocumentError and ShardLostError.
        """
        again, lost = frozenset[str](), 0
        while True:
            try:
                yield from self.read(again) if again or not is_read else ()
                for event in work(again):
                    if isinstance(event, Answered | BatchEnded) and self.drifted:
                        yield from self.read(frozenset(self.drifted))
                    yield event
                return
            except ShardLostError as loss:
                lost, is_read = lost + 1, False
                if lost > MOST_LOSSES:
                    raise
                yield Notice(text=f"A part of the index was lost: {loss.message}. The shards are reopened.")
            except DamagedDocumentError as damage:
                if again.issuperset(damage.document_ids):
                    raise
                again = again.union(damage.document_ids)
                yield Notice(text=f"{damage.message[:1].upper()}{damage.message[1:]}; it is read again.")


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
