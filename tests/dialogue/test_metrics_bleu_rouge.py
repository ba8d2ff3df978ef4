"""BLEU and ROUGE give the figures worked out by hand, and what their definitions promise."""

from __future__ import annotations

from itertools import combinations
from math import exp, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.dialogue.metrics.bleu import bleu
from investigator.dialogue.metrics.matching import Overlap
from investigator.dialogue.metrics.rouge import rouge

WORDS = st.lists(st.sampled_from(["red", "sky", "dog", "cup"]), max_size=7)


def test_bleu_is_the_geometric_mean_of_the_precisions_times_the_brevity_penalty() -> None:
    guess, answer = "red fox ran over hill", "red fox ran up hill at dawn"
    assert bleu(guess, [answer], 1).value() == pytest.approx(exp(1 - 7 / 5) * 4 / 5)
    assert bleu(guess, [answer], 2).value() == pytest.approx(exp(1 - 7 / 5) * sqrt(4 / 5 * 2 / 4))


def test_a_long_enough_right_reply_has_a_bleu_of_1_and_a_short_one_next_to_none() -> None:
    assert bleu("one two three four", ["zero", "one two three four"]).value() == pytest.approx(1)
    assert bleu("one", ["one"]).value() == pytest.approx(1e-9)


@pytest.mark.parametrize("guess", ["", "kitchen"])
def test_bleu_without_answers_is_0(guess: str) -> None:
    assert bleu(guess, []).value() == 0


def test_rouge_counts_stems_pairs_and_the_longest_common_sequence() -> None:
    scores = rouge("dogs were barking loudly", ["loud dogs barked"])
    assert scores.one == Overlap(0.5, pytest.approx(2 / 3), pytest.approx(4 / 7))  # dog, bark
    assert scores.two == Overlap(0, 0, 0)
    assert scores.longest == Overlap(0.5, pytest.approx(2 / 3), pytest.approx(4 / 7))


def test_rouge_takes_the_best_answer_for_each_figure() -> None:
    scores = rouge("red sky now", ["red", "red sky now and then"])
    assert (scores.one.precision, scores.one.recall) == (1, 1)


def test_rouge_reads_665_characters() -> None:
    assert rouge("word " * 133 + "end", ["end"]).one.recall == 0
    assert rouge("word " * 132 + "end", ["end"]).one.recall == 1


def test_only_letters_and_digits_of_ascii_are_words_to_rouge() -> None:
    assert rouge("日本語", ["日本語"]).one == Overlap(0, 0, 0)
    assert rouge("😀 “red” sky", ["red sky"]).two == Overlap(1, 1, 1)


def test_gonna_is_two_words_to_rouge_and_cannot_one() -> None:
    assert rouge("gonna", ["gon na"]).two.recall == 1
    assert rouge("cannot", ["can not"]).one.recall == 0


def test_an_irregular_form_and_its_base_are_different_words_to_rouge() -> None:
    """The Perl script finds them equal, by lists of WordNet."""
    assert rouge("went", ["go"]).one.recall == 0
    assert rouge("children", ["child"]).one.recall == 0


def test_rouge_without_answers_is_0() -> None:
    assert rouge("red", []).one == Overlap(0, 0, 0)


@given(WORDS, WORDS)
def test_the_longest_common_sequence_is_the_longest(guess: list[str], answer: list[str]) -> None:
    found = rouge(" ".join(guess), [" ".join(answer)]).longest
    both = _sequences(guess) & _sequences(answer)
    assert found.recall * len(answer) == pytest.approx(max(map(len, both)))


def _sequences(words: list[str]) -> set[tuple[str, ...]]:
    return {chosen for length in range(len(words) + 1) for chosen in combinations(words, length)}
