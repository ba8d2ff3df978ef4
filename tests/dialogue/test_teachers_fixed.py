"""Teacher, FixedDialogTeacher, MultiTaskTeacher, and the state that their copies share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

import pytest
from talking_agents import Lesson, lesson

from investigator.dialogue.agents import Shared
from investigator.dialogue.messages import Message
from investigator.dialogue.metrics import AverageMetric
from investigator.dialogue.teachers import FixedDialogTeacher, MultiTaskTeacher, Teacher
from investigator.errors import DialogueError

LESSON: tuple[list[str] | str, ...] = (["one", "two"], "three", "four")


class Guessing(Teacher):
    """A teacher whose questions depend on what was said before."""

    def __init__(self, opt: Mapping[str, object] | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self._secret = 5

    def act(self) -> Message:
        reply = self.observation.text if self.observation else ""
        question = Message(text="higher" if reply.isdigit() and int(reply) < self._secret else "guess", labels=["5"])
        self.expect(question)
        return question


def test_labels_are_hidden_from_who_is_tested_and_shown_to_who_learns() -> None:
    tested, learning = lesson(*LESSON).act(), lesson(*LESSON, datatype="train:ordered").act()
    blind = lesson(*LESSON, hide_labels=True).act()
    assert (tested.get("labels"), tested["eval_labels"]) == (None, ["ONE"])
    assert (learning["labels"], learning.get("eval_labels")) == (["ONE"], None)
    assert not {"labels", "eval_labels"} & blind.keys()


def test_a_reply_is_graded_once_by_hidden_labels_too() -> None:
    teacher = lesson(*LESSON, hide_labels=True)
    teacher.act()
    first = teacher.observe(Message(text="one."))
    second = teacher.observe(Message(text="one."))
    assert first["metrics"]["accuracy"].value() == 1.0  # type: ignore[index]
    assert "metrics" not in second
    assert teacher.report()["exs"].value() == 1


def test_a_reply_may_be_a_plain_dict_and_may_lack_a_text() -> None:
    teacher = lesson(*LESSON)
    teacher.act()
    reply: dict[str, object] = {"reward": 1}
    graded = teacher.observe(reply)
    assert graded["metrics"].keys() == {"exs"}  # type: ignore[attr-defined]
    assert reply == {"reward": 1}


def test_a_task_grades_in_further_ways_of_its_own() -> None:
    class Polite(Lesson):
        def custom_evaluation(self, teacher_action: Message, labels: list[str], model_response: Message) -> None:
            assert (teacher_action.text, labels) == ("one", ["ONE"])
            self.metrics.add("polite", AverageMetric("please" in model_response.text))

    teacher = Polite({"datatype": "valid", "asks": LESSON})
    teacher.act()
    assert teacher.observe(Message(text="one, please"))["metrics"]["polite"].value() == 1.0  # type: ignore[index]


def test_a_teacher_from_scratch_asks_by_what_was_said_and_grades() -> None:
    teacher = Guessing({"task": "guess"})
    teacher.act()
    teacher.observe(Message(text="3"))
    assert teacher.act().text == "higher"
    teacher.observe(Message(text="5"))
    assert teacher.report()["accuracy"].value() == 0.5
    assert (teacher.id, teacher.num_examples(), teacher.epoch_done()) == ("guess", None, False)


def test_what_is_asked_can_be_changed_by_who_hears_it_without_changing_the_data() -> None:
    teacher = lesson(*LESSON, datatype="train:ordered")
    teacher.act().clear()
    teacher.reset()
    assert teacher.act()["labels"] == ["ONE"]


def test_random_episodes_are_the_same_for_the_same_seed_and_come_whole() -> None:
    def questions(seed: int) -> list[str]:
        teacher = lesson(*LESSON, datatype="train", seed=seed)
        return [teacher.act().text for _ in range(60)]

    first = questions(1)
    assert first == questions(1) != questions(2)
    assert set(first) == {"one", "two", "three", "four"}
    assert all(after == "two" for before, after in pairwise(first) if before == "one")


@pytest.mark.parametrize("datatype", ["train", "valid"])
def test_without_data_there_is_padding_at_once(datatype: str) -> None:
    teacher = lesson(datatype=datatype)
    assert teacher.act().is_padding()
    assert teacher.epoch_done()
    assert list(teacher) == []


def test_a_method_that_is_missing_is_named() -> None:
    with pytest.raises(DialogueError, match='"num_examples" must be overridden by FixedDialogTeacher'):
        FixedDialogTeacher({"datatype": "valid"}).num_examples()


def of_tasks(datatype: str, asks: dict[str, list[str | list[str]]], **options: object) -> MultiTaskTeacher:
    teachers = [lesson(*texts, task=name, datatype=datatype) for name, texts in asks.items()]
    return MultiTaskTeacher({"task": ",".join(asks), "datatype": datatype, **options}, teachers=teachers)


def test_tasks_come_in_turn_an_episode_each_until_all_have_ended() -> None:
    teacher = of_tasks("valid", {"a": [["a", "b"]], "b": [["c", "d"], ["e", "f"], ["g", "h"]]})
    acts = [teacher.act() for _ in range(10)]
    assert [act.text for act in acts[:8]] == list("abcdefgh")
    assert [act["id"] for act in acts[:8]] == list("aabbbbbb")
    assert acts[8:] == [Message.padding_example()] * 2
    assert teacher.epoch_done()
    assert (teacher.num_examples(), teacher.num_episodes()) == (8, 4)


def test_in_training_tasks_are_drawn_by_their_weights_and_the_seed() -> None:
    def drawn(seed: int) -> list[object]:
        teacher = of_tasks("train", {"a": ["x"], "b": ["y"], "never": ["z"]}, multitask_weights=[3, 1, 0], seed=seed)
        return [teacher.act()["id"] for _ in range(2_000)]

    counts = Counter(drawn(1))
    assert counts["never"] == 0
    assert 2.4 < counts["a"] / counts["b"] < 3.7
    assert drawn(1) == drawn(1) != drawn(2)


def test_a_reply_is_graded_by_the_task_that_asked() -> None:
    teacher = of_tasks("valid", {"a": [["x", "x"]], "b": [["y", "y"]]})
    for _ in range(4):
        teacher.act()
        teacher.observe(Message(text="X"))
    report = {name: metric.value() for name, metric in teacher.report().items()}
    assert (report["a/accuracy"], report["b/accuracy"], report["accuracy"], report["exs"]) == (1.0, 0.0, 0.5, 4)
    teacher.reset_metrics()
    assert "accuracy" not in teacher.report()


def test_copies_take_episodes_in_turn_and_count_together() -> None:
    teacher = of_tasks("valid", {"a": [["a", "b"], ["c", "d"]], "b": ["e"]})
    copy = teacher.clone()
    seen = [(each.act().text, each.observe(Message(text="a"))) for each in [teacher, teacher, copy, copy]]
    assert [text for text, _ in seen] == ["a", "b", "c", "d"]
    assert teacher.report()["a/exs"].value() == copy.report()["a/exs"].value() == 4


def test_iterating_gives_all_tasks_and_leaves_the_teacher_where_it_is() -> None:
    teacher = of_tasks("valid", {"a": [["a", "b"]], "b": [["c", "d"], "e"]}, batchsize=4)
    teacher.act()
    for _ in range(2):
        assert [act.text for act in teacher] == ["a", "b", "c", "d", "e"]
    assert teacher.act().text == "b"


def test_counts_are_unknown_where_one_task_does_not_know() -> None:
    assert MultiTaskTeacher({"datatype": "valid"}, teachers=[Teacher({}), lesson()]).num_examples() is None
