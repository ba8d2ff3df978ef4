"""Copies of a world that run in step, with one call of the model for all of them, and worlds of several tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pytest
from talking_agents import LETTERS, Answerer, Lesson, Lessons, Talker, lesson, talker

from investigator.dialogue.agents import Shared
from investigator.dialogue.messages import Message
from investigator.dialogue.worlds import (
    BatchWorld,
    DialogPartnerWorld,
    MultiAgentDialogWorld,
    MultiWorld,
    World,
    create_world,
)
from investigator.errors import DialogueError


def batch(size: int, *agents: Talker | Lesson) -> BatchWorld:
    opt = {"batchsize": size, "datatype": "valid"}
    return BatchWorld(opt, DialogPartnerWorld(opt, list(agents)))


def test_all_rows_are_answered_by_one_call_and_each_hears_its_own_answer() -> None:
    student = Answerer({"id": "student"})
    world = batch(3, lesson("a", "b", "c", "d", batchsize=3), student)
    world.parley()
    assert student.calls == [["a", "b", "c"]]
    assert [act.text for row in world.worlds for act in row.get_acts() if act] == ["a", "A", "b", "B", "c", "C"]
    assert world.report()["accuracy"].value() == 1
    assert (world.total_parleys, world.total_exs, world.total_epochs) == (1, 3, 0.75)


@pytest.mark.parametrize(("size", "examples"), [(1, 5), (8, 5), (7, 26)])
def test_every_example_is_answered_once_whatever_the_size(size: int, examples: int) -> None:
    student = Answerer({"id": "student"})
    world = batch(size, lesson(*LETTERS[:examples], batchsize=size), student)
    while not world.epoch_done():
        world.parley()
    assert sorted(text for call in student.calls for text in call if text) == LETTERS[:examples]
    assert world.report()["exs"].value() == examples


def test_several_tasks_in_one_batch_are_graded_each_by_its_own_teacher() -> None:
    tasks = Lessons(p=LETTERS[:5], q=LETTERS[5:7], r=LETTERS[7:16])
    student = Answerer({"id": "student"})
    world = create_world({"task": "p,q,r", "datatype": "valid", "batchsize": 3}, student, tasks)
    while not world.epoch_done():
        world.parley()
    assert Counter(text for call in student.calls for text in call if text) == Counter(LETTERS[:16])
    report = world.report()
    assert [report[f"{task}/exs"].value() for task in "pqr"] == [5, 2, 9]
    assert report["accuracy"].value() == 1
    assert {len(call) for call in student.calls} == {3}


def test_who_has_heard_nothing_yet_is_given_nothing() -> None:
    class Seeing(Answerer):
        def batch_act(self, observations: Sequence[Message | None]) -> list[Message]:
            self.calls.append([seen and seen.text for seen in observations])
            return [Message(text="") for _ in observations]

    first = Seeing({"id": "first"})
    world = batch(2, first, talker("second", "x", "y"))
    world.parley()
    world.parley()
    assert first.calls == [[None, None], ["x", "x"]]
    world.reset()
    world.parley()
    assert first.calls[-1] == [None, None]


def test_every_copy_knows_its_row_and_takes_note_of_what_was_said_for_it() -> None:
    class Noting(Answerer):
        def __init__(self, opt: Mapping[str, object] | None = None, shared: Shared | None = None) -> None:
            super().__init__(opt, shared)
            self.row = (shared or {}).get("batchindex")

        def self_observe(self, self_message: Message) -> None:
            self.utterance = (self.row, self.opt["batchindex"], self_message.text)

    world = batch(3, talker("a", "x"), Noting({"id": "b"}))
    world.parley()
    rows = [row.get_agents()[1] for row in world.worlds]
    assert [row.utterance for row in rows if isinstance(row, Noting)] == [(n, n, "X") for n in range(3)]


def test_three_agents_hear_each_other_in_every_row() -> None:
    opt = {"batchsize": 2}
    world = BatchWorld(opt, MultiAgentDialogWorld(opt, [talker("a"), Answerer({"id": "b"}), talker("c", "bye")]))
    world.parley()
    heard = [[agent.heard for agent in row.get_agents() if isinstance(agent, Talker)] for row in world.worlds]
    assert heard == [[["HELLO", "bye"], ["hello", "bye"], ["hello", "HELLO"]]] * 2


class Short(Answerer):
    def batch_act(self, observations: Sequence[Message | None]) -> list[Message]:
        return [Message(text="only one")]


class Forgetful(Talker):
    def observe(self, observation: Message) -> None:
        return None


@pytest.mark.parametrize(
    ("agent", "problem"), [(Short, "agent returned 1 acts for 2"), (Forgetful, "observe of agent returned nothing")]
)
def test_an_agent_that_breaks_the_form_of_a_batch_is_named(agent: type[Talker], problem: str) -> None:
    with pytest.raises(DialogueError, match=problem):
        batch(2, talker("a"), agent({"id": "agent"})).parley()


def test_rows_have_as_many_agents_each() -> None:
    few, many = ([talker(name) for name in names] for names in ("ab", "abc"))
    opt = {"batchsize": 2, "datatype": "train", "seed": 1}
    world = BatchWorld(opt, MultiWorld(opt, [MultiAgentDialogWorld(opt, few), MultiAgentDialogWorld(opt, many)]))

    def turns() -> None:
        for _ in range(20):
            world.reset()
            world.parley()

    with pytest.raises(DialogueError, match=r"\[2, 3\] agents"):
        turns()


@pytest.mark.parametrize("size", [0, "two"])
def test_a_batch_has_a_row_at_least(size: object) -> None:
    with pytest.raises(DialogueError):
        BatchWorld({"batchsize": size}, DialogPartnerWorld({}, [talker("a"), talker("b")]))


def test_a_copy_of_a_batch_has_rows_of_its_own() -> None:
    world = batch(2, talker("a"), Answerer({"id": "b"}))
    copy = world.clone()
    assert len(copy.worlds) == 2
    assert {id(row) for row in copy.worlds}.isdisjoint({id(row) for row in world.worlds})
    copy.parley()
    assert (copy.total_parleys, world.total_parleys) == (1, 0)
    assert copy.display() == "[a]: hello\n[b]: HELLO\n\n[a]: hello\n[b]: HELLO"
    assert world.display() == ""


def of_tasks(opt: dict[str, object], **asks: list[str]) -> MultiWorld:
    student = talker("student", "ONE")
    tasks = [lesson(*texts, **{**opt, "task": task}) for task, texts in asks.items()]
    return MultiWorld(opt, [DialogPartnerWorld(opt, [teacher, student]) for teacher in tasks])


def turns(world: World, number: int) -> list[str]:
    """Return the first agent's text of each turn."""
    questions = []
    for _ in range(number):
        world.parley()
        act = world.get_acts()[0]
        questions.append(act.text if act is not None else "nothing")
    return questions


def test_tasks_come_in_turn_and_those_that_have_ended_are_left_out() -> None:
    world = of_tasks({"datatype": "valid"}, p=["p1"], q=["q1", "q2", "q3"], r=["r1", "r2"])
    assert turns(world, 6) == ["p1", "q1", "r1", "q2", "r2", "q3"]
    assert world.epoch_done()
    assert (world.num_examples(), world.num_episodes(), world.total_epochs) == (6, 6, 1.0)
    world.reset()
    assert world.total_parleys == 0
    assert turns(world, 4) == ["p1", "q1", "r1", "q2"]


def test_another_task_is_chosen_only_when_an_episode_is_over() -> None:
    pairs = [(talker("endless", "a1", "a2"), talker("student")), (lesson("b"), talker("student"))]
    world = MultiWorld({"datatype": "valid"}, [DialogPartnerWorld({}, pair) for pair in pairs])
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
    worlds = [DialogPartnerWorld({}, [lesson(text), student]) for text in ("one", "two")]
    world = MultiWorld({"datatype": "valid"}, worlds)
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
