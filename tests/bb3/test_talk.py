"""A conversation is guarded, recorded in the form of the card, judged, saved and loaded."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import count, pairwise
from pathlib import Path
from random import Random

import pytest
from chat_replies import model, plants

from investigator.bb3.bb3x.conversation_files import conversations_in
from investigator.bb3.bb3x.examples import module_examples
from investigator.bb3.bb3x.records import Conversation, InteractionFailure
from investigator.bb3.chats import open_chat, talk_with
from investigator.bb3.folder_chat import FolderChat
from investigator.bb3.records import Module, Speaker
from investigator.bb3.talk import (
    NOT_OK,
    THANKS,
    DislikeType,
    SafetyGuard,
    Talk,
    dislike_type_of,
    is_offensive,
    own_words,
)
from investigator.engines.base import Engine
from investigator.errors import DialogueError, EngineError, FolderError
from investigator.records import Prompt

UNSAFE = "You are an asshole."
QUESTION = "How much power does the Cedar plant make?"


class Classifier:
    """A classifier that considers one word unsafe, and may be unavailable."""

    def __init__(self) -> None:
        self.down = False

    def is_unsafe(self, text: str) -> bool:
        if self.down:
            raise EngineError("the classifier is down")
        return "gherkin" in text


@pytest.fixture
def opened(place: Path, tmp_path: Path) -> Iterator[Callable[..., Talk]]:
    """Opens talks, each with a separate chat."""
    chats = []
    users = count()

    def open_talk(engine: Engine | None = None, *, classifier: Classifier | None = None, consent: bool = False) -> Talk:
        context = open_chat(plants(place / "folder", place / "workspace", engine or model()))
        chats.append(context)
        chat: FolderChat = context.__enter__()
        ids = count(1)
        guard = SafetyGuard(Random(3), classifier=classifier)
        session = chat.start(f"{tmp_path.name} {next(users)}", "chat 1")
        return Talk(chat, session, guard, lambda: f"id {next(ids)}", consent=consent)

    yield open_talk
    for context in reversed(chats):
        context.__exit__(None, None, None)


def wire(talk: Talk) -> list[dict[str, object]]:
    return list(talk.record.wire()["message_history"])  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [None, 7, b"Hello"])
def test_a_message_is_a_string(opened: Callable[..., Talk], text: object) -> None:
    talk = opened()
    with pytest.raises(DialogueError, match="the message must be a string, not") as refused:
        talk.say(text)  # type: ignore[arg-type]
    assert "talk.say(" in refused.value.hint
    assert not talk.record.message_history


def test_what_is_said_is_recorded_with_every_field_of_the_card(opened: Callable[..., Talk]) -> None:
    talk = opened()
    talk.say("I have a dog called Bubbles.")
    talk.say(QUESTION)
    _, _, human, bot = wire(talk)
    assert human == {
        "text": QUESTION,
        "sender": "human",
        "human_message_id": "id 3",
        "safety": {"string_matcher": "__ok__"},
    }
    assert bot["text"] == "It makes 42 MW of power."
    assert {key: bot[key] for key in ("search_decision", "memory_decision", "search_query", "search_knowledge")} == {
        "search_decision": "search",
        "memory_decision": "do not access memory",
        "search_query": QUESTION,
        "search_knowledge": "It makes 42 MW of power.",
    }
    assert "cedar.txt#line=1" in bot["search_knowledge_doc_urls"]  # type: ignore[operator]
    assert bot["memories"] == ["Person 2's Persona: I have a dog called Bubbles."]  # as the card numbers
    assert (bot["isSafetyControlledResponse"], bot["safety"]) == (False, {"string_matcher": "__ok__"})


def test_consent_is_no_unless_it_is_given(opened: Callable[..., Talk], place: Path) -> None:
    assert opened().record.consent is False
    assert opened(consent=True).record.consent is True
    with open_chat(plants(place / "folder", place / "workspace", model())) as chat:
        assert talk_with(chat, "anna").record.consent is False


def test_unsafe_words_of_the_human_reach_no_module(opened: Callable[..., Talk]) -> None:
    engine = model()
    talk = opened(engine)
    shown = talk.say(UNSAFE)
    assert shown.text in own_words("canned", InteractionFailure.UNSAFE_HUMAN)
    assert shown["failure"] == "unsafe_Human"
    human, bot = wire(talk)
    assert human["safety"] == {"string_matcher": "__notok__"}
    assert (bot["previous_interaction_failure"], bot["isSafetyControlledResponse"]) == ("unsafe_Human", True)
    talk.say("Hello")
    assert not any("asshole" in prompt.text for prompt in engine.asked)


def test_an_unsafe_reply_is_not_shown_nor_remembered_nor_gone_on_from(opened: Callable[..., Talk]) -> None:
    engine = model(
        {
            Module.SDM: {"point": 0, "needed": False},
            Module.CKM: {"text": ""},
            Module.VRM: {"quotes": [], "reply": "I am an asshole."},
        }
    )
    talk = opened(engine)
    shown = talk.say("I have a dog called Bubbles.")
    assert shown["failure"] == "unsafe_BlenderBot3"
    assert "asshole" not in shown.text
    assert "asshole" not in json.dumps(wire(talk)[-1])
    memory = talk._chat.memory.memories(talk.record.user_pseudo_id or "")
    assert [(fact.speaker, fact.text) for fact in memory] == [(Speaker.PARTNER, "I have a dog called Bubbles.")]
    before = len(engine.asked)
    talk.say("Hello")
    assert not any("asshole" in prompt.text for prompt in engine.asked[before:])


def test_only_the_exchange_that_was_not_shown_is_taken_back(opened: Callable[..., Talk]) -> None:
    class FailsAfter(Classifier):
        """A classifier that judges the human's messages, and is unavailable for replies."""

        def is_unsafe(self, text: str) -> bool:
            if self.down and text.startswith("I did not hear"):
                raise EngineError("the classifier is down")
            return "Bubbles" in text and text.startswith("You said")

    classifier = FailsAfter()
    talk = opened(classifier=classifier)
    talk.say(QUESTION)
    before = list(talk.session.conversation.turns)
    classifier.down = True
    assert talk.say("  ")["failure"] == "unsafe_model_crash"
    opening = talk.say("Opening", {"memories": ["I have a dog called Bubbles."]})
    assert opening["failure"] == "unsafe_BlenderBot3"
    assert talk.session.conversation.turns == before


