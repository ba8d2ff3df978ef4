"""`investigator dialogue memory` shows and changes what chats remember."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import command
from typer.testing import Result


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lease.txt").write_text("The rent is EUR 48,000.", encoding="utf-8")
    return tmp_path


def memory(folder: Path, *words: str, user: str = "anna") -> Result:
    return command("dialogue", "memory", folder, *words, "--user", user)


def test_memories_can_be_added_seen_changed_and_forgotten(folder: Path) -> None:
    assert memory(folder).stdout == "Nothing is remembered.\n"
    assert "     1  I have a dog.  [about you, " in memory(folder, "add", "I have", "a dog.").stdout
    memory(folder, "add", "I sing in a choir.")
    assert "I have two dogs." in memory(folder, "edit", "1", "I have two", "dogs.").stdout
    assert [line.split("  [")[0].strip() for line in memory(folder, "list").stdout.splitlines()] == [
        "1  I have two dogs.",
        "2  I sing in a choir.",
    ]
    assert "choir" in memory(folder, "search", "singing choirs").stdout
    assert "choir" not in memory(folder, "delete", "2").stdout
    assert memory(folder, "forget").stdout == "Forgotten: 1\n"
    assert memory(folder, "list").stdout == "Nothing is remembered.\n"


def test_other_users_see_nothing_of_it(folder: Path) -> None:
    memory(folder, "add", "I have a dog.")
    memory(folder, "add", "I have a cat.", user="ben\nand \x1b[2J co")
    assert "dog" not in memory(folder, "list", user="ben").stdout
    users = memory(folder, "users").stdout
    assert users.splitlines() == ["anna", "ben and \\x1b[2J co"]


def test_json_has_a_record_for_each_and_nothing_for_none(folder: Path) -> None:
    assert memory(folder, "list", "--json").stdout == ""
    memory(folder, "add", "I have a 🐕.\nReally.")
    (line,) = memory(folder, "list", "--json").stdout.splitlines()
    row = json.loads(line)
    assert (row["id"], row["user"], row["text"], row["speaker"]) == (1, "anna", "I have a 🐕. Really.", "partner")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("delete",), "the number of a memory is missing"),
        (("delete", "7"), "no memory has the number 7"),
        (("edit", "7"), "the text is missing"),
        (("add",), "the text is missing"),
        (("search",), "the text is missing"),
        (("burn",), "burn"),
    ],
)
def test_wrong_use_is_told(folder: Path, words: tuple[str, ...], error: str) -> None:
    result = memory(folder, *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert error in result.stderr


def test_a_folder_that_is_not_there_is_wrong_use(folder: Path) -> None:
    assert memory(folder / "nowhere").exit_code == 2


def test_a_blank_user_is_not_taken_for_nobody_named(folder: Path) -> None:
    for words in (("list",), ("add", "I have a dog."), ("forget",)):
        result = memory(folder, *words, user="")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "the user's name is blank" in result.stderr
        assert "--user" in result.stderr


def test_without_a_user_the_login_name_is_meant(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "ida")
    command("dialogue", "memory", folder, "add", "I sing.")
    assert memory(folder, "users").stdout == "ida\n"


def test_words_that_an_action_does_not_take_change_nothing(folder: Path) -> None:
    memory(folder, "add", "I have a dog.")
    for words in (("forget", "1"), ("forget", "now"), ("delete", "1", "2"), ("list", "dogs")):
        refused = memory(folder, *words)
        assert refused.exit_code == 2
        assert "does not take" in refused.stderr
    assert "I have a dog." in memory(folder, "list").stdout
