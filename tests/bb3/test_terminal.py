"""Before a chat a folder is read with progress; at a terminal, steps come and go on one line, and words remain."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from power_plants import write_folder

from investigator import Investigator, ScriptedEmbedder
from investigator.bb3.commands.terminal import Spoken, read_folder
from investigator.bb3.records import Module

CLEAR = "\r\x1b[K"


def test_words_come_once_each_and_the_rest_is_told() -> None:
    screen = io.StringIO()
    spoken = Spoken(screen, screen)
    spoken.step(Module.SRM)
    spoken.hear("One.")
    spoken.hear("One. Two.")
    spoken.step(Module.MGM)  # it would wipe out the words
    assert screen.getvalue() == f"{CLEAR}replying …{CLEAR}One. Two."
    reply = "One. Two. Three.  [a.txt]\n"
    assert reply[spoken.end(reply) :] == " Three.  [a.txt]\n"


def test_a_reply_that_turns_out_otherwise_is_told_whole_on_a_line_of_its_own() -> None:
    screen = io.StringIO()
    spoken = Spoken(screen, screen)
    spoken.hear("One.")
    assert spoken.end("Zero.\n") == 0
    assert screen.getvalue() == "One.\n"


def test_a_reply_that_was_not_heard_is_told_whole_and_no_step_stays() -> None:
    screen = io.StringIO()
    spoken = Spoken(screen, screen)
    spoken.step(Module.SDM)
    assert spoken.end("One.\n") == 0
    assert screen.getvalue() == f"{CLEAR}deciding …{CLEAR}"


def test_after_an_error_a_line_is_ended_and_the_next_reply_begins_anew() -> None:
    screen = io.StringIO()
    spoken = Spoken(screen, screen)
    spoken.hear("One.")
    spoken.end()
    spoken.hear("Two.")
    assert screen.getvalue() == "One.\nTwo."


def test_control_characters_do_not_reach_the_terminal() -> None:
    screen = io.StringIO()
    Spoken(screen, screen).hear("red: \x1b[31m.")
    assert "\x1b" not in screen.getvalue()


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
