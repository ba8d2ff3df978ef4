"""The only place that picks concrete classes: a folder, its workspace, its engines, put together."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from investigator.asking.budget import BudgetSettings
from investigator.asking.client import CallJournal, EngineClient
from investigator.asking.prompts import Prompts
from investigator.documents.folder import Recheck, check_folder, scan
from investigator.engines.base import Embedder, Engine
from investigator.engines.catalogue import open_engine
from investigator.engines.chat.known_servers import KnownServers
from investigator.engines.embedding.cached import CachedEmbedder
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.roles import Role
from investigator.engines.stand_ins import AbsentEngine, ForeseeingEngine
from investigator.errors import FolderError, SettingsError, StoreError, UnknownRunError
from investigator.records import (
    Answer,
    Answered,
    Event,
    FolderStatus,
    Forecast,
    Investigation,
    Notice,
    Replayed,
    RunSummary,
    Search,
    SearchHit,
    Started,
)
from investigator.research.forecast import forecast
from investigator.research.loop import Research
from investigator.research.replay import replay, spent_at
from investigator.retrieval.folder_index import FolderIndex, IndexSettings
from investigator.retrieval.library import Library
from investigator.retrieval.retrieval_settings import RetrievalSettings
from investigator.scoring.prices import Price, read_prices, shipped_prices
from investigator.services.model_roles import recorded, relieved, roster
from investigator.services.openings import answered_already, blank_case, checked, finished, made_with, name_of, open_run
from investigator.settings import Settings, load_settings
from investigator.store.in_memory import InMemoryJournal
from investigator.store.journal import Journal, Runs
from investigator.store.past_calls import PastCalls
from investigator.store.workspace import DATABASE_NAME, Workspace, locate
from investigator.tracing.base import RunTrace
from investigator.tracing.opening import open_tracer

if TYPE_CHECKING:
    from langchain_core.callbacks import BaseCallbackHandler

_BLANK = {"id", "question", "mission", "strategy", "engine", "engines", "made_with", "search"}
"""What the record of a run holds before anything has happened."""


class Investigator:
    """Investigates a folder of documents.

    `model` is `provider:name`, several `role=provider:name`, or an Engine; without it the extractive engine answers, no
    language model. `workspace` is the directory of the index, by default `.investigator` inside the folder. `prompts`
    is a folder of templates that replace shipped ones. LangChain's `callbacks` hear of every call of a chat model.
    Replies of the language model are added to the file `record`, which `recorded:FILE` then gives again without it.
    Raises FolderError, SettingsError, TemplateError, MissingPackageError or CredentialError where these cannot be used.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        model: str | Engine | Sequence[str] | None = None,
        settings: Settings | None = None,
        workspace: str | Path | None = None,
        prompts: str | Path | None = None,
        embedder: Embedder | None = None,
        callbacks: Sequence[BaseCallbackHandler] = (),
        record: str | Path | None = None,
    ) -> None:
        self.folder = Path(folder).expanduser()
        check_folder(self.folder)
        self._settings = settings or load_settings()
        self.prompts_folder = Path(prompts).expanduser() if prompts is not None else None
        self._prompts = Prompts(self.prompts_folder)
        self._embedder = embedder or SentenceTransformerEmbedder(self._settings.embedder)
        self._reading = CachedEmbedder(self._embedder)  # what a question looks at is looked at more than once
        self._notices: list[str] = []
        prices = self._settings.budget.prices
        self._prices = read_prices(prices) if prices is not None else shipped_prices()
        self._directory = locate(self.folder, Path(workspace) if workspace is not None else None)
        self._known = KnownServers(self._directory / "servers.json", on_notice=self._notices.append)
        self._callbacks = tuple(callbacks)
        self._engines = self._open_engines(model, Path(record).expanduser() if record is not None else None)
        if workspace is None and self._directory.parent != self.folder:
            self._notices.append(f"The folder cannot be written: its index is kept in {self._directory}.")

    @property
    def workspace(self) -> Path:
        """Where the index, the runs and the memories are kept."""
        return self._directory

    @property
    def engine_name(self) -> str:
        """Who answers: one name, or one for each role where they differ."""
        return name_of(self._engines)

    def ask(
        self,
        question: str,
        *,
        mission: str | None = None,
        strategy: str | None = None,
        fresh: bool = False,
        cache: bool = True,
    ) -> Answer:
        """Investigate and answer. Takes and raises what `investigate` does."""
        events = self.investigate(question, mission=mission, strategy=strategy, fresh=fresh, cache=cache)
        for event in events:
            if isinstance(event, Answered) and event.investigation.answer is not None:
                return event.investigation.answer
        raise StoreError("the investigation ended without an answer")

    def investigate(
        self,
        question: str,
        *,
        mission: str | None = None,
        strategy: str | None = None,
        fresh: bool = False,
        cache: bool = True,
    ) -> Iterator[Event]:
        """Yield what happens, step by step; the last event is Answered.

        The folder is read first: new and changed files only. The same question over the same documents goes on where
        it was stopped, or gives the answer that was found; `fresh` begins anew and pays again. Replies to the same
        prompts that other runs paid for are used again, unless `cache` is off. Raises QuestionError, FolderError,
        SettingsError, WorkspaceLockedError, EngineError, StoreError.
        """
        asked = checked(question)
        self._check_prices(self._engines.values())
        tracer = open_tracer(self._settings.trace, folder=self.folder, on_notice=self._notices.append)
        self._check_files()
        blank = blank_case(asked, mission, strategy, self._engines, self._settings)
        with Workspace(self._directory, write=True) as workspace:
            yield from self._told()
            index = self._index(workspace)
            yield from index.read(Recheck())
            index.check_documents()
            database, now = workspace.database, datetime.now(UTC)
            run, case = open_run(database, index, blank, self._prompts, self._corpus_settings(), fresh=fresh, now=now)
            budget = self._settings.budget
            done = finished(database, run, budget, self._prices.price_of)
            with tracer.run(run.id, asked, self.engine_name, resumed=run.resumed) as trace:
                if done is not None:
                    trace.ended(done)
                    yield Notice(text=answered_already(done))
                    yield Answered(investigation=done)
                    return
                library = yield from self._library(index, case.search)
                documents = len(library.document_ids())
                yield Started(run_id=run.id, engine=self.engine_name, documents=documents, resumed=run.resumed)
                reuse = cache and not fresh
                journal = Journal(database, run.id, time.monotonic, reuse=reuse, price_of=self._prices.price_of)
                client = self._client(self._engines, journal, trace)
                keep, keep_memory = journal.keep_record, journal.keep_memory
                research = Research(client, library, self._settings.method, keep, keep_memory)
                for event in research.investigate(case):
                    if isinstance(event, Answered):
                        trace.ended(event.investigation)
                    yield from self._told()
                    yield event

    def forecast(self, question: str, *, mission: str | None = None, strategy: str | None = None) -> Forecast:
        """The plan of an investigation and what it is expected to cost; no engine that costs is asked.

        Raises what `investigate` does.
        """
        case = blank_case(checked(question), mission, strategy, self._engines, self._settings)
        stand_in = ExtractiveEngine(self._reading)
        foreseeing = {role: ForeseeingEngine(engine, stand_in) for role, engine in self._engines.items()}
        with self.library() as library:
            client = self._client(foreseeing, InMemoryJournal(self._prices.price_of))
            research = Research(client, library, self._settings.method, lambda _: None, lambda _: None)
            return forecast(research, case, self._settings.budget)

    def replay(self, run_id: str) -> Replayed:
        """Go through a finished run again from its journal, without any model, and prove its quotes anew.

        Raises UnknownRunError where there is no such run or it is not finished, ReplayError where another version made
        it, and what `investigate` does.
        """
        case = self.show(run_id)
        if case.answer is None:
            hint = "Ask its question again to go on with it."
            raise UnknownRunError(f"the run {case.id} is not finished", hint=hint)
        settings = made_with(case, self._settings)
        engines = {Role(used.role): AbsentEngine(used.name, used.traits) for used in case.engines} or self._engines
        blank = Investigation.model_validate(case.model_dump(include=_BLANK))
        budget, spent, elapsed = spent_at(case.answer.stop)
        method = settings.method.changed(concurrency=1)
        with (
            self.library(case.search, settings.retrieval) as library,
            Workspace(self._directory, write=False) as workspace,
        ):
            journal = PastCalls(workspace.database, case.id, spent, elapsed)
            client = self._client(engines, journal, budget=budget)
            research = Research(client, library, method, lambda _: None, lambda _: None)
            return replay(case, blank, research, journal)

    def index(self, *, vectors: bool = False, verify: bool = False, retry: bool = False) -> Iterator[Event]:
        """Bring the index up to date without asking anything: text and words, and with `vectors` all vectors too.

        `verify` opens every file, `retry` reads again what could not be read. While vectors are made, questions can
        be asked. Raises FolderError, ReaderError, WorkspaceLockedError, EmbedderError, StoreError.
        """
        self._check_files()
        with Workspace(self._directory, write=True) as workspace:
            yield from self._told()
            yield from self._index(workspace).read(Recheck(verify=verify, retry=retry))
        if vectors:
            with Workspace(self._directory, write=False) as workspace:
                yield from self._index(workspace).embed()
            with Workspace(self._directory, write=True) as workspace:
                self._index(workspace).open_chroma()
        yield from self._told()

    def status(self, *, compare: bool = True) -> FolderStatus:
        """What the index holds of the folder and, with `compare`, what has changed in the folder since.

        Raises FolderError where there is no index.
        """
        if not self._has_index():
            hint = f"Make it with: investigator index {self.folder}"
            raise FolderError(f"the folder {self.folder} has no index yet", hint=hint)
        with Workspace(self._directory, write=False) as workspace:
            return self._index(workspace).status(compare=compare)

    def search(self, query: str, *, limit: int = 10, document_id: str | None = None) -> tuple[SearchHit, ...]:
        """The best chunks for a query, best first. Raises QuestionError and what `investigate` does."""
        asked = checked(query)
        with self.library() as library:
            if document_id is not None and document_id not in library.document_ids():
                raise FolderError(
                    f"there is no document {document_id}", hint="See them with: investigator status FOLDER"
                )
            return library.hits(asked, limit, document_id)

    @contextmanager
    def library(self, search: Search | None = None, retrieval: RetrievalSettings | None = None) -> Iterator[Library]:
        """The folder, indexed and open for searching as long as the context lasts."""
        self._check_files()
        with Workspace(self._directory, write=True) as workspace:
            index = self._index(workspace)
            for _ in index.read(Recheck()):
                pass
            index.check_documents()
            opening = self._library(index, search or index.best_search(), retrieval)
            while True:
                try:
                    next(opening)
                except StopIteration as end:
                    library: Library = end.value
                    break
            yield library

    def client_for(self, engine: Engine, prompts: Prompts, journal: CallJournal, second: Engine) -> EngineClient:
        """A client whose every role is played by one engine, over other prompts than those of the method.

        The usual ceiling of calls is that of one investigation, and does not hold here; one that was set does.
        Raises SettingsError and CredentialError.
        """
        engines = dict.fromkeys(Role, engine)
        self._check_prices(engines.values())
        return self._client(
            engines, journal, budget=self._settings.budget.beyond_one_question(), prompts=prompts, second=second
        )

    def price_of(self, engine_name: str) -> Price | None:
        """What the tokens of an engine cost; None where no price is known."""
        return self._prices.price_of(engine_name)

    def engine_for(self, engine: Engine | str | None) -> Engine:
        """An engine by its name, opened anew; by default that of the role `chat`. An engine is given back as it is.

        Raises SettingsError and CredentialError.
        """
        return self._open_engine(engine) if isinstance(engine, str) else engine or self._engines[Role.CHAT]

    def runs(self) -> tuple[RunSummary, ...]:
        """The investigations of the workspace, newest first."""
        if not self._has_index():
            return ()
        with Workspace(self._directory, write=False) as workspace:
            return Runs(workspace.database).summaries()

    def show(self, run_id: str) -> Investigation:
        """The record of an investigation by its id or the beginning of it. Raises UnknownRunError."""
        if not self._has_index():
            raise UnknownRunError(f"there is no workspace in {self._directory}")
        with Workspace(self._directory, write=False) as workspace:
            return Runs(workspace.database).investigation(run_id)

    def _open_engines(self, model: str | Engine | Sequence[str] | None, record: Path | None) -> dict[Role, Engine]:
        engines, apart = roster(model, self._open_engine)
        return recorded(
            relieved(engines, apart, ExtractiveEngine(self._reading), self._notices.append), record, self.folder
        )

    def _open_engine(self, name: str) -> Engine:
        return open_engine(
            name,
            lambda: ExtractiveEngine(self._reading),
            chat=self._settings.chat,
            gguf=self._settings.gguf,
            transformers=self._settings.transformers,
            on_notice=self._notices.append,
            known=self._known,
            callbacks=self._callbacks,
        )

    def _has_index(self) -> bool:
        return (self._directory / DATABASE_NAME).is_file()

    def _check_files(self) -> None:
        """Raises FolderError, before a workspace is made, where there is nothing to index."""
        if not self._has_index() and not scan(self.folder, self._settings.folder):
            raise FolderError(f"the folder {self.folder} holds no documents")

    def _index(self, workspace: Workspace) -> FolderIndex:
        settings = self._settings
        made_with = IndexSettings(settings.folder, settings.reader, settings.chunks, settings.retrieval)
        return FolderIndex(self.folder, workspace, made_with, self._embedder, self._notices.append)

    def _library(
        self, index: FolderIndex, search: Search, retrieval: RetrievalSettings | None = None
    ) -> Generator[Event, None, Library]:
        if search is Search.WHOLE:
            yield from index.embed()
        else:
            yield Notice(text=_not_all_vectors(index.table.missing_count(), self.folder))
        library = index.library(search, self._reading, retrieval)
        yield from self._told()
        return library

    def _client(
        self,
        engines: Mapping[Role, Engine],
        journal: CallJournal,
        trace: RunTrace | None = None,
        budget: BudgetSettings | None = None,
        prompts: Prompts | None = None,
        second: Engine | None = None,
    ) -> EngineClient:
        second, price_of = second or ExtractiveEngine(self._reading), self._prices.price_of
        budget = budget or self._settings.budget
        prompts = prompts or self._prompts
        return EngineClient(
            engines, prompts, journal, time.monotonic, budget, second=second, price_of=price_of, trace=trace
        )

    def _corpus_settings(self) -> str:
        return f"{self._embedder.name} {self._settings.chunks.model_dump_json()}"

    def _check_prices(self, engines: Iterable[Engine]) -> None:
        """Raises SettingsError where a ceiling of money is set that could not be kept."""
        unknown = {engine.name for engine in engines if self._prices.price_of(engine.name) is None}
        if self._settings.budget.money is not None and unknown:
            raise SettingsError(
                f"no price is known for {', '.join(sorted(unknown))}, so a limit of money cannot be kept",
                hint="Write the price into a file like data/prices.json and name it with --set budget.prices=FILE",
            )

    def _told(self) -> Iterator[Event]:
        """Notices that came up since the last time."""
        while self._notices:
            yield Notice(text=self._notices.pop(0))


def _not_all_vectors(missing: int, folder: Path) -> str:
    return (
        f"{missing:,} passages have no vectors yet, so passages are searched by their words first. "
        f"For the search by meaning over everything: investigator index --vectors {folder}"
    )
