"""Agents that go round in circles come to an end; data and humans may repeat."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest
from talking_agents import Talker, lesson, talker

from investigator.dialogue.agents import Agent
from investigator.dialogue.human_agent import HumanAgent
from investigator.dialogue.simple_agents import DataAgent, FixedResponseAgent, RepeatQueryAgent
from investigator.dialogue.worlds import (
    BatchWorld,
    DialogPartnerWorld,
    ExecutableWorld,
    HogwildWorld,
    InteractiveWorld,
    MultiAgentDialogWorld,
    SelfChatWorld,
    World,
)
from investigator.dialogue.worlds.loops import LONGEST_LOOP, Exchanges
from investigator.errors import DialogueError, DialogueValueError


def turns(world: World, most: int = 40) -> int:
    """How many turns there are until the epoch ends; `most` where it does not."""
    for turn in range(most):
        if world.epoch_done():
            return turn
        world.parley()
    return most


def counter(name: str) -> Talker:
    """Says something else each time, for long."""
    return talker(name, *(f"{name}{number}" for number in range(1000)))


@pytest.mark.parametrize("kind", [DialogPartnerWorld, MultiAgentDialogWorld])
def test_two_that_say_the_same_again_and_again_come_to_an_end(kind: type[World]) -> None:
    world = kind({}, [talker("a", "ping"), talker("b", "pong")])
    ends = []
    while not world.epoch_done():
        world.parley()
        ends.append(world.episode_done())
    assert ends == [False, False, False, True]
    assert world.end_reason == "the same exchange repeated 3 times, last: 'ping / pong'"
    assert world.display().splitlines()[-1] == f"(end of the episode: {world.end_reason})"
    world.reset()
    assert (world.end_reason, world.epoch_done()) == ("", False)


def test_repeaters_that_only_hear_each_other_come_to_an_end() -> None:
    assert turns(DialogPartnerWorld({}, [RepeatQueryAgent({"id": "a"}), RepeatQueryAgent({"id": "b"})])) < 10
    assert turns(MultiAgentDialogWorld({}, [FixedResponseAgent({"id": name}) for name in "abc"])) == 4


def test_a_loop_may_have_several_exchanges_and_begin_late() -> None:
    ring = talker("a", "one", "two", "three")
    assert turns(DialogPartnerWorld({}, [ring, talker("b", "yes")])) == 12
    late = talker("a", *(f"word {number}" for number in range(7)), *["Really?"] * 20)
    world = DialogPartnerWorld({}, [late, talker("b", "yes")])
    assert turns(world) == 11
    assert "Really? / yes" in world.end_reason


def test_case_and_blanks_make_no_difference_and_other_words_do() -> None:
    shouting = talker("a", "Are you there?", "are  you THERE?", " Are you there? ", "ARE YOU\nTHERE?")
    assert turns(DialogPartnerWorld({}, [shouting, talker("b", "Yes.")])) == 4
    assert turns(DialogPartnerWorld({}, [counter("a"), talker("b", "Yes.")])) == 40
    almost = talker("a", "a", "a", "a", "b", "c", "a", "a", "a", "d")
    assert turns(DialogPartnerWorld({}, [almost, talker("b", "Yes.")]), 18) == 18


@pytest.mark.parametrize(("repeats", "ends"), [(1, 2), (2, 3), (10, 11), (0, 40)])
def test_how_often_is_an_option(repeats: int, ends: int) -> None:
    assert turns(DialogPartnerWorld({"loop_repeats": repeats}, [talker("a"), talker("b")])) == ends


@pytest.mark.parametrize("repeats", [-1, "3", 1.5])
def test_an_option_that_is_no_number_of_times_is_refused(repeats: object) -> None:
    with pytest.raises(DialogueError, match="loop_repeats must be"):
        DialogPartnerWorld({"loop_repeats": repeats}, [talker("a"), talker("b")])
    with pytest.raises(DialogueValueError):
        Exchanges(-1)


@pytest.mark.parametrize(
    "agents",
    [
        [lesson(*["Why?"] * 30), FixedResponseAgent({})],
        [FixedResponseAgent({}), lesson(*["Why?"] * 30)],
        [DataAgent(messages=[{"text": "Why?"}] * 30), FixedResponseAgent({})],
        [FixedResponseAgent({}), HumanAgent(source=io.StringIO("no\n" * 30), sink=io.StringIO())],
    ],
    ids=["teacher first", "teacher second", "data", "human"],
)
def test_data_and_humans_may_repeat(agents: Sequence[Agent]) -> None:
    for kind in (DialogPartnerWorld, MultiAgentDialogWorld):
        world = kind({}, agents)
        for _ in range(20):
            world.parley()
            assert not world.end_reason


def test_who_talks_with_a_human_is_not_cut_off_whatever_the_human_is() -> None:
    assert turns(InteractiveWorld({}, [talker("visitor", "hello?"), talker("bot", "hello!")])) == 40


def test_acts_that_change_the_world_may_repeat() -> None:
    assert turns(ExecutableWorld({}, [talker("a", "go on"), talker("b", "dig")])) == 40


def test_a_self_chat_ends_with_a_loop_and_the_next_one_begins_anew() -> None:
    world = SelfChatWorld({"selfchat_max_turns": 30, "num_self_chats": 3, "opener": "Hi!"}, [talker("bot", "Fine.")])
    ends = []
    while not world.epoch_done():
        world.parley()
        ends.append((world.episode_done(), bool(world.end_reason)))
    one_chat = [(False, False)] * 4 + [(True, True)]
    assert ends == one_chat * 3
    unwatched = SelfChatWorld({"selfchat_max_turns": 9, "loop_repeats": 0}, [talker("bot", "Fine.")])
    assert turns(unwatched) == 9


def test_what_one_chat_said_is_not_held_against_the_next() -> None:
    opt = {"selfchat_max_turns": 3, "num_self_chats": 4, "opener": "Fine."}
    assert turns(SelfChatWorld(opt, [talker("bot", "Fine.")])) == 12


class Closing(Talker):
    """Ends the episode with every second act."""

    def act(self):  # type: ignore[no-untyped-def]
        act = super().act()
        act.force_set("episode_done", self.acted % 2 == 0)
        return act


def test_episodes_may_be_alike() -> None:
    assert turns(DialogPartnerWorld({}, [Closing({"id": "a"}), talker("b")])) == 40


def test_silence_is_no_word() -> None:
    class Silent(Agent):
        def act(self):  # type: ignore[no-untyped-def]
            return {"id": "silent", "image": object()}

    assert turns(DialogPartnerWorld({}, [Silent(), talker("b")])) == 40


def test_rows_of_a_batch_end_each_for_itself() -> None:
    world = BatchWorld({"batchsize": 2}, DialogPartnerWorld({}, [talker("a"), talker("b")]))
    assert turns(world) == 4
    assert all(row.end_reason for row in world.worlds)


def test_in_threads_so_many_parleys_are_so_many_turns_unless_it_is_asked_for() -> None:
    for opt, expected in (({}, 30), ({"loop_repeats": 3}, 8)):
        with HogwildWorld({"numthreads": 2, **opt}, DialogPartnerWorld(opt, [talker("a"), talker("b")])) as world:
            for _ in range(30):
                world.parley()
            world.join()
            assert sum(copy.total_parleys for copy in world.worlds) == expected


def test_the_longest_loop_is_found_and_a_longer_one_is_none() -> None:
    for length, found in ((LONGEST_LOOP, True), (LONGEST_LOOP + 1, False)):
        exchanges = Exchanges(2)
        reasons = [exchanges.add([f"say {turn % length}", "yes"]) for turn in range(4 * length)]
        assert any(reasons) is found
        assert reasons.index(next(filter(None, reasons), "")) == (3 * length - 1 if found else 0)
