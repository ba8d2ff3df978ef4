"""Whatever lies beside the documents: nothing of it runs, connects, hangs, is believed, or changes a file outside.

The oracle is an audit hook in every process (`audit/sitecustomize.py`), the bytes of all files before and after, and
the words of everything that is said. Attacks are in `attacks.py`.
"""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from attacks import ATTACKS, DOCUMENT, PLANTED, PRECIOUS, TRUE, Scene, forge

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and pipes need rights that Windows users lack")

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]


@pytest.fixture(scope="module")
def forged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return forge(tmp_path_factory.mktemp("sender"))


@pytest.fixture
def scene(tmp_path: Path, forged: Path) -> Scene:
    made = Scene(tmp_path, tmp_path / "forged")
    shutil.copytree(forged, made.forged)
    for folder in (made.received, made.here, tmp_path / "data", tmp_path / "tmp", tmp_path / "home"):
        folder.mkdir(parents=True)
    (made.received / DOCUMENT).write_text(TRUE, encoding="utf-8")
    made.precious.write_bytes(PRECIOUS)
    return made


def outside(scene: Scene) -> Iterator[tuple[str, int, bytes]]:
    """Everything but the places in which files may change: path, kind and permissions, content."""
    own = {scene.root / "data", scene.root / "tmp", scene.workspace, scene.root / "audit.log"}
    for path in sorted(scene.root.rglob("*")):
        if own.isdisjoint({path, *path.parents}) or path.is_relative_to(scene.received):
            status = path.lstat()
            content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
            yield str(path), status.st_mode, content


def attacked(scene: Scene) -> tuple[int, str, str]:
    """Do what a user does; return the exit code, what was said, and what the audit hook saw."""
    log = scene.root / "audit.log"
    may_write = [scene.root / "data", scene.root / "tmp", log]
    if scene.workspace is not None and not scene.workspace.is_relative_to(scene.received):
        may_write.append(scene.workspace)
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(scene.root / "home"),
        "TMPDIR": str(scene.root / "tmp"),
        "XDG_DATA_HOME": str(scene.root / "data"),
        "HF_HUB_OFFLINE": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(map(str, (HERE / "audit", REPOSITORY))),
        "AUDIT_LOG": str(log),
        "AUDIT_MAY_WRITE": os.pathsep.join(map(str, may_write)),
        "AUDIT_HOSTILE": os.pathsep.join(map(str, (scene.root / "inbox", scene.here, scene.forged))),
    }
    words = [sys.executable, str(HERE / "victim.py"), str(scene.received)]
    words += [str(scene.workspace)] if scene.workspace is not None else []
    done = subprocess.run(words, capture_output=True, text=True, env=environment, cwd=scene.here, timeout=120)
    seen = log.read_text(encoding="utf-8") if log.exists() else ""
    return done.returncode, done.stdout + done.stderr, seen


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_of_it_runs_or_is_believed(scene: Scene, name: str) -> None:
    ATTACKS[name](scene)
    before = list(outside(scene))
    code, said, seen = attacked(scene)
    assert seen == ""
    assert PLANTED not in said
    assert code == 0, said
    assert list(outside(scene)) == before
    if scene.workspace is None:
        assert TRUE in said


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
