"""Likes, dislikes and the question after a dislike are stored as the data card describes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from investigator.bb3.bb3x.conversation_files import as_json_line, conversation_of
from investigator.bb3.bb3x.records import Conversation
from investigator.bb3.feedback import (
    QUESTIONS,
    DislikeType,
    answered_after_dislike,
    asked_after_dislike,
    dislike_type_of,
    disliked,
    liked,
)
from investigator.errors import DialogueError


def talk(**fields: Any) -> Conversation:
    history = [
        {"sender": "human", "text": "Hi"},
        {"sender": "bot", "text": "Hello", **fields},
        {"sender": "human", "text": "And?"},
        {"sender": "bot", "text": "Buy now!", **fields},
        {"sender": "human", "text": "Hm"},
    ]
    return conversation_of(json.dumps({"message_history": history}))


def test_after_a_dislike_the_record_holds_every_field() -> None:
    conversation = disliked(talk(), DislikeType.SPAM)
    conversation = asked_after_dislike(conversation, "b3")
    conversation = answered_after_dislike(conversation, "Just say hello", "h4")
    *_, marked, _, question, answer = json.loads(as_json_line(conversation))["message_history"]
    assert marked == {
        "sender": "bot",
        "text": "Buy now!",
        "isLiked": False,
        "isDisliked": True,
        "dislike_type": "spam",
    }
    assert question == {"sender": "bot", "bot_message_id": "b3", "text": QUESTIONS[DislikeType.SPAM]}
    assert answer == {
        "sender": "human",
        "human_message_id": "h4",
        "text": "Just say hello",
        "isDislikeFeedback": True,
    }


def test_a_change_of_mind_counts() -> None:
    message = liked(disliked(talk(), DislikeType.RUDE)).message_history[3]
    assert (message.is_liked, message.is_disliked, message.dislike_type) == (True, False, None)
    message = disliked(liked(talk()), DislikeType.RUDE).message_history[3]
    assert (message.is_liked, message.is_disliked, message.dislike_type) == (False, True, "rude")


def test_nothing_is_asked_without_a_dislike_and_nothing_answered_without_a_question() -> None:
    with pytest.raises(DialogueError, match="no reply is marked as disliked"):
        asked_after_dislike(talk(), "b")
    with pytest.raises(DialogueError, match="was not asked"):
        answered_after_dislike(disliked(talk(), DislikeType.RUDE), "x", "h")


def test_a_type_of_others_is_asked_about_as_any() -> None:
    foreign = talk(isDisliked=True, dislike_type="looks_odd")
    assert asked_after_dislike(foreign, "b").message_history[-1].text == QUESTIONS[DislikeType.OTHER]


def test_types_are_read_as_people_type_them() -> None:
    assert dislike_type_of(" Off-Topic") is DislikeType.OFF_TOPIC
    with pytest.raises(DialogueError) as refused:
        dislike_type_of("ugly")
    assert "nonsensical" in refused.value.hint
    assert {QUESTIONS[kind] for kind in DislikeType} != {""}
