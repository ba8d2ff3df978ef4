"""If the disk fails at any write of a command, the error is reported, no stored data is lost, and the next command
works. `make fuzz` makes more writes fail: a hundredth of INVESTIGATOR_FUZZ in each way.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from power_plants import ONE, write_folder

from investigator import Investigator, ScriptedEmbedder
from investigator.bb3.chats import open_memory

HERE = Path(__file__).parent
CASES = max(2, int(os.environ.get("INVESTIGATOR_FUZZ", "0")) // 100)
SEED = int(os.environ.get("INVESTIGATOR_FUZZ_FIRST", "1"))
RIGHT = ["The Willow plant makes 77 MW of power."]

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="writes are made to fail through LD_PRELOAD"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler to make the writes fail with"),
]


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that makes writes fail."""
    made = tmp_path_factory.mktemp("shim") / "faults.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", made, HERE / "faults.c", "-ldl"], check=True, timeout=60)
    return made


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder and a workspace in which one question was answered, and a document added since."""
    at = tmp_path_factory.mktemp("faulty") / "place"
    at.mkdir()
    made = Investigator(write_folder(at / "folder"), workspace=at / "workspace", embedder=ScriptedEmbedder())
    made.ask(ONE)
    with open_memory(made) as memory:
        memory.add("anna", "I know the plant.")
    (at / "folder" / "willow.txt").write_text("The Willow plant makes 77 MW of power.", encoding="utf-8")
    return at


def test_a_write_that_fails_loses_nothing_and_proves_nothing_false(shim: Path, place: Path) -> None:
    words = [sys.executable, HERE / "faulty_disk.py", shim, place, str(CASES), str(SEED)]
    paths = os.pathsep.join(map(str, (HERE.parents[1], HERE.parent)))
    environment = {**os.environ, "LD_PRELOAD": str(shim), "PYTHONPATH": paths}
    ran = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=60 + 20 * CASES, check=True)
    cases = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(cases) == 3 * CASES, ran.stderr
    assert [problem for case in cases for problem in _problems(case)] == []
    assert any(case["code"] for case in cases)  # a full disk stays full: few of these can succeed


def _problems(case: dict[str, Any]) -> Iterator[str]:
    """Return the problem with the outcome of a case, if any."""
    about = f"{case['kind']} at write {case['at']} of {case['writes']}"
    if case["quotes"] not in ([], RIGHT) or (not case["code"] and case["quotes"] != RIGHT):
        yield f"{about}: answered {case['quotes']}"
    if case["code"] and not re.fullmatch(r"error: .+\nhint: .+\n", case["error"]):
        yield f"{about}: said {case['error']}"
    if (case["again"]["code"], case["again"]["quotes"]) != (0, RIGHT):
        yield f"{about}: asking again came to {case['again']}"
    if not case["kept"]:
        yield f"{about}: what was kept before is lost"
