"""Broken JSON is repaired regardless of the text around it, and a text is reported while it is being written."""

from __future__ import annotations

import pytest

from investigator.asking.replies import read_reply, unfinished_text
from investigator.records import AskReply, DocumentReply, PlanReply


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


BROKEN = {
    "no end": '{"point": 85, "quotes": ["opened [E1]"], "reply": "It opened."',
    "comma too many": '{"point": 85, "quotes": ["opened [E1]"], "reply": "It opened.",}',
    "comma too few": '{"point": 85, "quotes": ["opened [E1]"] "reply": "It opened."}',
    "single quotes": "{'point': 85, 'quotes': ['opened [E1]'], 'reply': 'It opened.'}",
    "bare keys": '{point: 85, quotes: ["opened [E1]"], reply: "It opened."}',
    "comment": '{ // as asked\n"point": 85, "quotes": ["opened [E1]"], "reply": "It opened."}',
    "brace too many": '{"point": 85, "quotes": ["opened [E1]"], "reply": "It opened."}}',
}
AROUND = {
    "nothing": "{}",
    "prose": "According to [1] and {{2}}, it is:\n{}",
    "prose after a fence": "I looked at [1].\n\n```json\n{}\n```\n\nNote: the value (see {{above}}) is certain.",
    "another fence": "```python\nx = [1, 2]\n```\nso\n{}",
    "thoughts": '<think>Maybe {{"point": 1, "reply": "no"}} or [E1]?</think>\n{}',
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_broken_json_is_mended_in_whatever_it_stands(broken: str, around: str) -> None:
    wanted = DocumentReply(point=85, quotes=("opened [E1]",), reply="It opened.")
    assert read_reply(around.format(f'{{"readings": [{broken}]}}'), AskReply).readings == (wanted,)


def test_the_marks_that_close_a_fence_are_no_part_of_a_value_that_was_cut_off() -> None:
    text = '```json\n{"strategy": "s", "steps": [{"document_id": "a.txt", "purpose": "p", "perspectives": ""\n```'
    (step,) = read_reply(text, PlanReply).steps
    assert (step.document_id, step.perspectives) == ("a.txt", "")
