"""Tests of MultiTaskTeacher."""

from __future__ import annotations

from collections import Counter

from investigator.dialogue.messages import Message
from investigator.dialogue.teachers import FixedDialogTeacher, MultiTaskTeacher, Teacher


class Counting(FixedDialogTeacher):
    """A teacher of episodes with two examples each; its options give their number, and the answer is its id."""

    def get(self, episode_idx: int, entry_idx: int = 0) -> Message:
        return Message(text=f"{episode_idx}.{entry_idx}", labels=[self.id], episode_done=entry_idx == 1)

    def num_episodes(self) -> int:
        return self.opt.number("episodes", 0)

    def num_examples(self) -> int:
        return 2 * self.num_episodes()


def made(datatype: str, episodes: dict[str, int], **options: object) -> MultiTaskTeacher:
    teachers = [Counting({"task": name, "datatype": datatype, "episodes": n}) for name, n in episodes.items()]
    return MultiTaskTeacher({"task": ",".join(episodes), "datatype": datatype, **options}, teachers=teachers)


def test_tasks_come_in_turn_an_episode_each_until_all_have_ended() -> None:
    teacher = made("valid", {"a": 1, "b": 3})

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
        teacher = made("train", {"a": 5, "b": 5, "never": 5}, multitask_weights=[3, 1, 0], seed=seed)
        return [teacher.act()["id"] for _ in range(2_000)]

    counts = Counter(drawn(1))
    assert counts["never"] == 0
    assert 2.4 < counts["a"] / counts["b"] < 3.7
    assert drawn(1) == drawn(1) != drawn(2)


def test_a_reply_is_graded_by_the_task_that_asked() -> None:
    teacher = made("valid", {"a": 1, "b": 1})
    for _ in range(4):
        teacher.act()
        teacher.observe(Message(text="a"))

    report = {name: metric.value() for name, metric in teacher.report().items()}

    assert (report["a/accuracy"], report["b/accuracy"], report["accuracy"], report["exs"]) == (1.0, 0.0, 0.5, 4)
    teacher.reset_metrics()
    assert "accuracy" not in teacher.report()


def test_copies_take_episodes_in_turn_and_count_together() -> None:
    teacher = made("valid", {"a": 2, "b": 2})
    copy = teacher.clone()

    seen = [(each.act().get("id"), each.observe(Message(text="a"))) for each in [teacher, teacher, copy, copy]]

    assert [name for name, _ in seen] == ["a", "a", "a", "a"]
    assert teacher.report()["a/exs"].value() == copy.report()["a/exs"].value() == 4


def test_iterating_gives_all_tasks_and_leaves_the_teacher_where_it_is() -> None:
    teacher = made("valid", {"a": 1, "b": 2}, batchsize=4)
    teacher.act()

    assert [act["id"] for act in teacher] == ["a", "a", "b", "b", "b", "b"]
    assert teacher.act().text == "0.1"


def test_counts_are_unknown_where_one_task_does_not_know() -> None:
    assert MultiTaskTeacher({"datatype": "valid"}, teachers=[Teacher({}), Counting({})]).num_examples() is None
