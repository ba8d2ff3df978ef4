"""Messages: a field is set once, and can only be changed on purpose."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.dialogue.messages import Message
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
