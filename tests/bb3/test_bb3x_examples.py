"""A conversation is converted to examples for dialogue and for each module."""

from __future__ import annotations

import json
from typing import Any

import pytest

from investigator.bb3.bb3x.examples import ModuleExample, Selection, dialogue_examples, module_examples
from investigator.bb3.bb3x.records import Conversation
from investigator.bb3.records import Module, Speaker

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
