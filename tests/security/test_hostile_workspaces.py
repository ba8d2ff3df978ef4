"""Nothing next to the documents runs, connects, hangs, is believed, or changes a file outside. This is checked by an
audit hook in every process (`audit/sitecustomize.py`), the bytes of all files before and after, and all output. The
attacks are in `attacks.py`.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import scenes
from attacks import ATTACKS, PLANTED, TRUE, forge
from scenes import HERE

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and pipes need rights that Windows users lack")


class Outcome(NamedTuple):
    """The result of an attack: the output, the findings of the audit hook, and everything outside before and after."""

    workspace: Path | None
    output: str
    seen: str
    before: list[tuple[str, int, bytes]]
    after: list[tuple[str, int, bytes]]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """Play all attacks in one process, because starting one for each takes most of a minute."""
    forged = forge(tmp_path_factory.mktemp("sender"))
    planted = {name: scenes.made(tmp_path_factory.mktemp("scene")) for name in ATTACKS}
    for name, scene in planted.items():
        shutil.copytree(forged, scene.forged)
        ATTACKS[name](scene)
    before = {name: list(scenes.outside(scene)) for name, scene in planted.items()}
    output = scenes.outputs_of(list(planted.values()), 220)
    return {
        name: Outcome(scene.workspace, words, scenes.seen(scene), before[name], list(scenes.outside(scene)))
        for (name, scene), words in zip(planted.items(), output, strict=True)
    }


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_of_it_runs_or_is_believed(outcomes: dict[str, Outcome], name: str) -> None:
    outcome = outcomes[name]
    assert outcome.seen == ""
    assert PLANTED not in outcome.output
    assert "crash: " not in outcome.output
    assert outcome.after == outcome.before
    refused = outcome.workspace is not None and "error: " in outcome.output
    assert refused or TRUE in outcome.output


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
