"""A folder that changes at random while its index is built and killed: `python soak.py ROUNDS [SEED]`. After the last
round the index must equal a new one. Prints the number of killed rounds.
"""

import hashlib
import json
import os
import random
import signal
import sqlite3
import sys
import tempfile
import zipfile
from pathlib import Path

from forked import ForkServer

from investigator import Investigator, ScriptedEmbedder
from investigator.retrieval import folder_index
from investigator.store.chroma import ChromaIndex
from investigator.store.database import FileDatabase
from investigator.store.schema import INDEX
from investigator.store.vectors import VectorTable

ROOT = Path(__file__).parents[2]
WORDS = [
    "river",
    "mill",
    "harvest",
    "grain",
    "flood",
    "bridge",
    "winter",
    "council",
    "toll",
    "ledger",
    "ferry",
    "orchard",
]


def change(root: Path, chance: random.Random) -> None:
    """Make one random change in a folder."""
    files = sorted(path for path in root.rglob("*") if path.is_file())
    act = chance.choice((_add, _add, _rewrite, _rewrite_unseen, _touch, _delete, _rename, _swap, _break))
    if not files or (len(files) < 6 and act is _delete):
        act = _add
    act(root, files, chance)


def main(folder: str, workspace: str, options: str) -> None:
    """Bring the index up to date: with "v" its vectors, with "c" after a check of its whole contents."""
    folder_index.EXACT_UP_TO = 0  # always Chroma
    made = Investigator(folder, workspace=workspace, embedder=ScriptedEmbedder())
    for _ in made.index(vectors="v" in options, verify="c" in options):
        pass


def index(server: ForkServer, folder: Path, workspace: Path, options: str, kill_after: float | None = None) -> bool:
    """Bring the index up to date in a separate process; return True if the process was killed."""
    ended = server.run((str(folder), str(workspace), options), workspace.with_suffix(".out"), kill_after)
    assert ended.code in (0, -signal.SIGKILL), ended.complaints
    return ended.code != 0


def contents(workspace: Path) -> dict[str, list[object]]:
    """Return the whole contents of an index, without the ids that depend on the order of events."""
    import chromadb  # only the last process looks into Chroma
    from chromadb.config import Settings

    with sqlite3.connect(workspace / "index.db") as connection:
        held = {
            "files": "SELECT path, size, content_hash, status, reason, pages, characters, chunks, inside FROM files",
            "documents": "SELECT id, checksum, card, text FROM documents",
            "cards": "SELECT document_id, words FROM card_words",
            "chunks": "SELECT document_id, start, end, page, heading, words, vector, in_chroma FROM chunks c "
            "LEFT JOIN chunk_words w ON w.rowid = c.id LEFT JOIN vectors v ON v.chunk_id = c.id",
            "orphans": "SELECT rowid FROM chunk_words WHERE rowid NOT IN (SELECT id FROM chunks) "
            "UNION ALL SELECT chunk_id FROM vectors WHERE chunk_id NOT IN (SELECT id FROM chunks) "
            "UNION ALL SELECT chunk_id FROM gone_chunks",
        }
        stored = {name: sorted(map(repr, connection.execute(query))) for name, query in held.items()}
        places = {str(row[0]): row[1:] for row in connection.execute("SELECT id, document_id, start FROM chunks")}
    notices: list[str] = []
    database = FileDatabase(workspace / "index.db", INDEX)
    ChromaIndex(workspace / "chroma", "", VectorTable(database, ScriptedEmbedder().name), notices.append).close()
    database.close()
    client = chromadb.PersistentClient(str(workspace / "chroma"), Settings(anonymized_telemetry=False))
    (collection,) = client.list_collections()
    kept = collection.get(include=["embeddings"])
    rows = zip(kept["ids"], kept["embeddings"], strict=True)
    digests = ((places[i], hashlib.sha256(v.astype("<f4").tobytes()).hexdigest()) for i, v in rows)
    return {**stored, "chroma": sorted(map(repr, digests)), "notices": list(notices)}


