"""A world with several tasks for one agent."""

from __future__ import annotations

import pytest
from talking_agents import Lesson, lesson, talker

from investigator.dialogue.worlds import DialogPartnerWorld, MultiWorld, World
from investigator.errors import DialogueError


def of_tasks(opt: dict[str, object], **asks: list[str]) -> MultiWorld:
    student = talker("student", "ONE")
    tasks = [lesson(*texts, **{**opt, "task": task}) for task, texts in asks.items()]
    return MultiWorld(opt, [DialogPartnerWorld(opt, [teacher, student]) for teacher in tasks])


def question_of(world: World) -> str:
    act = world.get_acts()[0]
    return act.text if act is not None else "nothing"


def turns(world: World, number: int) -> list[str]:
    questions = []
    for _ in range(number):
        world.parley()
        questions.append(question_of(world))
    return questions


def test_tasks_come_in_turn_and_those_that_have_ended_are_left_out() -> None:
    world = of_tasks({"datatype": "valid"}, p=["p1"], q=["q1", "q2", "q3"], r=["r1", "r2"])
    assert turns(world, 6) == ["p1", "q1", "r1", "q2", "r2", "q3"]
    assert world.epoch_done()
    assert (world.num_examples(), world.num_episodes(), world.total_epochs) == (6, 6, 1.0)


def test_another_task_is_chosen_only_when_an_episode_is_over() -> None:
    world = MultiWorld(
        {"datatype": "valid"},
        [
            DialogPartnerWorld({}, [talker("endless", "a1", "a2"), talker("student")]),
            DialogPartnerWorld({}, [lesson("b"), talker("student")]),
        ],
    )
    assert turns(world, 4) == ["a1", "a2", "a1", "a2"]


def test_weights_can_be_numbers_or_the_sizes_of_the_tasks() -> None:
    sizes = {"p": ["p"], "q": ["q"] * 3}
    assert of_tasks({"multitask_weights": [2, 5]}, **sizes).cum_task_weights == (2, 7)
    assert of_tasks({"multitask_weights": "stochastic"}, **sizes).cum_task_weights == (1, 4)
    assert of_tasks({}, **sizes).cum_task_weights == (1, 2)
    for wrong in ("much,little", [-1, 2], []):
        with pytest.raises(DialogueError):
            of_tasks({"datatype": "train", "multitask_weights": wrong}, **sizes)


def test_figures_of_all_tasks_are_a_mean_over_tasks_or_over_examples() -> None:
    tasks = {"p": ["one"], "q": ["one", "two", "three"]}
    macro, micro = (of_tasks({"datatype": "valid", "aggregate_micro": micro}, **tasks) for micro in (False, True))
    turns(macro, 4)
    turns(micro, 4)
    assert macro.report()["q/accuracy"].value() == pytest.approx(1 / 3)
    assert macro.report()["accuracy"].value() == pytest.approx(2 / 3)
    assert micro.report()["accuracy"].value() == pytest.approx(2 / 4)
    macro.reset_metrics()
    assert "accuracy" not in macro.report()


def test_of_two_tasks_of_one_name_both_are_reported() -> None:
    student = talker("student", "ONE")
    world = MultiWorld(
        {"datatype": "valid"}, [DialogPartnerWorld({}, [lesson(text), student]) for text in ("one", "two")]
    )
    turns(world, 2)
    report = world.report()
    assert (report["lesson/accuracy"].value(), report["lesson#2/accuracy"].value()) == (1, 0)


def test_a_copy_has_one_student_for_all_its_tasks() -> None:
    world = of_tasks({"datatype": "valid"}, p=["p"], q=["q"])
    copy = world.clone()
    students = {id(part.get_agents()[1]) for part in copy.worlds}
    assert len(students) == 1
    assert id(world.get_agents()[1]) not in students
    assert [part.get_agents()[0].id for part in copy.worlds] == ["p", "q"]
    assert world.batch_agent(1) is world.get_agents()[1]
    assert world.batch_agent(0) is None


def test_a_reset_begins_all_tasks_anew() -> None:
    world = of_tasks({"datatype": "valid"}, p=["p1", "p2"], q=["q1"])
    assert turns(world, 2) == ["p1", "q1"]
    world.reset()
    assert world.total_parleys == 0
    assert turns(world, 3) == ["p1", "q1", "p2"]


def test_a_multi_world_has_worlds() -> None:
    with pytest.raises(DialogueError):
        MultiWorld({})
    with pytest.raises(DialogueError, match="class"):
        MultiWorld({}, None, {"worlds": [{"agents": []}], "common": ()})


def test_shutting_down_reaches_every_task() -> None:
    closed: list[str] = []

    class Closing(Lesson):
        def shutdown(self) -> None:
            closed.append(self.id)

    teachers = [Closing({"task": task, "datatype": "valid", "asks": ["x"]}) for task in "pq"]
    with MultiWorld({"datatype": "valid"}, [DialogPartnerWorld({}, [t, talker("s")]) for t in teachers]):
        pass
    assert closed == ["p", "q"]
