"""The base class of agents: observe, act, share, and the replies of copies."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from investigator.dialogue.agents import Agent
from investigator.dialogue.messages import Message
from investigator.errors import DialogueError


class Shouting(Agent):
    """Repeats in capitals what it heard."""

    def act(self) -> Message:
        return Message(text=(self.observation or Message()).text.upper())


class ShoutingTogether(Shouting):
    """The same agent for batches; all copies record their replies in one list."""

    utterances: list[str]

    def batch_act(self, observations: Sequence[Message | None]) -> list[Message]:
        return [Message(text=f"{len(observations)}:{(heard or Message()).text.upper()}") for heard in observations]

    def self_observe(self, self_message: Message) -> None:
        self.utterances.append(self_message.text)


def test_an_agent_greets_and_keeps_what_it_observed_as_it_is() -> None:
    agent, message = Agent(), Message(text="hi")
    assert agent.observe(message) is message
    assert agent.observation is message
    assert agent.act() == {"text": "hello, teacher!"}
    agent.reset()
    assert (agent.observation, agent.id, agent.epoch_done()) == (None, "agent", False)


def test_options_belong_to_the_agent_alone() -> None:
    opt = {"id": "sage", "override": {"seed": 1}}
    agent = Agent(opt)
    opt["override"]["seed"] = 2  # type: ignore[index]
    assert agent.id == "sage"
    assert agent.opt == {"id": "sage", "override": {"seed": 1}}


def test_a_copy_is_of_the_same_class_and_has_heard_nothing() -> None:
    agent = Shouting({"id": "loud"})
    agent.observe(Message(text="hi"))
    made = agent.clone()
    assert type(made) is Shouting
    assert (made.id, made.observation) == ("loud", None)
    assert agent.share() == {"class": Shouting, "opt": agent.opt}


def test_a_response_is_made_by_a_copy() -> None:
    agent = Shouting()
    question = Message(text="hi")
    assert (agent.respond("hi"), agent.respond(question), agent.respond({"text": "ho"}, reward=1)) == ("HI", "HI", "HO")
    assert agent.observation is None
    assert question == {"text": "hi"}


def test_a_message_without_text_is_refused() -> None:
    with pytest.raises(DialogueError, match="no text"):
        Shouting().respond({"labels": ["a"]})
    with pytest.raises(DialogueError, match="no text to respond to"):
        ShoutingTogether().batch_respond([{"text": "a"}, {"labels": ["b"]}])


def test_a_field_of_the_message_cannot_be_given_a_second_time() -> None:
    with pytest.raises(DialogueError, match="'text'"):
        Shouting().respond({"text": "hi"}, text="ho")


def test_several_messages_are_answered_by_one_act() -> None:
    ShoutingTogether.utterances = []
    replies = ShoutingTogether().batch_respond([{"text": "a"}, {"text": "b"}])
    assert replies == ["2:A", "2:B"]
    assert ShoutingTogether.utterances == replies
    assert ShoutingTogether().batch_respond([]) == []


def test_an_agent_that_takes_one_at_a_time_says_so() -> None:
    with pytest.raises(DialogueError, match="cannot act in batches") as refused:
        Shouting().batch_respond([{"text": "a"}])
    assert "respond" in refused.value.hint
