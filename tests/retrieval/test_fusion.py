import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.records import Chunk
from investigator.retrieval.fusion import fused, windows
from investigator.text.relevance import coverage, overlap, word_weights


def test_what_both_halves_find_comes_before_what_one_finds() -> None:
    assert next(iter(fused({"a": 9.0, "b": 8.5}, {"b": 0.6, "c": 0.6}))) == "b"


def test_where_vectors_tell_nothing_apart_the_words_decide() -> None:
    assert next(iter(fused({"right": 9.0, "wrong": 3.0}, {"right": 0.50, "wrong": 0.52, "other": 0.55}))) == "right"


def test_a_search_without_words_goes_by_vectors() -> None:
    assert list(fused({}, {"far": 0.1, "near": 0.7})) == ["near", "far"]


@given(st.dictionaries(st.integers(0, 20), st.floats(0, 50)), st.dictionaries(st.integers(0, 20), st.floats(-1, 1)))
def test_fusion_keeps_every_item_once_best_first(bm25: dict[int, float], near: dict[int, float]) -> None:
    scores = fused(bm25, near)
    assert set(scores) == set(bm25) | set(near)
    assert list(scores.values()) == sorted(scores.values(), reverse=True)


def chunks(*spans: tuple[int, int], pages: tuple[int, ...] = ()) -> list[Chunk]:
    numbers = pages or (1,) * len(spans)
    return [Chunk(document_id="d", start=a, end=b, page=p) for (a, b), p in zip(spans, numbers, strict=True)]


FIVE = chunks((0, 100), (100, 200), (200, 300), (300, 400), (400, 500))


def test_a_window_takes_in_its_neighbours_up_to_its_size() -> None:
    assert windows([2], FIVE, 1, 100) == [range(2, 3)]
    assert windows([2], FIVE, 1, 300) == [range(1, 4)]
    assert windows([0], FIVE, 1, 300) == [range(0, 3)]
    assert windows([4], FIVE, 1, 9_000) == [range(0, 5)]


def test_no_chunk_stands_in_two_windows() -> None:
    assert windows([1, 2, 4], FIVE, 3, 200) == [range(1, 3), range(3, 5)]


def test_a_window_ends_where_its_page_ends() -> None:
    assert windows([1], chunks((0, 9), (9, 18), (18, 27), pages=(1, 2, 2)), 1, 999) == [range(1, 3)]


def test_rare_words_weigh_more() -> None:
    weights = word_weights("the malaria vaccine", {"malaria": 0.9, "vaccine": 0.01})
    assert weights["vaccin"] > 2 * weights["malaria"]
    assert coverage(weights, "A vaccine was found.") > coverage(weights, "Malaria was found.")
    assert coverage(weights, "Malaria vaccines") == pytest.approx(1.0)
    assert coverage({}, "anything") == 0.0


def test_overlap_counts_words_that_come_often_and_stays_below_one() -> None:
    weights = word_weights("malaria vaccine", {"malaria": 0.5, "vaccine": 0.5})
    once, often = (overlap(weights, "malaria vaccine " * n) for n in (1, 5))
    assert 0.0 < once < often < 1.0
    assert overlap(weights, "malaria " * 5) == pytest.approx(overlap(weights, "vaccine " * 5))
    assert overlap(weights, "bed nets") == 0.0
    assert overlap({}, "anything") == 0.0
