"""A folder that is open for investigation: its index is up to date, and no other process writes to its workspace.

A run that is open in it has its record, its journal, the client of its calls, and the files that it cites.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from threading import Lock
from typing import NamedTuple

from investigator.asking.budget import CEILINGS, Budget, BudgetSettings, ceiling_reached
from investigator.asking.client import EngineClient
from investigator.documents.fresh import FreshDocument, FreshReading
from investigator.engines.base import Engine
from investigator.engines.roles import Role
from investigator.errors import DamagedDocumentError, ShardLostError
from investigator.proof.standing import standing_answer
from investigator.records import Answered, BatchEnded, Document, Event, Investigation, Notice, Search, Started, Usage
from investigator.research.answer_text import answer_text
from investigator.research.loop import Research
from investigator.retrieval.chunk_search import CorpusView
from investigator.retrieval.library import Library
from investigator.services.indexed_folder import IndexedFolder, Mending, read_folder
from investigator.services.parts import Parts
from investigator.services.run_records import RunOptions, answered_already, digest, open_run, run_identity, scope_of
from investigator.store.database import Database
from investigator.store.journal import Journal, Run, Runs
from investigator.store.workspace import Workspace
from investigator.tracing.base import RunTrace, Tracer


class CitedFiles:
    """Compares cited documents with their files; `drifted` lists the documents that differ from the index.

    If the bytes of a file are unchanged, its text is read from the index, where a checksum protects it.
    """

    def __init__(self, fresh: FreshReading, corpus: CorpusView) -> None:
        self._fresh = fresh
        self._corpus = corpus
        self.drifted: set[str] = set()

    def reread(self, document_ids: Collection[str]) -> Mapping[str, FreshDocument]:
        """Return the given documents, read again from their files. Raises FolderError and ReaderError."""
        held = {name: self._held(name) for name in document_ids}
        fresh = self._fresh.documents(document_ids, [document for document in held.values() if document is not None])
        self.drifted |= {name for name, now in fresh.items() if now.document != held[name]}
        return fresh

    def damage(self) -> DamagedDocumentError:
        """Return the error that names the drifted documents."""
        named = tuple(sorted(self.drifted))
        message = f"the files and the index differ for {', '.join(named)}"
        return DamagedDocumentError(message, document_ids=named)

    def _held(self, document_id: str) -> Document | None:
        try:
            return self._corpus.document(document_id)
        except (KeyError, DamagedDocumentError):
            return None


@dataclass(frozen=True)
class OpenRun:
    """A run, its record as it begins, and the files that it cites. `reuse` allows replies that other runs paid for."""

    run: Run
    record: Investigation
    database: Database
    parts: Parts
    engines: Mapping[Role, Engine]
    cited: CitedFiles
    trace: RunTrace
    reuse: bool

    @cached_property
    def journal(self) -> Journal:
        """Return the journal of the run."""
        return self.parts.journal(self.database, self.run.id, reuse=self.reuse)

    def client(self, *, budget: BudgetSettings | None = None, joint: Budget | None = None) -> EngineClient:
        """Return a client whose calls are journaled and traced; the arguments are as for `Parts.client`."""
        return self.parts.client(
            self.engines, self.journal, budget=budget, trace=self.trace, joint=joint, day=self.record.setup.day
        )

    def started(self, documents: int) -> Iterator[Event]:
        """Yield the notices so far, and the event that begins the run over a number of documents.

        A cross-encoder that checks statements is tried before anything is paid for. Raises EngineError.
        """
        judge = self.parts.judge()
        if judge is not None:
            judge.check()
        yield from self.parts.notices()
        engine = self.record.setup.engine
        yield Started(run_id=self.run.id, engine=engine, documents=documents, resumed=self.run.resumed)


class Spent(NamedTuple):
    """The cost of a run, and its start and end in seconds since 1970."""

    usage: Usage = Usage()
    began: float = 0.0
    ended: float = 0.0


class OpenFolder:
    """Investigates questions in an open folder, concurrently if each question has its own thread.

    `joint` is a budget that all questions share, if any; `drifted` contains documents that changed while they were
    investigated and must be read again. Created by `open_folder`.
    """

    def __init__(
        self,
        place: IndexedFolder,
        engines: Mapping[Role, Engine],
        workspace: Workspace,
        fresh: FreshReading,
        tracer: Tracer,
        joint: Budget | None = None,
    ) -> None:
        self.parts = place.parts
        self.index = place.parts.folder_index(place.folder, workspace)
        self.runs = workspace.runs
        self.drifted: set[str] = set()
        self.engines = engines
        self._fresh = fresh
        self._tracer = tracer
        self.joint = joint
        self._libraries: dict[Search, Library] = {}
        self._opening = Lock()

    def read(self, again: frozenset[str] = frozenset()) -> Iterator[Event]:
        """Update the text and words, and read the documents in `again` from their files once more. Call it only while
        no investigation is running. Raises FolderError if no document could be read.
        """
        self._libraries.clear()
        self.drifted -= again
        yield from read_folder(self.index, again)

    def investigated(
        self, new: Investigation, options: RunOptions, again: frozenset[str] = frozenset(), *, is_asked: bool = False
    ) -> Iterator[Event]:
        """Start or resume the run that a new record describes, or return the existing answer; the last event is
        Answered. The documents in `again` were read once more before; a question that `is_asked` by the user becomes
        the last one.

        Raises DamagedDocumentError for other documents that no longer match their files; FolderError if the folder has
        no document in the question's scope; WorkspaceLockedError if another process is running the same investigation
        in a shared database; and the same errors as `Investigator.investigate`.
        """
        with self.opened(new, options, again) as opened:
            if is_asked:
                Runs(self.runs).note_asked(opened.run.id)
            finished = self.finished(opened, again)
            if finished is not None:
                opened.trace.ended(finished)
                yield Notice(text=answered_already(finished))
                yield Answered(investigation=finished)
                return
            library = yield from self.prepare(opened.record.setup.search)
            yield from opened.started(len(opened.record.setup.scope) or len(library.document_ids()))
            research = Research(
                opened.client(joint=self.joint),
                library,
                self.parts.settings.research,
                opened.journal.keep_record,
                opened.journal.keep_memory,
                opened.cited.reread,
                is_checked=not self.parts.settings.check.off,
            )
            for event in research.events(opened.record):
                if isinstance(event, Answered):
                    yield from self.drift(opened.cited)
                    opened.trace.ended(event.investigation)
                yield from self.parts.notices()
                yield event

    @contextmanager
    def opened(self, new: Investigation, options: RunOptions, again: frozenset[str]) -> Iterator[OpenRun]:
        """Open the run that a new record describes until the context manager exits. The id of the record begins that of
        the run, and sets it apart from other kinds of runs. Raises the same errors as `investigate`.
        """
        new, identity, corpus = self._placed(new, options)
        setup = new.setup.changed(search=self.index.best_search(), templates=self.parts.prompts.own())
        new = new.changed(setup=setup)
        fresh, reuse = options.fresh and not again, options.cache and not options.fresh and not options.repetition
        with self.runs.held(f"{identity} {corpus}") as runs:
            now, notify = datetime.now(UTC), self.parts.notify
            run, record = open_run(Runs(runs), new, identity, corpus, fresh=fresh, now=now, notify=notify)
            cited = CitedFiles(self._fresh, self.index.corpus)
            with self._tracer.run(run.id, record.question, record.setup.engine, resumed=run.resumed) as trace:
                yield OpenRun(run, record, runs, self.parts, self.engines, cited, trace, reuse)

    def scope(self, options: RunOptions) -> tuple[str, ...]:
        """Return the documents to which a run is limited; none if it is not limited. Raises FolderError."""
        held = self.index.corpus
        every = (*held.document_ids(), *(file.path for file in held.unreadable())) if options.only else ()
        return scope_of(options.only, every)

    def earlier(self, new: Investigation, options: RunOptions, again: frozenset[str]) -> Run | None:
        """Return the run that a new record describes and that `opened` resumes, or None."""
        _, identity, corpus = self._placed(new, options)
        return Runs(self.runs).latest(identity, corpus) if again or not options.fresh else None

    def spent(self, new: Investigation, options: RunOptions, again: frozenset[str] = frozenset()) -> Spent:
        """Return the usage and the time span so far of the run that a record describes; both are zero for a new run.
        `again` is as for `investigated`.
        """
        run = self.earlier(new, options, again)
        if run is None:
            return Spent()
        journal, began = self.parts.journal(self.runs, run.id, reuse=False), datetime.fromisoformat(run.created)
        return Spent(journal.usage(), began.timestamp(), began.timestamp() + journal.elapsed())

    def prepare(self, search: Search) -> Generator[Event, None, Library]:
        """Prepare the search, unless it has been prepared already, and return its library."""
        with self._opening:
            if search not in self._libraries:
                yield from self.index.prepared(search)
                self._libraries[search] = self.index.library(search, self.parts.caching_embedder)
            return self._libraries[search]

    def _placed(self, new: Investigation, options: RunOptions) -> tuple[Investigation, str, str]:
        """Return a new record with its scope, the identity of its run, and the digest of its documents. Raises
        FolderError.
        """
        parts, scope = self.parts, self.scope(options)
        new = new.changed(setup=new.setup.changed(scope=scope))
        chunks = parts.settings.chunks.model_dump_json()
        corpus = digest(self.index.corpus.fingerprint(scope), f"{parts.embedder.name} {chunks}")
        return new, f"{new.id}{run_identity(new, parts.prompts.fingerprint(), options.repetition)}", corpus

    def finished(self, opened: OpenRun, again: frozenset[str]) -> Investigation | None:
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
            if not ceiling_reached(self.parts.settings.budget, journal.usage(), journal.elapsed()):
                return None
        standing = standing_answer(answer, cited.reread)
        if cited.drifted - again:
            raise cited.damage()
        is_in_place = not standing.coverage.source_changed and standing.citations == answer.citations
        return record if is_in_place and answer_text(answer) == answer.text else None

    def drift(self, cited: CitedFiles) -> Iterator[Event]:
        """Note the cited documents that differ from the index, which are read again."""
        if cited.drifted:
            yield Notice(text=f"{cited.damage().message}; these files are read again.")
            self.drifted |= cited.drifted


@contextmanager
def open_folder(
    place: IndexedFolder, engines: Mapping[Role, Engine], joint: Budget | None = None
) -> Iterator[OpenFolder]:
    """Open a folder for investigation until the context manager exits; call `OpenFolder.read` before anything else.

    Raises SettingsError, and the same errors as `Workspace`.
    """
    tracer = place.parts.tracer(place.folder)
    place.check_files()
    with place.open_workspace(write=True) as workspace, place.fresh_reading() as fresh:
        folder = OpenFolder(place, engines, workspace, fresh, tracer, joint)
        with place.parts.caching_embedder.backed_by(folder.index.kept_sentences):
            yield folder


def repeated(
    opening: AbstractContextManager[OpenFolder],
    attempt: Callable[[OpenFolder, frozenset[str]], Iterator[Event]],
    *,
    is_read: bool = False,
) -> Iterator[Event]:
    """Yield the events of an attempt in a folder, which is repeated as `Mending` decides: damaged documents are read
    again, lost shards are reopened. Its second argument are the documents that were read once more.

    The folder is read before the first attempt, unless it `is_read`; documents that changed in the meantime are read
    again before the last event. Raises DamagedDocumentError, ShardLostError, and the errors of the attempt.
    """
    mending = Mending()
    with opening as folder:
        yield from folder.parts.notices()
        while True:
            try:
                if mending.again or not is_read:
                    yield from folder.read(mending.again)
                for event in attempt(folder, mending.again):
                    if isinstance(event, Answered | BatchEnded) and folder.drifted:
                        yield from folder.read(frozenset(folder.drifted))
                    yield event
                return
            except (DamagedDocumentError, ShardLostError) as error:
                if not mending.mends(error):
                    raise
                if isinstance(error, ShardLostError):
                    is_read, notice = False, f"A part of the index was lost: {error.message}. The shards are reopened."
                else:
                    notice = f"{error.message[:1].upper()}{error.message[1:]}; it is read again."
                yield Notice(text=notice)
