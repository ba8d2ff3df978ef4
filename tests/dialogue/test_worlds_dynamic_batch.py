"""Batches with as many examples as fit."""

from __future__ import annotations

from collections import Counter

import pytest
from talking_agents import Answerer, Lessons, Talker, lesson, talker

from investigator.dialogue.worlds import DialogPartnerWorld, DynamicBatchWorld, MultiAgentDialogWorld, create_world
from investigator.dialogue.worlds.dynamic_batch import grown
from investigator.errors import DialogueTypeError, DialogueValueError

LONG = [f"{word} " * 60 + word for word in ("one", "two", "three")]
SHORT = [f"short {place}" for place in range(40)]


def growing(student: Answerer, asks: list[str], **more: object) -> DynamicBatchWorld:
    opt: dict[str, object] = {"batchsize": 4, "datatype": "valid", "text_truncate": 64, "label_truncate": 0, **more}
    return DynamicBatchWorld(opt, DialogPartnerWorld(opt, [lesson(*asks, **opt), student]))


@pytest.mark.parametrize("kind", ["full", "batchsort"])
def test_every_example_is_answered_once(kind: str) -> None:
    student = Answerer({"id": "student"})
    world = growing(student, [*SHORT, *LONG, *SHORT[:3]], dynamic_batching=kind)
    while not world.epoch_done():
        world.parley()
    assert Counter(text for call in student.calls for text in call) == Counter([*SHORT, *LONG, *SHORT[:3]])
    assert world.report()["exs"].value() == world.total_exs == 46
    assert world.report()["accuracy"].value() == 1
    world.parley()
    assert (world.rows, world.total_exs) == (0, 46)


def test_short_examples_make_large_batches_and_long_ones_small_batches() -> None:
    student = Answerer({"id": "student"})
    world = growing(student, [*LONG, *SHORT])
    while not world.epoch_done():
        world.parley()
    assert max(map(len, student.calls)) > 20
    assert all(len(call) <= 4 for call in student.calls if any(text in LONG for text in call))


def test_who_waits_longest_is_in_the_next_batch() -> None:
    student = Answerer({"id": "student"})
    growing(student, [SHORT[0], *LONG, *SHORT[1:]], dynamic_batching="batchsort", batchsize=2).parley()
    assert SHORT[0] in student.calls[0]


def test_the_end_comes_when_what_was_read_ahead_is_answered() -> None:
    student = Answerer({"id": "student"})
    asks = [f"{place} " * 61 for place in range(8)]
    world = growing(student, asks)
    while not world.epoch_done():
        world.parley()
    assert sorted(text for call in student.calls for text in call) == asks


def test_a_teacher_whose_data_has_ended_is_not_asked_for_more() -> None:
    class Three(Talker):
        def epoch_done(self) -> bool:
            return self.acted == 3

    student = Answerer({"id": "student"})
    opt = {"batchsize": 1, "truncate": 80}
    world = DynamicBatchWorld(opt, DialogPartnerWorld(opt, [Three({"says": ["a", "b", "c"]}), student]))
    while not world.epoch_done():
        world.parley()
    assert Counter(text for call in student.calls for text in call) == {"a": 8, "b": 8, "c": 8}


def test_batches_sorted_by_length_keep_their_size() -> None:
    student = Answerer({"id": "student"})
    world = growing(student, [*LONG, *SHORT[:13]], dynamic_batching="batchsort")
    while not world.epoch_done():
        world.parley()
    assert [len(call) for call in student.calls] == [4, 4, 4, 4]
    assert sum(any(text in LONG for text in call) for call in student.calls) == 1


def test_several_tasks_share_the_batches() -> None:
    student = Answerer({"id": "student"})
    opt = {"task": "p,q", "datatype": "valid", "batchsize": 2, "dynamic_batching": "full", "truncate": 32}
    world = create_world(opt, student, Lessons(p=SHORT[:7], q=SHORT[7:12]))
    while not world.epoch_done():
        world.parley()
    assert Counter(text for call in student.calls for text in call) == Counter(SHORT[:12])
    assert world.report()["q/exs"].value() == 5


def test_a_reset_begins_anew() -> None:
    student = Answerer({"id": "student"})
    world = growing(student, SHORT[:5])
    for _ in range(2):
        world.reset()
        student.calls.clear()
        while not world.epoch_done():
            world.parley()
        assert student.calls == [SHORT[:5]]


def test_a_batch_grows_from_who_waits_longest_to_its_neighbours_in_length() -> None:
    sizes = {1: 8, 2: 64, 3: 16, 4: 24, 5: 8}
    assert grown(sizes, 4, most_words=72) == [1, 3, 4]
    assert grown(sizes, 4, most_words=24) == [4]
    assert grown(sizes, 1, most_words=32) == [1, 5]
    assert grown(sizes, 2, most_words=8) == [2]
    assert grown(sizes, 3, most_rows=4) == [1, 5, 3, 4]


def test_what_cannot_grow_is_named() -> None:
    pair = [lesson("a"), talker("plain")]
    with pytest.raises(DialogueTypeError, match="plain cannot act in batches"):
        DynamicBatchWorld({"truncate": 8}, DialogPartnerWorld({}, pair))
    with pytest.raises(DialogueTypeError, match="MultiAgentDialogWorld"):
        DynamicBatchWorld({"truncate": 8}, MultiAgentDialogWorld({}, [talker("a"), Answerer({"id": "b"})]))
    with pytest.raises(DialogueValueError, match="truncate"):
        growing(Answerer({"id": "student"}), ["a"], text_truncate=-1)
    with pytest.raises(DialogueValueError, match="'most'"):
        growing(Answerer({"id": "student"}), ["a"], dynamic_batching="most")
