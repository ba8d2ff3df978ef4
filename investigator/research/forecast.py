"""Forecasts the steps and cost of an investigation without paid calls."""

from __future__ import annotations

from investigator.asking.budget import BudgetSettings
from investigator.records import Answered, Forecast, Investigation, Usage
from investigator.research.loop import Research
from investigator.research.method_settings import MethodSettings

_BESIDE_STEPS = 2  # calls other than steps: a plan and a reflection in each round; needs and answer once per run


def forecast(research: Research, run: Investigation, budget: BudgetSettings) -> Forecast:
    """Simulate a run with engines that forecast instead of answering. Raises TemplateError and StoreError.

    The expected cost assumes that the model's judgements are the same as the built-in engine's.
    """
    for event in research.investigate(run):
        if isinstance(event, Answered):
            run = event.investigation
    most = _most(run, research.settings, budget)
    return Forecast(steps=run.plan.steps, rounds=len(run.rounds), expected=run.usage, most=most)


def _most(run: Investigation, settings: MethodSettings, budget: BudgetSettings) -> Usage:
    """Return the maximum cost, for all rounds with all steps, at the expected cost per call and within the ceilings."""
    calls = settings.rounds * (settings.planner.steps + _BESIDE_STEPS) + _BESIDE_STEPS
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
