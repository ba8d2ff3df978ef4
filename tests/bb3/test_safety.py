"""Unsafe messages are detected, and a canned reply states its reason."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from investigator.bb3.bb3x.records import InteractionFailure
from investigator.bb3.safety import NOT_OK, SafetyGuard, StringMatcher, own_words


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
    assert not StringMatcher().is_unsafe(said)


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
    assert [text for texts in every.values() for text in texts if StringMatcher().is_unsafe(text)] == []
    assert all(len(texts) > 1 for texts in every.values())
