"""The meaning of task strings."""

from __future__ import annotations

import pytest

from investigator.dialogue.datatypes import cumulative_weights, multitask_weights
from investigator.dialogue.task_strings import (
    TaskEntry,
    expanded,
    split_task,
    task_module,
    teacher_name,
)
from investigator.errors import DialogueError, NotFoundError

LISTED = (
    TaskEntry("SQuAD", "squad", ("QA",), ""),
    TaskEntry("bAbI-1k", "babi:task1k", ("QA", "Stories"), ""),
    TaskEntry("Stories", "conversations", (), ""),
)


def test_options_are_taken_out_of_a_task_string_and_cast() -> None:
    task, options = split_task("t:Sub:is-on=TRUE:n=-4:share=0.5:time=10;30:name=x1:extra")
    assert task == "t:Sub:extra"
    assert options == {"is_on": True, "n": -4, "share": 0.5, "time": "10:30", "name": "x1"}
    assert type(options["n"]) is int


def test_a_value_keeps_its_equals_signs() -> None:
    assert split_task("squad:datafile=/data/version=2/dev.json").options == {"datafile": "/data/version=2/dev.json"}


def test_a_tag_stands_for_its_tasks_in_the_order_of_the_list() -> None:
    assert expanded("#qa", LISTED) == ("squad", "babi:task1k")
    assert expanded("a,#BABI1K,,b", LISTED) == ("a", "babi:task1k", "b")


def test_an_id_goes_before_a_tag_of_the_same_name() -> None:
    assert expanded("#stories", LISTED) == ("conversations",)


def test_an_unknown_tag_is_an_error_that_lists_the_tags() -> None:
    with pytest.raises(NotFoundError, match="#chess") as caught:
        expanded("#chess", LISTED)
    assert caught.value.hint == "The tags are: #QA, #Stories"


@pytest.mark.parametrize(
    ("task", "place"),
    [
        ("babi", "investigator.tasks.babi:DefaultTeacher"),
        ("babi:", "investigator.tasks.babi:DefaultTeacher"),
        ("BABI:task1k:1", "investigator.tasks.babi:Task1kTeacher"),
        (" squad:open_book ", "investigator.tasks.squad:OpenBookTeacher"),
        ("squad:OpenTeacher", "investigator.tasks.squad:OpenTeacher"),
        ("squad:datafile=x", "investigator.tasks.squad:DefaultTeacher"),
        ("my_package.my_task", "my_package.my_task:DefaultTeacher"),
        ("my_package.My_Task:examiner", "my_package.My_Task:Examiner"),
    ],
)
def test_a_task_string_names_a_class(task: str, place: str) -> None:
    assert f"{task_module(task)}:{teacher_name(task)}" == place


def test_weights_are_numbers_or_stochastic() -> None:
    assert multitask_weights("1,2.5, 3") == (1.0, 2.5, 3.0)
    assert multitask_weights("stochastic") == "stochastic"


@pytest.mark.parametrize("text", ["", "a", "1,,2", "1,-1", "nan", "inf", "1;2"])
def test_weights_that_are_no_weights_are_refused(text: str) -> None:
    with pytest.raises(DialogueError, match="weights"):
        multitask_weights(text)


def test_a_task_without_a_weight_has_one() -> None:
    assert cumulative_weights((2.0,), [5, 5, 5]) == (2, 3, 4)
    assert cumulative_weights((2.0, 3.0, 4.0), [5, 5]) == (2, 5)
    assert cumulative_weights("stochastic", [2, 6, 1]) == (2, 8, 9)
