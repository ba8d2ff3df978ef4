"""The only place that picks concrete classes: a folder, its workspace, its engines, put together."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from investigator.documents.folder import Recheck, check_folder, scan
from investigator.engines.base import Embedder, Engine
from investigator.engines.catalogue import open_engine, parse_model_options
from investigator.engines.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.remembering import RememberingEmbedder
from investigator.engines.roles import Role
from investigator.errors import FolderError, QuestionError, StoreError, UnknownRunError
from investigator.prompts import Prompts
from investigator.records import (
    Answer,
    Answered,
    Event,
    FolderStatus,
    Investigation,
    Notice,
    RunSummary,
    Search,
    SearchHit,
    Started,
)
from investigator.research.budget import CEILINGS, ceiling_reached
from investigator.research.desk import Desk
from investigator.research.investigator import Research
from investigator.retrieval.folder_index import FolderIndex, IndexSettings
from investigator.retrieval.library import Library
from investigator.settings import Settings, load_settings
from investigator.store.journal import Journal, Run, Runs
from investigator.store.workspace import DATABASE_NAME, Workspace, locate

_LONGEST_QUESTION = 10_000


class Investigator:
    """Investigates a folder of documents.

    `model` is `provider:name`, several `role=provider:name`, or an Engine; without it the extractive engine answers, no
    language model. `workspace` is the directory of the index, by default `.investigator` inside the folder. `prompts`
    is a folder of templates that replace shipped ones. Raises FolderError, SettingsError, TemplateError,
    MissingPackageError or CredentialError where these cannot be used.
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
    ) -> None:
        self.folder = Path(folder).expanduser()
        check_folder(self.folder)
        self._settings = settings or load_settings()
        self._prompts = Prompts(Path(prompts).expanduser() if prompts is not None else None)
        self._embedder = embedder or SentenceTransformerEmbedder(self._settings.embedder)
        self._reading = RememberingEmbedder(self._embedder)  # what a question looks at is looked at more than once
        self._notices: list[str] = []
        self._engines = self._open_engines(model)
        self._directory = locate(self.folder, Path(workspace) if workspace is not None else None)
        if workspace is None and self._directory.parent != self.folder:
            self._notices.append(f"The folder cannot be written: its index is kept in {self._directory}.")

    @property
    def engine_name(self) -> str:
        """Who answers: one name, or one for each role where they differ."""
        names = {role: engine.name for role, engine in self._engines.items()}
        if len(set(names.values())) == 1:
            return names[Role.ASK]
        return ", ".join(f"{role}={name}" for role, name in names.items())

    def ask(
        self, question: str, *, mission: str | None = None, strategy: str | None = None, fresh: bool = False
    ) -> Answer:
        """Investigate and answer. Takes and raises what `investigate` does."""
        for event in self.investigate(question, mission=mission, strategy=strategy, fresh=fresh):
            if isinstance(event, Answered) and event.investigation.answer is not None:
                return event.investigation.answer
        raise StoreError("the investigation ended without an answer")

    def investigate(
        self, question: str, *, mission: str | None = None, strategy: str | None = None, fresh: bool = False
    ) -> Iterator[Event]:
        """Yield what happens, step by step; the last event is Answered.

        The folder is read first: new and changed files only. The same question over the same documents goes on where
        it was stopped, or gives the answer that was found; `fresh` begins anew and pays again. Raises QuestionError,
        FolderError, WorkspaceLockedError, EngineError, StoreError.
        """
        asked = _checked(question)
        self._check_files()
        with Workspace(self._directory, write=True) as workspace:
            yield from self._told()
            index = self._index(workspace)
            yield from index.read(Recheck())
            index.check_documents()
            run, case = self._open_run(workspace, index, asked, mission, strategy, fresh)
            done = self._finished(workspace, run)
            if done is not None:
                yield Notice(text=_answered_already(done))
                yield Answered(investigation=done)
                return
            library = yield from self._library(index, case.search)
            yield Started(
                run_id=run.id, engine=self.engine_name, documents=len(library.document_ids()), resumed=run.resumed
            )
            journal = Journal(workspace.database, run.id, time.monotonic, reuse=not fresh)
            desk = Desk(self._engines, self._prompts, journal, time.monotonic, self._settings.budget)
            keep, keep_memory = journal.keep_record, journal.keep_memory
            research = Research(case, desk, library, self._directory, self._settings.method, keep, keep_memory)
            for event in research.run():
                yield from self._told()
                yield event

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
        asked = _checked(query)
        with self.library() as library:
            if document_id is not None and document_id not in library.document_ids():
                raise FolderError(
                    f"there is no document {document_id}", hint="See them with: investigator status FOLDER"
                )
            return library.hits(asked, limit, document_id)

    @contextmanager
    def library(self) -> Iterator[Library]:
        """The folder, indexed and open for searching as long as the context lasts."""
        self._check_files()
        with Workspace(self._directory, write=True) as workspace:
            index = self._index(workspace)
            for _ in index.read(Recheck()):
                pass
            index.check_documents()
            opening = self._library(index, index.best_search())
            while True:
                try:
                    next(opening)
                except StopIteration as end:
                    library: Library = end.value
                    break
            yield library

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

    def _open_engines(self, model: str | Engine | Sequence[str] | None) -> dict[Role, Engine]:
        if model is not None and not isinstance(model, str | Sequence):
            return {role: model for role in Role}
        models = parse_model_options([model] if isinstance(model, str) else model or ())
        names = {role: models.name_for(role) for role in Role}
        opened = {name: self._open_engine(name) for name in dict.fromkeys(names.values())}
        return {role: opened[name] for role, name in names.items()}

    def _open_engine(self, name: str) -> Engine:
        return open_engine(
            name,
            lambda: ExtractiveEngine(self._reading),
            chat=self._settings.chat,
            gguf=self._settings.gguf,
            on_notice=self._notices.append,
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

    def _library(self, index: FolderIndex, search: Search) -> Generator[Event, None, Library]:
        if search is Search.WHOLE:
            yield from index.embed()
        else:
            yield Notice(text=_not_all_vectors(index.table.missing_count(), self.folder))
        library = index.library(search, self._reading)
        yield from self._told()
        return library

    def _open_run(
        self,
        workspace: Workspace,
        index: FolderIndex,
        question: str,
        mission: str | None,
        strategy: str | None,
        fresh: bool,
    ) -> tuple[Run, Investigation]:
        now = datetime.now(UTC)
        blank = Investigation(
            id="",
            question=question,
            mission=mission or self._settings.mission,
            strategy=strategy or self._settings.strategy,
            engine=self.engine_name,
        )
        identity = _digest(
            blank.model_dump_json(),
            self._prompts.fingerprint(),
            self._settings.method.model_dump_json(),
            self._settings.retrieval.model_dump_json(),
        )
        corpus_now = _digest(index.corpus.fingerprint(), self._embedder.name, self._settings.chunks.model_dump_json())
        run_id = f"{now:%Y%m%d-%H%M%S}-{_digest(identity, now.isoformat())[:6]}"
        blank = blank.model_copy(update={"id": run_id, "search": index.best_search()})
        runs = Runs(workspace.database)
        run = runs.open(identity, corpus_now, blank, now.isoformat(), fresh=fresh)
        search = runs.investigation(run.id).search if run.resumed else blank.search  # a run goes on as it began
        return run, blank.model_copy(update={"id": run.id, "search": search})

    def _finished(self, workspace: Workspace, run: Run) -> Investigation | None:
        """The record of a run that has ended; one that a ceiling stopped has not, once the ceiling is higher."""
        if not run.finished:
            return None
        case = Runs(workspace.database).investigation(run.id)
        stopped_early = case.answer is not None and case.answer.stop in CEILINGS
        journal = Journal(workspace.database, run.id, time.monotonic, reuse=False)
        if stopped_early and not ceiling_reached(self._settings.budget, journal.usage(), journal.elapsed()):
            return None
        return case

    def _told(self) -> Iterator[Event]:
        """Notices that came up since the last time."""
        while self._notices:
            yield Notice(text=self._notices.pop(0))


def _checked(question: str) -> str:
    asked = question.strip()
    if not asked:
        raise QuestionError("the question is empty")
    if any("\ud800" <= character <= "\udfff" for character in asked):
        raise QuestionError(
            "the question holds characters that are no text (it did not come as UTF-8)",
            hint="Set the terminal to UTF-8, or put the question into a UTF-8 file and ask with - as the question.",
        )
    if len(asked) > _LONGEST_QUESTION:
        raise QuestionError(
            f"the question has {len(asked):,} characters, the most is {_LONGEST_QUESTION:,}",
            hint="Put the long text into a file of the folder and ask a short question about it.",
        )
    return asked


def _answered_already(done: Investigation) -> str:
    early = ", which was before all passages had vectors" if done.search is Search.CANDIDATES else ""
    return f"Run {done.id} has answered this already{early}; --fresh investigates anew."


def _not_all_vectors(missing: int, folder: Path) -> str:
    return (
        f"{missing:,} passages have no vectors yet, so passages are searched by their words first. "
        f"For the search by meaning over everything: investigator index --vectors {folder}"
    )


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
