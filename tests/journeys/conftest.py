"""Fixtures for journeys: the folder of power plants, indexed once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from forked import ForkServer
from power_plants import index, write_folder


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folder and its index."""
    at = tmp_path_factory.mktemp("plants")
    folder = write_folder(at / "folder")
    return folder, index(folder, at / "index")


@pytest.fixture(scope="session")
def machines() -> Iterator[tuple[ForkServer, ForkServer]]:
    """Two processes that run `killable`, and can be killed."""
    pair = (ForkServer("journeys", "killable", {"PATH": ""}), ForkServer("journeys", "killable", {"PATH": ""}))
    yield pair
    for server in pair:
        server.close()
