"""Tests of ParlAI's text format."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from investigator.dialogue.messages import Message
from investigator.dialogue.teachers import ParlAIDialogTeacher
from investigator.dialogue.text_format import msg_to_str, str_to_msg, write_episodes
from investigator.errors import DataError, DialogueError

TRICKY = st.text(alphabet=st.sampled_from("\\|_PIE\t\n\r ntu0d:é😀א\u2028")) | st.text()


@given(TRICKY, st.lists(TRICKY, min_size=1), TRICKY, TRICKY)
@example("C:\\new\\table", ["__PIPE__"], "\\__PIPE__", "__PIPE_|")
@example("|PIPE__", ["__PIPE|", "__PIPE__PIPE__"], "\\u000d", "\\\\n")
def test_every_text_comes_back_as_it_was(text: str, labels: list[str], name: str, other: str) -> None:
    message = Message(id=name, text=text, labels=labels, answer=other, episode_done=True)

    line = msg_to_str(message)

    assert "\n" not in line
    assert "\r" not in line
    assert str_to_msg(line) == message


def test_a_text_without_backslashes_is_written_as_others_write_it() -> None:
    message = {"text": "a|b\tc\nd", "labels": ["e", "f"], "reward": 1, "episode_done": True}

    assert msg_to_str(message) == "text:a__PIPE__b\\tc\\nd\tlabels:e|f\tepisode_done:True\treward:1"


def test_a_backslash_that_escapes_nothing_is_a_backslash() -> None:
    assert str_to_msg("text:C:\\Users\\_x \\alpha\tlabels:y")["text"] == "C:\\Users\\_x \\alpha"  # type: ignore[index]


@pytest.mark.parametrize("word", ["False", "false", "0", "no", " False", ""])
def test_an_episode_that_is_said_not_to_be_done_is_not(word: str) -> None:
    assert str_to_msg(f"text:x\tlabels:y\tepisode_done:{word}")["episode_done"] is False  # type: ignore[index]


@pytest.mark.parametrize("field", ["the milk", ":the milk"])
def test_a_field_without_a_name_is_an_error_that_shows_it(field: str) -> None:
    with pytest.raises(DataError, match=f"'{field}'"):
        str_to_msg(f"text:Where is\t{field}\tlabels:kitchen")


def test_a_missing_value_is_not_written() -> None:
    assert msg_to_str({"text": "x", "labels": ["y", None], "image": None}) == "text:x\tlabels:y"


@pytest.mark.parametrize("name", ["", "a:b", "a\tb", "a\nb"])
def test_a_field_whose_name_cannot_be_read_again_is_not_written(name: str) -> None:
    with pytest.raises(DialogueError, match="cannot be written"):
        msg_to_str({"text": "x", name: "y"})


def test_whole_episodes_come_back_from_their_file(tmp_path: Path) -> None:
    path = tmp_path / "talks.txt"
    talk = [Message(text="שלום\r\n", labels=["a\\nb"], episode_done=False), Message(text="", labels=["|"], reward=2.5)]

    written = write_episodes(path, [talk, [{"text": "x", "eval_labels": ["y"], "id": "z"}], []])

    teacher = ParlAIDialogTeacher({"datafile": str(path), "datatype": "valid"})
    assert (written, teacher.num_examples(), teacher.num_episodes()) == (3, 3, 2)
    assert teacher.get(0, 0) == {"text": "שלום\r\n", "labels": ["a\\nb"], "episode_done": False}
    assert teacher.get(0, 1) == {"text": "", "labels": ["|"], "reward": 2.5, "episode_done": True}
    assert teacher.get(1) == {"id": "z", "text": "x", "labels": ["y"], "episode_done": True}


@pytest.mark.parametrize("broken", [{"labels": ["y"]}, {"text": "x"}, {"text": "\ud800", "labels": ["y"]}])
def test_episodes_that_cannot_be_read_again_leave_no_file(tmp_path: Path, broken: dict[str, object]) -> None:
    path = tmp_path / "talks.txt"
    path.write_text("kept", encoding="utf-8")

    with pytest.raises(DialogueError):
        write_episodes(path, [[{"text": "x", "labels": ["y"]}], [broken]])

    assert [file.name for file in tmp_path.iterdir()] == ["talks.txt"]
    assert path.read_text(encoding="utf-8") == "kept"


def test_episodes_cannot_be_written_into_nowhere(tmp_path: Path) -> None:
    with pytest.raises(DialogueError, match="cannot be written"):
        write_episodes(tmp_path / "none" / "talks.txt", [])
