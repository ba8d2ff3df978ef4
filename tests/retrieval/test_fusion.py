import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.records import Chunk
from investigator.retrieval.fusion import joined, reciprocal_rank_fusion
from investigator.retrieval.relevance import coverage, relevance, word_weights


def test_what_stands_high_in_both_rankings_comes_first() -> None:
    assert reciprocal_rank_fusion([["a", "b", "c"], ["b", "d"]])[0] == "b"


@given(st.lists(st.lists(st.integers(0, 20), unique=True), max_size=4))
def test_fusion_keeps_every_item_once(rankings: list[list[int]]) -> None:
    fused = reciprocal_rank_fusion(rankings)
    assert sorted(fused) == sorted({item for ranking in rankings for item in ranking})


def chunk(start: int, end: int, page: int = 1, heading: str = "") -> Chunk:
    return Chunk(document_id="d", start=start, end=end, page=page, heading=heading)


def test_only_neighbours_of_one_page_and_heading_are_joined() -> None:
    text = "one two  three four five"
    a, b, c, d = chunk(0, 3), chunk(4, 7), chunk(9, 14, page=2), chunk(20, 24)
    assert joined([d, b, a, c], text) == [[a, b], [c], [d]]
    assert joined([a, chunk(4, 7, heading="H")], text) == [[a], [chunk(4, 7, heading="H")]]


def test_words_between_keep_chunks_apart() -> None:
    assert len(joined([chunk(0, 3), chunk(9, 14)], "one two  three")) == 2


def test_rare_words_weigh_more() -> None:
    weights = word_weights("the malaria vaccine", {"malaria": 0.9, "vaccine": 0.01})
    assert weights["vaccin"] > 2 * weights["malaria"]
    assert coverage(weights, "A vaccine was found.") > coverage(weights, "Malaria was found.")
    assert coverage(weights, "Malaria vaccines") == pytest.approx(1.0)
    assert coverage({}, "anything") == 0.0


@given(st.floats(-1, 1), st.floats(0, 1))
def test_relevance_stays_between_nothing_and_one(similarity: float, covered: float) -> None:
    assert 0.0 <= relevance(similarity, covered) <= 1.0
