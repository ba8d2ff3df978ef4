"""HumanAgent reads and writes lines on streams."""

from __future__ import annotations

import io

import pytest

from investigator.dialogue.messages import Message
from investigator.dialogue.simple_agents import HumanAgent
from investigator.errors import DialogueError


def human(lines: str, **options: object) -> tuple[HumanAgent, io.StringIO]:
    sink = io.StringIO()
    return HumanAgent(options, source=io.StringIO(lines), sink=sink), sink


def test_a_line_is_a_message() -> None:
    agent, sink = human("  hello there \nשלום 🧭\n\n")
    assert agent.act() == {"id": "human", "text": "hello there", "episode_done": False}
    assert [agent.act().text, agent.act().text] == ["שלום 🧭", ""]
    assert sink.getvalue() == "> > > "
    assert not agent.epoch_done()


def test_the_text_of_others_is_shown() -> None:
    agent, sink = human("")
    heard = Message(id="bot", text="hi\nyou")
    assert agent.observe(heard) is heard
    agent.observe(Message(text="who?"))
    agent.observe(Message(id="bot", episode_done=True))
    assert sink.getvalue() == "bot: hi\nyou\npartner: who?\n"


def test_text_cannot_steer_the_terminal() -> None:
    agent, sink = human("")
    agent.observe(Message(id="b\x1b[2Jot", text="\x1b]0;owned\x07 👩\u200d🚀 \ud800\r!"))
    assert sink.getvalue() == "b\\x1b[2Jot: \\x1b]0;owned\\x07 👩\u200d🚀 \\ud800\\x0d!\n"


def test_an_episode_ends_on_demand() -> None:
    agent, _ = human("that is all [done]\n[DONE]\nnext\n")
    assert agent.act() == {"id": "human", "text": "that is all", "episode_done": True}
    assert agent.act() == {"id": "human", "text": "", "episode_done": True}
    assert agent.act()["episode_done"] is False
    assert not agent.epoch_done()


@pytest.mark.parametrize("end", ["[EXIT]\nmore\n", "[exit]", ""])
def test_the_human_leaves_with_a_mark_or_with_the_end_of_the_input(end: str) -> None:
    agent, _ = human(f"hi\n{end}")
    assert agent.act().text == "hi"
    last = agent.act()
    assert last.is_padding()
    assert (last["episode_done"], agent.epoch_done()) == (True, True)
    assert agent.act().is_padding()


def test_a_last_word_is_heard() -> None:
    agent, _ = human("bye [EXIT]\n")
    assert agent.act() == {"id": "human", "text": "bye", "episode_done": True}
    assert agent.epoch_done()


def test_each_line_can_be_an_episode() -> None:
    agent, _ = human("a\nb\n", single_turn=True, id="ann")
    assert [agent.act()["episode_done"], agent.act()["id"]] == [True, "ann"]


def test_copies_read_from_the_same_stream() -> None:
    agent, _ = human("a\nb\n")
    assert [agent.act().text, agent.clone().act().text] == ["a", "b"]


def test_the_terminal_is_the_one_of_the_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = HumanAgent()
    monkeypatch.setattr("sys.stdin", io.StringIO("hello\n"))
    agent.observe(Message(id="bot", text="hi"))
    assert agent.act().text == "hello"
    assert capsys.readouterr().out == "bot: hi\n> "


def test_input_that_is_no_text_is_named() -> None:
    source = io.TextIOWrapper(io.BytesIO(b"\xff\xfe\n"), encoding="utf-8")
    with pytest.raises(DialogueError, match="not text"):
        HumanAgent(source=source, sink=io.StringIO()).act()
