"""A folder's index in several shards: the counterpart of `FolderIndex`, which uses a single workspace."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from investigator.cluster.building import ShardTask, index_version, is_current
from investigator.cluster.ray_crew import RayCrew, RayHolders
from investigator.cluster.shard_files import ClusterProgress, ShardDatabase, ShardFiles, shard_of, shares
from investigator.documents.folder import STAMPS_ONLY, Recheck, scan
from investigator.documents.fresh import file_of
from investigator.documents.scanning import FolderListing
from investigator.engines.base import Embedder, Vectors
from investigator.engines.embedding.rerankers import open_reranker
from investigator.errors import DamagedDatabaseError, FolderError
from investigator.records import Embedded, Event, FileRead, Notice, Search
from investigator.resources.distribution import installed_version
from investigator.retrieval.folder_index import IndexSettings
from investigator.retrieval.gathering import GatheredCorpus, GatheredVectors, GatheredWords
from investigator.retrieval.kept_sentences import KeptSentences
from investigator.retrieval.library import Library
from investigator.retrieval.retrieval_settings import RetrievalSettings
from investigator.retrieval.shard import ShardHolders
from investigator.store.corpus import Corpus
from investigator.store.schema import INDEX
from investigator.store.vectors import VectorTable
from investigator.store.workspace import Workspace


@dataclass(frozen=True)
class _Opened:
    corpus: GatheredCorpus
    holders: ShardHolders
    sentences: tuple[KeptSentences, ...]


class ShardedIndex:
    """The sharded index of one folder, stored in an open workspace; `notice` receives messages for the user.
    `open_there` opens the embedder on a worker. The workers compute all vectors, so none are ever missing.
    """

    def __init__(
        self,
        folder: Path,
        workspace: Workspace,
        settings: IndexSettings,
        count: int,
        embedder: Embedder,
        open_there: Callable[[], Embedder],
        crew: RayCrew,
        notice: Callable[[str], None],
    ) -> None:
        self.folder = folder
        self._workspace = workspace
        self._settings = settings
        self._files = ShardFiles(workspace.directory)
        self._count = self._files.count(count)
        self._embedder = embedder
        self._crew = crew
        self._open_there = open_there
        self._notice = notice
        self._listing: FolderListing | None = None
        self._open: _Opened | None = None

    @property
    def stored(self) -> GatheredCorpus:
        """Return the documents of all finished shards, without the workers."""
        return self._gathered(self._databases())

    @property
    def corpus(self) -> GatheredCorpus:
        """Return the documents of the shards, which the workers hold."""
        return self._opened().corpus

    def read(self, recheck: Recheck) -> Iterator[Event]:
        """Update the shards from the folder. Raises FolderError, ReaderError, EngineError, StoreError and
        ClusterError.
        """
        self._open = None
        self._files.prepare()
        yield from self._built(self._tasks(recheck))
        self._files.sweep(self._count)

    def _tasks(self, recheck: Recheck) -> list[ShardTask]:
        """Return the shards to build: those that differ from the folder, and those to be rechecked."""
        self._listing = listing = scan(self.folder, self._settings.folder)
        records, listed = self._files.records(self._count), {file.id: file for file in listing.files}
        containers = ((file_of(name, listed), name) for name in recheck.reread)  # archives and messages contain others
        again = {shard_of(file.id if file else name, self._count) for file, name in containers}
        everywhere, made_with = recheck.changed(reread=frozenset()) != STAMPS_ONLY, self._made_with()
        tasks = [
            ShardTask(
                index_version(),
                self.folder,
                self._workspace.directory,
                number,
                self._count,
                files,
                made_with,
                self._settings_there(),
                self._open_there,
                recheck,
            )
            for number, files in enumerate(shares(listing.files, self._count))
            if everywhere
            or number in again
            or number not in records
            or not is_current(records[number], files, made_with)
        ]
        # largest first, so that no large shard is built last
        return sorted(tasks, key=lambda task: sum(file.size for file in task.files), reverse=True)

    def _built(self, tasks: Sequence[ShardTask]) -> Iterator[Event]:
        done, total = 0, sum(len(task.files) for task in tasks)
        of_shard = {task.number: len(task.files) for task in tasks}
        for built in self._crew.build(tasks) if tasks else ():
            done += of_shard[built.record.number]
            yield from (Notice(text=text) for text in built.notices)
            if built.read:
                yield FileRead(done=done, total=total, files=built.read)

    def _settings_there(self) -> IndexSettings:
        """Return the settings for a worker, which reads files in a single process because other workers run on the same
        machine.
        """
        own = self._settings
        return IndexSettings(own.folder, own.reader.changed(workers=1), own.chunks, own.retrieval)

    def _made_with(self) -> str:
        settings = self._settings_there()
        parts = (settings.reader.model_dump_json(), settings.chunks.model_dump_json(), self._embedder.name)
        version = (INDEX.version, installed_version())
        return hashlib.sha256(json.dumps((*parts, *version)).encode()).hexdigest()

    def _held(self) -> RayHolders:
        return self._crew.hold(self._workspace.directory, self._files.records(self._count), self._embedder.name)

    def _listed(self) -> FolderListing:
        if self._listing is None:
            self._listing = scan(self.folder, self._settings.folder)
        return self._listing

    def _opened(self) -> _Opened:
        """Open the shards for searching; damaged shards are rebuilt first."""
        if self._open is None:
            try:
                holders = self._held()
            except DamagedDatabaseError as error:
                self._notice(f"{error.message}: rebuilding it from the files.")
                self._files.forget_damaged(self._count)
                for _ in self._built(self._tasks(STAMPS_ONLY)):
                    pass
                holders = self._held()
            databases = self._databases()
            tables = tuple(
                KeptSentences(VectorTable(database, self._embedder.name), self._embedder)
                for database in databases.values()
            )
            self._open = _Opened(self._gathered(databases), holders, tables)
        return self._open

    def _gathered(self, databases: Mapping[int, ShardDatabase]) -> GatheredCorpus:
        corpora = {number: Corpus(database) for number, database in databases.items()}
        return GatheredCorpus(corpora, self._count, self._listed().left_out)

    def _databases(self) -> dict[int, ShardDatabase]:
        """Open the finished shards."""
        records = self._files.records(self._count)
        databases = {number: ShardDatabase(self._files.path(record)) for number, record in records.items()}
        for database in databases.values():
            self._workspace.call_at_close(database.close)
        return databases

    def progress(self) -> ClusterProgress:
        """Return how many shards have been built, and which machines do not answer. Raises ClusterError."""
        finished, dead = len(self._files.records(self._count)), self._crew.dead_machines()
        return ClusterProgress(shards=self._count, finished=finished, dead=dead)

    def best_search(self) -> Search:
        return Search.WHOLE

    def without_vectors(self) -> int:
        return 0

    def prepared(self, search: Search) -> Iterator[Event]:
        yield from ()

    def embed_all(self) -> Iterator[Embedded]:
        yield from ()

    def prepare_vectors(self) -> None:
        """Do nothing, because vectors in shards are compared one by one."""

    def kept_sentences(self, texts: Sequence[str]) -> Mapping[str, Vectors]:
        vectors: dict[str, Vectors] = {}
        for table in self._opened().sentences:
            left = [text for text in texts if text not in vectors]
            vectors |= table.get(left) if left else {}
        return vectors

    def library(self, search: Search, embedder: Embedder, settings: RetrievalSettings | None = None) -> Library:
        """Return the library to search; `embedder` embeds the queries. Every vector is compared. `settings` override
        those of the index. Raises FolderError unless the search covers everything.
        """
        if search is not Search.WHOLE:
            hint = "Resume it without cluster.address, or start over with --fresh."
            raise FolderError(
                "the run was started with an index without vectors, but shards always have them", hint=hint
            )
        opened, settings = self._opened(), settings or self._settings.retrieval
        words = GatheredWords(opened.holders, opened.corpus)
        vectors = GatheredVectors(opened.holders, opened.corpus, embedder)
        return Library(opened.corpus, words, vectors, open_reranker(settings.reranker, embedder), settings)
