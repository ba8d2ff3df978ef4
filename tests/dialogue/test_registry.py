"""Agents found by name: ours, those of a user's package, and those in saved options."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from investigator.dialogue.agents import Agent
from investigator.dialogue.messages import Message
from investigator.dialogue.registry import (
    agent_class,
    agent_places,
    create_agent,
    create_agent_from_shared,
    load_class,
)
from investigator.dialogue.simple_agents import FixedResponseAgent, HumanAgent, RepeatLabelAgent, RepeatQueryAgent
from investigator.errors import DialogueError, NotFoundError


class OwnAgent(Agent):
    """An agent of the test."""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A user's package on the path."""
    folder = tmp_path / "own_agents"
    folder.mkdir()
    agent = "from investigator.dialogue.agents import Agent\nclass PoliteAgent(Agent): pass\n"
    (folder / "polite.py").write_text(agent + "class Rude: pass\nname = 'x'\n", encoding="utf-8")
    (folder / "polite_one").mkdir()
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
def test_agents_of_a_users_own_are_found() -> None:
    assert agent_class("own_agents.polite:PoliteAgent").__name__ == "PoliteAgent"
    places = agent_places("polite_one", "own_agents")
    assert load_class(places, Agent, sought="agent").__name__ == "PoliteOneAgent"
    assert type(create_agent({"model": "own_agents.polite:PoliteAgent"})).__name__ == "PoliteAgent"


@pytest.mark.usefixtures("package")
def test_what_is_no_agent_is_refused() -> None:
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
