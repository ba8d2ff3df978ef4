"""Copies of a world that run in step, with one call of the model for all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from talking_agents import Answerer, Lessons, Talker, lesson, talker

from investigator.dialogue.messages import Message
from investigator.dialogue.worlds import BatchWorld, DialogPartnerWorld, MultiAgentDialogWorld, MultiWorld, create_world
from investigator.errors import DialogueError

LETTERS = [chr(ord("a") + place) for place in range(26)]


def batch(size: int, *agents: Talker) -> BatchWorld:
    opt = {"batchsize": size}
    return BatchWorld(opt, DialogPartnerWorld(opt, list(agents)))


def test_all_rows_are_answered_by_one_call_and_each_hears_its_own_answer() -> None:
    student = Answerer({"id": "student"})
    opt: dict[str, object] = {"batchsize": 3, "datatype": "valid"}
    world = BatchWorld(opt, DialogPartnerWorld(opt, [lesson("a", "b", "c", "d", **opt), student]))
    world.parley()
    assert student.calls == [["a", "b", "c"]]
    assert [act.text for row in world.worlds for act in row.get_acts() if act] == ["a", "A", "b", "B", "c", "C"]
    assert world.report()["accuracy"].value() == 1
    assert (world.total_parleys, world.total_exs, world.total_epochs) == (1, 3, 0.75)


@pytest.mark.parametrize(("size", "examples"), [(1, 5), (8, 5), (7, 26)])
def test_every_example_is_answered_once_whatever_the_size(size: int, examples: int) -> None:
    student = Answerer({"id": "student"})
    opt: dict[str, object] = {"batchsize": size, "datatype": "valid"}
    world = BatchWorld(opt, DialogPartnerWorld(opt, [lesson(*LETTERS[:examples], **opt), student]))
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
        def self_observe(self, self_message: Message) -> None:
            self.utterance = (self.opt["batchindex"], self_message.text)

    world = batch(3, talker("a", "x"), Noting({"id": "b"}))
    world.parley()
    rows = [row.get_agents()[1] for row in world.worlds]
    assert [row.utterance for row in rows if isinstance(row, Noting)] == [(0, "X"), (1, "X"), (2, "X")]


def test_three_agents_hear_each_other_in_every_row() -> None:
    opt = {"batchsize": 2}
    world = BatchWorld(opt, MultiAgentDialogWorld(opt, [talker("a"), Answerer({"id": "b"}), talker("c", "bye")]))
    world.parley()
    heard = [[agent.heard for agent in row.get_agents() if isinstance(agent, Talker)] for row in world.worlds]
    assert heard == [[["HELLO", "bye"], ["hello", "bye"], ["hello", "HELLO"]]] * 2


def test_a_batch_act_gives_one_act_for_each_row() -> None:
    class Short(Answerer):
        def batch_act(self, observations: Sequence[Message | None]) -> list[Message]:
            return [Message(text="only one")]

    with pytest.raises(DialogueError, match="short returned 1 acts for 2"):
        batch(2, talker("a"), Short({"id": "short"})).parley()


def test_an_observe_that_gives_nothing_back_is_named() -> None:
    class Forgetful(Talker):
        def observe(self, observation: Message) -> None:
            return None

    with pytest.raises(DialogueError, match="observe of forgetful"):
        batch(2, talker("a"), Forgetful({"id": "forgetful"})).parley()


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
