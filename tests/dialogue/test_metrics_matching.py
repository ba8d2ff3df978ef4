"""Guesses are compared with answers by their normalised words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.dialogue.metrics.matching import Overlap, exact_match, normalize_answer, word_overlap

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
    assert exact_match("The Kitchen!", ["hall", "kitchen"]).value() == 1
    assert exact_match("kitchens", ["hall", "kitchen"]).value() == 0


def test_a_guess_without_answers_is_not_right() -> None:
    assert exact_match("kitchen", []).value() == 0
    assert word_overlap("kitchen", []) == Overlap(0, 0, 0)


def test_each_figure_is_the_best_over_the_answers() -> None:
    assert word_overlap("one two", ["one", "one two three four"]) == Overlap(1.0, 1.0, pytest.approx(2 / 3))


def test_a_word_counts_as_often_as_it_stands_in_both() -> None:
    assert word_overlap("dog dog dog", ["dog dog cat cat"]) == Overlap(pytest.approx(2 / 3), 0.5, pytest.approx(4 / 7))


def test_texts_without_words_are_equal_and_still_share_none() -> None:
    assert exact_match("...", ["!!!"]).value() == 1
    assert word_overlap("...", ["!!!"]) == Overlap(0, 0, 0)


@given(WORDS, WORDS)
def test_precision_and_recall_change_places_with_the_texts(guess: list[str], answer: list[str]) -> None:
    there = word_overlap(" ".join(guess), [" ".join(answer)])
    back = word_overlap(" ".join(answer), [" ".join(guess)])
    assert (there.precision, there.recall, there.f1) == (back.recall, back.precision, pytest.approx(back.f1))


def test_a_guess_of_a_million_words_is_graded() -> None:
    assert word_overlap("word " * 1_000_000, ["word"]) == Overlap(1e-6, 1.0, pytest.approx(2e-6))
