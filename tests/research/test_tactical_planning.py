"""The sub-question that a step puts to its document."""

from __future__ import annotations

import pytest

from investigator.asking.prompts import Prompts
from investigator.records import PlanStep
from investigator.research.tactical_planning import sub_question


@pytest.mark.parametrize(
    ("purpose", "asked"),
    [
        ("harvest year", "harvest year. Look in particular at: rain. (in a.txt)"),
        ("How was the harvest?", "How was the harvest? Look in particular at: rain. (in a.txt)"),
    ],
)
def test_what_to_look_at_is_a_sentence_of_its_own(purpose: str, asked: str) -> None:
    step = PlanStep(plan_id=1, document_id="a.txt", purpose=purpose, perspectives="rain", round=1)
    assert sub_question(step, Prompts()) == asked
