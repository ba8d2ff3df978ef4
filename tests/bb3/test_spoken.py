"""At a terminal, steps appear and disappear on one line, and words remain."""

from __future__ import annotations

import io

from investigator.bb3.commands.terminal import Spoken
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
