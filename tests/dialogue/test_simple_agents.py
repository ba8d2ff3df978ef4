"""Agents without a model: a person at a terminal, baselines and data."""

from __future__ import annotations

import io

import pytest

from investigator.dialogue.agents import Agent
from investigator.dialogue.messages import Message
from investigator.dialogue.simple_agents import (
    FixedResponseAgent,
    HumanAgent,
    RandomCandidateAgent,
    RepeatLabelAgent,
    RepeatQueryAgent,
)
from investigator.errors import DialogueError

COLOURS = ["red", "green", "blue", "black", "white"]


def reply_of(agent: Agent, **fields: object) -> str:
    agent.observe(Message(fields))
    return agent.act().text


@pytest.mark.parametrize("fields", [{"labels": ["a"]}, {"eval_labels": ("a",)}, {"labels": "a"}, {"labels": {"a"}}])
def test_the_label_is_repeated_in_training_and_in_evaluation(fields: dict[str, object]) -> None:
    assert reply_of(RepeatLabelAgent(), text="q", **fields) == "a"


def test_one_label_of_several_is_chosen_by_a_chance_that_can_be_repeated_or_all_are_given() -> None:
    first, again, other = (RepeatLabelAgent({"seed": seed}) for seed in (1, 1, 2))
    chosen = [[reply_of(agent, labels=COLOURS) for _ in range(20)] for agent in (first, again, other)]
    assert chosen[0] == chosen[1] != chosen[2]
    assert set(chosen[0]) == set(COLOURS)
    assert reply_of(RepeatLabelAgent({"return_one_random_answer": False}), labels=["a", "b"]) == "a, b"


@pytest.mark.parametrize("fields", [{}, {"labels": []}, {"labels": None}])
def test_without_labels_it_cannot_answer(fields: dict[str, object]) -> None:
    assert reply_of(RepeatLabelAgent(), text="q", **fields) == "I don't know."
    assert reply_of(RepeatLabelAgent({"cant_answer_message": "No idea."}), text="q", **fields) == "No idea."


def test_it_fails_to_answer_as_often_as_it_is_told() -> None:
    agent = RepeatLabelAgent({"cant_answer_percent": 0.25, "cant_answer_message": "?"})
    assert 200 < sum(reply_of(agent, labels=["a"]) == "?" for _ in range(1000)) < 300
    assert reply_of(RepeatLabelAgent({"cant_answer_percent": 1}), labels=["a"]) == "I don't know."


@pytest.mark.parametrize("chance", [25, -0.1, "half", True, None])
def test_a_chance_lies_between_0_and_1(chance: object) -> None:
    with pytest.raises(DialogueError, match="cant_answer_percent"):
        RepeatLabelAgent({"cant_answer_percent": chance})


def test_a_fixed_response_is_given_to_anything_and_the_echo_says_what_it_heard() -> None:
    agent = FixedResponseAgent({"fixed_response": "Yes."})
    assert (agent.act().text, reply_of(agent, text="q"), reply_of(agent, labels=["a"])) == ("Yes.", "Yes.", "Yes.")
    for text in ("hello", "👩\u200d🚀\nb"):
        assert reply_of(RepeatQueryAgent(), text=text) == text


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
    agent.observe(Message(text="q"))
    assert agent.act() == {"id": "RandomCandidateAgent", "text": "I don't know.", "episode_done": False}


def test_a_set_of_candidates_is_ranked_alike_in_each_process() -> None:
    ranked = []
    for candidates in (set(COLOURS), frozenset(reversed(COLOURS))):
        agent = RandomCandidateAgent()
        agent.observe(Message(label_candidates=candidates))
        ranked.append(agent.act()["text_candidates"])
    assert ranked[0] == ranked[1]


@pytest.mark.parametrize("kind", [RepeatQueryAgent, FixedResponseAgent, RandomCandidateAgent, RepeatLabelAgent])
def test_an_id_is_the_name_of_the_class_unless_it_is_given(kind: type[Agent]) -> None:
    assert kind().act()["id"] == kind.__name__
    assert kind({"id": "b"}).act()["id"] == "b"


def human(lines: str, **options: object) -> tuple[HumanAgent, io.StringIO]:
    sink = io.StringIO()
    return HumanAgent(options, source=io.StringIO(lines), sink=sink), sink


def test_a_line_is_a_message() -> None:
    agent, sink = human("  hello there \nשלום 🧭\n\n")
    assert agent.act() == {"id": "human", "text": "hello there", "episode_done": False}
    assert [agent.act().text, agent.clone().act().text] == ["שלום 🧭", ""]
    assert sink.getvalue() == "> > > "
    assert not agent.epoch_done()


def test_the_text_of_others_is_shown_and_cannot_steer_the_terminal() -> None:
    agent, sink = human("")
    heard = Message(id="bot", text="hi\nyou")
    assert agent.observe(heard) is heard
    agent.observe(Message(text="who?"))
    agent.observe(Message(id="bot", episode_done=True))
    agent.observe(Message(id="b\x1b[2Jot", text="\x1b]0;owned\x07 👩\u200d🚀 \ud800\r!"))
    shown = "b\\x1b[2Jot: \\x1b]0;owned\\x07 👩\u200d🚀 \\ud800\\x0d!\n"
    assert sink.getvalue() == f"bot: hi\nyou\npartner: who?\n{shown}"


def test_an_episode_ends_on_demand_or_with_each_line() -> None:
    agent, _ = human("that is all [done]\n[DONE]\nnext\n")
    assert agent.act() == {"id": "human", "text": "that is all", "episode_done": True}
    assert agent.act() == {"id": "human", "text": "", "episode_done": True}
    assert agent.act()["episode_done"] is False
    assert not agent.epoch_done()
    agent, _ = human("a\nb\n", single_turn=True, id="ann")
    assert [agent.act()["episode_done"], agent.act()["id"]] == [True, "ann"]


@pytest.mark.parametrize("end", ["[EXIT]\nmore\n", "[exit]", ""])
def test_the_human_leaves_with_a_mark_or_with_the_end_of_the_input(end: str) -> None:
    agent, _ = human(f"hi\n{end}")
    assert agent.act().text == "hi"
    last = agent.act()
    assert last.is_padding()
    assert (last["episode_done"], agent.epoch_done()) == (True, True)
    assert agent.act().is_padding()
    agent, _ = human("bye [EXIT]\n")
    assert agent.act() == {"id": "human", "text": "bye", "episode_done": True}
    assert agent.epoch_done()


def test_the_terminal_is_the_one_of_the_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = HumanAgent()
    monkeypatch.setattr("sys.stdin", io.StringIO("hello\n"))
    agent.observe(Message(id="bot", text="hi"))
    assert agent.act().text == "hello"
    assert capsys.readouterr().out == "bot: hi\n> "


def test_input_that_is_no_text_is_named() -> None:
    source = io.TextIOWrapper(io.BytesIO(b"\xff\xfe\n"), encoding="utf-8")
    with pytest.raises(DialogueError, match="not text"):
        HumanAgent(source=source, sink=io.StringIO()).act()
