"""Fixtures for all tests: no network, quiet libraries, a chat server on loopback."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from forked_children import forked_children
from openai_server import OpenAIServer
from postgres_server import PostgresServer, programs

from investigator.store.database import Database, FileDatabase
from investigator.store.postgres import PostgresDatabase
from investigator.store.schema import RUNS

os.environ.update(
    HF_HUB_OFFLINE="1",
    OMP_WAIT_POLICY="PASSIVE",  # threads of workers that share the cores do not spin
    OPENBLAS_NUM_THREADS="1",
    TOKENIZERS_PARALLELISM="false",
    ANONYMIZED_TELEMETRY="False",
    NO_PROXY="127.0.0.1,localhost",
    XDG_DATA_HOME=tempfile.mkdtemp(prefix="investigator-tests-"),  # the user's own data directory is left alone
)
# what the programs that tests start have compiled, the next one does not compile again: half of the time of starting
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

gc.set_threshold(50_000, 20, 50)  # looking for garbage took a tenth of the time of the tests


def pytest_collection_finish() -> None:
    """Exclude the imported objects from all later garbage collections, because they remain."""
    gc.freeze()


_SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session", autouse=True)
def _forked_children() -> Iterator[None]:
    """Start the processes that read files or run Chroma without an import; see `tests/forked_children.py`."""
    if sys.platform != "linux":
        yield
        return
    with forked_children():
        yield


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide keys and addresses in the developer's shell, and secrets of other tests, from a test."""
    monkeypatch.setattr("investigator.secrets._known", frozenset())
    for variable in list(os.environ):
        if variable.endswith("_API_KEY") or variable.startswith(("OPENAI_", "LANGSMITH_", "LANGCHAIN_")):
            monkeypatch.delenv(variable)


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    """Start a new OpenAI-compatible server; see `tests/openai_server.py`."""
    server = OpenAIServer()
    yield server
    server.close()


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of large example documents, which is next to some checkouts."""
    if not _SHARED.is_dir():
        pytest.skip(f"the folder {_SHARED} with example documents is not here")
    return _SHARED


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Start a PostgreSQL server on a socket; see `tests/postgres_server.py`."""
    found = programs()
    if found is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    server = PostgresServer(found)
    yield server
    server.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Database]]:
    """Return a function that opens the same database for runs, initially empty, in each kind of store."""
    if request.param == "sqlite":
        opened: Callable[[], Database] = lambda: FileDatabase(tmp_path / "runs.db", RUNS)  # noqa: E731
    else:
        url = request.getfixturevalue("postgres").emptied()
        opened = lambda: PostgresDatabase(url, "papers")  # noqa: E731
    made: list[Database] = []

    def again() -> Database:
        made.append(opened())
        return made[-1]

    yield again
    for one in made:
        one.close()


@pytest.fixture
def database(reopen: Callable[[], Database]) -> Database:
    """Return an empty database for runs, in each kind of store."""
    return reopen()
