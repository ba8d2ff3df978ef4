"""Whatever lies beside the documents: nothing of it runs, connects, hangs, is believed, or changes a file outside.

The oracle is an audit hook in every process (`audit/sitecustomize.py`), the bytes of all files before and after, and
the words of everything that is said. Attacks are in `attacks.py`.
"""

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from attacks import ATTACKS, DOCUMENT, PLANTED, PRECIOUS, TRUE, Scene, forge

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and pipes need rights that Windows users lack")

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]


@dataclass(frozen=True)
class Outcome:
    """What came of an attack: what was said, what the audit hook saw, and everything outside before and after."""

    workspace: Path | None
    said: str
    seen: str
    before: list[tuple[str, int, bytes]]
    after: list[tuple[str, int, bytes]]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """All attacks, in one process: to start one for each takes most of a minute."""
    forged = forge(tmp_path_factory.mktemp("sender"))
    scenes = {name: _planted(name, tmp_path_factory.mktemp("scene"), forged) for name in ATTACKS}
    before = {name: list(_outside(scene)) for name, scene in scenes.items()}
    said = _said_of(list(scenes.values()))
    logs = {name: scene.root / "audit.log" for name, scene in scenes.items()}
    return {
        name: Outcome(
            scene.workspace,
            said[number] if number < len(said) else "it was not reached, or did not end",
            logs[name].read_text(encoding="utf-8") if logs[name].exists() else "",
            before[name],
            list(_outside(scene)),
        )
        for number, (name, scene) in enumerate(scenes.items())
    }


def _planted(name: str, root: Path, forged: Path) -> Scene:
    scene = Scene(root, root / "forged")
    shutil.copytree(forged, scene.forged)
    for folder in (scene.received, scene.here, root / "data", root / "tmp", root / "home"):
        folder.mkdir(parents=True)
    (scene.received / DOCUMENT).write_text(TRUE, encoding="utf-8")
    scene.precious.write_bytes(PRECIOUS)
    ATTACKS[name](scene)
    return scene


def _outside(scene: Scene) -> Iterator[tuple[str, int, bytes]]:
    """Everything but the places in which files may change: path, kind and permissions, content."""
    own = {scene.root / "data", scene.root / "tmp", scene.workspace, scene.root / "audit.log"}
    for path in sorted(scene.root.rglob("*")):
        if own.isdisjoint({path, *path.parents}) or path.is_relative_to(scene.received):
            status = path.lstat()
            content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
            yield str(path), status.st_mode, content


def _said_of(scenes: list[Scene]) -> list[str]:
    """Have the victim do what users do; return what it said of each scene, as far as it came."""
    played = [
        {
            "arguments": [str(scene.received), str(scene.workspace) if scene.workspace is not None else None],
            "environment": _environment(scene),
            "here": str(scene.here),
        }
        for scene in scenes
    ]
    environment = {"PATH": os.environ.get("PATH", ""), **_environment(scenes[0])}
    words = [sys.executable, str(HERE / "victim.py")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            out, _ = process.communicate(json.dumps(played), timeout=220)
        except subprocess.TimeoutExpired:
            process.kill()
            out, _ = process.communicate()
    return [json.loads(line) for line in out.splitlines()]


def _environment(scene: Scene) -> dict[str, str]:
    own = [scene.root / "data", scene.root / "tmp", scene.root / "audit.log"]
    if scene.workspace is not None and not scene.workspace.is_relative_to(scene.received):
        own.append(scene.workspace)
    return {
        "HOME": str(scene.root / "home"),
        "TMPDIR": str(scene.root / "tmp"),
        "XDG_DATA_HOME": str(scene.root / "data"),
        "HF_HUB_OFFLINE": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(map(str, (HERE / "audit", REPOSITORY))),
        "AUDIT_LOG": str(scene.root / "audit.log"),
        "AUDIT_MAY_WRITE": os.pathsep.join(map(str, own)),
        "AUDIT_HOSTILE": os.pathsep.join(map(str, (scene.root / "inbox", scene.here, scene.forged))),
    }


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_of_it_runs_or_is_believed(outcomes: dict[str, Outcome], name: str) -> None:
    outcome = outcomes[name]
    assert outcome.seen == ""
    assert PLANTED not in outcome.said
    assert outcome.after == outcome.before
    refused = outcome.workspace is not None and "error: " in outcome.said
    assert refused or TRUE in outcome.said


def test_the_oracle_sees_what_it_is_there_for(tmp_path: Path) -> None:
    """Otherwise every attack would seem to fail."""
    hostile, log = tmp_path / "hostile", tmp_path / "log"
    hostile.mkdir()
    (hostile / "planted.py").write_text("import os\nos.system('true')\n")
    program = f"""
import pathlib, socket, sqlite3, subprocess, sys
sys.path.append({str(hostile)!r})
import planted
pathlib.Path({str(tmp_path / "written")!r}).write_text("x")
pathlib.Path({str(tmp_path / "written")!r}).unlink()
subprocess.run(["true"])
sqlite3.connect({str(hostile / "x.db")!r})
try:
    socket.create_connection(("127.0.0.1", 9), 1)
except OSError:
    pass
subprocess.run([sys.executable, "-c", "import os; os.system('true')"])
"""
    environment = {
        **os.environ,
        "PYTHONPATH": str(HERE / "audit"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "AUDIT_LOG": str(log),
        "AUDIT_HOSTILE": str(hostile),
        "AUDIT_MAY_WRITE": str(log),
    }
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, timeout=60)
    seen = [line.split()[0] for line in log.read_text().splitlines()]
    assert seen.count("os.system") == 2  # one of them in a child process
    assert {"exec", "open", "os.remove", "subprocess.Popen", "sqlite3.connect", "socket.connect"} <= set(seen)
