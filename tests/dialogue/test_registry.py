"""Names of agents and tasks, the parts of task strings, and datatypes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.dialogue.agents import Agent
from investigator.dialogue.datatypes import Datatype, cumulative_weights, multitask_weights, split_by_fold
from investigator.dialogue.messages import Message
from investigator.dialogue.registry import (
    agent_class,
    agent_places,
    create_agent,
    create_agent_from_shared,
    load_class,
)
from investigator.dialogue.simple_agents import FixedResponseAgent, HumanAgent, RepeatLabelAgent, RepeatQueryAgent
from investigator.dialogue.task_strings import TaskEntry, expanded, split_task, task_module, teacher_name
from investigator.errors import DialogueError, NotFoundError

LISTED = (
    TaskEntry("SQuAD", "squad", ("QA",), ""),
    TaskEntry("bAbI-1k", "babi:task1k", ("QA", "Stories"), ""),
    TaskEntry("Stories", "conversations", (), ""),
)


class OwnAgent(Agent):
    """An agent of the test."""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "own_agents"
    (folder / "polite_one").mkdir(parents=True)
    agent = "from investigator.dialogue.agents import Agent\nclass PoliteAgent(Agent): pass\n"
    (folder / "polite.py").write_text(agent + "class Rude: pass\nname = 'x'\n", encoding="utf-8")
    (folder / "polite_one" / "agents.py").write_text(agent.replace("PoliteAgent", "PoliteOneAgent"), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "own_agents"]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("repeat_label", RepeatLabelAgent),
        ("repeater", RepeatQueryAgent),
        ("repeat_query", RepeatQueryAgent),
        ("fixed_response", FixedResponseAgent),
        ("human", HumanAgent),
        ("local_human", HumanAgent),
        ("investigator.dialogue.simple_agents:RepeatLabelAgent", RepeatLabelAgent),
        (f"{__name__}:OwnAgent", OwnAgent),
    ],
)
def test_a_name_means_a_class(name: str, kind: type[Agent]) -> None:
    assert agent_class(name) is kind


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("polite", ["own.polite.agents:PoliteAgent", "own.polite.polite:PoliteAgent"]),
        ("polite/very_much", ["own.polite.very_much:VeryMuchAgent"]),
        ("a.b.c:Class", ["a.b.c:Class"]),
        ("projects:big:small_talk", ["projects.big.small_talk.small_talk:SmallTalkAgent"]),
    ],
)
def test_a_name_says_where_its_class_is(name: str, places: list[str]) -> None:
    assert list(agent_places(name, "own")) == places


@pytest.mark.parametrize("name", ["projects", "projects:a", "projects:too:many:parts"])
def test_a_project_has_a_folder_and_a_model(name: str) -> None:
    with pytest.raises(DialogueError, match="does not name an agent of a project"):
        agent_class(name)


@pytest.mark.usefixtures("package")
def test_agents_of_a_users_own_are_found_and_what_is_no_agent_is_refused() -> None:
    assert agent_class("own_agents.polite:PoliteAgent").__name__ == "PoliteAgent"
    places = agent_places("polite_one", "own_agents")
    assert load_class(places, Agent, sought="agent").__name__ == "PoliteOneAgent"
    assert type(create_agent({"model": "own_agents.polite:PoliteAgent"})).__name__ == "PoliteAgent"
    for name in ("own_agents.polite:Rude", "own_agents.polite:name", "os:getcwd"):
        with pytest.raises(DialogueError, match="is not a subclass of Agent"):
            agent_class(name)
    with pytest.raises(NotFoundError, match=r"own_agents\.polite has no class Missing"):
        agent_class("own_agents.polite:Missing")


def test_a_name_that_is_nearly_right_is_put_right_in_the_hint() -> None:
    with pytest.raises(NotFoundError, match="unknown agent repeat_lable") as refused:
        agent_class("repeat_lable")
    assert "repeat_label" in refused.value.hint
    assert "package.module:Class" in refused.value.hint


@pytest.mark.parametrize(
    "name", ["", "no_such", "no/such", "no.such:Class", "../secrets", "/etc/passwd", "a b", "x.py", ".:X"]
)
def test_a_name_that_means_nothing_is_refused(name: str) -> None:
    with pytest.raises(NotFoundError, match="unknown agent"):
        agent_class(name)


def test_a_file_beside_the_program_is_not_an_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "stray.py").write_text("raise SystemExit('imported')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("stray", "stray.py", "./stray", str(tmp_path / "stray")):
        with pytest.raises(NotFoundError):
            agent_class(name)


@pytest.mark.parametrize("opt", [{}, {"model": ""}, {"model": None}])
def test_an_agent_needs_a_model(opt: dict[str, object]) -> None:
    with pytest.raises(DialogueError, match="the option model is missing"):
        create_agent(opt)


def test_a_copy_is_made_of_what_is_shared() -> None:
    agent = FixedResponseAgent({"fixed_response": "Yes."})
    agent.observe(Message(text="q"))
    made = create_agent_from_shared(agent.share())
    assert type(made) is FixedResponseAgent
    assert (made.act().text, made.observation) == ("Yes.", None)
    with pytest.raises(DialogueError, match="not the result of an agent"):
        create_agent_from_shared({"opt": {}})


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
    assert expanded("#stories", LISTED) == ("conversations",)  # an id goes before a tag of the same name


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


def test_weights_are_numbers_or_stochastic_and_a_missing_one_is_one() -> None:
    assert multitask_weights("1,2.5, 3") == (1.0, 2.5, 3.0)
    assert multitask_weights("stochastic") == "stochastic"
    assert cumulative_weights((2.0,), [5, 5, 5]) == (2, 3, 4)
    assert cumulative_weights((2.0, 3.0, 4.0), [5, 5]) == (2, 5)
    assert cumulative_weights("stochastic", [2, 6, 1]) == (2, 8, 9)


@pytest.mark.parametrize("text", ["", "a", "1,,2", "1,-1", "nan", "inf", "1;2"])
def test_weights_that_are_no_weights_are_refused(text: str) -> None:
    with pytest.raises(DialogueError, match="weights"):
        multitask_weights(text)


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("train", "training cycles shuffles"),
        ("train:stream", "training cycles streams"),
        ("train:ordered", "training"),
        ("train:ordered:stream", "training streams"),
        ("train:evalmode", ""),
        ("valid", ""),
        ("test:stream", "streams"),
    ],
)
def test_the_flags_say_how_data_is_used(name: str, flags: str) -> None:
    datatype = Datatype(name)
    assert [flag for flag in ("training", "cycles", "shuffles", "streams") if getattr(datatype, flag)] == flags.split()


@pytest.mark.parametrize("name", ["", "stream", None, "trian:stream"])
def test_what_is_no_datatype_is_an_error(name: str) -> None:
    with pytest.raises(DialogueError, match=repr(name)) as caught:
        Datatype(name)
    assert caught.value.hint == "Choose one of train, valid, test."
    with pytest.raises(DialogueError, match="'train:streams'"):
        Datatype("train:streams")
    with pytest.raises(DialogueError, match="'train:'"):
        Datatype("train:")


@given(st.lists(st.integers()), st.sampled_from([(0.8, 0.1, 0.1), (0.5, 0.25, 0.25), (0.7, 0.2, 0.1), (1.0, 0.0, 0.0)]))
def test_the_folds_share_no_item_and_hold_them_all(data: list[int], fractions: tuple[float, float, float]) -> None:
    numbered = list(enumerate(data))
    folds = [split_by_fold(fold, numbered, *fractions) for fold in ("train", "valid", "test")]
    assert sorted(item for fold in folds for item in fold) == numbered


def test_the_same_seed_gives_the_same_split_and_leaves_the_data_alone() -> None:
    data = list(range(20))
    first, second = (split_by_fold("train:stream", data, 0.5, 0.3, 0.2, seed=7) for _ in range(2))
    assert first == second
    assert first != split_by_fold("train", data, 0.5, 0.3, 0.2, seed=8)
    assert data == list(range(20))


@pytest.mark.parametrize("fractions", [(0.5, 0.5, 0.5), (1.5, -0.25, -0.25)])
def test_fractions_that_are_no_parts_of_one_are_an_error(fractions: tuple[float, float, float]) -> None:
    with pytest.raises(DialogueError, match="add up to 1"):
        split_by_fold("train", [1, 2], *fractions)
