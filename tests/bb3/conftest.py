"""The folder of power plants with its index, for chats that do not change it."""

from __future__ import annotations

from pathlib import Path

import pytest
from power_plants import index, write_folder


@pytest.fixture(scope="package")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    at = tmp_path_factory.mktemp("plants")
    index(write_folder(at / "folder"), at / "workspace")
    return at
