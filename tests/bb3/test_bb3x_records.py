"""Conversations contain every field of the data card, and are unchanged after saving and loading."""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from investigator.bb3.bb3x.conversation_files import (
    as_json_line,
    conversations_in,
)
from investigator.bb3.bb3x.examples import ModuleExample, Selection, dialogue_examples, module_examples
from investigator.bb3.bb3x.records import (
    Conversation,
    InteractionFailure,
    MemoryDecision,
    SearchDecision,
    chat_message_of,
    kept_memory,
    memory_line,
    turn_of,
)
from investigator.bb3.records import Module, Speaker
from investigator.dialogue.messages import Message
from investigator.errors import DataError

FULL: dict[str, Any] = {
    "user_pseudo_id": "0d3f9d0c-6a8c-4c1e-9d7e-8a8f1a2b3c4d",
    "chat_id": "7c1e0b52-3b0a-4d5b-9f53-5d1a5b0c9e11",
    "message_history": [
        {
            "text": "Which galaxy is the largest?",
            "sender": "Human",
            "human_message_id": "h1",
            "isDislikeFeedback": False,
            "safety": {"duo_safety": "__ok__", "string_matcher": "__ok__"},
        },
        {
            "text": "IC 1101, they say.",
            "sender": "Chatbot",
            "bot_message_id": "b1",
            "isLiked": False,
            "isDisliked": True,
            "dislike_type": "off_topic",
            "memories": ["Person 1's Persona: I am an AI", "Person 2's Persona: I like stars"],
            "memory_decision": "do not access memory",
            "memory_knowledge": "",
            "search_decision": "search",
            "search_query": "largest galaxy",
            "search_knowledge": "IC 1101 is the largest known galaxy.",
            "search_knowledge_doc_titles": ["Galaxy"],
            "search_knowledge_doc_content": ["IC 1101 is the largest known galaxy."],
            "search_knowledge_doc_urls": ["https://example.org/galaxy"],
            "isSafetyControlledResponse": False,
            "previous_interaction_failure": None,
            "from_model_crash": False,
            "safety": {"duo_safety": "__ok__", "string_matcher": "__ok__"},
            "reward": "Predicted class: __ok__ with probability: 0.93",
            "mturk": {"good": 1, "bad": 0.5},
        },
    ],
}


def released(conversation: dict[str, Any]) -> dict[str, Any]:
    """Return the same conversation under the names of the released files."""
    renamed = {"convo_id" if key == "chat_id" else key: value for key, value in conversation.items()}
    words = {"Human": "human", "Chatbot": "bot"}
    history = [{**message, "sender": words[message["sender"]]} for message in conversation["message_history"]]
    return {**renamed, "message_history": history}


@pytest.mark.parametrize("given_form", [FULL, released(FULL)], ids=["card", "released files"])
def test_every_field_of_the_card_is_read_in_both_spellings(given_form: dict[str, Any]) -> None:
    conversation = Conversation.model_validate_json(json.dumps(given_form))
    human, bot = conversation.message_history
    assert conversation.id == FULL["chat_id"]
    assert conversation.user_pseudo_id == FULL["user_pseudo_id"]
    assert (human.by_human, human.id, human.is_dislike_feedback) == (True, "h1", False)
    assert (bot.by_human, bot.id, bot.is_liked, bot.is_disliked) == (False, "b1", False, True)
    assert bot.search_decision is SearchDecision.SEARCH
    assert bot.memory_decision is MemoryDecision.DO_NOT_ACCESS
    assert bot.memories == ("Person 1's Persona: I am an AI", "Person 2's Persona: I like stars")
    assert bot.search_knowledge_doc_urls == ("https://example.org/galaxy",)
    assert bot.mturk == {"good": 1, "bad": 0.5}
    assert not bot.is_canned
    assert json.loads(as_json_line(conversation)) == given_form


def test_property_names_of_the_card_are_read_too_and_written_as_its_paths() -> None:
    message = {"text": "x", "sender": "bot", "is_liked": True, "is_safety_controlled_response": True}
    conversation = Conversation.model_validate_json(json.dumps({"message_history": [message]}))
    assert conversation.message_history[0].is_liked
    written = json.loads(as_json_line(conversation))["message_history"][0]
    assert written == {"text": "x", "sender": "bot", "isLiked": True, "isSafetyControlledResponse": True}


