"""The share of a question that a text contains."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.language.relevance import overlap, rarity, share_of_weight, stems, word_weights


def test_rare_words_weigh_more() -> None:
    weights = word_weights("the malaria vaccine", {"malaria": 0.9, "vaccine": 0.01})
    assert weights["vaccin"] > 2 * weights["malaria"]


def test_stop_words_weigh_nothing_and_a_word_that_no_document_holds_weighs_most() -> None:
    weights = word_weights("Who is the owner of the mill?", {"mill": 1.0})
    assert set(weights) == {"own", "mill"} or set(weights) == {"owner", "mill"}
    assert max(weights.values()) == rarity(0.0)
    assert rarity(1.0) > 0.0


def test_forms_of_one_word_meet_and_count_once() -> None:
    weights = word_weights("filing filings filed", {"filing": 0.5, "filings": 0.1, "filed": 0.9})
    assert weights == {"fil": rarity(0.1)}


def test_overlap_counts_words_that_come_often_and_stays_below_one() -> None:
    weights = word_weights("malaria vaccine", {"malaria": 0.5, "vaccine": 0.5})
    once, often = (overlap(weights, "malaria vaccine " * n) for n in (1, 5))
    assert 0.0 < once < often < 1.0
    assert overlap(weights, "malaria " * 5) == pytest.approx(overlap(weights, "vaccine " * 5))
    assert overlap(weights, "bed nets") == 0.0
    assert overlap({}, "anything") == 0.0


def test_overlap_of_a_long_text_is_less_than_that_of_a_short_one_with_the_same_words() -> None:
    weights = {"mill": 1.0}
    assert overlap(weights, "The mill. " + "Grain and wool. " * 100) < overlap(weights, "The mill.") / 2


def test_pairs_of_a_script_without_spaces_overlap() -> None:
    weights = word_weights("瓦特改良", {})
    assert (
        overlap(weights, "蒸汽机是由瓦特改良的") > overlap(weights, "瓦特在伦敦") > overlap(weights, "天气很好") == 0.0
    )


def test_a_share_of_nothing_is_nothing() -> None:
    assert share_of_weight({}, []) == 0.0
    assert share_of_weight({"a": 3.0, "b": 1.0}, ["a"]) == 0.75
    assert stems(["mills", "mill"]) == {"mill"}


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_have_shares_between_nothing_and_all(question: str, text: str) -> None:
    weights = word_weights(question, {})
    assert 0.0 <= overlap(weights, text) < 1.0
