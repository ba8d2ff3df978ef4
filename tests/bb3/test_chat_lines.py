"""Lines that a user types in a chat."""

from __future__ import annotations

import pytest

from investigator.bb3.commands.chat import HELP, ChatCommand, Line, read_line
from investigator.bb3.talk import DislikeType
from investigator.errors import DialogueError


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("Hello there\n", Line("Hello there")),
        ("", Line("")),
        ("//home is a path", Line("/home is a path")),
        (" //", Line("/")),
        ("/why\n", Line("", ChatCommand.WHY)),
        ("/WHY", Line("", ChatCommand.WHY)),
        ("  /memory add I sing. ", Line("add I sing.", ChatCommand.MEMORY)),
        ("/search\talways", Line("always", ChatCommand.SEARCH)),
        ("/save my file.jsonl", Line("my file.jsonl", ChatCommand.SAVE)),
        ("👋 مرحبا", Line("👋 مرحبا")),
    ],
)
def test_a_line_is_said_or_a_command(typed: str, line: Line) -> None:
    assert read_line(typed) == line


@pytest.mark.parametrize("typed", ["/serch always", "/", "/ why", "/home/anna", "/\tx", "/wh y"])
def test_a_command_that_there_is_not_is_told(typed: str) -> None:
    with pytest.raises(DialogueError, match="unknown command /") as caught:
        read_line(typed)
    assert "/help" in caught.value.hint
    assert ("/search" in caught.value.hint) == ("serch" in typed)


def test_the_help_names_every_command_and_every_type_of_dislike() -> None:
    named = HELP.replace(",", " ").replace(";", " ").split()
    assert {f"/{command}" for command in ChatCommand} <= set(named)
    assert [word for word in named if word in set(DislikeType)] == list(DislikeType)
