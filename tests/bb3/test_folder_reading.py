"""A folder is read, with progress, before a chat about it begins."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from power_plants import write_folder

from investigator import Investigator, ScriptedEmbedder
from investigator.bb3.commands.terminal import read_folder


@pytest.fixture
def plants(tmp_path: Path) -> Investigator:
    return Investigator(write_folder(tmp_path / "plants"), workspace=tmp_path / "w", embedder=ScriptedEmbedder())


def told(investigator: Investigator, most_vectors: int = 400) -> list[str]:
    stream = io.StringIO()
    read_folder(investigator, most_vectors, stream)
    return stream.getvalue().splitlines()


def test_a_new_folder_is_read_and_gets_its_vectors_with_progress_and_then_nothing_is_left_to_do(
    plants: Investigator,
) -> None:
    lines = told(plants)
    assert lines[0].startswith("reading 1/9: ")
    assert lines.index("computing vectors 0/9") < len(lines) - 1
    assert any(line.startswith("computing vectors 9/9") for line in lines)
    assert plants.status().without_vectors == 0
    assert told(plants) == []


def test_vectors_of_a_large_folder_are_left_for_when_they_are_needed(plants: Investigator) -> None:
    assert not [line for line in told(plants, most_vectors=8) if "vectors" in line]
    assert plants.status().without_vectors == 9


def test_a_folder_that_another_has_open_is_left_alone_and_that_is_told(plants: Investigator) -> None:
    told(plants)
    with plants.library():
        assert told(plants) == ["note: waiting for another process that uses the index of this folder"]
