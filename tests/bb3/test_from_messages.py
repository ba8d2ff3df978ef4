"""Replies of the chat under the names and in the terms of the data card."""

from __future__ import annotations

import pytest

from investigator.bb3.bb3x.persons import chat_message_of
from investigator.bb3.bb3x.records import MemoryDecision, SearchDecision
from investigator.dialogue.messages import Message


def test_every_field_goes_where_the_card_has_it() -> None:
    """The human is Person 1 in prompts, and Person 2 in the card."""
    reply = Message(
        {
            "text": "It is far.",
            "id": "bot",
            "score": 2.0,
            "search_decision": "search",
            "memory_decision": "access memory",
            "search_query": "moon",
            "search_knowledge": "The moon is far.",
            "memory_knowledge": "Person 1's Persona: I have a dog.",
            "search_knowledge_doc_titles": ["Moon"],
            "search_knowledge_doc_content": ["The moon is far."],
            "search_knowledge_doc_urls": ["moon.txt"],
            "memories": {"Person 1's Persona: I have a dog.": 2, "Person 2's Persona: I am a program.": 0},
        }
    )
    assert chat_message_of(reply, "b1").wire() == {
        "text": "It is far.",
        "sender": "bot",
        "bot_message_id": "b1",
        "search_decision": "search",
        "memory_decision": "access memory",
        "search_query": "moon",
        "search_knowledge": "The moon is far.",
        "memory_knowledge": "Person 2's Persona: I have a dog.",
        "search_knowledge_doc_titles": ["Moon"],
        "search_knowledge_doc_content": ["The moon is far."],
        "search_knowledge_doc_urls": ["moon.txt"],
        "memories": ["Person 2's Persona: I have a dog.", "Person 1's Persona: I am a program."],
    }


@pytest.mark.parametrize("said", ["", "Yes, I think so", "METASEQ RESPONSE FAILED.", "__do-search__"])
def test_a_decision_that_was_not_made_is_empty(said: str) -> None:
    message = chat_message_of(Message(text="Hi", search_decision=said, memory_decision=said), "b1")
    assert (message.search_decision, message.memory_decision) == (SearchDecision.NONE, MemoryDecision.NONE)
