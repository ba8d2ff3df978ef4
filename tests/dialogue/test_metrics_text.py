"""BLEU, ROUGE and distinct n-grams of replies, and the position of the right candidate."""

from __future__ import annotations

from itertools import combinations
from math import exp, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.dialogue.metrics.teacher_metrics import (
    InterDistinctMetric,
    bleu,
    in_batch_metrics,
    inter_distinct,
    intra_distinct,
    ranking_metrics,
    rouge,
    scored_metrics,
)
from investigator.evaluation.answer_text import Overlap

WORDS = st.lists(st.sampled_from(["red", "sky", "dog", "cup"]), max_size=7)


def test_bleu_is_the_geometric_mean_of_the_precisions_times_the_brevity_penalty() -> None:
    guess, answer = "red fox ran over hill", "red fox ran up hill at dawn"
    assert bleu(guess, [answer], 1).value() == pytest.approx(exp(1 - 7 / 5) * 4 / 5)
    assert bleu(guess, [answer], 2).value() == pytest.approx(exp(1 - 7 / 5) * sqrt(4 / 5 * 2 / 4))


def test_a_long_enough_right_reply_has_a_bleu_of_1_and_a_short_one_next_to_none() -> None:
    assert bleu("one two three four", ["zero", "one two three four"]).value() == pytest.approx(1)
    assert bleu("one", ["one"]).value() == pytest.approx(1e-9)


def test_rouge_counts_stems_pairs_and_the_longest_common_sequence() -> None:
    scores = rouge("dogs were barking loudly", ["loud dogs barked"])
    assert scores["1"] == Overlap(0.5, pytest.approx(2 / 3), pytest.approx(4 / 7))  # dog, bark
    assert scores["2"] == Overlap(0, 0, 0)
    assert scores["L"] == Overlap(0.5, pytest.approx(2 / 3), pytest.approx(4 / 7))


def test_rouge_takes_the_best_answer_for_each_figure() -> None:
    scores = rouge("red sky now", ["red", "red sky now and then"])
    assert (scores["1"].precision, scores["1"].recall) == (1, 1)


def test_rouge_reads_665_characters() -> None:
    assert rouge("word " * 133 + "end", ["end"])["1"].recall == 0
    assert rouge("word " * 132 + "end", ["end"])["1"].recall == 1


def test_only_letters_and_digits_of_ascii_are_words_to_rouge() -> None:
    assert rouge("日本語", ["日本語"])["1"] == Overlap(0, 0, 0)
    assert rouge("😀 “red” sky", ["red sky"])["2"] == Overlap(1, 1, 1)


def test_gonna_is_two_words_to_rouge_and_cannot_one() -> None:
    assert rouge("gonna", ["gon na"])["2"].recall == 1
    assert rouge("cannot", ["can not"])["1"].recall == 0


def test_an_irregular_form_and_its_base_are_different_words_to_rouge() -> None:
    """The Perl script considers them equal, by lists of WordNet."""
    assert rouge("went", ["go"])["1"].recall == 0
    assert rouge("children", ["child"])["1"].recall == 0


@given(WORDS, WORDS)
def test_the_longest_common_sequence_is_the_longest(guess: list[str], answer: list[str]) -> None:
    figures = rouge(" ".join(guess), [" ".join(answer)])["L"]
    both = _sequences(guess) & _sequences(answer)
    assert figures.recall * len(answer) == pytest.approx(max(map(len, both)))


def _sequences(words: list[str]) -> set[tuple[str, ...]]:
    return {chosen for length in range(len(words) + 1) for chosen in combinations(words, length)}


TEXTS = st.lists(st.lists(st.sampled_from("bcdefgh"), max_size=8).map(" ".join), min_size=1, max_size=30)


def test_a_text_is_graded_in_itself() -> None:
    assert intra_distinct("no no no yes", 1).value() == 0.5
    assert intra_distinct("no no no yes", 2).value() == pytest.approx(2 / 3)


def test_a_text_too_short_for_an_ngram_has_next_to_none() -> None:
    assert intra_distinct("", 1).value() == pytest.approx(1e-7)
    assert inter_distinct("yes", 2).value() == pytest.approx(1e-7)


@given(TEXTS, st.integers(0, 30))
def test_texts_together_are_graded_as_one_set_of_ngrams_in_whatever_order_they_are_added(
    texts: list[str], cut: int
) -> None:
    words = [word for text in texts for word in text.split()]
    expected = len(set(words)) / len(words) if words else 1e-7
    first, second = _added(texts[:cut]), _added(texts[cut:])
    assert (first + second).value() == pytest.approx(expected)
    assert (second + first).value() == pytest.approx(expected)


def test_one_more_text_does_not_copy_the_ngrams_of_all_before_it() -> None:
    together = _added(["one two three", "four five"])
    assert all(
        old is kept for old, kept in zip(together.texts, (together + inter_distinct("six", 1)).texts, strict=False)
    )


def _added(texts: list[str]) -> InterDistinctMetric:
    together = inter_distinct("", 1)
    for text in texts:
        together = together + inter_distinct(text, 1)
    return together


def test_the_first_right_candidate_is_found_by_its_normalised_text() -> None:
    assert ranking_metrics(["hall", "The Kitchen!", "kitchen"], ["bath", "kitchen"])["mrr"].value() == 0.5


@pytest.mark.parametrize(("place", "hits"), [(1, (1, 1, 1, 1)), (6, (0, 0, 1, 1)), (101, (0,) * 4)])
def test_hits_at_k_and_the_reciprocal_rank_follow_from_the_place(place: int, hits: tuple[int, ...]) -> None:
    candidates = [f"wrong {number}" for number in range(place - 1)] + ["right", "right"]
    figures = {name: metric.value() for name, metric in ranking_metrics(candidates, ["right"]).items()}
    expected = dict(zip(("hits@1", "hits@5", "hits@10", "hits@100"), hits, strict=True))
    assert figures == {**expected, "mrr": pytest.approx(1 / place)}


@pytest.mark.parametrize("candidates", [[], ["wrong"]])
def test_where_the_right_one_is_no_candidate_everything_is_0(candidates: list[str]) -> None:
    assert {metric.value() for metric in ranking_metrics(candidates, ["right"]).values()} == {0}


def test_an_agent_that_ranks_by_scores_gets_rank_and_reciprocal_rank() -> None:
    figures = scored_metrics([0.1, 0.9, 0.5, 0.7], 3)
    assert (figures["rank"].value(), figures["mrr"].value()) == (2, 0.5)


def test_a_label_outside_the_top_ranks_after_all_candidates() -> None:
    figures = scored_metrics([5, 4, 3, 2], 3, top=2)
    assert (figures["rank"].value(), figures["mrr"].value()) == (5, 0.2)


def test_equal_scores_rank_in_their_order() -> None:
    assert [scored_metrics([1, 1, 1], label)["rank"].value() for label in range(3)] == [1, 2, 3]


def test_in_a_batch_equal_scores_share_a_rank_and_the_first_is_the_guess() -> None:
    first, second = in_batch_metrics([2, 2, 1], 0), in_batch_metrics([2, 2, 1], 1)
    assert (first["rank"].value(), second["rank"].value()) == (1, 1)
    assert (first["train_accuracy"].value(), second["train_accuracy"].value()) == (1, 0)
