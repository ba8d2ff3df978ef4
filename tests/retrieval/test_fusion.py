from random import Random

from hypothesis import given
from hypothesis import strategies as st

from investigator.records import Chunk
from investigator.retrieval.chunk_search import fused
from investigator.retrieval.passage_search import windows


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


def test_scores_lie_between_nothing_and_one_and_a_half_that_finds_nothing_costs_its_share() -> None:
    scores = fused({"both": 9.0, "words": 9.0}, {"both": 1.0, "vectors": 1.0})
    assert scores["both"] == 1.0
    assert scores["words"] + scores["vectors"] == 1.0
    assert fused({}, {}) == {}


def test_the_scale_of_bm25_changes_nothing() -> None:
    near = {"a": 0.3, "b": 0.4}
    assert fused({"a": 2.0, "b": 1.0}, near) == fused({"a": 40.0, "b": 20.0}, near)


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


def test_no_ranked_chunk_gives_no_window() -> None:
    assert windows([], FIVE, 3, 200) == []
    assert windows([0], [], 0, 200) == []


def test_a_chunk_that_is_longer_than_a_window_stands_alone() -> None:
    assert windows([1, 0], chunks((0, 10), (10, 900), (900, 910)), 2, 100) == [range(1, 2), range(0, 1)]


SPANS = st.lists(st.tuples(st.integers(1, 300), st.integers(0, 1)), min_size=1, max_size=30)


@given(SPANS, st.randoms(use_true_random=False), st.integers(1, 10), st.integers(100, 900))
def test_windows_never_overlap_nor_cross_a_page_nor_grow_too_long(
    lengths: list[tuple[int, int]], random: Random, count: int, characters: int
) -> None:
    spans, pages, start, page = [], [], 0, 1
    for length, turn in lengths:
        page += turn
        spans.append((start, start + length))
        pages.append(page)
        start += length
    document = chunks(*spans, pages=tuple(pages))
    ranked = random.sample(range(len(document)), len(document))
    found = windows(ranked, document, count, characters)
    places = [place for window in found for place in window]
    assert len(places) == len(set(places))
    assert ranked[0] in found[0]
    assert len(found) == count or len(places) == len(document)
    for window in found:
        assert len({document[place].page for place in window}) == 1
        assert len(window) == 1 or document[window[-1]].end - document[window[0]].start <= characters
