"""The index of a folder split into shards in this process, without other machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from investigator.cluster.building import BuiltShard, ShardTask, build
from investigator.cluster.shard_files import ShardFiles, ShardRecord
from investigator.documents.chunks import ChunkSettings, split
from investigator.engines.base import Embedder
from investigator.errors import InvestigatorError, ShardLostError
from investigator.records import SplitDocument
from investigator.retrieval.folder_index import embed_missing
from investigator.retrieval.shard import Reply, Shard
from investigator.store.corpus import Corpus
from investigator.store.database import Database, FileDatabase
from investigator.store.schema import INDEX
from investigator.store.vectors import VectorTable

CHUNKS = ChunkSettings(target=200, maximum=300)


class HeldHere:
    """Shards in this process; `asked` are the numbers of those that were asked individually."""

    def __init__(self, shards: Mapping[int, Shard]) -> None:
        self.shards = shards
        self.asked: list[int] = []

    @property
    def numbers(self) -> Sequence[int]:
        return tuple(self.shards)

    def on(self, number: int, call: Callable[[Shard], Reply]) -> Reply:
        self.asked.append(number)
        return call(self.shards[number])

    def on_all(self, call: Callable[[Shard], Reply]) -> dict[int, Reply]:
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
    """Builds and holds shards in this process; those in `away` cannot be searched. With `only_notes` it builds none."""

    def __init__(self) -> None:
        self.away: set[int] = set()
        self.built: list[int] = []
        self.only_notes = False
        self.noted: list[ShardTask] = []
        self.falls_silent_after: int | None = None

    def build(self, tasks: Sequence[ShardTask]) -> Iterator[BuiltShard]:
        self.noted += tasks
        for task in () if self.only_notes else tasks:
            self.built.append(task.number)
            yield build(task)

    def hold(self, workspace: Path, records: Mapping[int, ShardRecord], embedder: str) -> HeldHere:
        shards: dict[int, Shard] = {}
        lost: dict[int, InvestigatorError] = {number: ShardLostError("it is away") for number in self.away}
        for number in records.keys() - self.away:
            try:
                shards[number] = Shard(ShardFiles(workspace).open(records[number]), embedder)
            except InvestigatorError as error:
                lost[number] = error
        return _Silenced(dict(sorted(shards.items())), self, lost)

    def dead_machines(self) -> tuple[str, ...]:
        return ()


class _Silenced(HeldHere):
    """Shards of which the last one stops replying after a given number of searches."""

    def __init__(self, shards: Mapping[int, Shard], crew: CrewHere, lost: Mapping[int, InvestigatorError]) -> None:
        super().__init__(shards)
        self._crew = crew
        self.lost = lost

    def on_all(self, call: Callable[[Shard], Reply]) -> dict[int, Reply]:
        if self._crew.falls_silent_after is not None:
            self._crew.falls_silent_after -= 1
            if self._crew.falls_silent_after < 0:
                self._crew.falls_silent_after = None
                self._crew.away = {max(self.shards)}
                raise ShardLostError("it fell silent")
        return super().on_all(call)
