"""Runs investigations of an indexed folder, and reads those that are stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from copy import copy
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from investigator.asking.budget import Budget
from investigator.documents.folder import Recheck
from investigator.documents.fresh import FreshDocument
from investigator.engines.base import Engine
from investigator.engines.roles import Role
from investigator.engines.stand_ins import AbsentEngine, ForeseeingEngine
from investigator.errors import FolderError, NotFoundError, ReaderError, SettingsError, StoreError, expect
from investigator.proof.standing import quote_standing
from investigator.records import (
    Event,
    Forecast,
    Investigation,
    Notice,
    OutlinePart,
    Quote,
    Replayed,
    RunHistory,
    RunSummary,
    StopReason,
)
from investigator.research.conclusion import answer_now
from investigator.research.forecast import forecast
from investigator.research.loop import Research
from investigator.research.replay import replay, spent_at
from investigator.research.schema import TypedSchema
from investigator.services.indexed_folder import IndexedFolder, mended
from investigator.services.model_roles import Model
from investigator.services.open_folder import OpenFolder, open_folder, repeated
from investigator.services.parts import Parts
from investigator.services.run_records import (
    LAST_RUN,
    MATRIX,
    REPORT,
    RunOptions,
    as_it_began,
    day_of,
    distinct_questions,
    new_record,
    scope_of,
    settings_of,
    turns_after,
)
from investigator.store.corpus import Corpus
from investigator.store.journal import Runs
from investigator.store.past_calls import PastCall, PastCalls, calls_of
from investigator.store.workspace import has_database

_NOT_ASKED = (
    "Give the folder of the documents after the run (show RUN FOLDER). To ask a first question: "
    "investigator ask FOLDER QUESTION"
)


class Investigations(IndexedFolder):
    """A folder with its index, the engines that investigate it, and its stored runs. `joint` is a budget that is shared
    with others; `bring_down` copies the folder from object storage.
    """

    def __init__(
        self,
        folder: Path,
        workspace: Path,
        parts: Parts,
        engines: Mapping[Role, Engine],
        joint: Budget | None,
        bring_down: Callable[[Callable[[str], None]], None] | None = None,
    ) -> None:
        super().__init__(folder, workspace, parts, bring_down)
        self.engines = engines
        self._joint = joint

    def with_model(self, model: Model) -> Self:
        """Return the same folder with the same index and runs, investigated by another model. Raises SettingsError,
        CredentialError and ReplayError.
        """
        other = copy(self)
        other.engines = self.parts.engines(model, None, self.folder)
        return other

    def investigate(self, question: str, options: RunOptions = RunOptions()) -> Iterator[Event]:
        """Yield an event for each step; the last is Answered.

        New and changed files are read before the question is asked. The same question over the same documents resumes a
        stopped run or returns the existing answer, unless `fresh` is set. Raises QuestionError, FolderError,
        SettingsError, NotFoundError, WorkspaceLockedError, EngineError and StoreError.
        """
        new = self._new(question, options)
        return repeated(self._open(), lambda folder, again: folder.investigated(new, options, again, is_asked=True))

    @contextmanager
    def opened(self) -> Iterator[Callable[[str, RunOptions], Iterator[Event]]]:
        """Open the folder once for many benchmark questions; the context yields a faster variant of `investigate`.

        Questions asked this way do not become `last`. Changes in the folder are ignored in the meantime; quotes are
        still looked up in the files.
        """
        with self._open() as folder:
            for _ in folder.read():
                pass

            def ask(question: str, options: RunOptions) -> Iterator[Event]:
                new, place = self._new(question, options), nullcontext(folder)
                return repeated(place, lambda folder, again: folder.investigated(new, options, again), is_read=True)

            yield ask

    def investigate_all(self, questions: Sequence[str], options: RunOptions = RunOptions()) -> Iterator[Event]:
        """Ask the folder many questions and yield the events; the last one contains AskedQuestions.

        The folder is read once, each question is asked once, and ceilings apply to the total of all questions. A failed
        question does not affect the other questions. Raises the errors of `investigate`.
        """
        from investigator.services.batch import asked_questions  # a single question must not wait for the import

        return asked_questions(self, self.engines, self._records(questions, options), options)

    def investigate_matrix(
        self, questions: Sequence[str] | TypedSchema, options: RunOptions = RunOptions()
    ) -> Iterator[Event]:
        """Ask each document every question and yield the events; the last one contains a Matrix. The columns of a
        schema are its questions, and their values are typed.

        A document is read once for all questions. The matrix is one run: a stopped one resumes, and documents that have
        not changed are not read again. Raises the errors of `investigate_all`.
        """
        from investigator.services.matrix_run import filled_matrix  # a single question must not wait for the import

        schema = questions if isinstance(questions, TypedSchema) else None
        labels = [column.label for column in questions.columns] if isinstance(questions, TypedSchema) else questions
        return filled_matrix(self, self.engines, self._records(labels, options), options, schema)

    def write_report(
        self,
        subject: str,
        options: RunOptions = RunOptions(),
        *,
        outline: Sequence[OutlinePart] = (),
        is_update: bool = False,
    ) -> Iterator[Event]:
        """Write a report on a subject and yield the events; the last is Answered, with the sections in its answer.

        Each part of the `outline`, which is planned if none is given, is investigated and becomes a section. An update
        writes only the sections that are not in the latest report, or that changes in the folder since may change. A
        stopped report resumes. Raises the errors of `investigate`, and NotFoundError if there is no report to update.
        """
        from investigator.services.outlines import valid_outline  # a question must not wait for the imports
        from investigator.services.report_run import written_report

        (new,) = self._records([subject], options)
        parts = valid_outline(outline) if outline else ()
        yield from written_report(self, self.engines, new, parts, options, is_update=is_update)

    def current(self, record: Investigation) -> Investigation:
        """Return a stored record as it is to be shown now: the quotes of its answer and table are looked up again in
        the files, what lost its quotes is withheld, and sections name the documents that have changed. Raises
        StoreError.
        """
        if record.answer is None or not record.citations:
            return record
        documents = self.documents_of(record.citations)
        if record.matrix is not None:
            from investigator.services.matrix_run import table_now  # a question must not wait for the import

            record = record.changed(matrix=table_now(record.matrix, lambda _: documents))
        return record.changed(answer=record.answer and answer_now(record.answer, lambda _: documents))

    def documents_of(self, quotes: Sequence[Quote]) -> Mapping[str, FreshDocument]:
        """Return the documents of quotes as they are in the files now, keyed by id. Raises StoreError."""
        names, held = list(dict.fromkeys(quote.document_id for quote in quotes)), self.cited_documents(quotes)
        try:
            with self.fresh_reading() as fresh:
                return fresh.shown_again(names, list(held.values()))
        except (FolderError, ReaderError) as error:  # the folder is gone, which is a reason to warn of the quotes
            return dict.fromkeys(names, FreshDocument(problem=error.message))

    def update_standing(self, questions: Sequence[str], name: str = "") -> Iterator[Event]:
        """Update the index, and ask again only the questions whose answers the changes since the last update may have
        changed; the last event contains a StandingUpdate. Sets of questions with different names are kept apart.

        Raises the errors of `investigate_all`.
        """
        from investigator.services.standing import standing_update  # a single question must not wait for the import

        yield from standing_update(self, self.engines, self._records(questions, RunOptions()), name)

    def standing(self) -> Mapping[str, str]:
        """Return the ids of the runs that answer standing questions, each with what its last update did, in words."""
        from investigator.services.standing import standing_runs  # a single question must not wait for the import

        if not self.has_runs():
            return {}
        with self.open_workspace(write=False) as workspace:
            return standing_runs(workspace.runs)

    def _records(self, questions: Sequence[str], options: RunOptions) -> Sequence[Investigation]:
        """Return the new records of distinct questions. Raises QuestionError and SettingsError."""
        expect(options, RunOptions, "options", SettingsError)
        settings = self.parts.settings
        self.parts.check_prices(self.engines.values())
        return [
            new_record(question, options, self.engines, settings, self.parts.trust_of)
            for question in distinct_questions(questions)
        ]

    def _new(self, question: str, options: RunOptions) -> Investigation:
        expect(options, RunOptions, "options", SettingsError)
        earlier = turns_after(self.current(self.show(options.after))) if options.after else ()
        return new_record(question, options, self.engines, self.parts.settings, self.parts.trust_of, earlier)

    def _open(self) -> AbstractContextManager[OpenFolder]:
        self.parts.check_prices(self.engines.values())
        return open_folder(self, self.engines, self._joint)

    def forecast(self, question: str, options: RunOptions = RunOptions()) -> Forecast:
        """Return the plan and the expected cost; no paid engine is called. Raises the errors of `investigate`."""
        parts = self.parts
        new = self._new(question, options)
        free = parts.extractive  # this engine is free, so it is asked even in a forecast
        engines = {role: e if e is free else ForeseeingEngine(e, free) for role, e in self.engines.items()}

        def attempt(again: frozenset[str]) -> Forecast:
            with self.library(again) as library:
                day = day_of(new, datetime.now(UTC))
                client = parts.client(engines, parts.memory_journal(), day=day)
                research = Research(client, library, parts.settings.research, is_checked=not parts.settings.check.off)
                every = (*library.document_ids(), *(file.path for file in library.unreadable()))
                scoped = new.changed(setup=new.setup.changed(scope=scope_of(options.only, every), day=day))
                return forecast(research, scoped, parts.settings.budget)

        return mended(attempt)

    def replay(self, run_id: str) -> Replayed:
        """Replay a finished run from its journal with its own settings, without a model, and re-verify its quotes.

        Raises NotFoundError; ReplayError if another version made the run; and the errors of `investigate`.
        """
        record = self.show(run_id)
        answer = record.answer
        if record.id.startswith((MATRIX, REPORT)):
            show = f"investigator show {record.id} {self.folder} --json > FILE.json"
            hint = f"To check its quotes: {show} && investigator verify FILE.json --docs {self.folder}"
            raise NotFoundError(f"{record.id} is a matrix or a report, which is not repeated", hint=hint)
        if answer is None:
            hint = "Ask its question again to resume it."
            raise NotFoundError(f"the run {record.id} is not finished", hint=hint)
        return mended(lambda again: self._replayed(record, answer.run.stop, again))

    def _replayed(self, record: Investigation, stop: StopReason, again: frozenset[str]) -> Replayed:
        parts, settings = self.parts, settings_of(record, self.parts.settings)
        engines = {
            Role(used.role): AbsentEngine(used.name, used.traits) for used in record.setup.engines
        } or self.engines
        budget, spent, elapsed = spent_at(stop)
        with (
            self.fresh_reading() as fresh,
            self.library(again, search=record.setup.search, retrieval=settings.retrieval) as library,
            self.open_workspace(write=False) as workspace,
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
            return replay(record, as_it_began(record), research, journal, fresh.documents)

    def index(self, *, vectors: bool = False, verify: bool = False, retry: bool = False) -> Iterator[Event]:
        """Update the text and the full-text index without asking a question; with `vectors`, compute all vectors as
        well.

        `verify` opens every file and checks all stored data and the quotes of kept runs; `retry` reads failed files
        again. Questions can be asked while vectors are computed. Raises the errors of `investigate` except
        EngineError.
        """
        yield from self._updated(vectors=vectors, recheck=Recheck(verify=verify, retry=retry))
        yield from self._missing_quotes() if verify else ()

    def _missing_quotes(self) -> Iterator[Notice]:
        """Look up the quotes of stored runs in the files; yield a notice for each run with missing quotes.

        Raises FolderError, ReaderError and StoreError.
        """
        with self.fresh_reading() as fresh:
            for summary in self.runs():
                if summary.answer_status is None:
                    continue
                quotes = self.show(summary.id).citations
                documents = fresh.documents(dict.fromkeys(quote.document_id for quote in quotes))
                gone = [quote for quote in quotes if quote_standing(quote, documents[quote.document_id]) is None]
                if gone:
                    places = ", ".join(dict.fromkeys(quote.place for quote in gone))
                    are = f"{'is' if len(gone) == 1 else 'are'} no longer in the files: {places}"
                    yield Notice(text=f"{len(gone)} of {len(quotes)} quotes of the run {summary.id} {are}")

    def runs(self) -> tuple[RunSummary, ...]:
        """Return a summary of each run in the workspace, newest first."""
        if not self.has_runs():
            return ()
        with self.open_workspace(write=False) as workspace:
            return Runs(workspace.runs).summaries()

    def history(self, words: str, start: int, most: int, topics: int = 0) -> RunHistory:
        """Return the runs of single questions that contain these words, at most so many from a start, and at most that
        many topics.
        """
        from investigator.services.standing import standing_runs  # a single question must not wait for the import

        if not self.has_runs():
            return RunHistory()
        with self.open_workspace(write=False) as workspace:  # once, because it takes longer than what is read from it
            kept = Runs(workspace.runs)
            ids = [run_id for run_id in kept.asking(words.split()) if not run_id.startswith(MATRIX)]
            shown, standing = kept.summaries(ids[start : start + most]), frozenset(standing_runs(workspace.runs))
            headings: tuple[str, ...] = ()
            if topics and has_database(self.workspace) and not self.parts.settings.cluster.address:
                with suppress(StoreError):  # an index that is being built or mended has none
                    headings = Corpus(workspace.index, workspace.decoded).topics(topics)
            return RunHistory(runs=shown, total=len(ids), standing=standing, topics=headings)

    def forget(self, run_id: str) -> None:
        """Delete the run with this full id, and all that is stored of it. Raises NotFoundError; and
        WorkspaceLockedError if the run is not finished and another process may be working on it.
        """
        expect(run_id, str, "the id of the run", NotFoundError)
        if not self.has_runs():
            raise NotFoundError(f"the run {run_id} is not in this workspace")
        with self.open_workspace(write=False) as workspace:
            is_finished = all(run.answer_status for run in Runs(workspace.runs).summaries([run_id]))
        with self.open_workspace(write=not is_finished) as workspace:
            Runs(workspace.runs).forget(run_id)

    def show(self, run_id: str) -> Investigation:
        """Return the record of a run, given its id, the beginning of its id, or `last`. Raises NotFoundError."""
        expect(run_id, str, "the id of the run", NotFoundError)
        if not self.has_runs():
            raise NotFoundError(f"no question has been asked about {self.folder} yet", hint=_NOT_ASKED)
        with self.open_workspace(write=False) as workspace:
            kept = Runs(workspace.runs)
            return kept.investigation(kept.last_asked() if run_id == LAST_RUN else run_id)

    def calls(self, run_id: str) -> tuple[PastCall, ...]:
        """Return the calls that the run with this full id made or reused, in order. Raises StoreError."""
        expect(run_id, str, "the id of the run", NotFoundError)
        if not self.has_runs():
            return ()
        with self.open_workspace(write=False) as workspace:
            return calls_of(workspace.runs, run_id)
