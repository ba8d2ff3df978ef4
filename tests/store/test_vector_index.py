"""The nearest vectors are exact, also from Chroma, and nothing in Chroma's files is believed or run."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from investigator.engines.base import Vectors
from investigator.errors import ForeignFileError
from investigator.records import Chunk, Document, FileRecord, FileStatus, SplitDocument
from investigator.retrieval.folder_index import open_vectors
from investigator.retrieval.retrieval_settings import RetrievalSettings
from investigator.store.chroma import ChromaIndex
from investigator.store.corpus import Corpus
from investigator.store.database import Database, FileDatabase
from investigator.store.schema import INDEX
from investigator.store.vectors import ExactIndex, VectorTable
from investigator.store.workspace import Workspace

ROOT = Path(__file__).parents[2]
CHUNKS, DIMENSIONS = 1_100, 32  # Chroma writes its native files from a thousand vectors on
HOOK = """
import sys

def noted(event, about):
    words = " ".join(str(part) for part in about[:3])
    if event.startswith("socket.") and "AF_UNIX" not in words and event != "socket.__new__":
        note(event, words)
    elif event == "import" and about[0].partition(".")[0] in ("sentence_transformers", "evil"):
        note(event, words)
    elif event in ("open", "exec") and PLANTED in words:
        note(event, words)

def note(event, words):
    with open(LOG, "a", encoding="utf-8") as log:
        log.write(event + " " + words[:200] + "\\n")

sys.addaudithook(noted)
"""
SEARCHING = """
import sys
from pathlib import Path
import test_vector_index as t
hits, notices = t.searched(Path(sys.argv[1]))
print(t.json.dumps([hits, notices]))
"""


def rows(seed: int = 3, count: int = CHUNKS) -> Vectors:
    made = np.random.default_rng(seed).standard_normal((count, DIMENSIONS))
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)


def filled(directory: Path, vectors: Vectors) -> Database:
    """A workspace whose documents have a hundred chunks each."""
    directory.mkdir(exist_ok=True)
    database = FileDatabase(directory / "index.db", INDEX)
    corpus, table = Corpus(database), VectorTable(database, "test")
    for start in range(0, len(vectors), 100):
        part, name = vectors[start : start + 100], f"{start:05}.txt"
        document = Document(id=name, title=name, media_type="text/plain", content_hash=name, text="a " * len(part))
        chunks = tuple(Chunk(document_id=name, start=2 * i, end=2 * i + 1) for i in range(len(part)))
        file = FileRecord(path=name, content_hash=name, status=FileStatus.INDEXED)
        corpus.put([file], [SplitDocument(document=document, chunks=chunks)])
        table.put(list(corpus.chunks_of(name)), part)
    return database


def searched(directory: Path) -> tuple[list[list[int]], list[str]]:
    """Return the results of Chroma in a workspace, and the messages about it."""
    database, notices = FileDatabase(directory / "index.db", INDEX), []
    index = ChromaIndex(directory / "chroma", "", VectorTable(database, "test"), notices.append)
    hits = [[match.chunk_id for match in index.nearest(vector, 10)] for vector in rows(5, 5)]
    index.close()
    database.close()
    return hits, notices


def searched_elsewhere(directory: Path, folder: Path, **variables: str) -> tuple[list[list[int]], list[str]]:
    """Return the same from a separate process in a folder."""
    places = os.pathsep.join([str(folder), str(ROOT), str(Path(__file__).parent)])
    done = subprocess.run(
        [sys.executable, "-c", SEARCHING, str(directory)],
        cwd=folder,
        env={**os.environ, **variables, "PYTHONPATH": places},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    hits, notices = json.loads(done.stdout)
    return hits, notices


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with vectors and a clean vector index."""
    directory = tmp_path_factory.mktemp("indexed")
    filled(directory, rows()).close()
    return directory


@pytest.fixture(scope="module")
def expected(workspace: Path) -> list[list[int]]:
    """The results of a search in it."""
    matches, notices = searched(workspace)
    assert notices == []
    return matches


