"""A collection on a Chroma server is used if unchanged, else rebuilt; without a server, the search works without it."""

import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from chroma_server import RunningChroma

from investigator import Investigator, ScriptedEmbedder
from investigator.errors import SettingsError
from investigator.records import Chunk, Document, FileRecord, FileStatus, SplitDocument
from investigator.settings import load_settings
from investigator.store.chroma import ChromaIndex
from investigator.store.corpus import Corpus
from investigator.store.database import FileDatabase
from investigator.store.schema import INDEX
from investigator.store.vectors import ExactIndex, VectorTable

COUNT = 60


@pytest.fixture(scope="module")
def server() -> Iterator[RunningChroma]:
    running = RunningChroma()
    yield running
    running.close()


class Stage:
    """A workspace with vectors, and the results of Chroma on a server for it."""

    def __init__(self, directory: Path, server: RunningChroma) -> None:
        self.database = FileDatabase(directory / "index.db", INDEX)
        self.table = VectorTable(self.database, "test")
        self.notices: list[str] = []
        self.server = server
        self.directory = directory

    def put(self, name: str, count: int = COUNT) -> None:
        """Add a document with the given number of chunks and their vectors."""
        document = Document(id=name, title=name, media_type="text/plain", content_hash=name, text="a " * count)
        chunks = tuple(Chunk(document_id=name, start=2 * i, end=2 * i + 1) for i in range(count))
        file = FileRecord(path=name, content_hash=name, status=FileStatus.INDEXED)
        corpus = Corpus(self.database)
        corpus.put([file], [SplitDocument(document=document, chunks=chunks)])
        made = np.random.default_rng(len(name) + count).standard_normal((count, 16))
        self.table.put(list(corpus.chunks_of(name)), (made / np.linalg.norm(made, axis=1, keepdims=True)).astype("<f4"))

    def index(self, table: VectorTable | None = None) -> ChromaIndex:
        """Open the collection, as another command would."""
        return ChromaIndex(self.directory / "chroma", self.server.address, table or self.table, self.notices.append)

    def agrees(self, index: ChromaIndex) -> bool:
        """Return True if the search finds the same as comparing every vector."""
        queries = np.random.default_rng(5).standard_normal((4, 16)).astype("<f4")
        queries /= np.linalg.norm(queries, axis=1, keepdims=True)
        exact = ExactIndex(self.table)
        return all(index.nearest(query, 8) == exact.nearest(query, 8) for query in queries)

    def held(self) -> dict[str, int]:
        """Return the collections on the server and their sizes."""
        return {entry.name: entry.count() for entry in self.server.client().list_collections()}


@pytest.fixture
def stage(tmp_path: Path, server: RunningChroma) -> Iterator[Stage]:
    client = server.client()
    for collection in client.list_collections():
        client.delete_collection(collection.name)
    made = Stage(tmp_path, server)
    made.put("a.txt")
    yield made
    made.database.close()


def test_vectors_are_sent_once_and_found_as_by_comparing_every_one(stage: Stage) -> None:
    first = stage.index()
    assert stage.agrees(first)
    first.close()
    assert list(stage.held().values()) == [COUNT]
    (collection,) = stage.server.client().list_collections()
    assert collection.name.startswith("investigator-")
    kept = collection.get(include=["documents", "metadatas"])
    assert set(kept["documents"] or [None]) == set(kept["metadatas"] or [None]) == {None}  # nothing of the texts
    stage.put("b.txt", 7)
    Corpus(stage.database).drop("a.txt")
    second = stage.index()
    assert stage.agrees(second)
    second.close()
    assert list(stage.held().values()) == [7]
    third = stage.index()
    assert stage.agrees(third)
    third.close()
    assert stage.notices == []


def test_a_collection_that_is_missing_is_made_anew(stage: Stage) -> None:
    stage.index().close()
    (name,) = stage.held()
    stage.server.client().delete_collection(name)
    again = stage.index()
    assert stage.agrees(again)
    again.close()
    assert stage.held() == {name: COUNT}
    assert [notice for notice in stage.notices if "its collection is missing" in notice and "rebuilt" in notice]


def test_a_collection_that_was_brought_back_from_a_copy_is_made_anew(stage: Stage, tmp_path: Path) -> None:
    stage.index().close()
    stage.server.stop()
    shutil.copytree(stage.server.data, tmp_path / "copy")
    stage.server.start()
    stage.put("b.txt")
    Corpus(stage.database).drop("a.txt")  # as many vectors as before, and none of them the same
    stage.index().close()
    assert stage.notices == []
    stage.server.stop()
    shutil.rmtree(stage.server.data)
    shutil.copytree(tmp_path / "copy", stage.server.data)
    stage.server.start()
    again = stage.index()
    assert stage.agrees(again)
    again.close()
    assert ["was changed or replaced" in notice for notice in stage.notices] == [True]


def test_a_server_that_is_away_costs_no_hit_and_no_building_when_it_is_back(stage: Stage) -> None:
    opened = stage.index()
    stage.server.stop()
    assert stage.agrees(opened)  # it goes away in the middle
    opened.close()
    assert stage.agrees(stage.index())
    assert len(stage.notices) == 2
    assert all("every vector is compared instead" in notice for notice in stage.notices)
    assert stage.server.address in stage.notices[0]
    stage.put("b.txt", 3)
    stage.server.start()
    back = stage.index()
    assert stage.agrees(back)
    back.close()
    assert list(stage.held().values()) == [COUNT + 3]
    assert len(stage.notices) == 2


def test_an_upload_that_was_stopped_goes_on_where_it_was(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("investigator.store.chroma._BATCH", 20)
    stage.index().close()
    stage.put("b.txt")

    class Stopped(VectorTable):
        def mark_in_chroma(self, chunk_ids: Sequence[int]) -> None:
            if self.count(in_chroma=False) <= 40:
                raise KeyboardInterrupt
            super().mark_in_chroma(chunk_ids)

    with pytest.raises(KeyboardInterrupt):
        stage.index(Stopped(stage.database, "test"))
    assert stage.table.count(in_chroma=False) == 40
    again = stage.index()
    assert stage.agrees(again)
    again.close()
    assert list(stage.held().values()) == [2 * COUNT]
    assert stage.notices == []


def test_the_address_is_a_setting_that_no_run_keeps(
    tmp_path: Path, server: RunningChroma, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("investigator.retrieval.folder_index.EXACT_UP_TO", 0)
    with pytest.raises(SettingsError, match="http://HOST:PORT"):
        load_settings(overrides=["retrieval.chroma=localhost:8000"])
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.txt").write_text("The harbour is 11 metres deep.", encoding="utf-8")
    address = server.address.replace("//", "//ann:hunter2hunter2@")
    settings = load_settings(overrides=[f"retrieval.chroma={address}"])
    made = Investigator(tmp_path / "papers", workspace=tmp_path / "w", settings=settings, embedder=ScriptedEmbedder())
    made.ask("How deep is the harbour?")
    assert any(entry.count() == 1 for entry in server.client().list_collections())
    assert not (tmp_path / "w" / "chroma").exists()
    for database in ("runs.db", "index.db"):
        with closing(sqlite3.connect(tmp_path / "w" / database)) as connection:
            assert "hunter2" not in "".join(connection.iterdump())
