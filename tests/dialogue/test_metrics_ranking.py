"""Ranked candidates are graded by the position of the right one."""

from __future__ import annotations

import pytest

from investigator.dialogue.metrics.text import in_batch_metrics, ranking_metrics, scored_metrics
from investigator.errors import MetricsError


def test_the_first_right_candidate_is_found_by_its_normalised_text() -> None:
    assert ranking_metrics(["hall", "The Kitchen!", "kitchen"], ["bath", "kitchen"])["mrr"].value() == 0.5


@pytest.mark.parametrize(("place", "hits"), [(1, (1, 1, 1, 1)), (6, (0, 0, 1, 1)), (101, (0,) * 4)])
def test_hits_at_k_and_the_reciprocal_rank_follow_from_the_place(place: int, hits: tuple[int, ...]) -> None:
    candidates = [f"wrong {number}" for number in range(place - 1)] + ["right", "right"]
    found = {name: metric.value() for name, metric in ranking_metrics(candidates, ["right"]).items()}
    expected = dict(zip(("hits@1", "hits@5", "hits@10", "hits@100"), hits, strict=True))
    assert found == {**expected, "mrr": pytest.approx(1 / place)}


@pytest.mark.parametrize("candidates", [[], ["wrong"]])
def test_where_the_right_one_is_no_candidate_everything_is_0(candidates: list[str]) -> None:
    assert {metric.value() for metric in ranking_metrics(candidates, ["right"]).values()} == {0}


def test_an_agent_that_ranks_by_scores_gets_rank_and_reciprocal_rank() -> None:
    found = scored_metrics([0.1, 0.9, 0.5, 0.7], 3)
    assert (found["rank"].value(), found["mrr"].value()) == (2, 0.5)


def test_a_label_outside_the_top_ranks_after_all_candidates() -> None:
    found = scored_metrics([5, 4, 3, 2], 3, top=2)
    assert (found["rank"].value(), found["mrr"].value()) == (5, 0.2)


def test_equal_scores_rank_in_their_order() -> None:
    assert [scored_metrics([1, 1, 1], label)["rank"].value() for label in range(3)] == [1, 2, 3]


def test_in_a_batch_equal_scores_share_a_rank_and_the_first_is_the_guess() -> None:
    first, second = in_batch_metrics([2, 2, 1], 0), in_batch_metrics([2, 2, 1], 1)
    assert (first["rank"].value(), second["rank"].value()) == (1, 1)
    assert (first["train_accuracy"].value(), second["train_accuracy"].value()) == (1, 0)


@pytest.mark.parametrize("label", [-1, 2])
def test_a_label_that_is_no_candidate_is_refused(label: int) -> None:
    with pytest.raises(MetricsError, match=f"no candidate {label} among 2"):
        scored_metrics([1, 2], label)
