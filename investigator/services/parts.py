"""Creates all components of a run in one place: embedder, engines, templates, prices, tracer, journal, client and
index.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeAlias

from investigator.asking.budget import Budget, BudgetSettings
from investigator.asking.call import CallJournal
from investigator.asking.client import EngineClient
from investigator.asking.contracts import Contract
from investigator.asking.prompts import Prompts
from investigator.documents.fresh import FreshReading
from investigator.engines.base import Embedder, Engine
from investigator.engines.catalogue import EngineOptions, open_engine
from investigator.engines.embedding.cached import CachedEmbedder
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.embedding.verifiers import CrossEncoderEngine, open_verifier
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.extractive.engine import Answers
from investigator.engines.grades import Grades, trust_in
from investigator.engines.recorded import RecordedEngine
from investigator.engines.roles import Role
from investigator.errors import SettingsError
from investigator.records import Notice, Trust, Writing
from investigator.retrieval.folder_index import FolderIndex, IndexSettings
from investigator.scoring.prices import default_prices, read_prices
from investigator.services.model_roles import Model, engines_by_role, record_replies
from investigator.settings import Settings
from investigator.store.database import Database
from investigator.store.in_memory import InMemoryJournal
from investigator.store.journal import Journal
from investigator.store.workspace import Workspace
from investigator.tracing.base import RunTrace, Tracer
from investigator.tracing.opening import open_tracer

if TYPE_CHECKING:
    from langchain_core.callbacks import BaseCallbackHandler

    from investigator.cluster.ray_crew import RayCrew
    from investigator.cluster.sharded_index import ShardedIndex

OpenIndex: TypeAlias = "FolderIndex | ShardedIndex"
"""The index of a folder, in one workspace or in shards."""


class Parts:
    """The parts that the settings select, and the notices that arise when they are created and used.

    `prompts` is a folder of templates that replace shipped templates; `callbacks` receive every call of a chat model.
    Notices go to `on_notice`; without it they are queued for `notices`. Raises SettingsError and TemplateError.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        embedder: Embedder | None = None,
        prompts: Path | None = None,
        callbacks: Sequence[BaseCallbackHandler] = (),
        on_notice: Callable[[str], None] | None = None,
    ) -> None:
        self.settings = settings
        self.embedder = embedder or open_embedder(settings.embedder)
        self.caching_embedder = CachedEmbedder(self.embedder)  # some texts are embedded repeatedly for one question
        self.extractive = ExtractiveEngine(self.caching_embedder)
        self.prompts = Prompts(prompts)
        self.prices = default_prices() if settings.budget.prices is None else read_prices(settings.budget.prices)
        self._prompts_folder = prompts
        self._callbacks = tuple(callbacks)
        self._grades = Grades()
        self._notices: list[str] = []
        self._watchers: list[Callable[[Writing], None]] = []
        self.notify = on_notice or self._notices.append
        self._open_there = partial(_given, embedder) if embedder else partial(open_embedder, settings.embedder)

    def with_templates(self, contracts: Mapping[str, Contract], answers: Callable[[Embedder], Answers]) -> Self:
        """Return a copy of the parts with other templates; `answers` creates an engine that replies to these templates
        without a model. Raises TemplateError.
        """
        other = copy(self)
        other.prompts = Prompts(self._prompts_folder, contracts)
        other.extractive = self.extractive.answering(answers)
        return other

    def with_prompts(self, prompts: Path | None) -> Self:
        """Return a copy of the parts with the templates from another folder. Raises TemplateError."""
        other = copy(self)
        other._prompts_folder, other.prompts = prompts, self.prompts.of(prompts)
        return other

    def watch(self, watcher: Callable[[Writing], None] | None) -> None:
        """Set a watcher that receives, from any thread, the progress of local models; None removes it."""
        self._watchers[:] = [watcher] if watcher is not None else []

    def _written(self, writing: Writing) -> None:
        for watcher in self._watchers:
            watcher(writing)

    def notices(self) -> Iterator[Notice]:
        """Yield the notices that have arrived since the last call."""
        while self._notices:
            yield Notice(text=self._notices.pop(0))

    def engine(self, name: str, *, attempts: int | None = None) -> Engine:
        """Open an engine by name; `attempts` replaces the number of attempts per call of a chat model.

        Raises SettingsError, CredentialError, ReplayError.
        """
        settings = self.settings
        options = EngineOptions(
            lambda: self.extractive,
            chat=settings.chat if attempts is None else settings.chat.changed(attempts=attempts),
            transformers=settings.transformers,
            on_notice=self.notify,
            on_writing=self._written,
            callbacks=self._callbacks,
        )
        return open_engine(name, options)

    def engines(self, model: Model | None, record: Path | None, folder: Path) -> dict[Role, Engine]:
        """Open the engine for each role; the language model's replies are added to the file `record`.

        Raises the same errors as `engine`, and SettingsError if `record` is inside `folder` or there are several
        models.
        """
        engines = record_replies(engines_by_role(model, self.engine), record, folder)
        replayed = {engine.name for engine in engines.values() if isinstance(engine, RecordedEngine) and engine.replays}
        asked = {e.name for e in engines.values() if not (isinstance(e, RecordedEngine) and e.replays)}
        self.prices = self.prices.with_free(replayed - asked)
        judge = self.judge()
        return engines if judge is None else {**engines, Role.CHECK: judge}

    def judge(self) -> CrossEncoderEngine | None:
        """Return the cross-encoder that checks statements in place of an engine, if the settings name one."""
        return open_verifier(self.settings.check)

    def trust_of(self, role: Role, engine: Engine) -> Trust:
        """Return how far an engine is trusted in a role. Raises ForeignFileError."""
        return trust_in(engine, role, self._grades)

    def check_prices(self, engines: Iterable[Engine]) -> None:
        """Raise SettingsError if the cost is limited and the price of an engine is unknown."""
        unknown = {engine.name for engine in engines if self.prices.price_of(engine.name) is None}
        if self.settings.budget.money is not None and unknown:
            raise SettingsError(
                f"no price is known for {', '.join(sorted(unknown))}, so a cost limit cannot be enforced",
                hint="Write the price into a file like data/prices.json, and name it in the setting budget.prices.",
                command="For example: --set budget.prices=FILE",
            )

    def client(
        self,
        engines: Mapping[Role, Engine],
        journal: CallJournal,
        *,
        budget: BudgetSettings | None = None,
        trace: RunTrace | None = None,
        joint: Budget | None = None,
        day: str = "",
    ) -> EngineClient:
        """Return a client for these engines. `joint` is a budget that it shares with other clients, in addition to its
        own; `day` is the day that its prompts name.
        """
        return EngineClient(
            engines,
            self.prompts,
            journal,
            time.monotonic,
            budget or self.settings.budget,
            price_of=self.prices.price_of,
            trace=trace,
            joint=joint,
            day=day,
        )

    def journal(self, database: Database, run_id: str, *, reuse: bool) -> Journal:
        """Return the journal of a run; with `reuse`, it also finds replies that other runs paid for."""
        return Journal(database, run_id, time.monotonic, reuse=reuse, price_of=self.prices.price_of)

    def memory_journal(self) -> InMemoryJournal:
        """Return a journal that lives only as long as the process."""
        return InMemoryJournal(self.prices.price_of)

    def tracer(self, folder: Path) -> Tracer:
        """Open the tracers that the settings and the environment name. Raises SettingsError."""
        return open_tracer(self.settings.trace, folder=folder, on_notice=self.notify)

    def fresh_reading(self, folder: Path, processes: int | None = None) -> FreshReading:
        """Return a reader that reads documents of a folder again from their files, in a limited number of processes."""
        return FreshReading(folder, self.settings.folder, self.settings.reader, processes=processes)

    def folder_index(self, folder: Path, workspace: Workspace) -> OpenIndex:
        """Return the index of a folder in an open workspace: a single index, or the shards of a cluster."""
        settings, embedder = self.settings, self.embedder
        parts = IndexSettings(settings.folder, settings.reader, settings.chunks, settings.retrieval)
        if not settings.cluster.address:
            return FolderIndex(folder, workspace, parts, embedder, self.notify)
        from investigator.cluster.sharded_index import ShardedIndex

        count = settings.cluster.shards
        return ShardedIndex(folder, workspace, parts, count, embedder, self._open_there, self._crew, self.notify)

    @cached_property
    def _crew(self) -> RayCrew:
        from investigator.cluster.ray_crew import RayCrew  # few folders have shards

        return RayCrew(self.settings.cluster)


@cache
def open_embedder(model: str) -> Embedder:
    """Return an embedder; its weights are loaded when the first text is embedded, once for all parts of a process."""
    return SentenceTransformerEmbedder(model)


def _given(embedder: Embedder) -> Embedder:
    return embedder
