"""A teacher's metrics grade replies by everything that is available: words, n-grams, and the rank of the right
candidate.
"""

from __future__ import annotations

from itertools import combinations
from math import exp, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.dialogue.messages import Message
from investigator.dialogue.metrics import AverageMetric, SumMetric, TeacherMetrics
from investigator.dialogue.metrics.teacher_metrics import (
    InterDistinctMetric,
    bleu,
    in_batch_metrics,
    inter_distinct,
    intra_distinct,
    named_metrics,
    ranking_metrics,
    rouge,
    scored_metrics,
)
from investigator.errors import DialogueError
from investigator.evaluation.answer_text import Overlap

TEXT = {"exs", "accuracy", "precision", "recall", "f1"}
RANKED = {"hits@1", "hits@5", "hits@10", "hits@100", "mrr"}
WORDS = st.lists(st.sampled_from(["red", "sky", "dog", "cup"]), max_size=7)
TEXTS = st.lists(st.lists(st.sampled_from("bcdefgh"), max_size=8).map(" ".join), min_size=1, max_size=30)


def graded(
    metrics_list: str = "default", labels: tuple[str, ...] | str = ("kitchen",), **reply: object
) -> dict[str, float]:
    metrics = TeacherMetrics(metrics_list)
    metrics.evaluate_response(Message(reply), labels)
    return {name: metric.value() for name, metric in metrics.report().items()}


def test_a_text_is_graded_by_the_default_metrics() -> None:
    figures = graded(text="the kitchen")
    assert figures.keys() == TEXT | {"bleu-4"}
    assert (figures["accuracy"], figures["f1"], figures["exs"]) == (1, 1, 1)
    assert graded() == {"exs": 1}


@pytest.mark.parametrize(
    ("names", "more"),
    [
        ("accuracy", set()),
        ("bleu", {"bleu-1", "bleu-2", "bleu-3", "bleu-4"}),
        ("rouge", {"rouge_1", "rouge_2", "rouge_L"}),
        ("rouge-L", {"rouge_L"}),
        ("distinct", {"interdistinct-1", "interdistinct-2", "intradistinct-1", "intradistinct-2"}),
        ("bleu-2, rouge-1", {"bleu-2", "rouge_1"}),
    ],
)
def test_the_list_says_which_metrics_there_are(names: str, more: set[str]) -> None:
    assert graded(names, text="kitchen").keys() == TEXT | more


def test_spaces_and_empty_names_in_the_list_mean_nothing() -> None:
    assert named_metrics(" bleu-4 ,, mine,") == {"bleu-4", "mine"}


def test_ranked_candidates_give_hits_and_mrr_with_or_without_a_text() -> None:
    figures = graded(text_candidates=["hall", "The kitchen."])
    assert figures.keys() == RANKED | {"exs"}
    assert (figures["hits@1"], figures["hits@5"], figures["mrr"]) == (0, 1, 0.5)


def test_without_labels_nothing_is_right_or_wrong() -> None:
    assert graded(labels=(), text="kitchen", text_candidates=["hall"], metrics={"ppl": 4}) == {"exs": 1, "ppl": 4}


def test_a_replys_own_numbers_become_averages_and_its_metrics_stay_what_they_are() -> None:
    metrics = TeacherMetrics()
    for speed in (1.0, 2.0):
        metrics.evaluate_response(Message(metrics={"speed": speed, "tokens": SumMetric(3), "none": None}), ["x"])
    assert metrics.report() == {"exs": SumMetric(2), "speed": AverageMetric(3.0, 2), "tokens": SumMetric(6)}


@pytest.mark.parametrize("name", ["f1", "precision", "exs", "hits@1", "mrr", "rouge_1"])
def test_a_replys_own_metric_is_not_mixed_with_one_of_ours(name: str) -> None:
    figures = graded(text="kitchen", text_candidates=["kitchen"], metrics={name: 0.25})
    assert figures[f"USER_{name}"] == 0.25
    assert figures.get(name, 1) == 1


@pytest.mark.parametrize("metrics", [{"speed": "fast"}, 3, ["f1"]])
def test_metrics_of_a_reply_that_are_no_figures_are_refused_and_nothing_is_counted(metrics: object) -> None:
    teacher = TeacherMetrics()
    with pytest.raises(DialogueError, match="of a reply must be"):
        teacher.evaluate_response(Message(text="kitchen", metrics=metrics), ["kitchen"])
    assert teacher.report() == {}


def test_bleu_is_the_geometric_mean_of_the_precisions_times_the_brevity_penalty() -> None:
    guess, answer = "red fox ran over hill", "red fox ran up hill at dawn"
    assert bleu(guess, [answer], 1).value() == pytest.approx(exp(1 - 7 / 5) * 4 / 5)
    assert bleu(guess, [answer], 2).value() == pytest.approx(exp(1 - 7 / 5) * sqrt(4 / 5 * 2 / 4))
    assert bleu("one two three four", ["zero", "one two three four"]).value() == pytest.approx(1)
    assert bleu("one", ["one"]).value() == pytest.approx(1e-9)


