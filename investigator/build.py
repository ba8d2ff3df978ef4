"""The only place that picks concrete classes: a folder, its workspace, its engines, put together."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from investigator.documents.chunks import split
from investigator.documents.folder import check_folder, refresh
from investigator.engines.base import Embedder, Engine
from investigator.engines.catalogue import open_engine, parse_model_options
from investigator.engines.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.roles import Role
from investigator.errors import FolderError, QuestionError, StoreError, UnknownRunError
from investigator.prompts import Prompts
from investigator.records import Answer, Answered, Embedded, Event, Investigation, Notice, RunSummary, Started
from investigator.research.budget import CEILINGS, ceiling_reached
from investigator.research.desk import Desk
from investigator.research.investigator import Research
from investigator.retrieval.library import Library
from investigator.settings import Settings, load_settings
from investigator.store.chroma import ChromaIndex
from investigator.store.corpus import Corpus
from investigator.store.full_text import FullText
from investigator.store.journal import Journal, Run, Runs
from investigator.store.vectors import VectorTable
from investigator.store.workspace import Workspace, locate

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
        self._notices: list[str] = []
        self._engines = self._open_engines(model)
        self._directory = locate(self.folder, Path(workspace) if workspace is not None else None)

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
        with Workspace(self._directory, write=True) as workspace:
            corpus = Corpus(workspace.database)
            yield from self._read(corpus)
            run, case = self._open_run(workspace, corpus, asked, mission, strategy, fresh)
            done = self._finished(workspace, run)
            if done is not None:
                yield Notice(text=f"Run {run.id} has answered this already; --fresh investigates anew.")
                yield Answered(investigation=done)
                return
            library = yield from self._index(workspace, corpus)
            yield from self._told()
            yield Started(
                run_id=run.id, engine=self.engine_name, documents=len(corpus.document_ids()), resumed=run.resumed
            )
            journal = Journal(workspace.database, run.id, time.monotonic, reuse=not fresh)
            desk = Desk(self._engines, self._prompts, journal, time.monotonic, self._settings.budget)
            keep, keep_memory = journal.keep_record, journal.keep_memory
            research = Research(case, desk, library, self._directory, self._settings.method, keep, keep_memory)
            for event in research.run():
                yield from self._told()
                yield event

    @contextmanager
    def library(self) -> Iterator[Library]:
        """The folder, indexed and open for searching as long as the context lasts."""
        with Workspace(self._directory, write=True) as workspace:
            corpus = Corpus(workspace.database)
            for _ in self._read(corpus):
                pass
            indexing = self._index(workspace, corpus)
            while True:
                try:
                    next(indexing)
                except StopIteration as end:
                    library: Library = end.value
                    break
            yield library

    def runs(self) -> tuple[RunSummary, ...]:
        """The investigations of the workspace, newest first."""
        if not (self._directory / "investigator.db").is_file():
            return ()
        with Workspace(self._directory, write=False) as workspace:
            return Runs(workspace.database).summaries()

    def show(self, run_id: str) -> Investigation:
        """The record of an investigation by its id or the beginning of it. Raises UnknownRunError."""
        if not (self._directory / "investigator.db").is_file():
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
            lambda: ExtractiveEngine(self._embedder),
            chat=self._settings.chat,
            gguf=self._settings.gguf,
            on_notice=self._notices.append,
        )

    def _read(self, corpus: Corpus) -> Iterator[Event]:
        settings = self._settings
        wanted = settings.chunks.model_dump_json()
        if corpus.chunking() not in (None, wanted):
            yield Notice(text="The settings of chunks have changed: the documents are split anew.")
            corpus.rechunk(wanted, {i: split(corpus.document(i), settings.chunks) for i in corpus.document_ids()})
        corpus.set_chunking(wanted)
        yield from refresh(self.folder, corpus.manifest(), corpus, settings.folder, settings.reader, settings.chunks)
        if not corpus.document_ids():
            raise FolderError(_nothing_to_read(self.folder, corpus))

    def _index(self, workspace: Workspace, corpus: Corpus) -> Generator[Event, None, Library]:
        table = VectorTable(workspace.database, self._embedder.name)
        missing = table.missing()
        total, done = sum(map(len, missing.values())), 0
        for document_id, ids in missing.items():
            spans = corpus.chunk_spans(ids)
            text = corpus.document(document_id).text
            table.put(ids, self._embedder.embed([text[spans[i].start : spans[i].end] for i in ids]))
            done += len(ids)
            yield Embedded(done=done, total=total)
        index = ChromaIndex(self._directory / "chroma", table, self._notices.append)
        return Library(corpus, FullText(workspace.database), index, self._embedder, self._settings.retrieval)

    def _open_run(
        self,
        workspace: Workspace,
        corpus: Corpus,
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
        corpus_now = _digest(corpus.fingerprint(), self._embedder.name, self._settings.chunks.model_dump_json())
        run_id = f"{now:%Y%m%d-%H%M%S}-{_digest(identity, now.isoformat())[:6]}"
        blank = blank.model_copy(update={"id": run_id})
        run = Runs(workspace.database).open(identity, corpus_now, blank, now.isoformat(), fresh=fresh)
        return run, blank.model_copy(update={"id": run.id})

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
    if len(asked) > _LONGEST_QUESTION:
        raise QuestionError(
            f"the question has {len(asked):,} characters, the most is {_LONGEST_QUESTION:,}",
            hint="Put the long text into a file of the folder and ask a short question about it.",
        )
    return asked


def _nothing_to_read(folder: Path, corpus: Corpus) -> str:
    unreadable = corpus.unreadable()
    if not unreadable:
        return f"the folder {folder} holds no documents"
    named = "; ".join(f"{file.path} ({file.reason or file.status})" for file in unreadable[:5])
    return f"none of the {len(unreadable)} files of {folder} could be read: {named}"


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
