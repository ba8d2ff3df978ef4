"""The entry point: investigates a folder, searches the folder's index, and reads stored runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from investigator.asking.budget import Budget
from investigator.cluster.shard_files import ClusterProgress
from investigator.documents.folder import check_folder
from investigator.documents.objects import ObjectFolder, object_address
from investigator.engines.base import Embedder
from investigator.errors import FolderError, SettingsError, StoreError, expect
from investigator.records import (
    Answer,
    Answered,
    BatchEnded,
    Document,
    Event,
    FolderStatus,
    Forecast,
    Investigation,
    Matrix,
    Mentions,
    PageCheck,
    Replayed,
    RunSummary,
    SearchHit,
)
from investigator.reports.enclosures import Enclosures
from investigator.retrieval.library import Library
from investigator.services.batch_service import BatchService
from investigator.services.index_service import IndexService
from investigator.services.model_roles import Model
from investigator.services.page_service import DocumentPages, open_pages
from investigator.services.parts import Parts
from investigator.services.run_records import RunOptions, engine_names
from investigator.services.run_service import RunService
from investigator.services.workspace_choice import choose_workspace
from investigator.settings import Settings, load_settings
from investigator.store.past_calls import PastCall

if TYPE_CHECKING:
    from langchain_core.callbacks import BaseCallbackHandler

_MOST_PICTURES = 6_000_000
"""Size limit for the pictures in a report, in bytes."""


class Investigator:
    """Investigates a folder of documents; its index, runs and memories are kept in `workspace`.

        answer = Investigator("folder").ask("How long was the follow-up?")
        print(answer.status, answer.text)

    `folder` is a path, or the address of a folder in object storage (s3://BUCKET/PREFIX), which is copied to this
    machine. `model` is `provider:name`, several `role=provider:name`, an Engine, or an Engine for each role; without it
    the built-in engine answers, and no language model is used. `settings` come from `load_settings`. `workspace` is the
    directory of the index, by default in the user's data directory. `prompts` is a folder of templates that replace
    shipped templates. `embedder` replaces the embedding model. LangChain's `callbacks` receive every call of a chat
    model. The language model's replies are appended to the `record` file; the model `recorded:FILE` replays them later.
    `joint` is a budget that this Investigator shares with others; it applies to individual questions.

    Attributes: `folder` and `workspace` (paths), `engines` (the engine of each role), `engine_name`, and `parts` (the
    components of a run). A workspace runs one question at a time: a second one raises WorkspaceLockedError.

    Raises FolderError, SettingsError, TemplateError, MissingPackageError or CredentialError if these cannot be used.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        model: Model | None = None,
        settings: Settings | None = None,
        workspace: str | Path | None = None,
        prompts: str | Path | None = None,
        embedder: Embedder | None = None,
        callbacks: Sequence[BaseCallbackHandler] = (),
        record: str | Path | None = None,
        joint: Budget | None = None,
    ) -> None:
        settings, notices = _settings(settings), list[str]()
        expect(callbacks, Sequence, "callbacks", SettingsError)
        expect(joint, (Budget, type(None)), "joint", SettingsError)
        address = object_address(folder)
        objects = ObjectFolder(address, settings.objects) if address else None
        self.folder = objects.folder if objects is not None else _path(folder, "folder")
        check_folder(self.folder)
        chosen = _path(workspace, "workspace") if workspace is not None else None
        own_prompts = _path(prompts, "prompts") if prompts is not None else None
        self.workspace = choose_workspace(self.folder, chosen, settings.folder, notices.append)
        self.parts = Parts(
            settings,
            embedder=embedder,
            prompts=own_prompts,
            callbacks=callbacks,
        )
        self.engines = self.parts.engines(model, _path(record, "record") if record is not None else None, self.folder)
        self._index = IndexService(
            self.folder, self.workspace, self.parts, objects.bring_down if objects is not None else None
        )
        self._runs = RunService(self._index, self.parts, self.engines, joint)
        self._batches = BatchService(self._index, self.parts, self.engines)
        for notice in notices:
            self.parts.notify(notice)

    @property
    def engine_name(self) -> str:
        """Return the name of the engine, or one name per role if they differ."""
        return engine_names(self.engines)

    def ask(
        self,
        question: str,
        *,
        mission: str | None = None,
        strategy: str | None = None,
        only: Sequence[str] = (),
        after: str = "",
        fresh: bool = False,
        cache: bool = True,
        as_of: str = "",
    ) -> Answer:
        """Investigate and answer. Takes the fields of `RunOptions`, and raises the errors of `investigate`."""
        options = RunOptions(mission, strategy, only, fresh, cache, after, as_of=as_of)
        for event in self._runs.investigate(question, options):
            if isinstance(event, Answered) and event.investigation.answer is not None:
                return event.investigation.answer
        raise StoreError("the investigation ended without an answer")

    def investigate(self, question: str, options: RunOptions = RunOptions()) -> Iterator[Event]:
        """Yield an event for each step; the last is Answered.

        New and changed files are read before the question is asked. The same question over the same documents resumes a
        stopped run or returns the existing answer, unless `fresh` is set. Raises QuestionError, FolderError,
        SettingsError, UnknownRunError, WorkspaceLockedError, EngineError and StoreError.
        """
        expect(options, RunOptions, "options", SettingsError)
        return self._runs.investigate(question, options)

    def opened(self) -> AbstractContextManager[Callable[[str, RunOptions], Iterator[Event]]]:
        """Open the folder once for many benchmark questions; the context yields a faster variant of `investigate`.
        Questions asked this way do not become `last`. Changes in the folder are ignored in the meantime; quotes are
        still looked up in the files.
        """
        return self._runs.opened()

    def investigate_all(self, questions: Sequence[str], options: RunOptions = RunOptions()) -> Iterator[Event]:
        """Ask the folder many questions and yield the events; the last one contains AskedQuestions.

        The folder is read once, each question is asked once, and ceilings apply to the total of all questions. A failed
        question does not affect the other questions. Raises the errors of `investigate`.
        """
        expect(options, RunOptions, "options", SettingsError)
        return self._batches.ask_all(questions, options)

    def investigate_matrix(self, questions: Sequence[str], options: RunOptions = RunOptions()) -> Iterator[Event]:
        """Ask each document every question and yield the events; the last one contains a Matrix.

        A document is read once for all questions. The matrix is one run: a stopped one resumes, and documents that have
        not changed are not read again. Raises the errors of `investigate_all`.
        """
        expect(options, RunOptions, "options", SettingsError)
        return self._batches.matrix(questions, options)

    def matrix(self, questions: Sequence[str], options: RunOptions = RunOptions()) -> Matrix:
        """Ask each document every question. Raises the errors of `investigate_matrix`."""
        for event in self.investigate_matrix(questions, options):
            if isinstance(event, BatchEnded) and isinstance(event.outcome, Matrix):
                return event.outcome
        raise StoreError("the matrix ended without an outcome")

    def forecast(self, question: str, options: RunOptions = RunOptions()) -> Forecast:
        """Return the plan and the expected cost; no paid engine is called. Raises the errors of `investigate`."""
        expect(options, RunOptions, "options", SettingsError)
        return self._runs.forecast(question, options)

    def replay(self, run_id: str) -> Replayed:
        """Replay a finished run from its journal, without a model, and re-verify its quotes.

        Raises UnknownRunError; ReplayError if another version made the run; and the errors of `investigate`.
        """
        return self._runs.replay(run_id)

    def runs(self) -> tuple[RunSummary, ...]:
        """Return the investigations in the workspace, newest first."""
        return self._runs.summaries()

    def show(self, run_id: str) -> Investigation:
        """Return the record of an investigation, given its id, the beginning of its id, or `last`. Raises
        UnknownRunError.
        """
        return self._runs.record(run_id)

    def calls(self, run_id: str) -> tuple[PastCall, ...]:
        """Return the calls that the run with this full id made or reused, in order. Raises StoreError."""
        return self._runs.calls(run_id)

    def enclosures(self, investigation: Investigation) -> Enclosures:
        """Return the data that a report shows besides the run: pictures of the cited PDF pages. Raises StoreError."""
        expect(investigation, Investigation, "investigation")
        quotes = investigation.answer.citations if investigation.answer is not None else ()
        with self.pages() as pages:
            cited, left_out = pages.cited(quotes, _MOST_PICTURES)
        return Enclosures(cited, left_out)

    def cited_documents(self, investigation: Investigation) -> Mapping[str, Document]:
        """Return the documents that an answer cites and the index still contains, keyed by id. Raises StoreError."""
        expect(investigation, Investigation, "investigation")
        quotes = investigation.answer.citations if investigation.answer is not None else ()
        documents: dict[str, Document] = {}
        for name in dict.fromkeys(quote.document_id for quote in quotes):
            with suppress(FolderError):
                documents[name] = self._index.document(name)
        return documents

    def index(self, *, vectors: bool = False, verify: bool = False, retry: bool = False) -> Iterator[Event]:
        """Update the text and the full-text index without asking a question; with `vectors`, compute all vectors as
        well.

        `verify` opens every file and checks all stored data and the quotes of kept runs; `retry` reads failed files
        again. Questions can be asked while vectors are computed. Raises the errors of `investigate` except
        EngineError.
        """
        yield from self._index.update(vectors=vectors, verify=verify, retry=retry)
        yield from self._runs.check_kept() if verify else ()

    def check_pages(self) -> Iterator[PageCheck]:
        """Yield the pages of PDF files whose text differs from what they show by more than a fifth of the words.

        Every page is drawn and recognised with Tesseract, which takes seconds. Raises SettingsError without Tesseract,
        FolderError and StoreError.
        """
        yield from self._index.differing_pages()

    def status(self, *, compare: bool = True) -> FolderStatus:
        """Return the contents of the index and, with `compare`, the changes in the folder. Raises FolderError."""
        return self._index.status(compare=compare)

    def progress(self) -> ClusterProgress | None:
        """Return how many shards of the index are built, or None if there is no cluster. Raises ClusterError."""
        return self._index.progress()

    def document(self, document_id: str) -> Document:
        """Return a document with its text from the index. Raises FolderError and StoreError."""
        return self._index.document(document_id)

    def search(self, query: str, *, limit: int = 10, document_id: str | None = None) -> tuple[SearchHit, ...]:
        """Return at most `limit` chunks that match a query, best first; if a document is given, only from that one.

        Raises QuestionError, SettingsError, and the errors of `investigate`.
        """
        expect(limit, int, "limit", SettingsError)
        if limit < 1:
            raise SettingsError(f"limit must be at least 1, not {limit}")
        return self._index.search(query, limit, document_id)

    def mentions(self, query: str) -> Mentions:
        """Return every document that contains all words of a query, with each sentence that contains one of them.

        Words in double quotation marks are searched for as a phrase; a word matches in all its forms. Raises
        QuestionError, and the errors of `investigate`.
        """
        return self._index.mentions(query)

    def library(self, again: frozenset[str] = frozenset()) -> AbstractContextManager[Library]:
        """Update the index and keep the folder open for searching until the context manager exits.

        The documents in `again` are re-read from their files.
        """
        return self._index.library(again=again)

    def kept_open(self) -> AbstractContextManager[None]:
        """Keep the reading processes open between calls, as a server does.

        Results stay current, because changes by other processes are noticed and cited files are checked again.
        """
        return self._index.kept_open()

    def pages(self) -> AbstractContextManager[DocumentPages]:
        """Open the indexed PDF documents for rendering pages, with quotes marked, until the context manager exits."""
        return open_pages(self._index, self.parts)


def _settings(settings: object) -> Settings:
    if isinstance(settings, Settings):
        return settings
    if settings is not None:
        hint = 'Create settings with: load_settings(None, ["research.rounds=2"])'
        raise SettingsError(f"settings must be Settings, not {type(settings).__name__}", hint=hint)
    return load_settings()


def _path(path: str | Path, called: str) -> Path:
    expect(path, (str, Path), called, FolderError)
    return Path(path).expanduser()
