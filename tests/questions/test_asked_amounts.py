"""Amounts with which a question compares."""

from __future__ import annotations

from fractions import Fraction

import pytest

from investigator.questions.asked_amounts import AmountRelation, asked_amounts


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Which tools cost more than 30 euros?", [(AmountRelation.ABOVE, "more than 30 euros")]),
        ("Which tools are cheaper than €12.50?", [(AmountRelation.BELOW, "cheaper than €12.50")]),
        (
            "Which tools cost between 20 and 30 in 2022?",
            [(AmountRelation.LEAST, "between 20"), (AmountRelation.MOST, "30")],
        ),
        ("In which year did heating cost 88?", [(AmountRelation.EQUAL, "88")]),
        ("How many tools cost at most thirty euros?", [(AmountRelation.MOST, "at most thirty euros")]),
        ("What happened in 2022?", []),
    ],
)
def test_an_amount_has_the_comparison_before_it(question: str, found: list[tuple[AmountRelation, str]]) -> None:
    assert [(one.relation, one.text) for one in asked_amounts(question)] == found


def test_figures_in_another_unit_do_not_compare() -> None:
    (amount,) = asked_amounts("Which tools cost more than 30 euros?")
    assert amount.holds([(Fraction(31), "€")])
    assert amount.holds([(Fraction(31), "")])
    assert not amount.holds([(Fraction(31), "$")])
    assert not amount.holds([(Fraction(30), "€")])


def test_an_amount_that_is_written_out_compares_with_thousands() -> None:
    (large,) = asked_amounts("In which year was it above 1,400,000?")
    assert large.holds([(Fraction(1425), "")], 1000)
    (as_shown,) = asked_amounts("In which year was it above 400?")
    assert as_shown.holds([(Fraction(425), "")], 1000)
    assert not as_shown.holds([(Fraction(300), "")], 1000)