@pytest.fixture
def copied(workspace: Path, expected: list[list[int]], tmp_path: Path) -> Path:
    return Path(shutil.copytree(workspace, tmp_path / "workspace"))


def test_comparing_every_vector_finds_what_chroma_finds_in_the_same_order(workspace: Path) -> None:
    database = FileDatabase(workspace / "index.db", INDEX)
    index = ExactIndex(VectorTable(database, "test"))
    exact = [[match.chunk_id for match in index.nearest(vector, 10)] for vector in rows(5, 5)]
    assert searched(workspace) == (exact, [])
    near = rows() @ rows(5, 1)[0]
    assert exact[0] == (np.argsort(-near, kind="stable")[:10] + 1).tolist()


def test_equally_near_chunks_come_in_the_order_of_their_documents(tmp_path: Path) -> None:
    vectors = np.repeat(rows(3, 1), 350, axis=0)
    vectors[7] = rows(4, 1)[0]
    database = filled(tmp_path, vectors)
    corpus = Corpus(database)
    corpus.rename("00000.txt", FileRecord(path="99999.txt", content_hash="00000.txt", status=FileStatus.INDEXED))
    matches = ExactIndex(VectorTable(database, "test")).nearest(vectors[0], 345)
    names = ["00100.txt"] * 100 + ["00200.txt"] * 100 + ["00300.txt"] * 50 + ["99999.txt"] * 95
    assert [match.document_id for match in matches] == names
    assert len({match.similarity for match in matches}) == 1


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: raw[:-1],
        lambda raw: np.float32(np.inf).tobytes() + raw[4:],
        lambda raw: np.float32(np.nan).tobytes() + raw[4:],
        lambda raw: raw[:3] + bytes([raw[3] ^ 0x40]) + raw[4:],
        lambda raw: bytes(len(raw)),
    ],
    ids=["cut", "infinite", "no number", "exponent", "zeros"],
)
def test_a_damaged_vector_is_computed_again_and_never_believed(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    vectors = rows(3, 300)
    database = filled(tmp_path, vectors)
    remade: list[int] = []

    def remake(chunk_ids: Sequence[int]) -> dict[int, Vectors]:
        remade.extend(chunk_ids)
        return {i: vectors[i - 1] for i in chunk_ids}

    with sqlite3.connect(tmp_path / "index.db") as connection:
        (raw,) = connection.execute("SELECT vector FROM vectors WHERE chunk_id = 42").fetchone()
        connection.execute("UPDATE vectors SET vector = ? WHERE chunk_id = 42", (damage(raw),))
    table = VectorTable(database, "test", remake)
    (first,) = ExactIndex(table).nearest(vectors[41], 1)
    assert (first.chunk_id, first.similarity) == (42, pytest.approx(1.0))
    assert remade == [42]
    assert table.get([42])[42].tobytes() == raw
    assert remade == [42]


def test_a_damaged_vector_that_nobody_computes_again_is_missing(tmp_path: Path) -> None:
    database = filled(tmp_path, rows(3, 10))
    with sqlite3.connect(tmp_path / "index.db") as connection:
        connection.execute("UPDATE vectors SET vector = zeroblob(5) WHERE chunk_id = 4")
    table = VectorTable(database, "test")
    assert 4 not in table.get(range(1, 11))
    assert table.missing() == {"00000.txt": (4,)}


def test_native_files_that_were_written_to_cost_a_rebuild_and_no_hit(copied: Path, expected: list[list[int]]) -> None:
    """A write is noticed by the time of its file; bytes of a bad disk, which leaves the time, are not searched for."""
    for file in (copied / "chroma").rglob("*.bin"):
        file.write_bytes(bytes(byte ^ 0xFF for byte in file.read_bytes()))
    matches, notices = searched(copied)
    assert matches == expected
    assert len(notices) == 1
    assert "is being rebuilt" in notices[0]
    assert searched(copied) == (expected, [])


def test_files_of_a_killed_process_are_never_opened(copied: Path, expected: list[list[int]]) -> None:
    database = FileDatabase(copied / "index.db", INDEX)
    ChromaIndex(copied / "chroma", "", VectorTable(database, "test"), pytest.fail).nearest(rows(5, 1)[0], 1)
    database.close()  # and Chroma is not closed
    matches, notices = searched(copied)
    assert matches == expected
    assert ["was not closed" in notice for notice in notices] == [True]
    assert searched(copied) == (expected, [])


def test_a_write_that_was_stopped_goes_on_at_the_next_opening(copied: Path, expected: list[list[int]]) -> None:
    database = FileDatabase(copied / "index.db", INDEX)
    with sqlite3.connect(copied / "index.db") as connection:
        connection.execute("UPDATE vectors SET in_chroma = 0 WHERE chunk_id > 1000")

    class Stopped(VectorTable):
        def mark_in_chroma(self, chunk_ids: Sequence[int]) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ChromaIndex(copied / "chroma", "", Stopped(database, "test"), pytest.fail)
    database.close()
    assert searched(copied) == (expected, [])


def test_few_new_vectors_are_added_without_building_anything_again(copied: Path) -> None:
    database = FileDatabase(copied / "index.db", INDEX)
    table = VectorTable(database, "test")
    Corpus(database).drop("00100.txt")
    index = ChromaIndex(copied / "chroma", "", table, pytest.fail)
    assert table.count(in_chroma=False) == len(table.gone()) == 0
    assert index.nearest(rows()[100], 1)[0].chunk_id != 101
    table.put([7], rows(9, 1))
    assert table.count(in_chroma=False) == 1
    index.close()
    index = ChromaIndex(copied / "chroma", "", table, pytest.fail)
    assert index.nearest(rows(9, 1)[0], 1)[0].chunk_id == 7
    index.close()
    assert searched(copied)[1] == []


def test_a_process_that_may_not_write_leaves_chroma_alone(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("investigator.retrieval.folder_index.EXACT_UP_TO", 0)
    settings = RetrievalSettings()
    kinds = []
    for write in (True, False):
        with Workspace(workspace, write=write) as opened:
            kinds.append(type(open_vectors(opened, VectorTable(opened.index, "test"), settings, pytest.fail)))
    assert kinds == [ChromaIndex, ExactIndex]


def test_a_question_does_not_wait_until_files_are_rebuilt(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("investigator.retrieval.folder_index.EXACT_UP_TO", 0)
    (file, *_) = (copied / "chroma").rglob("*.bin")
    os.utime(file)
    notices: list[str] = []
    for rebuild in (False, True):
        with Workspace(copied, write=True) as opened:
            table = VectorTable(opened.index, "test")
            index = open_vectors(opened, table, RetrievalSettings(), notices.append, rebuild=rebuild)
            assert index.nearest(rows(5, 1)[0], 10) == ExactIndex(table).nearest(rows(5, 1)[0], 10)
        assert file.exists() is not rebuild
    assert "every vector is compared instead" in notices[0]
    assert "index --vectors" in notices[0]
    assert "rebuilt" in notices[1]
    assert len(notices) == 2
    assert searched(copied)[1] == []


def test_a_folder_that_needs_no_chroma_keeps_no_vectors_there(copied: Path) -> None:
    with Workspace(copied, write=True) as opened:
        table = VectorTable(opened.index, "test")
        open_vectors(opened, table, RetrievalSettings(), pytest.fail)
        assert not (copied / "chroma").exists()
        assert table.count(in_chroma=True) == 0
    assert searched(copied)[1] == []


def test_a_file_in_the_place_of_the_vector_index_is_an_error_that_leaves_it(copied: Path) -> None:
    shutil.rmtree(copied / "chroma")
    (copied / "chroma").write_text("mine")
    with pytest.raises(ForeignFileError, match="not a folder"):
        searched(copied)
    assert (copied / "chroma").read_text() == "mine"


def test_a_link_in_the_place_of_the_vector_index_is_not_followed(copied: Path, tmp_path: Path) -> None:
    (copied / "chroma").rename(tmp_path / "theirs")
    (copied / "chroma").symlink_to(tmp_path / "theirs")
    before = sorted(path.name for path in (tmp_path / "theirs").rglob("*"))
    with pytest.raises(ForeignFileError, match="a link"):
        searched(copied)
    assert sorted(path.name for path in (tmp_path / "theirs").rglob("*")) == before


def plant(directory: Path, folder: Path) -> None:
    """Make the stored collection name a model in the folder whose code is to be trusted."""
    (folder / "evil.py").write_text("raise SystemExit('their code runs')\n", encoding="utf-8")
    (folder / "modules.json").write_text('[{"idx": 0, "name": "0", "path": "", "type": "evil.Evil"}]', encoding="utf-8")
    config = {"model_name": str(folder), "device": "cpu", "normalize_embeddings": False}
    config["kwargs"] = {"trust_remote_code": True}
    function = {"type": "known", "name": "sentence_transformer", "config": config}
    planted_file = directory / "chroma" / "chroma.sqlite3"
    stamp = planted_file.stat()
    with sqlite3.connect(planted_file) as connection:
        (schema,) = connection.execute("SELECT schema_str FROM collections").fetchone()
        planted = json.loads(schema)
        for part in (planted["defaults"], *planted["keys"].values()):
            if "vector_index" in part.get("float_list", {}):
                part["float_list"]["vector_index"]["config"]["embedding_function"] = function
        stored = json.dumps({"hnsw": {"space": "cosine"}, "embedding_function": function})
        connection.execute("UPDATE collections SET config_json_str = ?, schema_str = ?", (stored, json.dumps(planted)))
    os.utime(planted_file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # otherwise the file would not be opened
    assert planted_file.stat().st_size == stamp.st_size


def test_an_embedding_function_in_a_planted_collection_is_never_built(
    copied: Path, expected: list[list[int]], tmp_path: Path
) -> None:
    folder, log = tmp_path / "received", tmp_path / "log"
    folder.mkdir()
    plant(copied, folder)
    with sqlite3.connect(copied / "index.db") as connection:
        connection.execute("UPDATE vectors SET in_chroma = 0 WHERE chunk_id > 1000")  # something to write
    hook = f"PLANTED, LOG = {str(folder)!r}, {str(log)!r}\n{HOOK}"
    (tmp_path / "sitecustomize.py").write_text(hook, encoding="utf-8")
    hits, notices = searched_elsewhere(copied, tmp_path)
    assert hits == expected
    assert notices == []
    assert not log.exists(), log.read_text(encoding="utf-8")


def test_neither_a_file_nor_a_variable_changes_the_settings_of_chroma(
    copied: Path, tmp_path: Path, expected: list[list[int]]
) -> None:
    with sqlite3.connect(copied / "index.db") as connection:
        connection.execute("UPDATE vectors SET in_chroma = 0 WHERE chunk_id > 1000")
    folder, log = tmp_path / "outer" / "inner", tmp_path / "log"
    folder.mkdir(parents=True)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        theirs = {
            "CHROMA_API_IMPL": "chromadb.api.fastapi.FastAPI",
            "CHROMA_SERVER_HOST": "127.0.0.1",
            "CHROMA_SERVER_HTTP_PORT": str(server.getsockname()[1]),
            "CHROMA_OTEL_COLLECTION_ENDPOINT": f"http://127.0.0.1:{server.getsockname()[1]}",
            "CHROMA_OTEL_GRANULARITY": "all",
            "ANONYMIZED_TELEMETRY": "True",
            "MIGRATIONS": "no such kind",
        }
        for place in (folder, folder.parent, copied):
            (place / ".env").write_text(
                "".join(f"{name}={value}\n" for name, value in theirs.items()), encoding="utf-8"
            )
        (folder / "sitecustomize.py").write_text(f"PLANTED, LOG = '?', {str(log)!r}\n{HOOK}", encoding="utf-8")
        hits, notices = searched_elsewhere(copied, folder, **theirs)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert hits == expected
    assert notices == []
    assert not log.exists(), log.read_text(encoding="utf-8")
