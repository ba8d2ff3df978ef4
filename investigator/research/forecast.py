"""What an investigation would do and cost, worked out without asking an engine that costs."""

from __future__ import annotations

from investigator.asking.budget import BudgetSettings
from investigator.records import Forecast, Investigation, Usage
from investigator.research.investigator import MethodSettings, Research

_BESIDE_STEPS = 2  # a plan and a reflection for each round; what must be known and the answer once


def forecast(research: Research, settings: MethodSettings, budget: BudgetSettings) -> Forecast:
    """Go through a run whose engines foresee instead of answering. Raises TemplateError and StoreError.

    What is expected is what would happen if the model judged as the extractive engine does.
    """
    for _ in research.run():
        pass
    case = research.case
    return Forecast(
        steps=case.plan.steps, rounds=len(case.rounds), expected=case.usage, most=_most(case, settings, budget)
    )


def _most(case: Investigation, settings: MethodSettings, budget: BudgetSettings) -> Usage:
    """All rounds with all steps, each call as dear as the expected ones are, and no more than the ceilings allow."""
    calls = settings.rounds * (settings.planner.steps + _BESIDE_STEPS) + _BESIDE_STEPS
    calls = min(calls, budget.calls or calls)
    expected = case.usage
    times = calls / max(1, expected.calls)
    tokens = min(expected.tokens * times, budget.tokens or float("inf"))
    shrink = tokens / expected.tokens if expected.tokens else 0.0
    money = min(expected.money * shrink, budget.money or float("inf"))
    return Usage(
        calls=calls,
        input_tokens=round(expected.input_tokens * shrink),
        output_tokens=round(expected.output_tokens * shrink),
        money=money,
        unpriced=calls if expected.unpriced else 0,
    )
