"""A model's output is accepted as a reply as far as it is one."""

from __future__ import annotations

import pytest
from whole_quotes import whole_quote

from investigator.asking.prompts import Prompts
from investigator.bb3.exchange import ModuleRequest
from investigator.bb3.forms.echoes import goes_on, stands_in, whole_sentences, without_prompt
from investigator.bb3.records import CONTRACTS, Module, Speaker, Turn

OWN = Prompts(contracts=CONTRACTS).own_words("bb3/vrm")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("It ends in 2030.</text><text>It ends", "It ends in 2030."),
        ("It ends in 2030.</\u200bturn>", "It ends in 2030."),
        ("<what you say>", ""),
        ("It is less than 5 < 6.", "It is less than 5 < 6."),
    ],
)
def test_a_reply_ends_where_the_marks_of_the_prompt_begin(written: str, text: str) -> None:
    assert without_prompt(written) == text


def conversation(*said: str, quote: str = "") -> ModuleRequest:
    speakers = (Speaker.PARTNER, Speaker.SELF)
    turns = tuple(Turn(speaker=speakers[n % 2], text=text) for n, text in enumerate(said))
    made = whole_quote(quote)
    quotes = (made,) if quote else ()
    return ModuleRequest(module=Module.SRM, by=Module.SRM, turns=turns, quotes=quotes)


@pytest.mark.parametrize(
    "reply", ["When does the lease end?", "the answer: the answer: the answer: the answer: the answer", "...", ""]
)
def test_an_echo_or_a_reply_in_circles_is_none(reply: str) -> None:
    assert not goes_on(reply, conversation("When does the lease end?"))


def test_a_reply_with_quotes_may_be_said_again() -> None:
    asked = conversation("When?", "It ends in 2030.", "When?", quote="The lease ends in 2030.")
    assert goes_on("It ends in 2030.", asked)


def test_what_is_remembered_stands_in_the_turn_word_for_word() -> None:
    said = "Well, I have a dog! And my sister lives in Lahore, I think."
    assert stands_in("I have a dog. my sister lives in Lahore", said)
    assert not stands_in("I have a dog. I live in Lahore.", said)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("You reply to the last turn of a conversation.", ""),
        ("Good day! You reply to the last turn of a conversation. Bye.", "Good day!"),
        ("Good day! Conversation, with the last turn at the end: Hello", "Good day!"),
        ("Good day! I reply to the last letter of a friend.", "Good day! I reply to the last letter of a friend."),
    ],
)
def test_a_reply_ends_where_it_says_the_prompt_over_again(written: str, text: str) -> None:
    assert without_prompt(written, OWN) == text


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("It ends in 2030. It is not applicable to the people of South African, a", "It ends in 2030."),
        ("It ends in 2030. The tenant keeps the dog, the cat and the", "It ends in 2030."),
        ("It ends. The tenant keeps the dog and the cat", "It ends."),
        ("The tenant keeps the dog and the cat", "The tenant keeps the dog and the cat"),
        ("Yes, I did", "Yes, I did"),
        ("“The tenant may keep a dog, and that is that.”", "“The tenant may keep a dog, and that is that.”"),
        ("", ""),
    ],
)
def test_a_sentence_that_breaks_off_is_not_said(written: str, text: str) -> None:
    assert whole_sentences(written) == text


def test_the_last_turn_is_not_taken_over_as_if_it_were_ones_own() -> None:
    turn = "I am a midwife and I work in Lahore."
    assert not goes_on(f"What you want to know is that {turn}", conversation(turn))
    assert goes_on("So you are a midwife and work in Lahore!", conversation(turn))
    assert goes_on(f"You told me: {turn}", conversation(turn).changed(memory=turn))
    assert goes_on(f"Yes. {turn}", conversation(turn, "Oh.", "What did I say before?"))