def soak(rounds: int, seed: int, directory: Path) -> int:
    """Change, index and kill, and compare at the end; return the number of killed rounds."""
    server = ForkServer("journeys", "soak", {**os.environ, "HF_HUB_OFFLINE": "1"})
    try:
        return _soak(server, rounds, random.Random(seed), directory)
    finally:
        server.close()


def _soak(server: ForkServer, rounds: int, chance: random.Random, directory: Path) -> int:
    folder, workspace = directory / "folder", directory / "workspace"
    folder.mkdir()
    for _ in range(8):
        _add(folder, [], chance)
    killed = 0
    for _ in range(rounds):
        for _ in range(chance.randint(1, 4)):
            change(folder, chance)
        kill_after = chance.uniform(0.0, 1.2) if chance.random() < 0.6 else None
        killed += index(server, folder, workspace, chance.choice(("", "v", "v", "c")), kill_after)
    index(server, folder, workspace, "vc")
    index(server, folder, directory / "fresh", "v")
    old, fresh = contents(workspace), contents(directory / "fresh")
    for name, rows in fresh.items():
        lost, gained = set(map(str, rows)) - set(map(str, old[name])), set(map(str, old[name])) - set(map(str, rows))
        assert old[name] == rows, f"{name}: lost {sorted(lost)[:3]}, gained {sorted(gained)[:3]}"[:3000]
    assert fresh["chunks"]
    assert len(fresh["chroma"]) == len(fresh["chunks"])
    return killed


def _prose(chance: random.Random, sentences: int = 40) -> str:
    return " ".join(
        f"The {chance.choice(WORDS)} of {chance.randint(1700, 1999)} met the {chance.choice(WORDS)}."
        for _ in range(chance.randint(1, sentences))
    )


def _add(root: Path, files: list[Path], chance: random.Random) -> None:
    folder = root / chance.choice(("", "deep", "deep/er"))
    folder.mkdir(parents=True, exist_ok=True)
    name = folder / f"{chance.choice(WORDS)} {chance.randint(0, 10**6)}"
    kind = chance.choice((".txt", ".md", ".csv", ".zip", ".json"))
    path = name.with_suffix(kind)
    if kind == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            for number in range(chance.randint(1, 3)):
                archive.writestr(f"inner/{number}.txt", _prose(chance))
    elif kind == ".csv":
        path.write_text("year,harvest\n" + "\n".join(f"{year},{chance.randint(1, 99)}" for year in range(1900, 1920)))
    elif kind == ".json":
        path.write_text(json.dumps({"title": chance.choice(WORDS), "text": _prose(chance)}))
    else:
        path.write_text(("# Notes\n\n" if kind == ".md" else "") + _prose(chance))


def _rewrite(root: Path, files: list[Path], chance: random.Random) -> None:
    chance.choice(files).write_text(_prose(chance))


def _rewrite_unseen(root: Path, files: list[Path], chance: random.Random) -> None:
    """Write other bytes with the same size and time."""
    path = chance.choice(files)
    stamp = path.stat()
    path.write_bytes((_prose(chance, 200).encode() * (stamp.st_size // 20 + 1))[: stamp.st_size])
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))


def _touch(root: Path, files: list[Path], chance: random.Random) -> None:
    chance.choice(files).touch()


def _delete(root: Path, files: list[Path], chance: random.Random) -> None:
    chance.choice(files).unlink()


def _rename(root: Path, files: list[Path], chance: random.Random) -> None:
    path = chance.choice(files)
    path.rename(root / f"{chance.choice(WORDS)} moved {chance.randint(0, 10**6)}{path.suffix}")


def _swap(root: Path, files: list[Path], chance: random.Random) -> None:
    first, second = chance.choice(files), chance.choice(files)
    if first != second:
        aside = first.with_name(".aside")
        first.rename(aside)
        second.rename(first)
        aside.rename(second)


def _break(root: Path, files: list[Path], chance: random.Random) -> None:
    chance.choice(files).write_bytes(chance.randbytes(300))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory() as place:
        rounds = int(sys.argv[1])
        killed = soak(rounds, int((sys.argv[2:] or ["1"])[0]), Path(place))
        sys.stdout.write(f"{killed} of {rounds} rounds were killed; the index equals a fresh one\n")
