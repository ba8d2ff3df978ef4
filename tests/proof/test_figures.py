"""Figures of a statement that its quotes do not contain are noted; a sum or difference is noted as a formula."""

from __future__ import annotations

import pytest

from investigator.proof.figures import figure_notes

BEFORE, NOW = "It made 35 MW in 2021.", "It makes 42 MW of power."


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("It makes 43 MW.", "43 MW is not in its quotes"),
        ("It makes 43 MW, and 43 MW again.", "43 MW is not in its quotes"),
        ("It rose by 20 percent.", "20 percent is not in its quotes"),
        ("In 1999 it made 42 MW.", "1999 is not in its quotes"),
        ("It was opened on 4 May 1988.", "4 May 1988 is not in its quotes"),
        ("A GPT-4 model says 42 MW.", "GPT-4 is not in its quotes"),
        ("It made 42 MW (95% of what it can).", "95% is not in its quotes"),
    ],
)
def test_a_figure_that_is_nowhere_is_noted_once(text: str, note: str) -> None:
    assert figure_notes(text, [BEFORE, NOW, "It was opened on 3 May 1988."], "How much?") == (note,)


@pytest.mark.parametrize(
    ("text", "note"),
    [("It rose by 7 MW.", "7 MW = 42 MW - 35 MW"), ("Together they make 77 MW.", "77 MW = 35 MW + 42 MW")],
)
def test_a_computed_figure_is_noted_with_its_formula(text: str, note: str) -> None:
    assert figure_notes(text, [BEFORE, NOW], "How much?") == (note,)


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ("It makes 42 megawatts.", [NOW]),
        ("It rose from 35 to 42 MW.", [BEFORE, NOW]),
        ("Sales were 1.2 billion euros.", ["Sales were 1,200 million euros."]),
        ("Sales were 5,403 million.", ["(in millions)\nSales | 5,403"]),
        ("It was opened on 3 May 1988.", ["It was opened on 1988-05-03."]),
        ("About half, or 50 %.", ["It is 50 percent."]),
        ("Two plants make power.", ["The Ash plant makes power. The Beam plant makes power."]),
        ("Nobody knows.", []),
    ],
)
def test_other_ways_of_writing_a_figure_are_no_notes(text: str, quotes: list[str]) -> None:
    assert figure_notes(text, quotes, "How much?") == ()


def test_a_figure_of_the_question_needs_no_quote() -> None:
    assert figure_notes("In 1999 it made 42 MW.", [NOW], "What did it make in 1999?") == ()
    assert figure_notes("Ward 5 has 42 MW.", [NOW], "How much power has ward 5?") == ()
