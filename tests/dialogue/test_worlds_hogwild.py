"""Copies of a world in threads."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import nullcontext
from threading import Barrier, Event, Lock, Thread
from typing import Any

import pytest
from talking_agents import LETTERS, Answerer, Lessons, Talker, lesson, talker

from investigator.dialogue.agents import Shared
from investigator.dialogue.messages import Message
from investigator.dialogue.worlds import DialogPartnerWorld, HogwildWorld, MultiAgentDialogWorld, create_world
from investigator.errors import DialogueError, EngineTimeoutError, RunError


class Sharing(Talker):
    def __init__(self, opt: Mapping[str, object] | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self.common: dict[str, Any] = (shared or {}).get("common") or {"lock": Lock(), "acts": Counter()}  # type: ignore[assignment]

    def share(self) -> dict[str, object]:
        return {**super().share(), "common": self.common}


class Counting(Sharing):
    def act(self) -> Message:
        with self.common["lock"]:
            self.common["acts"][self.opt.get("threadindex")] += 1
        return super().act()


class Waiting(Sharing):
    """An agent that reports its arrival, and acts when the gate opens."""

    def act(self) -> Message:
        self.common["there"].release()
        assert self.common["gate"].wait(5)
        return super().act()


class Failing(Sharing):
    def act(self) -> Message:
        if self.common.pop("error", False):
            raise EngineTimeoutError("no reply within 3 s", hint="Wait.")
        return super().act()


def threads(number: int, agent: Talker) -> HogwildWorld:
    opt = {"numthreads": number}
    return HogwildWorld(opt, DialogPartnerWorld(opt, [agent, talker("student")]))


def parleys(world: HogwildWorld, number: int) -> None:
    for _ in range(number):
        world.parley()


def waiting(number: int, kind: type[Waiting] = Waiting) -> tuple[HogwildWorld, dict[str, Any]]:
    agent = kind({"id": "waiting"})
    agent.common.update(gate=Event(), there=threading.Semaphore(0))
    return threads(number, agent), agent.common


@pytest.mark.parametrize(("number", "turns"), [(2, 1), (4, 200)])
def test_n_parleys_are_n_acts_of_all_copies(number: int, turns: int) -> None:
    agent = Counting({"id": "counting"})
    with threads(number, agent) as world:
        parleys(world, turns)
        world.join()
        assert sum(agent.common["acts"].values()) == turns
        assert len(agent.common["acts"]) == min(number, turns)
        assert (world.total_parleys, world.total_exs) == (turns, turns)
        assert sum(copy.total_parleys for copy in world.worlds) == turns
    assert agent.acted == 0


def test_a_parley_returns_at_once_and_copies_act_side_by_side() -> None:
    barrier = Barrier(3, timeout=10)

    class Meeting(Sharing):
        def act(self) -> Message:
            barrier.wait()  # passes when three are here
            return super().act()

    with threads(3, Meeting({"id": "meeting"})) as world:
        parleys(world, 3)
        world.join()
        assert [copy.total_parleys for copy in world.worlds] == [1, 1, 1]


def test_no_more_turns_are_under_way_than_there_are_threads() -> None:
    world, common = waiting(2)
    with world:
        world.parley()
        world.parley()
        assert common["there"].acquire(timeout=10)
        assert common["there"].acquire(timeout=10)
        third = Thread(target=world.parley)
        third.start()
        third.join(0.1)
        assert third.is_alive()
        assert not world.epoch_done()
        common["gate"].set()
        third.join(10)
        assert not third.is_alive()
        world.join()
        assert world.total_parleys == 3


def test_a_copy_that_is_free_does_not_wait_for_one_that_is_not() -> None:
    class FirstWaits(Waiting):
        def act(self) -> Message:
            return super().act() if self.opt["threadindex"] == 0 else Talker.act(self)

    world, common = waiting(2, FirstWaits)
    with world:
        parleys(world, 6)
        assert not common["gate"].is_set()
        common["gate"].set()
        world.join()
        assert [copy.total_parleys for copy in world.worlds] == [1, 5]


@pytest.mark.parametrize("number", [1, 8])
def test_every_example_is_answered_once_and_then_the_copies_rest(number: int) -> None:
    opt: dict[str, object] = {"numthreads": number, "datatype": "valid"}
    student = Answerer({"id": "student"})
    with HogwildWorld(opt, DialogPartnerWorld(opt, [lesson(*LETTERS, **opt), student])) as world:
        while not world.epoch_done():
            world.parley()
        assert world.report()["exs"].value() == 26
        assert world.report()["accuracy"].value() == 1
        assert sorted(text for [text] in student.calls if text) == LETTERS
        before = world.total_parleys
        world.parley()
        assert world.total_parleys == before
        world.reset()
        assert not world.epoch_done()
        world.parley()
        assert world.report()["exs"].value() == 1


def test_batches_run_in_threads_too() -> None:
    student = Answerer({"id": "student"})
    opt = {"task": "p,q", "datatype": "valid", "batchsize": 3, "numthreads": 2}
    with create_world(opt, student, Lessons(p=LETTERS[:11], q=LETTERS[11:])) as world:
        while not world.epoch_done():
            world.parley()
        report = world.report()
        assert (report["p/exs"].value(), report["q/exs"].value()) == (11, 15)
        assert {len(call) for call in student.calls} == {3}


def test_what_fails_in_a_thread_is_raised_once_with_its_cause_and_the_rest_goes_on() -> None:
    agent = Failing({"id": "failing"})
    agent.common["error"] = True
    with threads(2, agent) as world:
        world.parley()
        with pytest.raises(RunError, match="copy 0 of the world failed: EngineTimeoutError: no reply") as failure:
            world.join()
        assert isinstance(failure.value.__cause__, EngineTimeoutError)
        assert failure.value.hint == "Wait."
        parleys(world, 4)
        world.join()
        assert sum(copy.total_parleys for copy in world.worlds) == 4


def test_a_copy_that_always_fails_is_not_preferred_to_those_that_work() -> None:
    class FirstFails(Counting):
        def act(self) -> Message:
            if self.opt["threadindex"] == 0:
                raise EngineTimeoutError("no reply within 3 s")
            return super().act()

    agent = FirstFails({"id": "failing"})
    with threads(3, agent) as world:
        for failures in (True, False, False):
            with pytest.raises(RunError) if failures else nullcontext():
                world.parley()
                world.join()
    assert agent.common["acts"] == {1: 1, 2: 1}


@pytest.mark.parametrize("error", [None, KeyError("mine")])
def test_a_failure_that_nobody_was_told_of_is_raised_at_the_end_unless_it_hides_another(error: KeyError | None) -> None:
    agent = Failing({"id": "failing"})
    agent.common["error"] = True

    def leave() -> None:
        with threads(1, agent) as world:
            world.parley()
            if error:
                raise error

    with pytest.raises(type(error) if error else RunError):
        leave()


def test_shutting_down_ends_the_running_turns_and_all_threads() -> None:
    world, common = waiting(2)
    world.parley()
    assert common["there"].acquire(timeout=10)
    common["gate"].set()
    world.shutdown()
    world.shutdown()
    assert sum(copy.total_parleys for copy in world.worlds) == 1
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("investigator-world")]
    with pytest.raises(DialogueError, match="shut down"):
        world.parley()


def test_what_makes_no_sense_for_several_copies_says_so() -> None:
    with threads(2, talker("a")) as world:
        with pytest.raises(DialogueError, match="display"):
            world.display()
        with pytest.raises(DialogueError, match="several episodes"):
            world.episode_done()
    with pytest.raises(DialogueError, match="0 copies"):
        HogwildWorld({"numthreads": 0}, MultiAgentDialogWorld({}, [talker("a")]))
