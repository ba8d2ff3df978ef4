"""Agents without a model: what they say to what they hear."""

from __future__ import annotations

import pytest

from investigator.dialogue.agents import Agent
from investigator.dialogue.messages import Message
from investigator.dialogue.simple_agents import (
    EchoAgent,
    FixedResponseAgent,
    RandomCandidateAgent,
    RepeatLabelAgent,
    RepeatQueryAgent,
)
from investigator.errors import DialogueError

COLOURS = ["red", "green", "blue", "black", "white"]


def said(agent: Agent, **fields: object) -> str:
    agent.observe(Message(fields))
    return agent.act().text


@pytest.mark.parametrize("fields", [{"labels": ["a"]}, {"eval_labels": ("a",)}, {"labels": "a"}, {"labels": {"a"}}])
def test_the_label_is_repeated_in_training_and_in_evaluation(fields: dict[str, object]) -> None:
    assert said(RepeatLabelAgent(), text="q", **fields) == "a"


def test_all_labels_are_repeated_on_demand() -> None:
    assert said(RepeatLabelAgent({"return_one_random_answer": False}), labels=["a", "b"]) == "a, b"


def test_one_label_of_several_is_chosen_by_a_chance_that_can_be_repeated() -> None:
    first, again, other = (RepeatLabelAgent({"seed": seed}) for seed in (1, 1, 2))
    chosen = [[said(agent, labels=COLOURS) for _ in range(20)] for agent in (first, again, other)]
    assert chosen[0] == chosen[1] != chosen[2]
    assert set(chosen[0]) == set(COLOURS)


def test_copies_draw_from_one_generator() -> None:
    agent = RepeatLabelAgent()
    assert len({agent.respond({"text": "q", "labels": COLOURS}) for _ in range(20)}) > 1


@pytest.mark.parametrize("fields", [{}, {"labels": []}, {"labels": None}])
def test_without_labels_it_cannot_answer(fields: dict[str, object]) -> None:
    assert said(RepeatLabelAgent(), text="q", **fields) == "I don't know."
    assert said(RepeatLabelAgent({"cant_answer_message": "No idea."}), text="q", **fields) == "No idea."


def test_it_fails_to_answer_as_often_as_it_is_told() -> None:
    agent = RepeatLabelAgent({"cant_answer_percent": 0.25, "cant_answer_message": "?"})
    assert 200 < sum(said(agent, labels=["a"]) == "?" for _ in range(1000)) < 300
    assert said(RepeatLabelAgent({"cant_answer_percent": 1}), labels=["a"]) == "I don't know."


@pytest.mark.parametrize("chance", [25, -0.1, "half", True, None])
def test_a_chance_lies_between_0_and_1(chance: object) -> None:
    with pytest.raises(DialogueError, match="cant_answer_percent"):
        RepeatLabelAgent({"cant_answer_percent": chance})


def test_a_fixed_response_is_given_to_anything() -> None:
    agent = FixedResponseAgent({"fixed_response": "Yes."})
    assert (agent.act().text, said(agent, text="q"), said(agent, labels=["a"])) == ("Yes.", "Yes.", "Yes.")


@pytest.mark.parametrize("text", ["hello", "שלום", "👩\u200d🚀", "a\nb"])
def test_the_echo_says_what_it_heard(text: str) -> None:
    assert said(EchoAgent(), text=text) == text


def test_the_echo_of_nothing_says_so() -> None:
    assert EchoAgent is RepeatQueryAgent
    assert EchoAgent().act().text == said(EchoAgent(), text="") == said(EchoAgent(), labels=["a"]) != ""


def test_candidates_are_ranked_by_chance() -> None:
    agent = RandomCandidateAgent()
    agent.observe(Message(label_candidates=COLOURS))
    acts = [agent.act() for _ in range(20)]
    assert len({act.text for act in acts}) > 1
    for act in acts:
        ranked = act["text_candidates"]
        assert isinstance(ranked, list)
        assert sorted(ranked) == sorted(COLOURS)
        assert ranked[0] == act.text
    assert COLOURS == ["red", "green", "blue", "black", "white"]


def test_a_set_of_candidates_is_ranked_alike_in_each_process() -> None:
    ranked = []
    for candidates in (set(COLOURS), frozenset(reversed(COLOURS))):
        agent = RandomCandidateAgent()
        agent.observe(Message(label_candidates=candidates))
        ranked.append(agent.act()["text_candidates"])
    assert ranked[0] == ranked[1]


def test_without_candidates_there_is_no_ranking() -> None:
    agent = RandomCandidateAgent()
    agent.observe(Message(text="q"))
    assert agent.act() == {"id": "RandomCandidateAgent", "text": "I don't know.", "episode_done": False}


@pytest.mark.parametrize("kind", [EchoAgent, FixedResponseAgent, RandomCandidateAgent, RepeatLabelAgent])
def test_an_id_is_the_name_of_the_class_unless_it_is_given(kind: type[Agent]) -> None:
    assert kind().act()["id"] == kind.__name__
    assert kind({"id": "b"}).act()["id"] == "b"
