"""Teacher, FixedDialogTeacher, MultiTaskTeacher, and the state that their copies share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

import pytest

from investigator.dialogue.agents import Shared
from investigator.dialogue.messages import Message
from investigator.dialogue.metrics import AverageMetric
from investigator.dialogue.teachers import FixedDialogTeacher, MultiTaskTeacher, Teacher
from investigator.errors import DialogueError


class Capitals(FixedDialogTeacher):
    """A teacher of three episodes with two, one and one questions."""

    episodes = (
        (("France?", "Paris"), ("Spain?", "Madrid")),
        (("Italy?", "Rome"),),
        (("Peru?", "Lima"),),
    )

    def get(self, episode_idx: int, entry_idx: int = 0) -> Message:
        text, label = self.episodes[episode_idx][entry_idx]
        return Message(text=text, labels=[label], episode_done=entry_idx == len(self.episodes[episode_idx]) - 1)

    def num_episodes(self) -> int:
        return len(self.episodes)

    def num_examples(self) -> int:
        return sum(len(episode) for episode in self.episodes)


class Silent(Capitals):
    """A teacher without data."""

    episodes = ()  # type: ignore[assignment]


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
    tested, learning = Capitals({"datatype": "valid"}).act(), Capitals({"datatype": "train:ordered"}).act()
    blind = Capitals({"datatype": "valid", "hide_labels": True}).act()
    assert (tested.get("labels"), tested["eval_labels"]) == (None, ["Paris"])
    assert (learning["labels"], learning.get("eval_labels")) == (["Paris"], None)
    assert not {"labels", "eval_labels"} & blind.keys()


def test_a_reply_is_graded_once_by_hidden_labels_too() -> None:
    teacher = Capitals({"datatype": "valid", "hide_labels": True})
    teacher.act()
    first = teacher.observe(Message(text="paris."))
    second = teacher.observe(Message(text="paris."))
    assert first["metrics"]["accuracy"].value() == 1.0  # type: ignore[index]
    assert "metrics" not in second
    assert teacher.report()["exs"].value() == 1


def test_a_reply_may_be_a_plain_dict_and_may_lack_a_text() -> None:
    teacher = Capitals({"datatype": "valid"})
    teacher.act()
    reply: dict[str, object] = {"reward": 1}
    graded = teacher.observe(reply)
    assert graded["metrics"].keys() == {"exs"}  # type: ignore[attr-defined]
    assert reply == {"reward": 1}


def test_a_task_grades_in_further_ways_of_its_own() -> None:
    class Polite(Capitals):
        def custom_evaluation(self, teacher_action: Message, labels: list[str], model_response: Message) -> None:
            assert (teacher_action.text, labels) == ("France?", ["Paris"])
            self.metrics.add("polite", AverageMetric("please" in model_response.text))

    teacher = Polite({"datatype": "valid"})
    teacher.act()
    assert teacher.observe(Message(text="Paris, please"))["metrics"]["polite"].value() == 1.0  # type: ignore[index]


def test_a_teacher_from_scratch_asks_by_what_was_said_and_grades() -> None:
    teacher = Guessing({"task": "guess"})
    teacher.act()
    teacher.observe(Message(text="3"))
    assert teacher.act().text == "higher"
    teacher.observe(Message(text="5"))
    assert teacher.report()["accuracy"].value() == 0.5
    assert (teacher.id, teacher.num_examples(), teacher.epoch_done()) == ("guess", None, False)


def test_what_is_asked_can_be_changed_by_who_hears_it_without_changing_the_data() -> None:
    teacher = Capitals({"datatype": "train:ordered"})
    teacher.act().clear()
    teacher.reset()
    assert teacher.act()["labels"] == ["Paris"]


def test_random_episodes_are_the_same_for_the_same_seed_and_come_whole() -> None:
    def questions(seed: int) -> list[str]:
        teacher = Capitals({"datatype": "train", "seed": seed})
        return [teacher.act().text for _ in range(60)]

    first = questions(1)
    assert first == questions(1) != questions(2)
    assert set(first) == {"France?", "Spain?", "Italy?", "Peru?"}
    assert all(after == "Spain?" for before, after in pairwise(first) if before == "France?")


@pytest.mark.parametrize("datatype", ["train", "valid"])
def test_without_data_there_is_padding_at_once(datatype: str) -> None:
    teacher = Silent({"datatype": datatype})
    assert teacher.act().is_padding()
    assert teacher.epoch_done()
    assert list(teacher) == []


def test_a_method_that_is_missing_is_named() -> None:
    with pytest.raises(DialogueError, match='"num_examples" must be overridden by FixedDialogTeacher'):
        FixedDialogTeacher({"datatype": "valid"}).num_examples()


class Counting(Silent):
    """A teacher of episodes with two examples each; its options give their number, and the answer is its id."""

    def get(self, episode_idx: int, entry_idx: int = 0) -> Message:
        return Message(text=f"{episode_idx}.{entry_idx}", labels=[self.id], episode_done=entry_idx == 1)

    def num_episodes(self) -> int:
        return self.opt.number("episodes", 0)

    def num_examples(self) -> int:
        return 2 * self.num_episodes()


def of_tasks(datatype: str, episodes: dict[str, int], **options: object) -> MultiTaskTeacher:
    teachers = [Counting({"task": name, "datatype": datatype, "episodes": n}) for name, n in episodes.items()]
    return MultiTaskTeacher({"task": ",".join(episodes), "datatype": datatype, **options}, teachers=teachers)


def test_tasks_come_in_turn_an_episode_each_until_all_have_ended() -> None:
    teacher = of_tasks("valid", {"a": 1, "b": 3})
    acts = [teacher.act() for _ in range(10)]
    assert [(act.get("id"), act.text) for act in acts[:8]] == [
        *[("a", "0.0"), ("a", "0.1"), ("b", "0.0"), ("b", "0.1")],
        *[("b", "1.0"), ("b", "1.1"), ("b", "2.0"), ("b", "2.1")],
    ]
    assert acts[8:] == [Message.padding_example()] * 2
    assert teacher.epoch_done()
    assert (teacher.num_examples(), teacher.num_episodes()) == (8, 4)


def test_in_training_tasks_are_drawn_by_their_weights_and_the_seed() -> None:
    def drawn(seed: int) -> list[object]:
        teacher = of_tasks("train", {"a": 5, "b": 5, "never": 5}, multitask_weights=[3, 1, 0], seed=seed)
        return [teacher.act()["id"] for _ in range(2_000)]

    counts = Counter(drawn(1))
    assert counts["never"] == 0
    assert 2.4 < counts["a"] / counts["b"] < 3.7
    assert drawn(1) == drawn(1) != drawn(2)


def test_a_reply_is_graded_by_the_task_that_asked() -> None:
    teacher = of_tasks("valid", {"a": 1, "b": 1})
    for _ in range(4):
        teacher.act()
        teacher.observe(Message(text="a"))
    report = {name: metric.value() for name, metric in teacher.report().items()}
    assert (report["a/accuracy"], report["b/accuracy"], report["accuracy"], report["exs"]) == (1.0, 0.0, 0.5, 4)
    teacher.reset_metrics()
    assert "accuracy" not in teacher.report()


def test_copies_take_episodes_in_turn_and_count_together() -> None:
    teacher = of_tasks("valid", {"a": 2, "b": 2})
    copy = teacher.clone()
    seen = [(each.act().get("id"), each.observe(Message(text="a"))) for each in [teacher, teacher, copy, copy]]
    assert [name for name, _ in seen] == ["a", "a", "a", "a"]
    assert teacher.report()["a/exs"].value() == copy.report()["a/exs"].value() == 4


def test_iterating_gives_all_tasks_and_leaves_the_teacher_where_it_is() -> None:
    teacher = of_tasks("valid", {"a": 1, "b": 2}, batchsize=4)
    teacher.act()
    for _ in range(2):
        assert [act["id"] for act in teacher] == ["a", "a", "b", "b", "b", "b"]
    assert teacher.act().text == "0.1"


def test_counts_are_unknown_where_one_task_does_not_know() -> None:
    assert MultiTaskTeacher({"datatype": "valid"}, teachers=[Teacher({}), Counting({})]).num_examples() is None
