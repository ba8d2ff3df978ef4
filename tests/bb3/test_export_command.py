"""`investigator dialogue export`: saved conversations become a release, with consent only."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import command

from investigator.bb3.bb3x.conversation_files import conversations_in
from investigator.store.locations import default_workspace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    (made / "lease.txt").write_text("The annual rent is EUR 48,000.", encoding="utf-8")
    return made


def released(to: Path, version: str) -> str:
    return "\n".join(file.read_text("utf-8") for file in sorted((to / version).rglob("*.jsonl")))


def test_only_conversations_with_consent_are_released_and_redacted(folder: Path, tmp_path: Path) -> None:
    talk = "Write to ida.lovelace@example.org or call +44 20 7946 0958.\n/save\n"
    command("chat", folder, "--user", "ida", "--search", "never", "--share", stdin=talk)
    command("chat", folder, "--user", "ben", "--search", "never", stdin="I agree to nothing.\n/save\n")
    command("chat", folder, "--user", "mum", "--share", stdin="/save\n")
    result = command("dialogue", "export", folder, "--to", tmp_path / "releases", "--version", "1.0", "--keep-names")
    assert result.exit_code == 0
    assert ": 1 conversation\n" in result.stdout
    assert "Left out: 1 without consent, 1 without a human reply" in result.stdout
    assert "names of people were not looked for" in result.stderr
    card = (tmp_path / "releases" / "1.0" / "CARD.md").read_text("utf-8")
    assert "**Names of people were not looked for: the texts still contain them.**" in card
    text = released(tmp_path / "releases", "1.0")
    for secret in ("ida.lovelace", "7946", '"ida"', "agree to nothing"):
        assert secret not in text
    files = [file for file in (tmp_path / "releases" / "1.0").rglob("*.jsonl") if file.stat().st_size]
    (conversation,) = [found for file in files for found in conversations_in(file)]
    assert [message.by_human for message in conversation.message_history] == [True, False]


def test_a_saved_file_that_is_broken_is_told(folder: Path, tmp_path: Path) -> None:
    command("chat", folder, "--share", "--search", "never", stdin="Hello\n/save\n")
    (default_workspace(folder) / "chats" / "broken.jsonl").write_text('{"message_history": 7}\n', "utf-8")
    result = command("dialogue", "export", folder, "--to", tmp_path / "releases", "--version", "1.0", "--keep-names")
    assert result.exit_code == 2
    assert "broken.jsonl, line 1: " in result.stderr
    assert "broken.jsonl" in result.stderr
    assert not (tmp_path / "releases" / "1.0").exists()


def test_a_release_whose_names_cannot_be_found_is_refused(folder: Path, tmp_path: Path) -> None:
    command("chat", folder, "--share", "--search", "never", stdin="Hello\n/save\n")
    asked = (
        "dialogue",
        "export",
        folder,
        "--to",
        tmp_path / "releases",
        "--version",
        "1.0",
        "--names-model",
        "nobody_has_this",
    )
    result = command(*asked)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: names cannot be found")
    assert "--keep-names" in result.stderr
    assert not (tmp_path / "releases").exists()
