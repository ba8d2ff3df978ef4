"""TurnAgent: it observes and acts in turn, and its history contains what was said."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from investigator.dialogue.messages import Message
from investigator.dialogue.turn_agent import TurnAgent
from investigator.errors import DialogueError


class Counting(TurnAgent):
    """Replies with the number of lines in its history."""

    def reply_to(self, observation: Message) -> Message:
        return Message(text=f"{str(observation['full_text']).count(chr(10)) + 1} lines")


class Reminded(Counting):
    def temp_history(self, observation: Message) -> str | None:
        return f" ({observation['hint']})" if "hint" in observation else None


def told(agent: TurnAgent, text: str, **fields: object) -> Message:
    return agent.observe({"text": text, **fields})


def test_the_own_reply_is_part_of_the_history_without_labels() -> None:
    agent = Counting({"id": "counter"})
    told(agent, "a")
    assert agent.act() == {"text": "1 lines", "id": "counter", "episode_done": False}
    assert told(agent, "b")["full_text"] == "a\n1 lines\nb"
    assert agent.act().text == "3 lines"


@pytest.mark.parametrize("key", ["labels", "eval_labels"])
@pytest.mark.parametrize(("use_reply", "history"), [("label", "a\nright"), ("model", "a\n1 lines"), ("none", "a")])
def test_what_becomes_of_a_reply_is_an_option(use_reply: str, history: str, key: str) -> None:
    agent = Counting({"use_reply": use_reply})
    told(agent, "a", **{key: ["right", "also right"]})
    agent.act()
    assert agent.history.get_history_str() == history


@pytest.mark.parametrize(
    ("labels", "said"), [("right", "right"), (("right",), "right"), ([], "1 lines"), (None, "1 lines")]
)
def test_labels_are_taken_as_they_come(labels: object, said: str) -> None:
    agent = Counting()
    told(agent, "a", labels=labels)
    agent.act()
    assert agent.history.get_history_str() == f"a\n{said}"


def test_an_unknown_use_of_replies_is_refused() -> None:
    with pytest.raises(DialogueError, match="use_reply cannot be 'both'") as refused:
        Counting({"use_reply": "both"})
    assert "label, model, none" in refused.value.hint


def test_the_history_ends_with_the_episode() -> None:
    agent = Counting()
    told(agent, "a")
    agent.act()
    told(agent, "b", episode_done=True)
    assert agent.act().text == "3 lines"
    assert agent.history.get_history_str() is None
    assert told(agent, "c")["full_text"] == "c"


def test_two_observations_with_labels_need_an_act_between_them() -> None:
    agent = Counting()
    told(agent, "a", labels=["x"])
    with pytest.raises(DialogueError, match="without having acted") as refused:
        told(agent, "b")
    assert "act()" in refused.value.hint
    assert agent.history.get_history_str() == "a"


def test_the_end_of_an_episode_needs_an_act() -> None:
    agent = Counting()
    told(agent, "a", episode_done=True)
    with pytest.raises(DialogueError, match="end of an episode"):
        told(agent, "b")
    agent.reset()
    assert told(agent, "b")["full_text"] == "b"


def test_observations_without_labels_may_follow_each_other() -> None:
    agent = Counting()
    told(agent, "a")
    told(agent, "b")
    assert agent.act().text == "2 lines"


@pytest.mark.parametrize("step", [lambda agent: agent.act(), lambda agent: agent.self_observe(Message(text="x"))])
def test_there_is_no_reply_to_nothing(step: object) -> None:
    agent = Counting({"id": "counter"})
    with pytest.raises(DialogueError, match="counter has observed nothing"):
        step(agent)  # type: ignore[operator]
    told(agent, "a", episode_done=True)
    agent.act()
    with pytest.raises(DialogueError, match="counter has observed nothing"):
        step(agent)  # type: ignore[operator]


def test_the_senders_message_is_left_as_it_was() -> None:
    sent = Message(text="a")
    heard = Counting().observe(sent)
    assert heard == {"text": "a", "full_text": "a"}
    assert sent == {"text": "a"}


def test_a_hint_lasts_for_one_message() -> None:
    agent = Reminded()
    assert told(agent, "a", hint="soon")["full_text"] == "a (soon)"
    agent.act()
    assert told(agent, "b")["full_text"] == "a\n1 lines\nb"


def test_a_batch_is_answered_row_by_row_and_padding_without_text() -> None:
    agent = Counting({"id": "counter"})
    copies = [agent.clone() for _ in range(3)]
    told(copies[0], "a")
    told(copies[1], "b\nc", episode_done=True)
    copies[2].observe(Message.padding_example())
    acts = agent.batch_act([made.observation for made in copies])
    for made, act in zip(copies, acts, strict=True):
        made.self_observe(act)
    assert [act.get("text") for act in acts] == ["1 lines", "2 lines", None]
    assert [made.history.get_history_str() for made in copies] == ["a\n1 lines", None, None]


def test_responses_know_nothing_of_each_other() -> None:
    agent = Counting()
    assert [agent.respond("a"), agent.respond("b")] == ["1 lines", "1 lines"]
    assert agent.batch_respond([{"text": "a"}, {"text": "b\nc"}]) == ["1 lines", "2 lines"]


def test_odd_messages_do_not_stop_a_conversation() -> None:
    agent = Counting()
    for text in ("", "   ", "🧭\u200d🗺️", "שלום", "x" * 100_000, None):
        agent.observe({"text": text})
        assert agent.act().text.endswith("lines")


def test_an_agent_may_reply_in_batches_only() -> None:
    class Together(TurnAgent):
        def batch_act(self, observations: Sequence[Message | None]) -> list[Message]:
            return [Message(text=f"one of {len(observations)}") for _ in observations]

    agent = Together()
    told(agent, "a")
    assert agent.act().text == "one of 1"
    assert agent.history.get_history_str() == "a\none of 1"


def test_an_agent_without_replies_says_so() -> None:
    agent = TurnAgent()
    told(agent, "a")
    with pytest.raises(DialogueError, match="TurnAgent does not define how to reply"):
        agent.act()