def test_a_bot_s_message_has_its_id_even_under_the_path_that_the_card_gives() -> None:
    message = {"text": "x", "sender": "bot", "human_message_id": "b7"}
    assert Conversation.model_validate_json(json.dumps({"message_history": [message]})).message_history[0].id == "b7"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("text", 7),
        ("sender", "Robot"),
        ("isLiked", "yes"),
        ("memories", "Person 1's Persona: x"),
        ("search_decision", "perhaps"),
        ("previous_interaction_failure", "unsafe_Cat"),
        ("search_knowledge_doc_titles", [None]),
        ("safety", "__ok__"),
        ("mturk", {"good": "very"}),
    ],
)
def test_a_wrong_type_is_refused_with_line_field_and_gist(tmp_path: Path, field: str, value: object) -> None:
    message = {"text": "x", "sender": "bot", field: value}
    bad = json.dumps({"message_history": [message]}, ensure_ascii=False)
    file = tmp_path / "talk.jsonl"
    file.write_text(f'{{"message_history": []}}\n\n{bad}\n', encoding="utf-8")
    with pytest.raises(DataError) as refused:
        list(conversations_in(file))
    wrong = value[0] if isinstance(value, list) else value.get("good") if isinstance(value, dict) else value
    assert "line 3: " in refused.value.message
    assert f"message_history.0.{field}" in refused.value.message
    assert str(wrong) in refused.value.message


_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=6,
)
_UNKNOWN = st.dictionaries(st.text(string.ascii_uppercase, min_size=1, max_size=6), _JSON, max_size=3)
_MESSAGES = st.fixed_dictionaries(
    {"text": _TEXTS, "sender": st.sampled_from(["bot", "human", "Chatbot", "Human"])},
    optional={
        "bot_message_id": _TEXTS,
        "human_message_id": _TEXTS | st.none(),
        "isLiked": st.booleans() | st.none(),
        "isDislikeFeedback": st.booleans(),
        "dislike_type": _TEXTS,
        "memories": st.lists(_TEXTS, max_size=3),
        "memory_decision": st.sampled_from([*MemoryDecision, None]),
        "search_decision": st.sampled_from([*SearchDecision, None]),
        "search_knowledge_doc_content": st.lists(_TEXTS, max_size=3),
        "previous_interaction_failure": st.sampled_from([*InteractionFailure, None]),
        "safety": st.dictionaries(_TEXTS, _TEXTS, max_size=3) | st.none(),
        "reward": _TEXTS | st.dictionaries(_TEXTS, _JSON, max_size=2),
        "mturk": st.dictionaries(_TEXTS, st.integers() | st.floats(allow_nan=False), max_size=2),
    },
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    fields=st.fixed_dictionaries(
        {
            "message_history": st.lists(
                st.builds(lambda known, more: {**more, **known}, _MESSAGES, _UNKNOWN), max_size=4
            )
        },
        optional={"user_pseudo_id": _TEXTS, "chat_id": _TEXTS, "convo_id": _TEXTS, "consent": st.booleans()},
    ),
    more=_UNKNOWN,
)
def test_whatever_a_conversation_holds_comes_back(fields: dict[str, Any], more: dict[str, Any]) -> None:
    wire = {**more, **fields}
    conversation = Conversation.model_validate_json(json.dumps(wire))
    written = as_json_line(conversation)
    assert "\n" not in written
    assert json.loads(written) == wire
    assert Conversation.model_validate_json(written) == conversation


def test_the_card_counts_the_two_persons_the_other_way_round_than_prompts_do() -> None:
    assert kept_memory("Person 1's Persona: I am an AI") == (Speaker.SELF, "I am an AI")
    assert kept_memory("Person 2’s persona:  I have a dog") == kept_memory("Person 2's Persona: I have a dog")
    assert memory_line(Speaker.PARTNER, "I sing") == "Person 2's Persona: I sing"
    assert kept_memory("no prefix") == (None, "no prefix")
    human, bot = Conversation.model_validate_json(json.dumps(FULL)).message_history
    assert (turn_of(human).speaker, turn_of(bot).speaker) == (Speaker.PARTNER, Speaker.SELF)


@pytest.mark.parametrize("said", ["", "Yes, I think so", "METASEQ RESPONSE FAILED.", "__do-search__"])
def test_a_decision_that_was_not_made_is_empty(said: str) -> None:
    message = chat_message_of(Message(text="Hi", search_decision=said, memory_decision=said), "b1")
    assert (message.search_decision, message.memory_decision) == (SearchDecision.NONE, MemoryDecision.NONE)


OLD = "Person 2's Persona: I have a dog"
NEW = "Person 2's Persona: I like stars"
OWN = "Person 1's Persona: I am an AI"


def conversation(*messages: dict[str, Any]) -> Conversation:
    return Conversation.model_validate_json(json.dumps({"chat_id": "c", "message_history": messages}))


def said(sender: str, text: str, **fields: Any) -> dict[str, Any]:
    return {"sender": sender, "text": text, **fields}


