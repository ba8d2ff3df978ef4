"""The world that is created from options and agents."""

from __future__ import annotations

import pytest
from talking_agents import Answerer, Lessons, talker

from investigator.dialogue.task_strings import WorldName
from investigator.dialogue.worlds import (
    BatchWorld,
    DialogPartnerWorld,
    ExecutableWorld,
    HogwildWorld,
    MultiAgentDialogWorld,
    MultiWorld,
    World,
    create_world,
)
from investigator.errors import DialogueError, NotFoundError

TASKS = Lessons(p=["p1", "p2"], q=["q1"])


@pytest.mark.parametrize(
    ("opt", "outer", "inner"),
    [
        ({"task": "p"}, DialogPartnerWorld, None),
        ({"task": "p,q"}, MultiWorld, None),
        ({"task": "p", "batchsize": 1, "numthreads": 1}, DialogPartnerWorld, None),
        ({"task": "p", "batchsize": 2}, BatchWorld, DialogPartnerWorld),
        ({"task": "p,q", "batchsize": 2}, BatchWorld, MultiWorld),
        ({"task": "p", "numthreads": 2}, HogwildWorld, DialogPartnerWorld),
        ({"task": "p", "numthreads": 2, "batchsize": 2}, HogwildWorld, BatchWorld),
    ],
)
def test_options_choose_the_world(opt: dict[str, object], outer: type[World], inner: type[World] | None) -> None:
    with create_world({"datatype": "valid", **opt}, Answerer({"id": "student"}), TASKS) as world:
        assert type(world) is outer
        assert inner is None or type(getattr(world, "world", None)) is inner


@pytest.mark.parametrize(
    ("opt", "problem"),
    [
        ({"num_workers": 3}, "no world loads data in other processes"),
        ({"batchsize": 2, "dynamic_batching": "full"}, "batches have a fixed size"),
    ],
)
def test_options_that_would_change_nothing_are_refused(opt: dict[str, object], problem: str) -> None:
    with pytest.raises(DialogueError, match=problem):
        create_world({"task": "p", **opt}, talker("a"), TASKS)


def test_the_number_of_agents_chooses_the_world_of_a_task() -> None:
    students = [talker("a"), talker("b")]
    assert type(create_world({"task": "p"}, students, TASKS)) is MultiAgentDialogWorld
    assert type(create_world({"task": "p"}, [], TASKS)) is MultiAgentDialogWorld
    assert type(create_world({"task": "p"}, students[:1], TASKS)) is DialogPartnerWorld


def test_a_world_of_the_task_goes_before_and_one_that_is_given_before_that() -> None:
    class Own(ExecutableWorld):
        pass

    class WithWorld(Lessons):
        def world_class(self, task: str, name: WorldName) -> type[World] | None:
            return Own if task == "p" else None

    tasks = WithWorld(p=["p1"], q=["q1"])
    mixed = create_world({"task": "p,q"}, talker("a"), tasks)
    assert isinstance(mixed, MultiWorld)
    assert [type(part) for part in mixed.worlds] == [Own, DialogPartnerWorld]
    assert type(create_world({"task": "p"}, talker("a"), tasks, make_world=MultiAgentDialogWorld)) is (
        MultiAgentDialogWorld
    )


def test_the_teacher_comes_first_and_knows_its_task_alone() -> None:
    world = create_world({"task": "p,q", "datatype": "valid"}, talker("student"), TASKS)
    assert isinstance(world, MultiWorld)
    assert [[agent.id for agent in part.get_agents()] for part in world.worlds] == [["p", "student"], ["q", "student"]]
    assert world.worlds[1].get_agents()[0].opt["task"] == "q"


@pytest.mark.parametrize("opt", [{}, {"task": ""}, {"task": None}, {"task": "unknown"}])
def test_a_task_is_named_and_known(opt: dict[str, object]) -> None:
    with pytest.raises(NotFoundError):
        create_world(opt, talker("a"), TASKS)
