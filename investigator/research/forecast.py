"""Forecasts the steps and cost of an investigation without paid calls."""

from __future__ import annotations

from investigator.asking.budget import BudgetSettings
from investigator.records import Answered, Forecast, Investigation, Usage
from investigator.research.loop import Research
from investigator.research.research_settings import ResearchSettings

_BESIDE_STEPS = 3  # calls other than steps in each round: a plan, a reflection and an answer
_ONCE = 2  # a check, and the check of an answer that was written again


def forecast(research: Research, run: Investigation, budget: BudgetSettings) -> Forecast:
    """Simulate a run with engines that forecast instead of answering. Raises TemplateError and StoreError.

    The expected cost assumes that the model's plan is the finder's, and that nothing stays open.
    """
    for event in research.events(run):
        if isinstance(event, Answered):
            run = event.investigation
    most = _most(run, research.settings, budget)
    return Forecast(steps=run.plan.steps, rounds=len(run.rounds), expected=run.usage, most=most)


def _most(run: Investigation, settings: ResearchSettings, budget: BudgetSettings) -> Usage:
    """Return the maximum cost, for all rounds with all steps, at the expected cost per call and within the ceilings."""
    calls = settings.rounds * (settings.planner.steps + _BESIDE_STEPS) + _ONCE
    calls = min(calls, budget.calls or calls)
    expected = run.usage
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
