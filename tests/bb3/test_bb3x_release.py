"""Nothing is shared without consent, and releases appear completely, in versions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest
from commands import command

from investigator.bb3.bb3x.conversation_files import conversations_in, write_conversations
from investigator.bb3.bb3x.records import Conversation
from investigator.bb3.bb3x.redaction import Redactor
from investigator.bb3.bb3x.release import publish, versions
from investigator.bb3.bb3x.splits import Split, chunk_file, chunks_of, stable_split
from investigator.errors import DialogueError, FolderError
from investigator.store.locations import default_workspace

DAY = date(2024, 2, 29)


def conversation(name: str, consent: bool | None = True, said: str = "Hello") -> Conversation:
    wire: dict[str, Any] = {
        "user_pseudo_id": "u",
        "chat_id": name,
        "message_history": [{"sender": "human", "text": said}],
    }
    wire["message_history"].append({"sender": "bot", "text": "Hi", "isDisliked": True, "dislike_type": "a|b"})
    if consent is not None:
        wire["consent"] = consent
    return Conversation.model_validate_json(json.dumps(wire))


def redactor() -> Redactor:
    return Redactor(b"a salt that only a test would use", Random(5))


@pytest.mark.parametrize("consent", [None, False])
def test_without_an_express_yes_nothing_is_shared(tmp_path: Path, consent: bool | None) -> None:
    shared = [conversation("c", consent, "Secret"), conversation("b")]
    exported = publish(tmp_path, "1", shared, redactor(), DAY)
    assert (exported.written, exported.without_consent, exported.without_human_reply) == (1, 1, 0)
    assert [each.message_history[0].text for each in conversations_in(tmp_path / "1" / "train.jsonl")] == ["Hello"]
    assert "Secret" not in "".join(file.read_text(encoding="utf-8") for file in (tmp_path / "1").iterdir())


def test_conversations_in_which_the_human_says_nothing_are_left_out(tmp_path: Path) -> None:
    silent = Conversation.model_validate_json('{"consent": true, "message_history": [{"sender": "bot", "text": "Hi"}]}')
    exported = publish(tmp_path, "1", [silent, conversation("a", said=" \n")], redactor(), DAY)
    assert (exported.written, exported.without_human_reply) == (0, 2)


def test_a_newer_release_counts_and_the_older_can_still_be_read(tmp_path: Path) -> None:
    everything = [conversation(f"{number:08d}-3b0a-4d5b-9f53-5d1a5b0c9e11") for number in range(40)]
    exported = publish(tmp_path, "1.0", everything, redactor(), DAY)
    assert exported.written == 40
    publish(tmp_path, "1.10", everything[:3], redactor(), DAY)
    assert versions(tmp_path) == ("1.0", "1.10")
    assert sorted(path.name for path in (tmp_path / "1.0").iterdir()) == [
        "CARD.md",
        "test.jsonl",
        "train.jsonl",
        "valid.jsonl",
    ]
    old = [each.id for split in Split for each in conversations_in(tmp_path / "1.0" / f"{split}.jsonl")]
    assert sorted(old) == [each.id for each in everything]
    new = [each.id for split in Split for each in conversations_in(tmp_path / "1.10" / f"{split}.jsonl")]
    assert sorted(new) == [each.id for each in everything[:3]]
    assert "supersedes version 1.0" in (tmp_path / "1.10" / "CARD.md").read_text(encoding="utf-8")


def test_the_card_says_what_there_is_and_what_was_left_out(tmp_path: Path) -> None:
    said = [conversation("b", said="I'm at laura@finch.example"), conversation("c"), conversation("d", None)]
    publish(tmp_path, "1", said, redactor(), DAY)
    card = (tmp_path / "1" / "CARD.md").read_text(encoding="utf-8")
    for line in (
        "Created on 2024-02-29. This is the first version.",
        "| conversations | 2 | 0 | 0 | 2 |",
        "| users | 1 | 0 | 0 | 1 |",
        "| messages from the human | 2 | 0 | 0 | 2 |",
        "| disliked: a/b | 2 | 0 | 0 | 2 |",
        "- conversations without consent: 1",
        "- email, replaced by a hash: 1",
    ):
        assert line in card.splitlines()


@pytest.mark.parametrize("version", ["1.2", "1.1.9", "1.2.0", "0"])
def test_a_release_that_is_not_newer_is_refused(tmp_path: Path, version: str) -> None:
    publish(tmp_path, "1.2", [conversation("a")], redactor(), DAY)
    with pytest.raises(DialogueError, match=r"not higher than the existing 1\.2"):
        publish(tmp_path, version, [conversation("a")], redactor(), DAY)
    assert versions(tmp_path) == ("1.2",)


@pytest.mark.parametrize("version", ["", "../1", "1.x", "v2", "1/2", "1.", "٣"])
def test_a_version_is_numbers_with_dots(tmp_path: Path, version: str) -> None:
    with pytest.raises(DialogueError, match="is not a version"):
        publish(tmp_path, version, [], redactor(), DAY)


def test_a_release_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    def breaking() -> Iterator[Conversation]:
        yield conversation("a")
        raise DialogueError("the source broke off")

    with pytest.raises(DialogueError, match="broke off"):
        publish(tmp_path, "1", breaking(), redactor(), DAY)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_a_named_error(tmp_path: Path) -> None:
    (tmp_path / "releases").write_text("a file", encoding="utf-8")
    with pytest.raises(FolderError, match="cannot be written"):
        publish(tmp_path / "releases", "1", [], redactor(), DAY)
    with pytest.raises(FolderError, match="cannot be written"):
        write_conversations(tmp_path / "releases" / "out.jsonl", [])


def test_a_conversation_stays_in_its_part() -> None:
    parts = Counter(stable_split(f"chat {number}") for number in range(10_000))
    assert abs(parts[Split.TEST] - 300) < 80
    assert abs(parts[Split.VALID] - 300) < 80
    assert stable_split("\ud800") in set(Split)


def test_the_released_files_are_numbered_by_part() -> None:
    numbers = [number for split in Split for number in chunks_of(f"{split}:stream")]
    assert sorted(numbers) == list(range(100))
    assert chunk_file(7) == "release_data_07.jsonl"
    with pytest.raises(DialogueError, match="unknown datatype"):
        chunks_of("training")


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