def test_a_classifier_judges_both_and_may_fail(opened: Callable[..., Talk]) -> None:
    classifier = Classifier()
    talk = opened(classifier=classifier)
    assert talk.say("I like gherkins.")["failure"] == "unsafe_Human"
    assert talk.say(QUESTION).text == "It makes 42 MW of power."
    assert wire(talk)[-1]["safety"] == {"duo_safety": "__ok__", "string_matcher": "__ok__"}
    classifier.down = True
    shown = talk.say("Hello")
    assert shown["failure"] == "unsafe_model_crash"
    assert wire(talk)[-1]["from_model_crash"] is True


def test_a_model_that_fails_gets_a_canned_reply_that_names_the_problem(opened: Callable[..., Talk]) -> None:
    engine = model()
    works = engine.reply

    def breaks(_: Prompt) -> None:
        raise EngineError("no server at port 7")

    talk = opened(engine)
    talk.say("Hello")
    engine.reply = breaks  # type: ignore[method-assign, assignment]
    shown = talk.say("What a model")
    assert (shown["failure"], shown["problem"]) == ("unsafe_model_crash", "no server at port 7")
    assert shown.text in own_words("canned", InteractionFailure.MODEL_CRASH)
    engine.reply = works  # type: ignore[method-assign]
    before = len(engine.asked)
    assert talk.say(QUESTION).text == "It makes 42 MW of power."
    assert not any("What a model" in prompt.text for prompt in engine.asked[before:])
    assert wire(talk)[3]["previous_interaction_failure"] == "unsafe_model_crash"


def test_a_wrong_call_is_raised_and_not_recorded(opened: Callable[..., Talk]) -> None:
    talk = opened()
    with pytest.raises(DialogueError):
        talk.say("Hello", {"memories": "a text"})
    assert wire(talk) == []


def test_a_like_is_of_the_last_reply_whatever_came_after(opened: Callable[..., Talk]) -> None:
    talk = opened()
    with pytest.raises(DialogueError):
        talk.like()
    talk.say(QUESTION)
    talk.dislike(DislikeType.SPAM)
    talk.say("Tell me the year, too.")
    talk.like()
    assert [message.get("isLiked") for message in wire(talk)] == [None, True, None, None, None]
    assert [message.get("isDisliked") for message in wire(talk)] == [None, False, None, None, None]


def test_after_a_dislike_the_next_words_are_the_answer(opened: Callable[..., Talk]) -> None:
    engine = model()
    talk = opened(engine)
    reply = talk.say(QUESTION)
    assert talk.dislike(DislikeType.OFF_TOPIC) == own_words("after_dislike", DislikeType.OFF_TOPIC)
    asked = len(engine.asked)
    assert talk.say("The year, asshole.").text == THANKS
    assert len(engine.asked) == asked
    assert talk.last is reply
    marked, question, answer, thanks = wire(talk)[1:]
    assert (marked["isLiked"], marked["isDisliked"], marked["dislike_type"]) == (False, True, "off_topic")
    assert question == {
        "sender": "bot",
        "bot_message_id": "id 3",
        "text": own_words("after_dislike", DislikeType.OFF_TOPIC),
    }
    assert (answer["isDislikeFeedback"], answer["safety"]) == (True, {"string_matcher": "__notok__"})
    assert thanks["text"] == THANKS
    assert talk.say(QUESTION).text == "It makes 42 MW of power."


def test_types_of_dislikes_are_read_as_people_type_them() -> None:
    assert dislike_type_of(" Off-Topic") is DislikeType.OFF_TOPIC
    with pytest.raises(DialogueError) as refused:
        dislike_type_of("ugly")
    assert "nonsensical" in refused.value.hint
    assert all(own_words("after_dislike", kind) for kind in DislikeType)


