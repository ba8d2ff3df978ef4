"""Attacks by what lies beside the documents. To add one, write a function that plants it; its name tells what it is.

A folder `received` with one true document is attacked; `forged` is a workspace that says something else of it, as it
would look if the document did. An attack may name a workspace, which is then given with `--workspace`.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from victim import QUESTION

from investigator import Investigator, ScriptedEmbedder
from investigator.bb3.chats import open_memory
from investigator.store.locations import INSIDE

TRUE = "The harbour is 11 metres deep."
FORGED = "The harbour is 99 metres deep."
PLANTED = "99 metres"
"""Nothing that is said of the folder may hold these words."""

DOCUMENT = "harbour.txt"
PRECIOUS = b"precious\n"


@dataclass
class Scene:
    """The places of an attack: the received folder, the forged workspace, and a file that must not change."""

    root: Path
    forged: Path
    workspace: Path | None = None

    @property
    def received(self) -> Path:
        """Return the folder that is asked; its parent and `here`, the current folder, may be attacked too."""
        return self.root / "inbox" / "received"

    @property
    def here(self) -> Path:
        """Return the current folder."""
        return self.root / "here"

    @property
    def precious(self) -> Path:
        """Return a file of the victim."""
        return self.root / "precious"

    def named_workspace(self) -> Path:
        """Create a workspace of the victim outside the folder, which is named on the command line."""
        self.workspace = self.root / "named"
        self.workspace.mkdir(mode=0o700)
        return self.workspace


ATTACKS: dict[str, Callable[[Scene], None]] = {}


def attack(plant: Callable[[Scene], None]) -> Callable[[Scene], None]:
    """Add an attack to the table."""
    ATTACKS[plant.__name__] = plant
    return plant


def forge(root: Path) -> Path:
    """Create a workspace with a false text, finished run and memory, with the stamps of the true file."""
    folder, made = root / "doctored", root / "forged"
    folder.mkdir()
    (folder / DOCUMENT).write_text(FORGED, encoding="utf-8")
    investigator = Investigator(folder, workspace=made, embedder=ScriptedEmbedder())
    list(investigator.index(vectors=True))
    investigator.ask(QUESTION)
    with open_memory(investigator) as memory:
        memory.add("root", f"I know: {FORGED}")
    return made


def restamp(workspace: Path, document: Path) -> None:
    """Make the index claim that it has read the document in its current state."""
    status = document.stat()
    with closing(sqlite3.connect(workspace / "index.db")) as index, index:
        index.execute("UPDATE files SET inode = 0, size = ?, mtime_ns = ?", (status.st_size, status.st_mtime_ns))


@attack
def a_planted_workspace(scene: Scene) -> None:
    shutil.copytree(scene.forged, scene.received / INSIDE)
    restamp(scene.received / INSIDE, scene.received / DOCUMENT)


@attack
def a_link_to_a_planted_workspace(scene: Scene) -> None:
    (scene.received / INSIDE).symlink_to(scene.forged)


@attack
def junk_in_the_place_of_every_file(scene: Scene) -> None:
    for directory in (scene.received / INSIDE, scene.named_workspace()):
        directory.mkdir(exist_ok=True)
        for name in ("index.db", "index.db-wal", "writer.pid", "servers.json", "folder"):
            (directory / name).write_bytes(random.Random(7).randbytes(5000))
            (directory / name).chmod(0o600)


@attack
def an_earlier_database_with_forged_rows(scene: Scene) -> None:
    """The rows are not records of a run, so none of them is used."""
    with closing(sqlite3.connect(scene.named_workspace() / "index.db")) as old, old:
        old.execute("CREATE TABLE runs (id, identity, corpus, created, question, engine, answer_status, record)")
        old.execute("INSERT INTO runs VALUES ('1', 'i', 'c', '2026-01-01', ?, 'e', NULL, '{}')", (PLANTED,))
    assert scene.workspace is not None
    (scene.workspace / "index.db").chmod(0o600)


def _link(name: str, scene: Scene) -> None:
    (scene.named_workspace() / name).symlink_to(scene.precious)


def _pipe(name: str, scene: Scene) -> None:
    os.mkfifo(scene.named_workspace() / name)


for file in ("index.db", "runs.db", "runs.db-wal", "writer.pid", "writer.lock", "servers.json", "chroma"):
    ATTACKS[f"a_link_as_{file}"] = partial(_link, file)
for file in ("index.db", "runs.db-shm", "writer.pid", "writer.lock", "folder"):
    ATTACKS[f"a_pipe_as_{file}"] = partial(_pipe, file)


@attack
def a_pipe_as_the_workspace_of_the_folder(scene: Scene) -> None:
    os.mkfifo(scene.received / INSIDE)


@attack
def settings_of_chroma_in_every_folder(scene: Scene) -> None:
    lines = (
        "CHROMA_API_IMPL=chromadb.api.fastapi.FastAPI",
        "CHROMA_SERVER_HOST=127.0.0.1",
        "CHROMA_SERVER_HTTP_PORT=9",
        "IS_PERSISTENT=FALSE",
        "ANONYMIZED_TELEMETRY=TRUE",
        "INVESTIGATOR_CHAT__BASE_URL=http://127.0.0.1:9/v1",
    )
    for folder in (scene.received, scene.received.parent, scene.here):
        (folder / ".env").write_text("\n".join(lines), encoding="utf-8")
