"""A teacher's metrics grade replies by everything that is available."""

from __future__ import annotations

import pytest

from investigator.dialogue.messages import Message
from investigator.dialogue.metrics import AverageMetric, SumMetric, TeacherMetrics
from investigator.dialogue.metrics.teacher_metrics import named_metrics
from investigator.errors import DialogueError

TEXT = {"exs", "accuracy", "precision", "recall", "f1"}
RANKED = {"hits@1", "hits@5", "hits@10", "hits@100", "mrr"}


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


def test_a_reply_without_a_text_only_counts() -> None:
    assert graded() == {"exs": 1}


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