def test_a_dislike_that_is_taken_back_asks_for_no_answer(opened: Callable[..., Talk]) -> None:
    talk = opened()
    talk.say(QUESTION)
    talk.dislike(DislikeType.RUDE)
    talk.like()
    assert talk.say(QUESTION).text == "It makes 42 MW of power."


def test_silence_is_no_answer_to_what_would_have_been_better(opened: Callable[..., Talk]) -> None:
    talk = opened()
    talk.say(QUESTION)
    question = talk.dislike(DislikeType.RUDE)
    assert talk.say("  ").text == question
    assert len(wire(talk)) == 3
    assert talk.say("Say please.").text == THANKS


@pytest.mark.parametrize("kind", [DislikeType.AGREE_SENSITIVE, DislikeType.DISAGREE_SENSITIVE])
def test_only_a_canned_reply_can_be_called_too_careful(opened: Callable[..., Talk], kind: DislikeType) -> None:
    talk = opened()
    talk.say("Hello")
    with pytest.raises(DialogueError, match="not a canned reply"):
        talk.dislike(kind)
    talk.say(UNSAFE)
    assert talk.dislike(kind) == own_words("after_dislike", kind)


def test_a_saved_conversation_is_read_back_as_it_was_and_makes_examples(
    opened: Callable[..., Talk], tmp_path: Path
) -> None:
    talk = opened()
    for text in ("I have a dog called Bubbles. \u2028 👋\ud800", QUESTION, UNSAFE, "Thanks"):
        talk.say(text)
    talk.like()
    talk.save(tmp_path / "new" / "talk.jsonl")
    (back,) = conversations_in(tmp_path / "new" / "talk.jsonl")
    assert back.wire() == Conversation.model_validate_json(json.dumps(_whole(talk.record.wire()))).wire()
    examples = {(example.module, example.reply): example for example in module_examples(back)}
    assert examples[Module.SDM, 3].targets == ("search",)
    assert examples[Module.MDM, 3].targets == ("do not access memory",)
    assert examples[Module.SGM, 3].targets == (QUESTION,)
    assert examples[Module.SKM, 3].targets == ("It makes 42 MW of power.",)
    assert examples[Module.SRM, 3].targets == ("It makes 42 MW of power.",)
    assert (Module.SDM, 5) not in examples  # the canned reply is nobody's


def _whole(value: object) -> object:
    """Return the text in a form that UTF-8 can encode."""
    return json.loads(json.dumps(value).replace("\\ud800", "\\ufffd"))


def test_saving_again_takes_the_place_of_the_same_conversation_only(
    opened: Callable[..., Talk], tmp_path: Path
) -> None:
    one, other, file = opened(), opened(), tmp_path / "talk.jsonl"
    one.say("Hello")
    one.save(file)
    one.say("Hello again")
    one.save(file)
    assert [len(found.message_history) for found in conversations_in(file)] == [4]
    other.record = other.record.changed(chat_id="chat 2")
    lease = tmp_path / "lease.txt"
    lease.write_text("The rent is EUR 48,000.", encoding="utf-8")
    for taken in (file, lease, tmp_path):
        with pytest.raises(FolderError):
            other.save(taken)
    assert lease.read_text(encoding="utf-8") == "The rent is EUR 48,000."


@pytest.mark.parametrize(
    "said",
    [
        "what the FUCK",
        "ＦＵＣＫ",
        "fu\u200bck",
        "fúck",
        "go, kill  yourself!",
        "Du Arschloch!",
        "SCHEIẞE",
        "quel connard",
        "you’re an idiot",
    ],
)
def test_unsafe_words_are_found_in_disguise(said: str) -> None:
    assert is_offensive(said)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Scunthorpe and Penistone",
        "Dickens in Sussex",
        "we assess a class of bass in Essex",
        "shiitake with cocktail sauce",
        "the A55 and 455 others",
        "a fickle Wankel engine",
        "en retard, avec ma salopette",
        "a dyke near Moronville",
        "**a** *s*",
        "as soon as 5 s pass",
        "p. 4, s. 5",
        "Hello 👋 שלום",
    ],
)
def test_words_with_a_listed_one_inside_are_not_found(said: str) -> None:
    assert not is_offensive(said)


def test_without_a_classifier_the_record_says_nothing_for_one() -> None:
    annotation = SafetyGuard(Random(1)).annotation("shit")
    assert annotation.wire() == {"string_matcher": NOT_OK}
    assert annotation.is_unsafe


def test_canned_replies_take_turns_and_are_safe_themselves() -> None:
    guard = SafetyGuard(Random(4))
    given = [guard.canned(InteractionFailure.UNSAFE_HUMAN) for _ in range(30)]
    assert all(one != other for one, other in pairwise(given))
    assert set(given) == set(own_words("canned", InteractionFailure.UNSAFE_HUMAN))
    every = {failure: own_words("canned", failure) for failure in InteractionFailure if failure}
    assert [text for texts in every.values() for text in texts if is_offensive(text)] == []
    assert all(len(texts) > 1 for texts in every.values())
