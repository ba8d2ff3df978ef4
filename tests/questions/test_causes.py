"""Whether a sentence gives a cause of the effect in a question."""

from __future__ import annotations

import pytest

from investigator.questions.causes import cause_share, follows_from_before, gives_cause

QUESTION = "Why was the salmon brought in?"


@pytest.mark.parametrize(
    "sentence",
    [
        "The salmon was brought in because of the alewife.",
        "Owing to the alewife, the salmon was brought in.",
        "The salmon was brought in for lack of trout.",
        "The alewife spread; as a result, the salmon was brought in.",
        "The salmon was brought in in order to bring down the alewife.",
    ],
)
def test_a_cause_of_the_effect_is_one_whatever_the_order(sentence: str) -> None:
    assert gives_cause(sentence, QUESTION)


@pytest.mark.parametrize(
    "sentence",
    [
        "The salmon was brought in by boat.",
        "The ferry stopped because of ice; the salmon was brought in.",
        "The salmon was brought in, which resulted in a fishery for anglers.",
    ],
)
def test_a_sentence_whose_cause_is_of_something_else_gives_none(sentence: str) -> None:
    assert not gives_cause(sentence, QUESTION)


def test_a_verb_of_two_words_is_caused_where_a_single_one_is() -> None:
    stopped = "The trial was stopped early because the sponsor withdrew its support."
    assert cause_share(stopped, "Why was the iodine trial cut short?", "Iodine for mothers") >= 0.5


def test_a_sentence_that_begins_with_a_consequence_follows_from_the_one_before() -> None:
    assert follows_from_before("As a result, trout were introduced as predators.")
    assert not follows_from_before("As a result of the drought, trout were introduced.")
