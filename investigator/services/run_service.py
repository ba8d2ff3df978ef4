"""Starts, resumes, forecasts, replays and reads the runs of a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime

from investigator.asking.budget import Budget
from investigator.engines.base import Engine
from investigator.engines.roles import Role
from investigator.engines.stand_ins import AbsentEngine, ForeseeingEngine
from investigator.errors import UnknownRunError, expect
from investigator.proof.standing import quote_standing
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
from investigator.services.index_service import IndexService, mended
from investigator.services.matrix_run import MATRIX
from investigator.services.open_folder import OpenFolder, open_folder
from investigator.services.parts import Parts
from investigator.services.run_records import (
    LAST_RUN,
    RunOptions,
    as_it_began,
    day_of,
    new_record,
    quotes_gone,
    scope_of,
    settings_of,
    turns_after,
)
from investigator.store.journal import Runs
from investigator.store.past_calls import PastCall, PastCalls, calls_of

_NOT_ASKED = (
    "Give the folder of the documents after the run (show RUN FOLDER). To ask a first question: "
    "investigator ask FOLDER QUESTION"
)


class RunService:
    """Investigates questions about one folder, with an engine for each role, and stores the runs.

    `joint` is a budget that all runs share, including the runs of other services.
    """

    def __init__(
        self, index: IndexService, parts: Parts, engines: Mapping[Role, Engine], joint: Budget | None = None
    ) -> None:
        self._index = index
        self._parts = parts
        self._engines = engines
        self._joint = joint

    def investigate(self, question: str, options: RunOptions) -> Iterator[Event]:
        """Read the folder, then start or resume the run of a question; the last event is Answered."""
        new = self._new(question, options)
        with self._open() as folder:
            yield from self._parts.notices()
            for event in self._asked(folder, new, options):
                if isinstance(event, Started | Answered):
                    run_id = event.run_id if isinstance(event, Started) else event.investigation.id
                    Runs(folder.runs).note_asked(run_id)
                yield event

    @contextmanager
    def opened(self) -> Iterator[Callable[[str, RunOptions], Iterator[Event]]]:
        """Read the folder and keep it open for a series of benchmark questions; the context yields a function that
        takes the same arguments as `investigate`.

        These questions do not become the run called `last`. Changes in the folder are ignored in the meantime; quotes
        are still looked up in the files.
        """
        with self._open() as folder:
            for _ in folder.read():
                pass
            yield lambda question, options: self._asked(folder, self._new(question, options), options, is_read=True)

    def _new(self, question: str, options: RunOptions) -> Investigation:
        earlier = turns_after(self.record(options.after)) if options.after else ()
        return new_record(question, options, self._engines, self._parts.settings, self._parts.trust_of, earlier)

    @contextmanager
    def _open(self) -> Iterator[OpenFolder]:
        self._parts.check_prices(self._engines.values())
        tracer = self._parts.tracer(self._index.folder)
        self._index.check_files()
        with open_folder(self._index, self._parts, self._engines, tracer, self._joint) as folder:
            yield folder

    def _asked(
        self, folder: OpenFolder, new: Investigation, options: RunOptions, *, is_read: bool = False
    ) -> Iterator[Event]:
        """Investigate in an open folder. Raises the same errors as `OpenFolder.mending`."""
        return folder.mending(lambda again: folder.investigate(new, options, again), is_read=is_read)

    def forecast(self, question: str, options: RunOptions) -> Forecast:
        """Return the plan and the expected cost of a run; the built-in engine replaces paid engines."""
        parts = self._parts
        new = self._new(question, options)
        free = parts.extractive  # this engine is free, so it is asked even in a forecast
        engines = {role: e if e is free else ForeseeingEngine(e, free) for role, e in self._engines.items()}

        def attempt(again: frozenset[str]) -> Forecast:
            with self._index.library(again=again) as library:
                day = day_of(new, datetime.now(UTC))
                client = parts.client(engines, parts.memory_journal(), day=day)
                research = Research(client, library, parts.settings.research, is_checked=not parts.settings.check.off)
                every = (*library.document_ids(), *(file.path for file in library.unreadable()))
                scoped = new.changed(setup=new.setup.changed(scope=scope_of(options.only, every), day=day))
                return forecast(research, scoped, parts.settings.budget)

        return mended(attempt)

    def replay(self, run_id: str) -> Replayed:
        """Replay a finished run from its journal with its own settings, and re-verify its quotes.

        Raises UnknownRunError and ReplayError.
        """
        record = self.record(run_id)
        answer = record.answer
        if record.id.startswith(MATRIX):
            hint = "Run the same matrix command: unchanged documents cost nothing."
            raise UnknownRunError(f"{record.id} is a matrix, which is not replayed", hint=hint)
        if answer is None:
            hint = "Ask its question again to resume it."
            raise UnknownRunError(f"the run {record.id} is not finished", hint=hint)
        return mended(lambda again: self._replayed(record, answer.run.stop, again))

    def _replayed(self, record: Investigation, stop: StopReason, again: frozenset[str]) -> Replayed:
        parts, settings = self._parts, settings_of(record, self._parts.settings)
        engines = {
            Role(used.role): AbsentEngine(used.name, used.traits) for used in record.setup.engines
        } or self._engines
        budget, spent, elapsed = spent_at(stop)
        with (
            self._index.fresh_reading() as fresh,
            self._index.library(record.setup.search, settings.retrieval, again) as library,
            self._index.workspace(write=False) as workspace,
        ):
            journal = PastCalls(workspace.runs, record.id, spent, elapsed)
            client = parts.client(engines, journal, budget=budget, day=record.setup.day)
            research = Research(
                client,
                library,
                settings.research.changed(concurrency=1),
                reread=fresh.documents,
                is_checked=not settings.check.off,
            )
            return replay(record, as_it_began(record), research, journal)

    def check_kept(self) -> Iterator[Notice]:
        """Look up the quotes of stored runs in the files; yield a notice for each run with missing quotes.

        Raises FolderError, ReaderError and StoreError.
        """
        with self._index.fresh_reading() as fresh:
            for summary in self.summaries():
                if summary.answer_status is None:
                    continue
                answer = self.record(summary.id).answer
                quotes = answer.citations if answer is not None else ()
                documents = fresh.documents(dict.fromkeys(quote.document_id for quote in quotes))
                gone = [quote for quote in quotes if quote_standing(quote, documents[quote.document_id]) is None]
                if gone:
                    yield Notice(text=quotes_gone(summary.id, gone, len(quotes)))

    def summaries(self) -> tuple[RunSummary, ...]:
        """Return a summary of each run, newest first."""
        if not self._index.has_runs():
            return ()
        with self._index.workspace(write=False) as workspace:
            return Runs(workspace.runs).summaries()

    def record(self, run_id: str) -> Investigation:
        """Return the record of a run, given its id, the beginning of its id, or `last`. Raises UnknownRunError."""
        expect(run_id, str, "the id of the run", UnknownRunError)
        if not self._index.has_runs():
            raise UnknownRunError(f"no question has been asked about {self._index.folder} yet", hint=_NOT_ASKED)
        with self._index.workspace(write=False) as workspace:
            kept = Runs(workspace.runs)
            return kept.investigation(kept.last_asked() if run_id == LAST_RUN else run_id)

    def calls(self, run_id: str) -> tuple[PastCall, ...]:
        """Return the calls of a run in order, given its full id; empty if it made no calls."""
        expect(run_id, str, "the id of the run", UnknownRunError)
        if not self._index.has_runs():
            return ()
        with self._index.workspace(write=False) as workspace:
            return calls_of(workspace.runs, run_id)
