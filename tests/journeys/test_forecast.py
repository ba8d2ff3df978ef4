"""The forecast of a run's calls and cost, made without calling the model."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from openai_server import OpenAIServer
from power_plants import ABSENT, ALL, ONE, answer_of, asking, outcome, sensible
from printed import said

from investigator import Investigator, RunOptions

_MUCH_LONGER = 1.5  # of tokens: what documents say in reply is not known before


Opened = Callable[..., Investigator]


@pytest.fixture
def opened(openai_server: OpenAIServer, prepared: tuple[Path, Path], tmp_path: Path) -> Opened:
    """Return a function that opens the folder with some settings, in a workspace of the test."""
    shutil.copytree(prepared[1], tmp_path / "w")
    openai_server.answer(sensible)
    return partial(asking, openai_server, prepared[0], tmp_path / "w")


def test_nothing_is_asked_and_nothing_is_kept(openai_server: OpenAIServer, opened: Opened) -> None:
    investigator = opened()
    openai_server.close()
    forecast = investigator.forecast(ALL)
    assert not openai_server.requests
    assert investigator.runs() == ()
    assert {step.document_id for step in forecast.steps} >= {"alder.txt", "oak.txt"}


def test_what_is_foreseen_is_near_what_a_sensible_model_then_takes(openai_server: OpenAIServer, opened: Opened) -> None:
    investigator = opened()
    expected = investigator.forecast(ALL).expected
    taken = investigator.ask(ALL).run.usage
    assert len(openai_server.requests) == taken.calls
    assert abs(expected.calls - taken.calls) <= 1
    assert taken.input_tokens / _MUCH_LONGER <= expected.input_tokens <= taken.input_tokens * _MUCH_LONGER


@pytest.mark.parametrize("question", [ONE, ABSENT], ids=["one", "absent"])
def test_whatever_a_model_plans_it_takes_at_most_what_was_foreseen(opened: Opened, question: str) -> None:
    investigator = opened()
    foreseen = investigator.forecast(question)
    assert foreseen.expected.calls <= foreseen.most.calls
    assert investigator.ask(question).run.usage.calls <= foreseen.most.calls


def test_a_follow_up_is_foreseen_with_what_it_leaves_unsaid(opened: Opened) -> None:
    investigator = opened()
    investigator.ask("How much power does the Alder plant make?")
    (first, *_) = investigator.forecast("Why does it make that much?", RunOptions(after="last")).steps
    assert first.document_id == "alder.txt"


def test_the_most_lies_within_rounds_and_ceilings(opened: Opened) -> None:
    free = opened("research.rounds=2", "research.planner.steps=6").forecast(ALL)
    assert free.expected.calls < free.most.calls <= 2 * (6 + 3) + 2
    bound = opened("budget.calls=7", "budget.tokens=4000").forecast(ALL)
    assert bound.expected.calls <= bound.most.calls <= 7
    assert bound.expected.tokens <= 4000
    assert bound.most.tokens <= 4000 + 1  # rounded by parts


def test_money_is_foreseen_by_the_price_of_the_model(opened: Opened, tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    price = {"model": "openai:small", "input": 2.0, "output": 5.0}
    prices.write_text(json.dumps({"as_of": "2026-01-31", "prices": [price]}), encoding="utf-8")
    expected = opened(f"budget.prices={prices}").forecast(ALL).expected
    assert expected.money == pytest.approx((2.0 * expected.input_tokens + 5.0 * expected.output_tokens) / 1e6)
    assert expected.money > 0
    assert expected.unpriced == 0


def test_a_forecast_changes_nothing_about_the_run_that_follows(
    openai_server: OpenAIServer, opened: Opened, prepared: tuple[Path, Path], tmp_path: Path
) -> None:
    investigator = opened()
    investigator.forecast(ONE)
    after = outcome(investigator.investigate(ONE))
    plain = tmp_path / "plain"
    shutil.copytree(prepared[1], plain)
    alone = outcome(asking(openai_server, prepared[0], plain).investigate(ONE))
    assert (after.plan, after.memories) == (alone.plan, alone.memories)
    assert said(answer_of(after)) == said(answer_of(alone))
