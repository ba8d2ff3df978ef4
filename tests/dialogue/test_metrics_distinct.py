"""Distinct n-grams of single texts and of all together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.dialogue.metrics.distinct import InterDistinctMetric, inter_distinct, intra_distinct

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
    together = _added([f"w{number}" for number in range(5000)])
    before = {id(part) for part in together.parts}
    after = (together + inter_distinct("one more", 1)).parts
    assert any(id(part) in before and len(part) > 1000 for part in after)
    assert len(after) < 15


def _added(texts: list[str]) -> InterDistinctMetric:
    together = inter_distinct("", 1)
    for text in texts:
        together = together + inter_distinct(text, 1)
    return together