def test_rouge_counts_stems_pairs_and_the_longest_common_sequence() -> None:
    scores = rouge("dogs were barking loudly", ["loud dogs barked"])
    assert scores["1"] == Overlap(0.5, pytest.approx(2 / 3), pytest.approx(4 / 7))  # dog, bark
    assert scores["2"] == Overlap(0, 0, 0)
    assert scores["L"] == Overlap(0.5, pytest.approx(2 / 3), pytest.approx(4 / 7))
    best = rouge("red sky now", ["red", "red sky now and then"])["1"]  # of each figure
    assert (best.precision, best.recall) == (1, 1)


@pytest.mark.parametrize(
    ("guess", "answer", "measure", "overlap"),
    [
        ("word " * 133 + "end", "end", "1", Overlap()),  # 665 characters are read
        ("word " * 132 + "end", "end", "1", Overlap(pytest.approx(1 / 133), 1, pytest.approx(2 / 134))),
        ("日本語", "日本語", "1", Overlap()),  # only letters and digits of ASCII are words
        ("😀 “red” sky", "red sky", "2", Overlap(1, 1, 1)),
        ("gonna", "gon na", "2", Overlap(1, 1, 1)),
        ("cannot", "can not", "1", Overlap()),
    ],
)
def test_the_words_of_rouge_are_those_of_the_perl_script(
    guess: str, answer: str, measure: str, overlap: Overlap
) -> None:
    assert rouge(guess, [answer])[measure] == overlap


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


@pytest.mark.parametrize(
    ("text", "length", "share"), [("no no no yes", 1, 0.5), ("no no no yes", 2, 2 / 3), ("", 1, 1e-7), ("yes", 2, 1e-7)]
)
def test_a_text_is_graded_in_itself(text: str, length: int, share: float) -> None:
    assert intra_distinct(text, length).value() == pytest.approx(share)
    assert inter_distinct(text, length).value() == pytest.approx(share)


@given(TEXTS, st.integers(0, 30))
def test_texts_together_are_graded_as_one_set_of_ngrams_in_whatever_order_they_are_added(
    texts: list[str], cut: int
) -> None:
    words = [word for text in texts for word in text.split()]
    expected = len(set(words)) / len(words) if words else 1e-7
    first, second = _added(texts[:cut]), _added(texts[cut:])
    assert (first + second).value() == pytest.approx(expected)
    assert (second + first).value() == pytest.approx(expected)
    kept = (first + inter_distinct("six", 1)).texts  # the n-grams of all before are not copied
    assert all(old is new for old, new in zip(first.texts, kept, strict=False))


def _added(texts: list[str]) -> InterDistinctMetric:
    together = inter_distinct("", 1)
    for text in texts:
        together = together + inter_distinct(text, 1)
    return together


@pytest.mark.parametrize(("place", "hits"), [(1, (1, 1, 1, 1)), (6, (0, 0, 1, 1)), (101, (0,) * 4)])
def test_hits_at_k_and_the_reciprocal_rank_follow_from_the_place(place: int, hits: tuple[int, ...]) -> None:
    candidates = [f"wrong {number}" for number in range(place - 1)] + ["right", "right"]
    figures = {name: metric.value() for name, metric in ranking_metrics(candidates, ["right"]).items()}
    expected = dict(zip(("hits@1", "hits@5", "hits@10", "hits@100"), hits, strict=True))
    assert figures == {**expected, "mrr": pytest.approx(1 / place)}
    assert ranking_metrics(["hall", "The Kitchen!", "kitchen"], ["bath", "kitchen"])["mrr"].value() == 0.5
    for nothing in ([], ["wrong"]):
        assert {metric.value() for metric in ranking_metrics(nothing, ["right"]).values()} == {0}


def test_an_agent_that_ranks_by_scores_gets_rank_and_reciprocal_rank() -> None:
    figures = scored_metrics([0.1, 0.9, 0.5, 0.7], 3)
    assert (figures["rank"].value(), figures["mrr"].value()) == (2, 0.5)
    outside = scored_metrics([5, 4, 3, 2], 3, top=2)
    assert (outside["rank"].value(), outside["mrr"].value()) == (5, 0.2)
    assert [scored_metrics([1, 1, 1], label)["rank"].value() for label in range(3)] == [1, 2, 3]


def test_in_a_batch_equal_scores_share_a_rank_and_the_first_is_the_guess() -> None:
    first, second = in_batch_metrics([2, 2, 1], 0), in_batch_metrics([2, 2, 1], 1)
    assert (first["rank"].value(), second["rank"].value()) == (1, 1)
    assert (first["train_accuracy"].value(), second["train_accuracy"].value()) == (1, 0)
