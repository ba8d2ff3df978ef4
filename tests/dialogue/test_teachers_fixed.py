"""Teacher, FixedDialogTeacher, and the state that their copies share."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from investigator.dialogue.agents import Shared
from investigator.dialogue.messages import Message
from investigator.dialogue.metrics import AverageMetric
from investigator.dialogue.teachers import FixedDialogTeacher, Teacher
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

    assert questions(1) == questions(1) != questions(2)
    assert set(questions(1)) == {"France?", "Spain?", "Italy?", "Peru?"}
    assert all(
        after == "Spain?" for before, after in zip(questions(1), questions(1)[1:], strict=False) if before == "France?"
    )


@pytest.mark.parametrize("datatype", ["train", "valid"])
def test_without_data_there_is_padding_at_once(datatype: str) -> None:
    teacher = Silent({"datatype": datatype})

    assert teacher.act().is_padding()
    assert teacher.epoch_done()
    assert list(teacher) == []


def test_iterating_gives_one_pass_and_leaves_the_teacher_where_it_is() -> None:
    teacher = Capitals({"datatype": "train:ordered", "batchsize": 3})
    teacher.act()

    assert [act.text for act in teacher] == ["France?", "Spain?", "Italy?", "Peru?"]
    assert [act.text for act in teacher] == ["France?", "Spain?", "Italy?", "Peru?"]
    assert teacher.act().text == "Spain?"


def test_a_method_that_is_missing_is_named() -> None:
    with pytest.raises(DialogueError, match='"num_examples" must be overridden by FixedDialogTeacher'):
        FixedDialogTeacher({"datatype": "valid"}).num_examples()
