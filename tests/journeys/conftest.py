"""Fixtures for journeys: the folder of power plants, indexed once."""

from __future__ import annotations

from pathlib import Path

import pytest
from power_plants import index, write_folder


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folder and its index."""
    at = tmp_path_factory.mktemp("plants")
    folder = write_folder(at / "folder")
    return folder, index(folder, at / "index")
