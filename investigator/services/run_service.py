"""The runs of a folder: started, resumed, forecast, replayed and read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from investigator.asking.budget import CEILINGS, ceiling_reached
from investigator.documents.fresh import FreshReading
from investigator.engines.base import Engine
from investigator.engines.roles import Role
from investigator.engines.stand_ins import AbsentEngine, ForeseeingEngine
from investigator.errors import DamagedDocumentError, FolderError, UnknownRunError
from investigator.evidence.standing import quote_standing, recheck
from investigator.files import check_private_folder
from investigator.records import (
    Answered,
    Event,
    Forecast,
    Investigation,
    Notice,
    Replayed,
    RunSummary,
    Started,
    StopReason,
)
from investigator.research.forecast import forecast
from investigator.research.loop import Research
from investigator.research.replay import replay, spent_at
from investigator.retrieval.folder_index import FolderIndex
from investigator.services.cited_files import CitedFiles, is_as_checked
from investigator.services.index_service import IndexService, mended
from investigator.services.parts import Parts
from investigator.services.run_records import (
    answered_already,
    as_it_began,
    corpus_digest,
    new_record,
    open_run,
    quotes_gone,
    settings_of,
)
from investigator.store.adoption import TakenOver, take_over
from investigator.store.database import Database
from investigator.store.journal import Run, Runs
from investigator.store.locations import older_workspaces
from investigator.store.past_calls import PastCalls
from investigator.store.workspace import DATABASE_NAME, has_database, has_runs
from investigator.tracing.base import RunTrace, Tracer


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
        again: frozenset[str] = frozenset()
        while True:
            try:
                start_over = fresh and not again
                yield from self._attempt(new, tracer, again, start_over=start_over, reuse=cache and not fresh)
                return
            except DamagedDocumentError as damage:
                if again.issuperset(damage.document_ids):
                    raise
                again = again.union(damage.document_ids)
                yield Notice(text=f"{damage.message[:1].upper()}{damage.message[1:]}; it is read again.")

    def _attempt(
        self, new: Investigation, tracer: Tracer, again: frozenset[str], *, start_over: bool, reuse: bool
    ) -> Iterator[Event]:
        """Investigate once; the documents `again` are read again first. Raises DamagedDocumentError."""
        parts, folder = self._parts, self._index.folder
        with self._index.workspace(write=True) as workspace, parts.fresh_reading(folder) as fresh:
            yield from parts.notices()
            fresh.start()
            index = parts.folder_index(folder, workspace)
            yield from self._index.read(index, again)
            run, record = self._open(workspace.runs, index, new, fresh=start_over)
            with tracer.run(run.id, record.question, record.engine, resumed=run.resumed) as trace:
                finished = self._finished(workspace.runs, run, CitedFiles(fresh, index.corpus), again)
                if finished is not None:
                    trace.ended(finished)
                    yield Notice(text=answered_already(finished))
                    yield Answered(investigation=finished)
                else:
                    yield from self._index.prepare(index, record.search)
                    yield from self._run(workspace.runs, run, record, index, fresh, trace, reuse=reuse)

    def forecast(self, question: str, mission: str | None, strategy: str | None) -> Forecast:
        """Return the plan of a run and its expected cost; the built-in engine stands in for engines that cost."""
        parts = self._parts
        new = new_record(question, mission, strategy, self._engines, parts.settings)
        engines = {role: ForeseeingEngine(engine, parts.extractive) for role, engine in self._engines.items()}

        def attempt(again: frozenset[str]) -> Forecast:
            with self._index.library(again=again) as library:
                client = parts.client(engines, parts.memory_journal())
                research = Research(client, library, parts.settings.method)
                return forecast(research, new, parts.settings.budget)

        return mended(attempt)

    def replay(self, run_id: str) -> Replayed:
        """Repeat a finished run from its journal with its own settings, and re-verify its quotes.

        Raises UnknownRunError and ReplayError.
        """
        record = self.record(run_id)
        answer = record.answer
        if answer is None:
            hint = "Ask its question again to go on with it."
            raise UnknownRunError(f"the run {record.id} is not finished", hint=hint)
        return mended(lambda again: self._replayed(record, answer.stop, again))

    def _replayed(self, record: Investigation, stop: StopReason, again: frozenset[str]) -> Replayed:
        parts, settings = self._parts, settings_of(record, self._parts.settings)
        engines = {Role(used.role): AbsentEngine(used.name, used.traits) for used in record.engines} or self._engines
        budget, spent, elapsed = spent_at(stop)
        with (
            parts.fresh_reading(self._index.folder) as fresh,
            self._index.library(record.search, settings.retrieval, again) as library,
            self._index.workspace(write=False) as workspace,
        ):
            journal = PastCalls(workspace.runs, record.id, spent, elapsed)
            client = parts.client(engines, journal, budget=budget)
            method, judge = settings.method.changed(concurrency=1), parts.judge(settings.verify)
            research = Research(client, library, method, reread=fresh.documents, judge=judge)
            return replay(record, as_it_began(record), research, journal)

    def check_kept(self) -> Iterator[Notice]:
        """Look up the quotes of the kept runs in the files; yield a notice for each run with quotes that do not stand.

        Raises FolderError, ReaderError and StoreError.
        """
        with self._parts.fresh_reading(self._index.folder) as fresh:
            for summary in self.summaries():
                if summary.answer_status is None:
                    continue
                answer = self.record(summary.id).answer
                quotes = answer.citations if answer is not None else ()
                found = fresh.documents(dict.fromkeys(quote.document_id for quote in quotes))
                gone = [quote for quote in quotes if quote_standing(quote, found[quote.document_id]) is None]
                if gone:
                    yield Notice(text=quotes_gone(summary.id, gone, len(quotes)))

    def adopt(self) -> TakenOver:
        """Take over the runs and memories of workspaces that earlier versions made for the folder, row by row.

        Raises FolderError if there is none, ForeignFileError if one is not this user's, StoreError.
        """
        folder, taken = self._index.folder, TakenOver()
        found = [place for place in older_workspaces(folder) if has_database(place)]
        if not found:
            raise FolderError(
                f"there is no workspace of an earlier version for {folder}",
                hint=f"It would be {older_workspaces(folder)[0]}, with the file investigator.db in it.",
            )
        with self._index.workspace(write=True) as workspace:
            for place in found:
                check_private_folder(place)
                more = take_over(place / DATABASE_NAME, workspace.runs)
                taken = TakenOver(
                    runs=taken.runs + more.runs, memories=taken.memories + more.memories, left=taken.left + more.left
                )
        return taken

    def summaries(self) -> tuple[RunSummary, ...]:
        """Return one line about each run, newest first."""
        if not has_runs(self._index.directory):
            return ()
        with self._index.workspace(write=False) as workspace:
            return Runs(workspace.runs).summaries()

    def record(self, run_id: str) -> Investigation:
        """Return the record of a run by its id or the beginning of it. Raises UnknownRunError."""
        if not has_runs(self._index.directory):
            raise UnknownRunError(f"there is no workspace in {self._index.directory}")
        with self._index.workspace(write=False) as workspace:
            return Runs(workspace.runs).investigation(run_id)

    def _open(
        self, database: Database, index: FolderIndex, new: Investigation, *, fresh: bool
    ) -> tuple[Run, Investigation]:
        parts = self._parts
        chunks = parts.settings.chunks.model_dump_json()
        corpus = corpus_digest(index.corpus.fingerprint(), parts.embedder.name, chunks)
        new = new.changed(search=index.best_search())
        return open_run(Runs(database), new, parts.prompts.fingerprint(), corpus, fresh=fresh, now=datetime.now(UTC))

    def _finished(self, database: Database, run: Run, cited: CitedFiles, again: frozenset[str]) -> Investigation | None:
        """Return the record of a run that has ended, if what it says still stands in the files.

        A run that a limit stopped goes on once the limit is higher, and so does one whose sources had changed. Raises
        DamagedDocumentError for documents, not yet read `again`, that do not hold what the run quotes.
        """
        if not run.finished:
            return None
        record = Runs(database).investigation(run.id)
        answer = record.answer
        if answer is None or answer.source_changed:
            return None
        if answer.stop in CEILINGS:
            journal = self._parts.journal(database, run.id, reuse=False)
            if not ceiling_reached(self._parts.settings.budget, journal.usage(), journal.elapsed()):
                return None
        checked = recheck(answer.claims, answer.question, cited.reread)
        if cited.drifted - again:
            raise cited.damage()
        return record if is_as_checked(answer, checked, self._parts.judge()) else None

    def _run(
        self,
        database: Database,
        run: Run,
        record: Investigation,
        index: FolderIndex,
        fresh: FreshReading,
        trace: RunTrace,
        *,
        reuse: bool,
    ) -> Iterator[Event]:
        parts, cited = self._parts, CitedFiles(fresh, index.corpus)
        library = index.library(record.search, parts.caching_embedder)
        yield from parts.notices()
        documents = len(library.document_ids())
        yield Started(run_id=run.id, engine=record.engine, documents=documents, resumed=run.resumed)
        journal = parts.journal(database, run.id, reuse=reuse)
        client = parts.client(self._engines, journal, trace=trace)
        method, judge = parts.settings.method, parts.judge()
        if judge is not None:
            judge.check()  # before anything is paid for
        research = Research(client, library, method, journal.keep_record, journal.keep_memory, cited.reread, judge)
        for event in research.investigate(record):
            if isinstance(event, Answered):
                if cited.drifted:
                    yield Notice(text=f"{cited.damage().message}: read again.")
                    yield from self._index.read(index, frozenset(cited.drifted))
                trace.ended(event.investigation)
            yield from parts.notices()
            yield event
