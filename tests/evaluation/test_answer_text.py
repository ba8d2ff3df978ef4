"""Known answers in a text: SQuAD's definition, computed by hand as in its script, and ParlAI's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.evaluation.answer_text import (
    PARLAI,
    SQUAD,
    Overlap,
    contains_answer,
    exact_match,
    normalize_answer,
    number_recall,
    tokens,
    word_overlap,
)


@pytest.mark.parametrize(
    ("said", "answers", "f1"),
    [
        ("The Eiffel Tower", ["Eiffel Tower!"], 1.0),  # article and punctuation do not count
        ("in the year 1990", ["1990"], 0.5),  # 1 shared of 3 and 1: 2 * 1 / 4
        ("Denver Broncos", ["Carolina Panthers"], 0.0),
        ("cat cat dog", ["cat dog dog"], 2 / 3),  # a repeated word counts as often as both have it
        ("Paris", ["Rome", "Paris France", "paris"], 1.0),  # the likest answer counts
        ("", ["Paris"], 0.0),
        ("蒸汽机", ["蒸汽"], 0.8),  # characters: 2 shared of 3 and 2
        ("in 1990", [], 0.0),
    ],
)
def test_token_f1(said: str, answers: list[str], f1: float) -> None:
    assert word_overlap(said, answers).f1 == pytest.approx(f1)


def test_words_and_characters_are_told_apart() -> None:
    assert tokens("The U.S. Dollar, 10%") == ["us", "dollar", "10"]
    assert tokens("在1990年。Ｗatt") == ["在", "1990", "年", "watt"]


def test_exact_match_allows_articles_and_punctuation_and_nothing_else() -> None:
    assert exact_match("the Magna Carta.", ["Magna Carta"])
    assert not exact_match("Magna Carta of 1215", ["Magna Carta"])


def test_an_answer_is_contained_as_whole_words_side_by_side() -> None:
    assert contains_answer("It was signed by James Watt in 1781.", ["james watt"])
    assert not contains_answer("James and Mary Watt signed it.", ["James Watt"])
    assert not contains_answer("It cost 1990 euros.", ["199"])
    assert not contains_answer("Anything.", ["!"])
    assert contains_answer("由詹姆斯瓦特改良", ["瓦特"])


def test_numbers_are_found_whole_and_whatever_marks_their_thousands() -> None:
    text = "Cash rose from $30,177 million to 49605 (11.4 %)."
    assert number_recall(text, ["30177", "49,605", "11.4", "605"]) == pytest.approx(3 / 4)
    assert number_recall(text, ["1.4"]) == 0.0


WORDS = st.lists(st.sampled_from(["red", "green", "blue", "grey"]), max_size=6)


@pytest.mark.parametrize(
    ("text", "normalised"),
    [
        ("  The  Cat,\tsat\n", "cat sat"),
        ("don't", "don t"),
        ("a theatre, an anthem", "theatre anthem"),
        ("snake_case `x` [1]", "snake case x 1"),
        ("«Привет»", "«привет»"),
        ("שלום, עולם!", "שלום עולם"),
        ("👋🏽 hi 👋🏽", "👋🏽 hi 👋🏽"),
        ("", ""),
    ],
)
def test_texts_are_normalised(text: str, normalised: str) -> None:
    assert normalize_answer(text) == normalised


@given(st.text())
def test_normalising_twice_changes_nothing_for_ascii(text: str) -> None:
    once = normalize_answer(text.encode("ascii", "ignore").decode())
    assert normalize_answer(once) == once


def test_a_guess_is_right_when_it_equals_any_answer() -> None:
    assert exact_match("The Kitchen!", ["hall", "kitchen"], PARLAI)
    assert not exact_match("kitchens", ["hall", "kitchen"], PARLAI)


def test_a_guess_without_answers_is_not_right() -> None:
    assert not exact_match("kitchen", [], PARLAI)
    assert word_overlap("kitchen", [], PARLAI) == Overlap(0, 0, 0)


def test_each_figure_is_the_best_over_the_answers() -> None:
    assert word_overlap("one two", ["one", "one two three four"], PARLAI) == Overlap(1.0, 1.0, pytest.approx(2 / 3))


def test_a_word_counts_as_often_as_it_stands_in_both() -> None:
    assert word_overlap("dog dog dog", ["dog dog cat cat"], PARLAI) == Overlap(
        pytest.approx(2 / 3), 0.5, pytest.approx(4 / 7)
    )


def test_texts_without_words_are_equal_and_share_all_of_nothing_or_none_as_the_definition_says() -> None:
    assert exact_match("...", ["!!!"], PARLAI)
    assert exact_match("...", ["!!!"], SQUAD)
    assert word_overlap("...", ["!!!"], PARLAI) == Overlap(0, 0, 0)
    assert word_overlap("...", ["!!!"], SQUAD) == Overlap(1, 1, 1)


def test_the_definitions_differ_in_apostrophes_and_in_unspaced_scripts() -> None:
    assert [by.words("Don't 蒸汽") for by in (PARLAI, SQUAD)] == [["don", "t", "蒸汽"], ["dont", "蒸", "汽"]]


@given(WORDS, WORDS)
def test_precision_and_recall_change_places_with_the_texts(guess: list[str], answer: list[str]) -> None:
    there = word_overlap(" ".join(guess), [" ".join(answer)], PARLAI)
    back = word_overlap(" ".join(answer), [" ".join(guess)], PARLAI)
    assert (there.precision, there.recall, there.f1) == (back.recall, back.precision, pytest.approx(back.f1))


def test_a_guess_of_a_million_words_is_graded() -> None:
    assert word_overlap("word " * 1_000_000, ["word"], PARLAI) == Overlap(1e-6, 1.0, pytest.approx(2e-6))
