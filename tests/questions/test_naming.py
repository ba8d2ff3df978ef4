from __future__ import annotations

import pytest

from investigator.questions.constraints import constraints
from investigator.questions.naming import named


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When was the office moved?", "a time or date as the answer"),
        ("When was the office moved?", 'that "moved" applies to "office"'),
        ("When was the office moved?", "that it has happened"),
        ("How much is the rent in euros?", "a figure in euros"),
        ("How many cars does the ferry carry?", "a number of cars"),
        ("What did it cost in 2023?", "the period 2023"),
    ],
)
def test_what_is_asked_is_named_in_plain_words(question: str, expected: str) -> None:
    found = [named(one) for one in constraints(question)]
    assert expected in found
    assert not any(" | " in name or "done " in name for name in found)
