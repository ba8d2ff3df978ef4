"""Whether a sentence gives a cause of what is asked about."""

from __future__ import annotations

import pytest

from investigator.questions.causes import gives_cause

QUESTION = "Why was the salmon brought in?"


@pytest.mark.parametrize(
    "sentence",
    [
        "The salmon was brought in because of the alewife.",
        "Owing to the alewife, the salmon was brought in.",
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
