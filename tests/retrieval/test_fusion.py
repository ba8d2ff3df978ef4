from random import Random

from hypothesis import given
from hypothesis import strategies as st

from investigator.records import Chunk
from investigator.retrieval.chunk_search import fused
from investigator.retrieval.passages import windows


def test_what_both_halves_find_comes_before_what_one_finds() -> None:
    assert next(iter(fused({"a": 9.0, "b": 8.5}, {"b": 0.6, "c": 0.6}))) == "b"


def test_where_vectors_tell_nothing_apart_the_words_decide() -> None:
    assert next(iter(fused({"right": 9.0, "wrong": 3.0}, {"right": 0.50, "wrong": 0.52, "other": 0.55}))) == "right"


@given(st.dictionaries(st.integers(0, 20), st.floats(0, 50)), st.dictionaries(st.integers(0, 20), st.floats(-1, 1)))
def test_fusion_keeps_every_item_once_best_first(bm25: dict[int, float], near: dict[int, float]) -> None:
    scores = fused(bm25, near)
    assert set(scores) == set(bm25) | set(near)
    assert list(scores.values()) == sorted(scores.values(), reverse=True)


def test_scores_lie_between_nothing_and_one_and_the_scale_of_bm25_changes_nothing() -> None:
    scores = fused({"both": 9.0, "words": 9.0}, {"both": 1.0, "vectors": 1.0})
    assert scores["both"] == 1.0
    assert scores["words"] + scores["vectors"] == 1.0
    near = {"a": 0.3, "b": 0.4}
    assert fused({"a": 2.0, "b": 1.0}, near) == fused({"a": 40.0, "b": 20.0}, near)


SPANS = st.lists(st.tuples(st.integers(1, 300), st.integers(0, 1)), min_size=1, max_size=30)


@given(SPANS, st.randoms(use_true_random=False), st.integers(1, 10), st.integers(100, 900))
def test_windows_never_overlap_nor_cross_a_page_nor_grow_too_long(
    lengths: list[tuple[int, int]], random: Random, count: int, characters: int
) -> None:
    document, start, page = [], 0, 1
    for length, turn in lengths:
        page += turn
        document.append(Chunk(document_id="d", start=start, end=start + length, page=page))
        start += length
    ranked = random.sample(range(len(document)), len(document))
    grown = windows(ranked, document, count, characters)
    places = [place for window in grown for place in window]
    assert len(places) == len(set(places))
    assert ranked[0] in grown[0]
    assert len(grown) == count or len(places) == len(document)
    for window in grown:
        assert len({document[place].page for place in window}) == 1
        assert len(window) == 1 or document[window[-1]].end - document[window[0]].start <= characters


def test_a_window_takes_in_its_neighbours_up_to_its_size() -> None:
    five = [Chunk(document_id="d", start=start, end=start + 100, page=1) for start in range(0, 500, 100)]
    assert windows([2], five, 1, 300) == [range(1, 4)]
    assert windows([4], five, 1, 9_000) == [range(0, 5)]
