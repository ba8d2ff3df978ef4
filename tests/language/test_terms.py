"""Words as search sees them."""

from __future__ import annotations

import pytest

from investigator.language.terms import content_words, folded, spaced, stem, words


@pytest.mark.parametrize(("one", "other"), [("Straße", "STRASSE"), ("Café", "cafe"), ("ﬁnal", "final"), ("Ｑ３", "q3")])
def test_spellings_of_one_word_meet(one, other):
    assert folded(one) == folded(other)


def test_different_words_stay_apart():
    assert folded("mill") != folded("milk")
    assert words("3.5 million") != words("35 million")


def test_unspaced_scripts_become_pairs():
    assert words("東京都 mill") == ["東京", "京都", "mill"]
    assert words("東") == ["東"]


def test_a_word_broken_at_a_line_end_is_found_whole_and_in_parts():
    assert words("the adip-\niscing mill") == ["the", "adip", "iscing", "adipiscing", "mill"]
    assert "stockbased" in words("stock-\nbased pay")


@pytest.mark.parametrize("text", ["2019-\n2020", "mill -\nriver", "stock-based", "a-\nb"])
def test_other_hyphens_join_nothing(text):
    assert spaced(text) == text


def test_words_without_meaning_are_left_out_and_the_others_come_once():
    assert content_words("Was the mill and the river of the mill sold?") == ["mill", "river", "sold"]


def test_a_question_of_stop_words_keeps_them():
    assert content_words("who is it") == ["who", "is", "it"]


def test_forms_of_a_word_share_their_stem():
    assert stem("filed") == stem("files") == stem("filing")
    assert stem("bus") == "bus"
