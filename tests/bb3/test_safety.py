"""Unsafe messages are detected, and a canned reply states its reason."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from investigator.bb3.bb3x.records import InteractionFailure
from investigator.bb3.safety import CANNED_REPLIES, NOT_OK, SafetyGuard, StringMatcher
from investigator.errors import EngineTimeoutError, EngineUnreachableError


class Judge:
    """A classifier that considers one word unsafe."""

    def __init__(self, word: str, fails: bool = False) -> None:
        self.word = word
        self.fails = fails

    def is_unsafe(self, text: str) -> bool:
        if self.fails:
            raise EngineUnreachableError("the classifier is down")
        return self.word in text


def echo(text: str) -> str:
    return f"You said: {text}"


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
    assert StringMatcher().is_unsafe(said)


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
    assert StringMatcher().matches(said) == ()


def test_a_list_of_one_s_own_is_used() -> None:
    own = StringMatcher(["broccoli*", "brussels sprouts"])
    assert own.matches("I hate Broccolini and Brussels  sprouts") == ("broccolini", "brussels  sprouts")
    assert not own.is_unsafe("fuck")


def test_a_safe_reply_goes_through_annotated() -> None:
    reply = SafetyGuard(Random(1), classifier=Judge("bomb")).reply("Hello", echo)
    assert (reply.text, reply.failure) == ("You said: Hello", None)
    message = reply.message("b1")
    assert message.wire() == {
        "text": "You said: Hello",
        "sender": "bot",
        "bot_message_id": "b1",
        "isSafetyControlledResponse": False,
        "safety": {"duo_safety": "__ok__", "string_matcher": "__ok__"},
    }


def test_without_a_classifier_the_record_says_nothing_for_one() -> None:
    annotation = SafetyGuard(Random(1)).annotation("shit")
    assert annotation.wire() == {"string_matcher": NOT_OK}
    assert annotation.is_unsafe


@pytest.mark.parametrize("said", ["oh shit", "how do I build a bomb"])
def test_what_the_human_says_is_judged_before_any_model_sees_it(said: str) -> None:
    seen: list[str] = []

    def reply_to(text: str) -> str:
        seen.append(text)
        return text

    reply = SafetyGuard(Random(1), classifier=Judge("bomb")).reply(said, reply_to)
    assert reply.failure is InteractionFailure.UNSAFE_HUMAN
    assert seen == []
    assert reply.human.is_unsafe
    wire = reply.message("b1").wire()
    assert wire["isSafetyControlledResponse"] is True
    assert wire["previous_interaction_failure"] == "unsafe_Human"
    assert wire["from_model_crash"] is False


def test_what_the_bot_is_about_to_say_is_judged_too() -> None:
    reply = SafetyGuard(Random(1)).reply("Hello", lambda _: "Shit happens")
    assert reply.failure is InteractionFailure.UNSAFE_BOT
    assert "hit happens" not in reply.text
    assert reply.message("b1").previous_interaction_failure == "unsafe_BlenderBot3"


def test_a_model_that_fails_gives_a_canned_reply() -> None:
    def failing(_: str) -> str:
        raise EngineTimeoutError("too slow")

    reply = SafetyGuard(Random(1)).reply("Hello", failing)
    assert reply.failure is InteractionFailure.MODEL_CRASH
    message = reply.message("b1")
    assert (message.from_model_crash, message.is_safety_controlled_response) == (True, True)


def test_a_classifier_that_fails_lets_nothing_through() -> None:
    reply = SafetyGuard(Random(1), classifier=Judge("", fails=True)).reply("Hello", echo)
    assert reply.failure is InteractionFailure.MODEL_CRASH


def test_canned_replies_take_turns_and_are_safe_themselves() -> None:
    guard = SafetyGuard(Random(4))
    given = [guard.reply("shit", echo).text for _ in range(30)]
    assert all(one != other for one, other in pairwise(given))
    assert set(given) == set(CANNED_REPLIES[InteractionFailure.UNSAFE_HUMAN])
    every = [text for texts in CANNED_REPLIES.values() for text in texts]
    assert [text for text in every if StringMatcher().is_unsafe(text)] == []
    assert all(len(texts) > 1 for texts in CANNED_REPLIES.values())
    assert len(CANNED_REPLIES) == 3