SEARCHED = conversation(
    said("human", "Hello"),
    said("bot", "Hi!", memories=[OLD]),
    said("human", "I like stars. Which galaxy is largest?"),
    said(
        "bot",
        "IC 1101.",
        memories=[OLD, NEW, OWN],
        search_decision="search",
        memory_decision="do not access memory",
        search_query="largest galaxy",
        search_knowledge="IC 1101 is the largest.",
        search_knowledge_doc_titles=["Galaxy", "Stars"],
        search_knowledge_doc_content=["IC 1101 is the largest."],
        search_knowledge_doc_urls=["https://example.org"],
    ),
)


def of(examples: tuple[ModuleExample, ...], module: Module) -> list[ModuleExample]:
    return [example for example in examples if example.module is module]


def test_each_module_s_target_is_the_field_that_holds_what_it_said() -> None:
    examples = [each for each in module_examples(SEARCHED) if each.reply == 3]
    targets = {example.module: example.targets for example in examples if example.module is not Module.MGM}
    assert targets == {
        Module.SDM: ("search",),
        Module.MDM: ("do not access memory",),
        Module.SGM: ("largest galaxy",),
        Module.SKM: ("IC 1101 is the largest.",),
        Module.SRM: ("IC 1101.",),
    }


def test_modules_see_what_they_saw_then() -> None:
    by_module = {example.module: example for example in module_examples(SEARCHED) if example.reply == 3}
    assert [turn.text for turn in by_module[Module.SDM].turns] == ["I like stars. Which galaxy is largest?"]
    assert [turn.speaker for turn in by_module[Module.SGM].turns] == [Speaker.PARTNER, Speaker.SELF, Speaker.PARTNER]
    assert by_module[Module.MDM].memories == ("partner: I have a dog",)
    galaxy, stars = by_module[Module.SKM].documents
    assert (galaxy.title, galaxy.url, galaxy.text) == ("Galaxy", "https://example.org", "IC 1101 is the largest.")
    assert (stars.title, stars.url, stars.text) == ("Stars", "", "")
    assert by_module[Module.SRM].knowledge == "IC 1101 is the largest."


def test_new_memories_belong_to_the_turn_of_the_one_they_are_about() -> None:
    of_human, of_bot = of(module_examples(SEARCHED), Module.MGM)
    assert (of_human.turns[0].text, of_human.targets) == ("I like stars. Which galaxy is largest?", ("I like stars",))
    assert (of_bot.turns[0].text, of_bot.targets) == ("IC 1101.", ("I am an AI",))


def test_the_first_reply_gives_no_new_memories_because_its_user_may_have_returned() -> None:
    assert all(example.reply > 1 for example in of(module_examples(SEARCHED), Module.MGM))


def test_the_reply_belongs_to_the_module_of_its_knowledge() -> None:
    def module_of(**fields: Any) -> Module:
        *_, last = module_examples(conversation(said("human", "a"), said("bot", "b", **fields)))
        return last.module

    assert module_of() is Module.VRM
    assert module_of(memory_knowledge=OLD) is Module.MRM
    assert module_of(search_knowledge="k") is Module.SRM
    assert module_of(search_knowledge="k", memory_knowledge=OLD) is Module.SRM


@pytest.mark.parametrize(
    "fields",
    [
        {"isSafetyControlledResponse": True},
        {"from_model_crash": True},
        {"previous_interaction_failure": "unsafe_Human"},
    ],
)
def test_canned_replies_are_nobody_s_target(fields: dict[str, Any]) -> None:
    assert module_examples(conversation(said("human", "a"), said("bot", "b", search_decision="search", **fields))) == ()


def test_a_module_s_example_is_a_message() -> None:
    (example,) = module_examples(SEARCHED, [Module.SKM])
    message = example.message()
    assert message.text == "Hello\nHi!\nI like stars. Which galaxy is largest?"
    assert message["labels"] == ["IC 1101 is the largest."]
    assert message["id"] == "skm"
    assert message["episode_done"] is True
    assert "memories" not in message


def test_a_message_without_annotation_is_not_known_to_be_unsafe() -> None:
    (example,) = dialogue_examples(conversation(said("human", "Hi"), said("bot", "Yo")))
    assert example["adversarial_human"] is False
    half = conversation(said("human", "Hi", safety={"string_matcher": "__notok__"}), said("bot", "Yo"))
    assert dialogue_examples(half)[0]["adversarial_human"] is True
    assert dialogue_examples(half, selection=Selection.WITHOUT_ADVERSARIAL) == ()


def test_both_spellings_of_the_sender_give_examples() -> None:
    (example,) = dialogue_examples(conversation(said("Human", "Hi"), said("Chatbot", "Yo")))
    assert example["labels"] == ["Yo"]
    assert dialogue_examples(conversation(said("Chatbot", "Yo"), said("Human", "Hi")), Speaker.PARTNER)[0].text == "Yo"
