"""Worlds in which two or more agents take turns."""

from __future__ import annotations

from typing import Any

import pytest
from talking_agents import Answerer, Talker, lesson, talker

from investigator.dialogue.messages import Message
from investigator.dialogue.worlds import DialogPartnerWorld, MultiAgentDialogWorld, World
from investigator.errors import DialogueError


class Ending(Talker):
    """An agent that ends the episode with its second act."""

    def act(self) -> Message:
        act = super().act()
        act.force_set("episode_done", self.acted == 2)
        return act


class Mute(Talker):
    """An agent whose act is not a message."""

    def act(self) -> Any:
        return "just a text"


class Closing(Talker):
    """An agent that records that it was shut down."""

    closed = False

    def shutdown(self) -> None:
        self.closed = True


def test_two_agents_hear_each_other_once_a_turn() -> None:
    asks, replies = talker("a", "one", "two"), talker("b", "uno", "due")
    world = DialogPartnerWorld({}, [asks, replies])
    world.parley()
    world.parley()
    assert (asks.heard, replies.heard) == (["uno", "due"], ["one", "two"])
    assert world.total_parleys == world.total_exs == 2
    assert world.id == "a"


def test_a_right_reply_to_a_teacher_counts_in_the_report_of_the_world() -> None:
    world = DialogPartnerWorld({}, [lesson("one", "two"), talker("student", "ONE")])
    while not world.epoch_done():
        world.parley()
    assert world.report()["accuracy"].value() == 0.5
    assert (world.num_examples(), world.num_episodes(), world.total_epochs) == (2, 2, 1.0)
    world.reset_metrics()
    assert "accuracy" not in world.report()


def test_each_of_three_agents_hears_all_the_others_said_since_it_acted() -> None:
    agents = [talker(name, f"{name}1", f"{name}2") for name in "abc"]
    world = MultiAgentDialogWorld({"task": "table"}, agents)
    world.parley()
    world.parley()
    assert agents[1].heard == ["a1", "c1", "a2", "c2"]
    assert world.id == "table"


def test_the_last_acts_of_plain_agents_tell_that_an_episode_is_done() -> None:
    world = MultiAgentDialogWorld({}, [talker("a"), Ending({"id": "b"})])
    world.parley()
    assert not world.episode_done()
    world.parley()
    assert world.episode_done()


def test_an_agent_that_tells_itself_when_an_episode_is_done_is_asked() -> None:
    class Telling(Ending):
        def episode_done(self) -> bool:
            return False

    world = MultiAgentDialogWorld({}, [Telling({"id": "a"}), talker("b")])
    for _ in range(2):
        world.parley()
    assert not world.episode_done()


def test_a_plain_dict_becomes_a_message_at_the_border() -> None:
    class Plain(Talker):
        def act(self) -> Any:
            return {"text": "hi"}

    world = DialogPartnerWorld({}, [Plain(), talker("b")])
    world.parley()
    assert isinstance(world.get_acts()[0], Message)


def test_an_act_that_is_no_message_is_refused_and_can_be_looked_at() -> None:
    world = DialogPartnerWorld({}, [Mute({"id": "a"}), talker("b")])
    with pytest.raises(DialogueError, match="str: 'just a text'"):
        world.parley()
    assert world.get_acts() == ["just a text", None]
    assert world.total_parleys == 0


@pytest.mark.parametrize("number", [1, 3])
def test_partners_are_two(number: int) -> None:
    with pytest.raises(DialogueError, match=f"two agents, not {number}"):
        DialogPartnerWorld({}, [talker(str(place)) for place in range(number)])


def test_a_world_takes_agents_or_what_is_shared() -> None:
    shared = DialogPartnerWorld({}, [talker("a"), talker("b")]).share()
    with pytest.raises(DialogueError):
        DialogPartnerWorld({})
    with pytest.raises(DialogueError):
        DialogPartnerWorld({}, [talker("a"), talker("b")], shared)


def test_a_copy_has_agents_and_counts_of_its_own() -> None:
    world = DialogPartnerWorld({"mood": ["good"]}, [talker("a", "one", "two"), Answerer({"id": "b"})])
    world.parley()
    copy = world.clone()
    assert copy.get_acts() == [None, None]
    assert (copy.total_parleys, copy.id) == (0, "a")
    copy.parley()
    first = copy.get_acts()[0]
    assert first is not None
    assert first.text == "one"
    assert copy.get_agents()[1].share()["calls"] is world.get_agents()[1].share()["calls"]
    assert copy.opt["mood"] is not world.opt["mood"]


def test_what_no_world_shared_makes_no_world() -> None:
    with pytest.raises(DialogueError):
        MultiAgentDialogWorld({}, None, {"agents": [{"class": str, "opt": {}}]})
    with pytest.raises(DialogueError):
        World.of_share({"agents": []})


def test_a_reset_counts_anew_and_keeps_the_acts_to_look_at() -> None:
    world = DialogPartnerWorld({}, [talker("a", "one"), talker("b")])
    world.parley()
    world.reset()
    assert (world.total_parleys, world.total_exs, world.total_epochs) == (0, 0, 0)
    assert "[a]: one" in world.display()
    assert world.get_agents()[0].observation is None


def test_of_two_agents_that_measure_the_same_the_first_is_reported() -> None:
    first, second = lesson("one", "two"), lesson("one", "two")
    world = MultiAgentDialogWorld({}, [first, talker("student", "ONE"), second])
    world.parley()
    world.parley()
    assert (first.report()["exs"].value(), second.report()["exs"].value()) == (2, 1)
    assert world.report()["exs"].value() == 2


def test_labels_and_the_end_of_an_episode_are_displayed_and_padding_is_not() -> None:
    world = DialogPartnerWorld({}, [lesson("one"), talker("student", "eins")])
    world.parley()
    assert world.display() == "[lesson]: one  (labels: ONE)\n[student]: eins\n(end of the episode)"
    world.parley()
    assert world.display() == "[student]: eins\n(end of the episode)"


def test_leaving_a_world_shuts_its_agents_down_also_after_an_error() -> None:
    agents = [Closing({"id": "a"}), Mute({"id": "b"})]
    with pytest.raises(DialogueError), DialogPartnerWorld({}, agents) as world:
        world.parley()
    assert agents[0].closed  # type: ignore[attr-defined]
