"""The sub-question that a step puts to its document."""

from __future__ import annotations

import pytest

from investigator.asking.prompts import Prompts
from investigator.records import Plan, PlanStep
from investigator.research.tactical_planning import TacticalPlanning

PROMPTS = Prompts()


@pytest.mark.parametrize(
    ("perspectives", "question"),
    [("rain", "How was the harvest? (rain)"), ("", "How was the harvest?")],
)
def test_a_sub_question_is_the_purpose_with_what_to_look_at(perspectives: str, question: str) -> None:
    step = PlanStep(plan_id=1, document_id="a.txt", purpose="How was the harvest?", perspectives=perspectives)
    tactics = TacticalPlanning(Plan(steps=(step,)), "", PROMPTS.path("tactical_planning/summary"), prompts=PROMPTS)
    assert tactics.generate_question(PROMPTS.path("tactical_planning/question")) == (1, "a.txt", question)
