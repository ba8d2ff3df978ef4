"""The index of a folder split into shards in this process, without other machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from investigator.cluster.building import BuiltShard, ShardTask, build
from investigator.cluster.shard_files import ShardFiles, ShardRecord
from investigator.documents.chunks import ChunkSettings, split
from investigator.engines.base import Embedder
from investigator.errors import ShardLostError
from investigator.records import SplitDocument
from investigator.retrieval.folder_index import embed_missing
from investigator.retrieval.shard import Reply, Shard
from investigator.store.corpus import Corpus
from investigator.store.database import Database, FileDatabase
from investigator.store.schema import INDEX
from investigator.store.vectors import VectorTable

CHUNKS = ChunkSettings(target=200)


class HeldHere:
    """Shards in this process, held by a crew or alone."""

    def __init__(self, shards: Mapping[int, Shard], crew: CrewHere | None = None) -> None:
        self.shards = shards
        self._crew = crew

    def on(self, number: int, call: Callable[[Shard], Reply]) -> Reply:
        return call(self.shards[number])

    def on_all(self, call: Callable[[Shard], Reply]) -> dict[int, Reply]:
        if self._crew is not None:
            self._crew.search()
        return {number: call(shard) for number, shard in self.shards.items()}


def copied(source: Corpus, document_ids: Sequence[str], path: Path, embedder: Embedder) -> Database:
    """Return an index with some of the documents of another index."""
    database = FileDatabase(path, INDEX)
    corpus, files = Corpus(database), {file.path: file for file in source.files()}
    for name in document_ids:
        document = source.document(name)
        corpus.put((files[name],), (SplitDocument(document=document, chunks=split(document, CHUNKS)),))
    for _ in embed_missing(corpus, VectorTable(database, embedder.name), embedder):
        pass
    return database


class CrewHere:
    """Builds and holds shards in this process. With `only_notes` it builds none. After `searches_left` searches a shard
    falls silent, and again whenever the shards are held anew if it `stays_silent`.
    """

    def __init__(self) -> None:
        self.built: list[int] = []
        self.only_notes = False
        self.noted: list[ShardTask] = []
        self.searches_left: int | None = None
        self.stays_silent = False

    def build(self, tasks: Sequence[ShardTask]) -> Iterator[BuiltShard]:
        self.noted += tasks
        for task in () if self.only_notes else tasks:
            self.built.append(task.number)
            yield build(task)

    def hold(self, workspace: Path, records: Mapping[int, ShardRecord], embedder: str) -> HeldHere:
        files = ShardFiles(workspace)
        return HeldHere({n: Shard(files.open(record), embedder) for n, record in sorted(records.items())}, self)

    def search(self) -> None:
        if self.searches_left is not None:
            self.searches_left -= 1
            if self.searches_left < 0:
                self.searches_left = 0 if self.stays_silent else None
                raise ShardLostError("it fell silent")

    def dead_machines(self) -> tuple[str, ...]:
        return ()
