"""History: the turns of an episode as one text, or as tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.dialogue.turn_agent import History
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


def test_turns_stand_one_below_the_other() -> None:
    assert heard_and_said(History(), "hi", "hello", "bye").get_history_str() == "hi\nhello\nbye"


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


def test_the_size_can_be_an_option() -> None:
    assert heard_and_said(History({"history_size": 2}), "a", "b", "c").get_history_str() == "b\nc"
    assert heard_and_said(History({"history_size": 2}, size=1), "a", "b", "c").get_history_str() == "c"


def test_what_is_temporary_stays_until_the_next_message() -> None:
    history = History()
    history.update_history({"text": "a"}, " [k]")
    assert history.get_history_str() == "a [k]"
    history.add_reply("b")
    assert history.get_history_str() == "a\nb [k]"
    history.update_history({"text": "c"})
    assert history.get_history_str() == "a\nb\nc"


def test_nothing_of_an_episode_outlives_it() -> None:
    history = History()
    history.update_history({"text": "a"}, " [k]")
    history.reset()
    history.add_reply("b")
    assert history.get_history_str() == "b"


def test_lines_are_turns_where_they_are_heard_and_not_where_they_are_said() -> None:
    history = History({"split_lines": True}, size=2)
    history.update_history({"text": "x\ny\nz"})
    assert history.history_strings == ["y", "z"]
    history.add_reply("b\nc")
    assert history.history_strings == ["z", "b\nc"]


def test_speakers_are_told_by_tokens() -> None:
    options = {"person_tokens": True}
    assert heard_and_said(History(options), "a\nb", "c").get_history_str() == "__p1__ a\nb\n__p2__ c"
    last_line = History({**options, "add_p1_after_newln": True}, p1_token="P1:", p2_token="P2:")
    assert heard_and_said(last_line, "a\nb", "c\nd").get_history_str() == "a\nP1: b\nP2: c\nd"
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


def test_tokens_need_a_tokenizer() -> None:
    with pytest.raises(DialogueError, match="cannot return tokens"):
        heard_and_said(History(), "a").get_history_vec()


def test_another_field_can_be_the_text() -> None:
    history = History(field="question")
    history.update_history({"text": "a", "question": "b"})
    assert history.get_history_str() == "b"
