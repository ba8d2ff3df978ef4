"""The runs of a folder: started, resumed, forecast, replayed and read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from investigator.asking.budget import CEILINGS, ceiling_reached
from investigator.engines.base import Engine
from investigator.engines.roles import Role
from investigator.engines.stand_ins import AbsentEngine, ForeseeingEngine
from investigator.errors import UnknownRunError
from investigator.records import Answered, Event, Forecast, Investigation, Notice, Replayed, RunSummary, Started
from investigator.research.forecast import forecast
from investigator.research.loop import Research
from investigator.research.replay import replay, spent_at
from investigator.retrieval.folder_index import FolderIndex
from investigator.retrieval.library import Library
from investigator.services.index_service import IndexService
from investigator.services.parts import Parts
from investigator.services.run_records import (
    answered_already,
    as_it_began,
    corpus_digest,
    new_record,
    open_run,
    settings_of,
)
from investigator.store.database import Database
from investigator.store.journal import Run, Runs
from investigator.store.past_calls import PastCalls
from investigator.store.workspace import has_database
from investigator.tracing.base import RunTrace


class RunService:
    """Investigates questions about one folder with an engine for each role, and keeps the runs."""

    def __init__(self, index: IndexService, parts: Parts, engines: Mapping[Role, Engine]) -> None:
        self._index = index
        self._parts = parts
        self._engines = engines

    def investigate(
        self, question: str, mission: str | None, strategy: str | None, *, fresh: bool, cache: bool
    ) -> Iterator[Event]:
        """Read the folder, then start or resume the run of a question; the last event is Answered."""
        parts = self._parts
        new = new_record(question, mission, strategy, self._engines, parts.settings)
        parts.check_prices(self._engines.values())
        tracer = parts.tracer(self._index.folder)
        self._index.check_files()
        with self._index.workspace(write=True) as workspace:
            yield from parts.notices()
            index = parts.folder_index(self._index.folder, workspace)
            yield from self._index.read(index)
            run, record = self._open(workspace.database, index, new, fresh=fresh)
            with tracer.run(run.id, record.question, record.engine, resumed=run.resumed) as trace:
                finished = self._finished(workspace.database, run)
                if finished is not None:
                    trace.ended(finished)
                    yield Notice(text=answered_already(finished))
                    yield Answered(investigation=finished)
                else:
                    yield from self._index.prepare(index, record.search)
                    library = index.library(record.search, parts.caching_embedder)
                    reuse = cache and not fresh
                    yield from self._run(workspace.database, run, record, library, trace, reuse=reuse)

    def forecast(self, question: str, mission: str | None, strategy: str | None) -> Forecast:
        """Return the plan of a run and its expected cost; the built-in engine stands in for engines that cost."""
        parts = self._parts
        new = new_record(question, mission, strategy, self._engines, parts.settings)
        engines = {role: ForeseeingEngine(engine, parts.extractive) for role, engine in self._engines.items()}
        with self._index.library() as library:
            client = parts.client(engines, parts.memory_journal())
            research = Research(client, library, parts.settings.method)
            return forecast(research, new, parts.settings.budget)

    def replay(self, run_id: str) -> Replayed:
        """Repeat a finished run from its journal with its own settings, and re-verify its quotes.

        Raises UnknownRunError and ReplayError.
        """
        parts, record = self._parts, self.record(run_id)
        if record.answer is None:
            hint = "Ask its question again to go on with it."
            raise UnknownRunError(f"the run {record.id} is not finished", hint=hint)
        settings = settings_of(record, parts.settings)
        engines = {Role(used.role): AbsentEngine(used.name, used.traits) for used in record.engines} or self._engines
        budget, spent, elapsed = spent_at(record.answer.stop)
        with (
            self._index.library(record.search, settings.retrieval) as library,
            self._index.workspace(write=False) as workspace,
        ):
            journal = PastCalls(workspace.database, record.id, spent, elapsed)
            client = parts.client(engines, journal, budget=budget)
            research = Research(client, library, settings.method.changed(concurrency=1))
            return replay(record, as_it_began(record), research, journal)

    def summaries(self) -> tuple[RunSummary, ...]:
        """Return one line about each run, newest first."""
        if not has_database(self._index.directory):
            return ()
        with self._index.workspace(write=False) as workspace:
            return Runs(workspace.database).summaries()

    def record(self, run_id: str) -> Investigation:
        """Return the record of a run by its id or the beginning of it. Raises UnknownRunError."""
        if not has_database(self._index.directory):
            raise UnknownRunError(f"there is no workspace in {self._index.directory}")
        with self._index.workspace(write=False) as workspace:
            return Runs(workspace.database).investigation(run_id)

    def _open(
        self, database: Database, index: FolderIndex, new: Investigation, *, fresh: bool
    ) -> tuple[Run, Investigation]:
        parts = self._parts
        chunks = parts.settings.chunks.model_dump_json()
        corpus = corpus_digest(index.corpus.fingerprint(), parts.embedder.name, chunks)
        new = new.changed(search=index.best_search())
        return open_run(Runs(database), new, parts.prompts.fingerprint(), corpus, fresh=fresh, now=datetime.now(UTC))

    def _finished(self, database: Database, run: Run) -> Investigation | None:
        """Return the record of a run that has ended; a run that a limit stopped goes on once the limit is higher."""
        if not run.finished:
            return None
        record = Runs(database).investigation(run.id)
        if record.answer is not None and record.answer.stop in CEILINGS:
            journal = self._parts.journal(database, run.id, reuse=False)
            if not ceiling_reached(self._parts.settings.budget, journal.usage(), journal.elapsed()):
                return None
        return record

    def _run(
        self, database: Database, run: Run, record: Investigation, library: Library, trace: RunTrace, *, reuse: bool
    ) -> Iterator[Event]:
        parts = self._parts
        yield from parts.notices()
        documents = len(library.document_ids())
        yield Started(run_id=run.id, engine=record.engine, documents=documents, resumed=run.resumed)
        journal = parts.journal(database, run.id, reuse=reuse)
        client = parts.client(self._engines, journal, trace=trace)
        research = Research(client, library, parts.settings.method, journal.keep_record, journal.keep_memory)
        for event in research.investigate(record):
            if isinstance(event, Answered):
                trace.ended(event.investigation)
            yield from parts.notices()
            yield event
