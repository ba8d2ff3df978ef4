"""A model's reply is shown while it is written, one sentence at a time, as far as it needs no check."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from chat_replies import SENSIBLE, Said, model, plants
from talks import client
from whole_quotes import whole_quote

from investigator import ScriptedEmbedder
from investigator.bb3.chat_options import ChatOptions, Conditioning, Decide
from investigator.bb3.chats import open_chat
from investigator.bb3.exchange import ModuleReply, ModuleRequest
from investigator.bb3.extractive import chat_answers
from investigator.bb3.forms.chat_form import ChatForm
from investigator.bb3.forms.checked_replies import ReplyCheck
from investigator.bb3.records import Module, Speaker, Turn
from investigator.bb3.talk import SafetyGuard, Talk
from investigator.dialogue.messages import Message
from investigator.engines.base import Engine, Traits
from investigator.errors import EngineError
from investigator.records import Prompt, Reply

RENT = "The annual rent is EUR 48,000. The tenant may keep a dog."
QUESTION = "How much power does the Cedar plant make?"
TRUE, ALSO_TRUE, FALSE = "The annual rent is EUR 48,000.", "The tenant may keep a dog.", "It ends in 2031."


def asked_for_rent() -> ModuleRequest:
    quote = whole_quote(RENT, "lease.txt")
    turn = Turn(speaker=Speaker.PARTNER, text="What does the lease say?")
    return ModuleRequest(module=Module.SRM, by=Module.SRM, turns=(turn,), knowledge=RENT, quotes=(quote,))


def heard_of(reply: str) -> list[str]:
    written = json.dumps({"quotes": [], "reply": reply})
    heard: list[str] = []
    sentences = ReplyCheck(asked_for_rent(), heard.append)
    for end in range(1, len(written) + 1):
        sentences.hear(written[:end])
    return heard


@pytest.mark.parametrize(
    ("reply", "heard"),
    [
        (f"{TRUE} {ALSO_TRUE} And so on.", [TRUE, f"{TRUE} {ALSO_TRUE}"]),
        (TRUE, []),  # it may go on, until it is over
        (f"{TRUE} {FALSE} {ALSO_TRUE}", [TRUE]),
        (f"{FALSE} {TRUE} {ALSO_TRUE}", []),
        (f"I have looked. {TRUE} {ALSO_TRUE}", []),  # a check may still support it
        (f"{TRUE} Shall I go on? Yes.", [TRUE, f"{TRUE} Shall I go on?"]),
    ],
)
def test_a_sentence_is_said_when_the_next_one_begins_and_all_before_it_is_quoted(reply: str, heard: list[str]) -> None:
    assert heard_of(reply) == heard


def test_of_a_try_that_begins_anew_nothing_is_said_twice() -> None:
    heard: list[str] = []
    sentences = ReplyCheck(asked_for_rent(), heard.append)
    for _ in range(2):
        sentences.hear(json.dumps({"reply": TRUE})[:-2])
        sentences.hear(json.dumps({"reply": f"{TRUE} {ALSO_TRUE}"})[:-2])
    assert heard == [TRUE]


class Failing:
    """A model that begins a reply and then fails."""

    name = "failing"
    traits = Traits(is_model=True)

    def __init__(self, said: str) -> None:
        self._said = said

    def reply(self, prompt: Prompt) -> Reply:
        raise EngineError("the line is dead")

    def reply_aloud(self, prompt: Prompt, hear: Callable[[str], None]) -> Reply:
        hear(json.dumps({"quotes": [], "reply": self._said})[:-2])
        return self.reply(prompt)


def replied(said: str, hear: list[str]) -> ModuleReply:
    return replied_raw(json.dumps({"quotes": [], "reply": said}), hear)


def replied_raw(said: str, hear: list[str]) -> ModuleReply:
    return replied_by(model({Module.SRM: said}), hear)


def replied_by(engine: Engine, hear: list[str]) -> ModuleReply:
    form = ChatForm(lambda _: client(engine), say=hear.append, stand_in=chat_answers(ScriptedEmbedder()))
    (reply,) = form.ask([asked_for_rent()])
    return reply


def test_what_was_said_while_it_was_written_stays_said_and_what_is_not_supported_is_kept_for_why() -> None:
    heard: list[str] = []
    reply = replied(f"{TRUE} {FALSE}", heard)
    assert heard == [TRUE]
    assert (reply.text, reply.unsaid, reply.is_stock) == (TRUE, FALSE, False)


def test_what_was_heard_stays_said_where_the_model_breaks_off() -> None:
    heard: list[str] = []
    broken = replied_raw(json.dumps({"quotes": [], "reply": f"{TRUE} {ALSO_TRUE} {FALSE}"})[:-10], heard)
    assert broken.text == heard[-1] == f"{TRUE} {ALSO_TRUE}"


def test_what_was_heard_stays_said_where_the_server_fails() -> None:
    heard: list[str] = []
    reply = replied_by(Failing(f"{TRUE} {ALSO_TRUE} And"), heard)
    assert reply.text == heard[-1] == f"{TRUE} {ALSO_TRUE}"
    assert "the line is dead" in reply.unsaid
    with pytest.raises(EngineError):
        replied_by(Failing(FALSE), [])


def test_where_nothing_is_supported_the_quotes_are_said_in_its_place() -> None:
    heard: list[str] = []
    reply = replied(f"{FALSE} {TRUE}", heard)
    assert (heard, reply.unsaid, reply.is_stock) == ([], f"{FALSE} {TRUE}", True)
    assert RENT in reply.text


def talked(place: Path, said: Mapping[Module, Said], options: ChatOptions | None = None) -> tuple[Message, list[str]]:
    heard: list[str] = []
    engine = model({**SENSIBLE, **said})
    options = options or ChatOptions(search_decision=Decide.ALWAYS)
    with open_chat(plants(place / "folder", place / "workspace", engine), options) as chat:
        talk = Talk(chat, chat.start("Ann"), SafetyGuard(Random(3)), lambda: "id", consent=False)
        return talk.say(QUESTION, hear=heard.append), heard


def twice(prompt: str) -> dict[str, Any]:
    return {"quotes": [], "reply": "It makes 42 MW of power. I have looked. It makes 77 MW."}


def test_a_talk_is_heard_and_its_message_begins_with_what_was_heard(place: Path) -> None:
    message, heard = talked(place, {Module.SRM: twice})
    assert heard
    assert message.text.startswith(heard[-1])
    assert "77" not in message.text
    assert "77" in message["unsaid"]


def test_unsafe_words_are_not_heard(place: Path) -> None:
    said = {"quotes": [], "reply": "You are an asshole. That is all."}
    options = ChatOptions(search_decision=Decide.NEVER, contextual_knowledge_decision=Decide.NEVER)
    message, heard = talked(place, {Module.VRM: said}, options)
    assert heard == []
    assert message["failure"]


def test_where_the_best_of_several_replies_is_said_none_is_heard_before(place: Path) -> None:
    options = ChatOptions(search_decision=Decide.ALWAYS, knowledge_conditioning=Conditioning.BOTH)
    message, heard = talked(place, {Module.SRM: twice}, options)
    assert heard == []
    assert "42 MW" in message.text
