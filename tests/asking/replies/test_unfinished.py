"""What a text inside a reply says while the reply is being written."""

from __future__ import annotations

import pytest

from investigator.asking.replies import unfinished_text


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("", ""),
        ("Sure! ", ""),
        ('{"quotes": ["a', ""),
        ('{"quotes": ["a"], "rep', ""),
        ('{"quotes": ["a"], "reply": "The ren', "The ren"),
        ('```json\n{"reply": "The \\"ren', 'The "ren'),
        ('{"reply": "a\\u00e', "a"),
        ('{"reply": "The rent."}\n```', "The rent."),
        ('{"reply": 5', ""),
        ('{"reply": null, ', ""),
        ('<think>{"reply": "no"', ""),
        ('<think>{"x": 1}</think>{"reply": "yes', "yes"),
        ('[{"reply": "a', "a"),
    ],
)
def test_the_text_is_told_as_far_as_it_is_written(written: str, text: str) -> None:
    assert unfinished_text(written, "reply") == text
