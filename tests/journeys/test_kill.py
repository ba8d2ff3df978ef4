"""A run that is killed at random moments and repeated pays for nothing twice, and has the same outcome."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from forked import ForkServer
from killable import matrix_of
from printed import said

from investigator.records import Investigation

KILLABLE = Path(__file__).with_name("killable.py")
MOMENTS = 3  # each write that may fail is tried in test_faulty_disk.py


def run(
    server: ForkServer, folder: Path, workspace: Path, log: Path, what: str, kill_after: float | None = None
) -> tuple[Investigation | None, float]:
    """Return the final record (None if the process was killed before the end), and the duration in seconds."""
    ended = server.run((str(folder), str(workspace), str(log), what), log.with_suffix(".out"), kill_after)
    if kill_after is None:
        assert ended.code == 0, ended.complaints
    return (Investigation.model_validate_json(ended.output) if ended.output else None), ended.seconds


def journalled(workspace: Path) -> set[str]:
    """Return the keys of the finished calls."""
    database = workspace / "runs.db"
    if not database.exists():
        return set()
    try:
        with sqlite3.connect(database) as connection:
            return {key for (key,) in connection.execute("SELECT key FROM calls")}
    except sqlite3.OperationalError:  # killed before the tables were made
        return set()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("years")
    for year in range(1900, 1912):
        text = f"The harvest of {year} was {year % 7 + 2} tonnes. " + "It rained. " * (year % 5)
        (made / f"{year}.txt").write_text(text, encoding="utf-8")
    return made


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.parametrize("what", ["vectors-first", "as-needed"])
def test_a_run_that_is_killed_anywhere_goes_on_to_the_same_end(
    machines: tuple[ForkServer, ForkServer], folder: Path, tmp_path: Path, what: str
) -> None:
    undisturbed, length = run(machines[0], folder, tmp_path / "undisturbed", tmp_path / "log", what)
    assert undisturbed is not None
    assert len({memory.target_document_id for memory in undisturbed.memories}) == 12
    chance = random.Random(20)
    moments = [chance.uniform(0.0, length) for _ in range(MOMENTS)]

    def kill_and_go_on(number: int, server: ForkServer) -> None:
        workspace, log = tmp_path / f"w{number}", tmp_path / f"log{number}"
        run(server, folder, workspace, log, what, kill_after=moments[number])
        finished = journalled(workspace)
        log.write_text("", encoding="ascii")
        record, _ = run(server, folder, workspace, log, what)
        assert record is not None
        repeated = finished & set(log.read_text(encoding="ascii").split())
        assert not repeated, f"killed after {moments[number]:.3f} s: {len(repeated)} calls were paid twice"
        assert record.plan == undisturbed.plan
        assert record.memories == undisturbed.memories
        assert said(record.answer) == said(undisturbed.answer)
        assert record.reflections == undisturbed.reflections

    def some(first: int) -> None:
        for number in range(first, MOMENTS, 2):
            kill_and_go_on(number, machines[first])

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(some, range(2)))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_a_matrix_that_is_killed_half_way_goes_on_to_the_same_cells(folder: Path, tmp_path: Path) -> None:
    workspace, log = tmp_path / "killed", tmp_path / "log"
    command = [sys.executable, str(KILLABLE), str(folder), str(workspace), str(log), "matrix"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}  # the key of the rows is the user's
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment) as process:
        while process.poll() is None and (not log.exists() or log.read_text(encoding="ascii").count("\n") < 10):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    finished = journalled(workspace)
    again = matrix_of(folder, workspace, tmp_path / "log-again")
    calls = (tmp_path / "log-again").read_text(encoding="ascii").split()
    assert len(finished) > 3
    assert calls
    assert not finished & set(calls)
    whole = matrix_of(folder, tmp_path / "undisturbed", tmp_path / "log-undisturbed")
    assert len(whole.cells) == 24
    assert [(cell.status, cell.text, cell.quotes) for cell in again.cells] == [
        (cell.status, cell.text, cell.quotes) for cell in whole.cells
    ]
