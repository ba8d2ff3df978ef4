"""The points of a language model and of the search are combined into one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.records import Memory, PointStatus
from investigator.scoring.calibration import Logistic
from investigator.scoring.model_points import PointRule, PointRules, default_rules, scores_alike, with_reliable_points

EVEN = Logistic(bias=0.0, weights={"model_odds": 0.5, "search_odds": 0.5, "proven": 1.0})
POINTS = st.integers(0, 100)


def rule(models: str = "*", apart: int = 0, logistic: Logistic = EVEN) -> PointRule:
    return PointRule(models=models, apart=apart, logistic=logistic, fitted_on="a test")


def memory(number: int, model_point: int | None, search_point: int | None, point: int | None = None) -> Memory:
    return Memory(
        id=number,
        target_document_id=f"{number}.txt",
        question="?",
        reply="So it is.",
        point=model_point if point is None else point,
        model_point=model_point,
        search_point=search_point,
    )


def unread(number: int, search_point: int) -> Memory:
    blank = memory(number, None, search_point)
    return blank.changed(status=PointStatus.UNPARSED)


def test_two_points_that_are_near_each_other_leave_the_models() -> None:
    careful = rule(apart=50)
    assert careful.point(90, 41, proven=False) == 90
    assert careful.point(41, 90, proven=True) == 41


def test_two_points_that_lie_far_apart_meet_between_them() -> None:
    careful = rule(apart=50)
    assert careful.point(90, 40, proven=False) == 71  # odds 9 and 2/3: their mean is 2.45
    assert careful.point(40, 90, proven=False) == 71
    assert careful.point(100, 0, proven=False) == 50


def test_a_quote_that_stands_counts_where_the_rule_says_so() -> None:
    assert rule().point(60, 30, proven=True) > rule().point(60, 30, proven=False)


@given(POINTS, POINTS, st.booleans())
def test_a_rule_gives_a_point_and_never_a_higher_one_for_less(model: int, search: int, proven: bool) -> None:
    for one in (rule(), *default_rules().measured):
        point = one.point(model, search, proven=proven)
        assert 0 <= point <= 100
        assert one.point(model, max(0, search - 10), proven=proven) <= point
        assert one.point(max(0, model - 10), search, proven=proven) <= point


@given(POINTS, POINTS)
def test_a_large_model_is_contradicted_only_where_the_search_finds_something_else_altogether(
    model: int, search: int
) -> None:
    point = default_rules().others.point(model, search, proven=False)
    if abs(model - search) < 50:
        assert point == model
    else:
        assert min(model, search) - 2 <= point <= max(model, search) + 2  # 0 and 100 count as 2 and 98


def test_a_large_model_has_more_say_than_the_search() -> None:
    others = default_rules().others
    assert others.point(90, 10, proven=False) > 50
    assert others.point(10, 90, proven=False) < 50


@pytest.mark.parametrize(
    ("engine", "chosen"),
    [("gguf:Tiny-Q4.gguf@98362432", "gguf:Tiny-*"), ("openai:mini-2025", "openai:mini*"), ("openai:maxi", "others")],
)
def test_a_rule_is_chosen_by_the_name_of_the_model(engine: str, chosen: str) -> None:
    measured = (rule("gguf:Tiny-*"), rule("openai:mini*"))
    rules = PointRules(measured=measured, others=rule("others"), cap=default_rules().cap)
    assert rules.of(engine).models == chosen


def test_a_model_that_scores_all_alike_is_seen_where_the_search_finds_them_different() -> None:
    assert scores_alike([memory(1, 100, 70), memory(2, 100, 30), memory(3, 100, 31)])


def test_nothing_at_all_in_every_document_is_a_reply_to_be_believed() -> None:
    nothing = [memory(1, 0, 3), memory(2, 0, 90), memory(3, 0, 5)]
    assert not scores_alike(nothing)
    assert scores_alike([*nothing, memory(4, 0, 5).changed(failed_quotes=("Made up.",))])


@pytest.mark.parametrize(
    "memories",
    [
        [],
        [memory(1, 100, 90), memory(2, 100, 1)],
        [memory(1, 100, 69), memory(2, 100, 30), memory(3, 100, 31)],
        [memory(1, 100, 90), memory(2, 99, 1), memory(3, 100, 1)],
        [memory(1, 100, None), memory(2, 100, None), memory(3, 100, None)],
        [memory(1, 100, 90), memory(2, 100, 1), unread(3, 1)],
    ],
)
def test_few_replies_or_small_differences_or_differing_points_say_nothing_of_a_model(memories: list[Memory]) -> None:
    assert not scores_alike(memories)
    assert with_reliable_points(memories) == tuple(memories)


def test_the_points_of_the_search_count_where_the_model_scores_all_alike() -> None:
    memories = [memory(1, 100, 70, point=90), memory(2, 100, 3, point=60), unread(3, 2), memory(4, 100, 5, point=65)]
    told = with_reliable_points(memories)
    assert [one.point for one in told] == [70, 3, None, 5]
    assert [one.model_point for one in told] == [100, 100, None, 100]
    assert [one.reply for one in told] == [one.reply for one in memories]
