"""Fixtures: the harbour's folder and its investigator."""

from pathlib import Path

import pytest
from harbour import make_folder, make_investigator

from investigator import Investigator


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three short documents, which a test may change."""
    return make_folder(tmp_path)


@pytest.fixture(scope="session")
def investigator(tmp_path_factory: pytest.TempPathFactory) -> Investigator:
    """An investigator of such a folder, whose engine follows a script; all tests share it."""
    return make_investigator(make_folder(tmp_path_factory.mktemp("asked")))
