"""The probability mass from which factual nucleus sampling draws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.engines.transformers.token_rules import Schedule, ends_sentence


def shares(schedule: Schedule, ends: list[bool]) -> list[float]:
    """Return the mass for each token, and for the token after the last."""
    return [schedule.share(ends[:n]) for n in range(len(ends) + 1)]


USUAL = Schedule(p=0.9, decay=0.5, bound=0.2)


def test_the_mass_falls_within_a_sentence_and_begins_anew_after_it() -> None:
    ends = [False, False, False, True, False, False]
    assert shares(USUAL, ends) == [0.9, 0.9, 0.45, 0.225, 0.9, 0.9, 0.45]


def test_without_reset_the_mass_goes_on_falling() -> None:
    schedule = Schedule(p=0.8, decay=0.5, bound=0.0, reset=False)
    assert shares(schedule, [True, True, True]) == [0.8, 0.8, 0.4, 0.2]


def test_the_bound_lifts_the_mass_after_the_first_token_also_where_it_was_lower() -> None:
    assert shares(Schedule(p=0.1, decay=0.5, bound=0.3), [False, True]) == [0.1, 0.3, 0.3]


@given(st.lists(st.booleans(), max_size=40), st.floats(0.3, 1.0), st.floats(0.0, 1.0))
def test_the_mass_never_leaves_its_bounds(ends: list[bool], p: float, decay: float) -> None:
    assert all(0.25 <= share <= p for share in shares(Schedule(p, decay, 0.25), ends))


@pytest.mark.parametrize(
    ("token", "is_end"),
    [(".", True), (" ?", True), ("!\n", True), ("...", True), ("。", True), ("a", False), ("", False)],
)
def test_a_token_ends_a_sentence_where_it_ends_in_such_a_mark(token: str, is_end: bool) -> None:
    assert ends_sentence(token) is is_end
