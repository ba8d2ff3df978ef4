"""Messages, whose fields are set once, options, and the base class of agents."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.dialogue.agents import Agent
from investigator.dialogue.messages import Message
from investigator.dialogue.options import Opt
from investigator.errors import DialogueError

FIELDS = st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text()))


def test_a_field_cannot_be_changed_by_accident() -> None:
    message = Message(text="hello")
    with pytest.raises(DialogueError, match="'text'") as refused:
        message["text"] = "hello"
    assert "force_set('text'" in refused.value.hint
    assert isinstance(refused.value, RuntimeError)


def test_a_field_is_changed_on_purpose() -> None:
    message = Message(text="hello")
    message.force_set("text", "goodbye")
    message.force_set("reward", 1)
    assert message == {"text": "goodbye", "reward": 1}


@given(FIELDS)
def test_copies_are_messages_with_the_same_fields(fields: dict[str, object]) -> None:
    message = Message(fields)
    for made in (message.copy(), copy.copy(message), copy.deepcopy(message), pickle.loads(pickle.dumps(message))):
        assert type(made) is Message
        assert made == message


def test_the_payload_leaves_out_metrics_only() -> None:
    message = Message(text="hello", metrics={"f1": object()}, answer_starts=[515])
    assert message.json_safe_payload() == {"text": "hello", "answer_starts": [515]}


@pytest.mark.parametrize(
    ("fields", "text"), [({}, ""), ({"text": None}, ""), ({"text": 7}, "7"), ({"text": "שלום 🧭"}, "שלום 🧭")]
)
def test_a_message_without_text_has_an_empty_one(fields: dict[str, object], text: str) -> None:
    assert Message(fields).text == text


def test_options_that_are_given_go_before_the_defaults() -> None:
    given, absent = Opt(model="", batchsize=0, shuffle=False), Opt(model=None)
    for opt, values in ((given, ("", 0, False)), (absent, ("m", 4, True))):
        assert (opt.text("model", "m"), opt.number("batchsize", 4), opt.switch("shuffle", True)) == values


def test_an_option_of_the_wrong_kind_is_named() -> None:
    opt = Opt(model=7, batchsize=True, shuffle="yes")
    with pytest.raises(DialogueError, match="model must be a string, not 7"):
        opt.text("model")
    with pytest.raises(DialogueError, match="batchsize must be a whole number, not True"):
        opt.number("batchsize", 1)
    with pytest.raises(DialogueError, match="shuffle must be true or false, not 'yes'"):
        opt.switch("shuffle")


class Shouting(Agent):
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


def test_several_messages_are_answered_by_one_act() -> None:
    ShoutingTogether.utterances = []
    replies = ShoutingTogether().batch_respond([{"text": "a"}, {"text": "b"}])
    assert replies == ["2:A", "2:B"]
    assert ShoutingTogether.utterances == replies
    assert ShoutingTogether().batch_respond([]) == []


def test_a_message_that_cannot_be_responded_to_is_refused() -> None:
    with pytest.raises(DialogueError, match="no text"):
        Shouting().respond({"labels": ["a"]})
    with pytest.raises(DialogueError, match="no text to respond to"):
        ShoutingTogether().batch_respond([{"text": "a"}, {"labels": ["b"]}])
    with pytest.raises(DialogueError, match="'text'"):
        Shouting().respond({"text": "hi"}, text="ho")
    with pytest.raises(DialogueError, match="cannot act in batches") as refused:
        Shouting().batch_respond([{"text": "a"}])
    assert "respond" in refused.value.hint
