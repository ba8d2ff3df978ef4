"""Worlds without a teacher."""

from __future__ import annotations

import io

import pytest
from talking_agents import Talker, talker

from investigator.dialogue.human_agent import HumanAgent
from investigator.dialogue.messages import Message
from investigator.dialogue.worlds.interactive import InteractiveWorld, SelfChatWorld
from investigator.errors import DialogueError


class Forgetful(Talker):
    """A talker that counts how often it was made to forget, and ends the episode after `ends_after` acts."""

    forgot = 0

    def reset(self) -> None:
        super().reset()
        self.forgot += 1

    def act(self) -> Message:
        act = super().act()
        act.force_set("episode_done", self.acted == self.opt.get("ends_after"))
        return act


def interactive(typed: str, model: Talker) -> tuple[InteractiveWorld, io.StringIO]:
    screen = io.StringIO()
    human = HumanAgent(source=io.StringIO(typed), sink=screen)
    return InteractiveWorld({}, [human, model]), screen


def test_a_human_says_something_and_hears_the_reply() -> None:
    model = talker("bot", "hello", "bye")
    world, screen = interactive("hi\nand now?\n", model)
    while not world.epoch_done():
        world.parley()
    assert model.heard == ["hi", "and now?"]
    assert "bot: hello\n" in screen.getvalue()
    assert "bot: bye\n" in screen.getvalue()


def test_a_human_who_leaves_without_a_word_is_not_replied_to() -> None:
    model = Forgetful({"id": "bot"})
    world, _ = interactive("hi\n[DONE]\nagain [DONE]\n[EXIT]\n", model)
    while not world.epoch_done():
        world.parley()
    assert (model.heard, model.acted, model.forgot) == (["hi", "again"], 2, 2)


def test_an_agent_talks_with_a_copy_of_itself_for_some_turns() -> None:
    world = SelfChatWorld({"selfchat_max_turns": 3, "num_self_chats": 2, "opener": "Good day."}, [talker("bot", "a")])
    one, other = world.agents
    assert isinstance(one, Talker)
    assert isinstance(other, Talker)
    ends = []
    while not world.epoch_done():
        world.parley()
        ends.append(world.episode_done())
    assert ends == [False, False, True] * 2
    assert one.heard == ["a"] * 6
    assert other.heard == ["Good day.", "a", "a"] * 2
    world.reset()
    assert not world.epoch_done()


def test_an_agent_that_ends_the_episode_ends_the_self_chat() -> None:
    model = Forgetful({"id": "bot", "ends_after": 2})
    world = SelfChatWorld({}, [model, talker("other")])
    while not world.epoch_done():
        world.parley()
    assert (world.total_parleys, model.forgot) == (3, 1)


@pytest.mark.parametrize("opt", [{"selfchat_max_turns": 0}, {"num_self_chats": 0}])
def test_a_self_chat_without_turns_is_refused(opt: dict[str, object]) -> None:
    with pytest.raises(DialogueError, match="at least"):
        SelfChatWorld(opt, [talker("bot")])
