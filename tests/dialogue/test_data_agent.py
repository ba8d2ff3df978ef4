"""DataAgent: messages read out, each once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from investigator.dialogue.data_agent import DataAgent
from investigator.dialogue.messages import Message
from investigator.errors import DialogueError

TWO_EPISODES = [{"text": "a"}, {"text": "b", "episode_done": True}, {"text": "c", "id": "someone"}]


def test_messages_come_in_order_and_then_padding() -> None:
    agent = DataAgent({"id": "book"}, messages=TWO_EPISODES)
    assert [agent.act(), agent.act()] == [
        {"text": "a", "id": "book", "episode_done": False},
        {"text": "b", "id": "book", "episode_done": True},
    ]
    assert not agent.epoch_done()
    assert agent.act()["id"] == "someone"
    assert agent.epoch_done()
    assert [agent.act().is_padding(), agent.act().is_padding()] == [True, True]


def test_no_messages_are_an_epoch_at_once() -> None:
    agent = DataAgent()
    assert agent.epoch_done()
    assert agent.act().is_padding()


def test_a_reset_begins_anew() -> None:
    agent = DataAgent(messages=TWO_EPISODES)
    agent.act()
    agent.reset()
    assert [agent.act().text for _ in range(3)] == ["a", "b", "c"]


def test_whoever_hears_a_message_cannot_change_the_data() -> None:
    agent = DataAgent(messages=TWO_EPISODES)
    agent.act().force_set("text", "changed")
    agent.reset()
    assert agent.act().text == "a"
    assert "episode_done" not in TWO_EPISODES[0]


def test_copies_take_whole_episodes_in_turn_and_end_together() -> None:
    agent = DataAgent(messages=TWO_EPISODES)
    first, second = agent.clone(), agent.clone()
    assert [first.act().text, second.act().text] == ["a", "c"]
    assert second.act().is_padding()
    assert [first.epoch_done(), second.epoch_done(), agent.epoch_done()] == [False, False, False]
    assert first.act().text == "b"
    assert [first.epoch_done(), second.epoch_done(), agent.epoch_done()] == [True, True, True]


def test_a_reset_of_one_copy_is_one_of_all() -> None:
    agent = DataAgent(messages=TWO_EPISODES)
    first, second = agent.clone(), agent.clone()
    first.act()
    second.reset()
    assert [first.act().text, first.act().text, second.act().text] == ["a", "b", "c"]
    assert agent.epoch_done()


def test_copies_in_threads_say_each_message_once() -> None:
    agent = DataAgent(messages=[{"text": str(number), "episode_done": True} for number in range(400)])

    def spoken(copy: DataAgent) -> list[str]:
        texts = []
        while not (act := copy.act()).is_padding():
            texts.append(act.text)
        return texts

    with ThreadPoolExecutor(4) as threads:
        texts = [text for part in threads.map(spoken, [agent.clone() for _ in range(4)]) for text in part]
    assert sorted(map(int, texts)) == list(range(400))


def test_what_is_no_message_is_named() -> None:
    with pytest.raises(DialogueError, match="message 1 is no message but str"):
        DataAgent(messages=[Message(text="a"), "b"])  # type: ignore[list-item]
