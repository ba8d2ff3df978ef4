"""The place of the workspace that a user chooses: inside the folder (`--workspace-in-folder`)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import command

from investigator.store.locations import INSIDE, default_workspace

QUESTION = "How deep is the harbour?"
TRUE = "The harbour is 11 metres deep."
NO_VECTORS = ("--set", "retrieval.embed_first=0")


@pytest.fixture(autouse=True)
def _data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "papers"
    made.mkdir()
    (made / "harbour.txt").write_text(TRUE, encoding="utf-8")
    return made


def questions(folder: Path) -> list[str]:
    """The questions that `runs` lists for a folder."""
    return [run["question"] for run in json.loads(command("runs", folder, "--json").stdout)["runs"]]


def test_a_workspace_goes_into_the_folder_on_command_and_moves_with_it(folder: Path, tmp_path: Path) -> None:
    assert command("ask", folder, QUESTION, *NO_VECTORS).exit_code == 5
    made = command("index", "--workspace-in-folder", folder)
    assert (folder / ".investigator" / ".gitignore").read_text(encoding="utf-8") == "*\n"
    assert made.exit_code == 0, made.output
    assert (folder / INSIDE / "seal.json").is_file()
    assert not default_workspace(folder).exists()
    assert questions(folder) == [QUESTION]
    carried = folder.rename(tmp_path / "disk")
    assert questions(carried) == [QUESTION]
    again = command("ask", carried, QUESTION, *NO_VECTORS)
    assert TRUE in again.stdout
    assert "answered this" in again.stderr
    assert command("index", "--workspace-in-folder", carried).exit_code == 0  # again, and nothing happens
    assert not (tmp_path / "data" / "investigator" / "workspaces").exists() or not any(
        (tmp_path / "data" / "investigator" / "workspaces").iterdir()
    )


def test_a_workspace_in_the_folder_that_is_not_yours_is_neither_opened_nor_replaced(folder: Path) -> None:
    (folder / INSIDE).mkdir()
    (folder / INSIDE / "investigator.db").write_bytes(b"planted")
    asked = command("ask", folder, QUESTION, *NO_VECTORS)
    assert (asked.exit_code, TRUE in asked.stdout) == (5, True)
    refused = command("index", "--workspace-in-folder", folder)
    assert refused.exit_code == 2
    assert "it is unknown who created it" in refused.stderr
    assert "Move it away" in refused.stderr
    named = command("ask", folder, QUESTION, "--workspace", folder / INSIDE)
    assert (named.exit_code, "none of your commands created it" in named.stderr) == (2, True)
    assert (folder / INSIDE / "investigator.db").read_bytes() == b"planted"
