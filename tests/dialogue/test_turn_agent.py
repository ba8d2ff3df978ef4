"""History, the turns of an episode as text or tokens, and TurnAgent, which observes and acts in turn."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.dialogue.messages import Message
from investigator.dialogue.turn_agent import History, TurnAgent
from investigator.errors import DialogueError

TURNS = st.lists(st.tuples(st.booleans(), st.text()), max_size=12)


def codes(text: str) -> list[int]:
    return [ord(character) for character in text]


def heard_and_said(history: History, *texts: str) -> History:
    for number, text in enumerate(texts):
        if number % 2:
            history.add_reply(text)
        else:
            history.update_history({"text": text})
    return history


def test_an_empty_history_is_none_and_not_an_empty_text() -> None:
    history = History(encode=codes)
    assert (history.get_history_str(), history.get_history_vec()) == (None, None)
    history.update_history({"labels": ["x"]})
    assert history.get_history_str() is None
    history.update_history({"text": ""})
    assert history.get_history_str() == ""


@pytest.mark.parametrize(("size", "text"), [(-1, "a|b|c|d"), (0, "a|b|c|d"), (3, "b|c|d"), (1, "d"), (9, "a|b|c|d")])
def test_the_last_turns_are_kept_heard_and_said_alike(size: int, text: str) -> None:
    history = heard_and_said(History({"delimiter": "|"}, size=size), "a", "b", "c", "d")
    assert history.get_history_str() == text
    assert history.history_raw_strings == text.split("|")
    by_option = History({"delimiter": "|", "history_size": size})
    assert heard_and_said(by_option, "a", "b", "c", "d").get_history_str() == text
    by_both = History({"delimiter": "|", "history_size": 2}, size=size)
    assert heard_and_said(by_both, "a", "b", "c", "d").get_history_str() == text


def test_what_is_temporary_stays_until_the_next_message() -> None:
    history = History()
    history.update_history({"text": "a"}, " [k]")
    assert history.get_history_str() == "a [k]"
    history.add_reply("b")
    assert history.get_history_str() == "a\nb [k]"
    history.update_history({"text": "c"})
    assert history.get_history_str() == "a\nb\nc"


def test_lines_are_turns_where_they_are_heard_and_not_where_they_are_said() -> None:
    history = History({"split_lines": True}, size=2)
    history.update_history({"text": "x\ny\nz"})
    assert history.history_strings == ["y", "z"]
    history.add_reply("b\nc")
    assert history.history_strings == ["z", "b\nc"]


def test_speakers_are_told_by_tokens() -> None:
    options = {"person_tokens": True}
    assert heard_and_said(History(options), "a\nb", "c").get_history_str() == "__p1__ a\nb\n__p2__ c"
    last_line = History({**options, "add_p1_after_newln": True})
    assert heard_and_said(last_line, "a\nb", "c\nd").get_history_str() == "a\n__p1__ b\n__p2__ c\nd"
    assert last_line.history_raw_strings == ["a\nb", "c\nd"]
    lines = heard_and_said(History({**options, "split_lines": True}), "a\nb")
    assert lines.get_history_str() == "__p1__ a\n__p1__ b"


@given(TURNS, st.text(max_size=3), st.none() | st.text())
def test_tokens_are_those_of_the_text_and_reversed_on_demand(
    turns: list[tuple[bool, str]], delimiter: str, temporary: str | None
) -> None:
    forth = History({"delimiter": delimiter}, encode=codes)
    back = History({"delimiter": delimiter, "history_reversed": True}, encode=codes)
    for history in (forth, back):
        for heard, text in turns:
            if heard:
                history.update_history({"text": text}, temporary)
            else:
                history.add_reply(text)
    text = forth.get_history_str()
    assert back.get_history_str() == text
    assert forth.get_history_vec() == (None if text is None else codes(text))
    assert back.get_history_vec() == (None if text is None else codes(text)[::-1])


class Counting(TurnAgent):
    def reply_to(self, observation: Message) -> Message:
        return Message(text=f"{str(observation['full_text']).count(chr(10)) + 1} lines")


class Reminded(Counting):
    def temp_history(self, observation: Message) -> str | None:
        return f" ({observation['hint']})" if "hint" in observation else None


def tell(agent: TurnAgent, text: str, **fields: object) -> Message:
    return agent.observe({"text": text, **fields})


def test_the_own_reply_is_part_of_the_history_without_labels() -> None:
    agent = Counting({"id": "counter"})
    tell(agent, "a")
    assert agent.act() == {"text": "1 lines", "id": "counter", "episode_done": False}
    assert tell(agent, "b")["full_text"] == "a\n1 lines\nb"
    assert agent.act().text == "3 lines"


TWO = ["right", "also right"]


@pytest.mark.parametrize(
    ("use_reply", "labels", "history"),
    [
        ("label", {"labels": TWO}, "a\nright"),
        ("label", {"eval_labels": TWO}, "a\nright"),
        ("model", {"labels": TWO}, "a\n1 lines"),
        ("model", {"eval_labels": TWO}, "a\n1 lines"),
        ("none", {"labels": TWO}, "a"),
        ("none", {"eval_labels": TWO}, "a"),
        ("label", {"labels": "right"}, "a\nright"),
        ("label", {"labels": ("right",)}, "a\nright"),
        ("label", {"labels": []}, "a\n1 lines"),
        ("label", {"labels": None}, "a\n1 lines"),
    ],
)
def test_what_becomes_of_a_reply_is_an_option(use_reply: str, labels: dict[str, object], history: str) -> None:
    agent = Counting({"use_reply": use_reply})
    tell(agent, "a", **labels)
    agent.act()
    assert agent.history.get_history_str() == history


def test_what_an_agent_or_a_history_cannot_do_is_refused() -> None:
    with pytest.raises(DialogueError, match="use_reply cannot be 'both'") as refused:
        Counting({"use_reply": "both"})
    assert "label, model, none" in refused.value.hint
    with pytest.raises(DialogueError, match="cannot return tokens"):
        heard_and_said(History(), "a").get_history_vec()
    agent = TurnAgent()
    tell(agent, "a")
    with pytest.raises(DialogueError, match="TurnAgent does not define how to reply"):
        agent.act()


def test_the_history_ends_with_the_episode() -> None:
    agent = Counting()
    tell(agent, "a")
    agent.act()
    tell(agent, "b", episode_done=True)
    assert agent.act().text == "3 lines"
    assert agent.history.get_history_str() is None
    assert tell(agent, "c")["full_text"] == "c"


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"labels": ["x"]}, "again after labels without"),
        ({"episode_done": True}, "after the end of an episode without"),
    ],
)
def test_two_observations_need_an_act_between_them(fields: dict[str, object], problem: str) -> None:
    agent = Counting()
    tell(agent, "a", **fields)
    with pytest.raises(DialogueError, match=f"{problem} having acted") as refused:
        tell(agent, "b")
    assert "act()" in refused.value.hint
    assert agent.history.get_history_str() == "a"
    agent.reset()
    assert tell(agent, "b")["full_text"] == "b"


@pytest.mark.parametrize("step", [lambda agent: agent.act(), lambda agent: agent.self_observe(Message(text="x"))])
def test_there_is_no_reply_to_nothing(step: object) -> None:
    agent = Counting({"id": "counter"})
    with pytest.raises(DialogueError, match="counter has observed nothing"):
        step(agent)  # type: ignore[operator]
    tell(agent, "a", episode_done=True)
    agent.act()
    with pytest.raises(DialogueError, match="counter has observed nothing"):
        step(agent)  # type: ignore[operator]


def test_a_hint_lasts_for_one_message() -> None:
    agent = Reminded()
    assert tell(agent, "a", hint="soon")["full_text"] == "a (soon)"
    agent.act()
    assert tell(agent, "b")["full_text"] == "a\n1 lines\nb"


def test_a_batch_is_answered_row_by_row_and_padding_without_text() -> None:
    agent = Counting({"id": "counter"})
    copies = [agent.clone() for _ in range(3)]
    tell(copies[0], "a")
    tell(copies[1], "b\nc", episode_done=True)
    copies[2].observe(Message.padding_example())
    acts = agent.batch_act([made.observation for made in copies])
    for made, act in zip(copies, acts, strict=True):
        made.self_observe(act)
    assert [act.get("text") for act in acts] == ["1 lines", "2 lines", None]
    assert [made.history.get_history_str() for made in copies] == ["a\n1 lines", None, None]


def test_an_agent_may_reply_in_batches_only() -> None:
    class Together(TurnAgent):
        def batch_act(self, observations: Sequence[Message | None]) -> list[Message]:
            return [Message(text=f"one of {len(observations)}") for _ in observations]

    agent = Together()
    tell(agent, "a")
    assert agent.act().text == "one of 1"
    assert agent.history.get_history_str() == "a\none of 1"
