"""Ceilings: a run that reaches a limit ends with its results so far, and can be resumed with a higher limit."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from forked import ForkServer
from openai_server import Body, OpenAIServer, Response, completion
from power_plants import (
    ALL,
    ALL_CALLS,
    ANSWER,
    ASK,
    TOKENS_PER_REPLY,
    answer_of,
    asking,
    judged,
    outcome,
    prompt_in,
    role_in,
    roles,
    sensible,
)
from printed import said

from investigator import AnswerStatus, Investigator, ScriptedEmbedder, ScriptedEngine, StopReason, load_settings
from investigator.errors import SettingsError
from investigator.records import Investigation, Support
from investigator.reports.html import html_report
from investigator.reports.terminal import investigation_text

EVERY_OUTPUT = tuple(f"It makes {number} MW of power." for number in range(40, 46))

Ask = Callable[..., Investigation]


@pytest.fixture
def ask(openai_server: OpenAIServer, prepared: tuple[Path, Path], tmp_path: Path) -> Ask:
    """Ask ALL with some settings, one document at a time, in a workspace of the test."""
    folder, kept = prepared
    shutil.copytree(kept, tmp_path / "w")
    openai_server.answer(sensible)

    def investigated(*settings: str) -> Investigation:
        made = asking(openai_server, folder, tmp_path / "w", "chat.concurrency=1", *settings)
        return outcome(made.investigate(ALL))

    return investigated


def quoted(case: Investigation) -> list[str]:
    return sorted(quote.text for quote in answer_of(case).citations)


def assert_nothing_was_sent_twice(server: OpenAIServer) -> None:
    prompts = [prompt_in(body) for body in server.bodies]
    assert len(prompts) == len(set(prompts))
    assert roles(server).count(ASK) == len(EVERY_OUTPUT)


@pytest.mark.parametrize(("calls", "replies"), [(1, 0), (3, 2), (5, 4), (8, 6)])
def test_a_ceiling_of_calls_ends_with_the_best_of_what_was_found(
    ask: Ask, openai_server: OpenAIServer, calls: int, replies: int
) -> None:
    case = ask(f"budget.calls={calls}")
    answer = answer_of(case)
    assert answer.run.stop is StopReason.CALLS
    assert case.usage.calls == len(openai_server.requests) == calls
    assert len(case.memories) == replies
    result = {quote.text for memory in case.memories for quote in memory.quotes}
    assert {quote.text for quote in answer.citations} <= result
    assert len(quoted(case)) == replies
    assert {statement.support for statement in answer.statements} <= {Support.UNCHECKED}
    assert answer.nearest or replies
    assert len(answer.coverage.not_opened) == len(EVERY_OUTPUT) - replies
    assert (answer.status in (AnswerStatus.ANSWERED, AnswerStatus.NOT_FOUND)) <= (replies == len(EVERY_OUTPUT))
    assert ask(f"budget.calls={calls}") == case  # nothing is paid under the same ceiling
    assert len(openai_server.requests) == calls


def test_under_a_higher_ceiling_the_run_goes_on_and_pays_the_rest_alone(ask: Ask, openai_server: OpenAIServer) -> None:
    stopped = [ask(f"budget.calls={calls}") for calls in (1, 4, 7)]
    whole = ask()
    assert {case.id for case in stopped} == {whole.id}
    assert [case.usage.calls for case in stopped] == [1, 4, 7]
    assert whole.usage.calls == len(openai_server.requests) == ALL_CALLS
    assert_nothing_was_sent_twice(openai_server)
    assert quoted(whole) == sorted(EVERY_OUTPUT)
    assert whole.memories[: len(stopped[-1].memories)] == stopped[-1].memories
    assert answer_of(whole).status is AnswerStatus.ANSWERED


AskAndBeKilled = Callable[..., None]


@pytest.fixture(scope="module")
def forks() -> Iterator[ForkServer]:
    if not hasattr(signal, "SIGKILL"):
        pytest.skip("this system has no SIGKILL")
    server = ForkServer("journeys", "asking_alone", os.environ)
    yield server
    server.close()


@pytest.fixture
def ask_and_be_killed(
    forks: ForkServer, openai_server: OpenAIServer, prepared: tuple[Path, Path], tmp_path: Path
) -> AskAndBeKilled:
    """Ask ALL in a process that is killed while the server handles the request with this number."""

    def investigated(at: int, *settings: str) -> None:
        processes: list[int] = []

        def deadly(body: Body) -> Response:
            if len(openai_server.requests) >= at:
                os.kill(processes[0], signal.SIGKILL)
            return sensible(body)

        openai_server.answer(deadly)
        words = (openai_server.url, str(prepared[0]), str(tmp_path / "w"), "chat.concurrency=1", *settings)
        assert forks.run(words, tmp_path / "said", begun=processes.append).code == -signal.SIGKILL
        openai_server.answer(sensible)

    return investigated


def test_every_prompt_that_was_served_is_counted_however_often_the_run_is_killed(
    ask: Ask, ask_and_be_killed: AskAndBeKilled, openai_server: OpenAIServer
) -> None:
    for served in (2, 4, 7):
        ask_and_be_killed(served)
    case = ask()
    assert case.usage.calls == len(openai_server.requests) == ALL_CALLS + case.usage.unanswered
    assert case.usage.unanswered >= 3  # a dying process may send one more
    assert case.usage.input_tokens > 0
    assert quoted(case) == sorted(EVERY_OUTPUT)


def test_a_killed_run_gets_no_second_budget(
    ask: Ask, ask_and_be_killed: AskAndBeKilled, openai_server: OpenAIServer
) -> None:
    ask_and_be_killed(5, "budget.calls=6")
    case = ask("budget.calls=6")
    assert answer_of(case).run.stop is StopReason.CALLS
    assert (case.usage.calls, case.usage.unanswered) == (6, 1)
    assert len(openai_server.requests) == 5 + 1  # the fifth was never answered, and counts


def test_many_calls_side_by_side_stay_under_the_ceiling(ask: Ask, openai_server: OpenAIServer) -> None:
    openai_server.answer(lambda body: replace(sensible(body), delay=0.03))
    case = ask("budget.calls=5", "chat.concurrency=16")
    assert len(openai_server.requests) == case.usage.calls == 5
    assert len(case.memories) <= 4


@pytest.mark.parametrize("ceiling", [1_000, 3_500])
def test_a_ceiling_of_tokens_is_never_passed(ask: Ask, openai_server: OpenAIServer, ceiling: int) -> None:
    case = ask(f"budget.tokens={ceiling}")
    sent = sum(-(-len(prompt_in(body)) // 3) + TOKENS_PER_REPLY for body in openai_server.bodies)
    assert case.usage.tokens == sent <= ceiling
    assert answer_of(case).run.stop is StopReason.TOKENS
    paid = len(openai_server.requests)
    assert ask(f"budget.tokens={ceiling}").usage.tokens == sent
    assert len(openai_server.requests) == paid
    assert quoted(ask("budget.tokens=50000")) == sorted(EVERY_OUTPUT)
    assert_nothing_was_sent_twice(openai_server)


def priced(tmp_path: Path, model: str = "openai:small") -> str:
    """Create a price table in which that model costs 1,000 dollars for a million tokens of input or output."""
    file = tmp_path / "prices.json"
    price = {"model": model, "input": 1_000, "output": 1_000}
    file.write_text(json.dumps({"as_of": "2026-01-31", "prices": [price]}), encoding="utf-8")
    return f"budget.prices={file}"


def test_a_ceiling_of_money_is_kept_and_what_was_paid_is_shown(
    ask: Ask, openai_server: OpenAIServer, tmp_path: Path
) -> None:
    stopped = ask(priced(tmp_path), "budget.money=3")
    spent = sum((-(-len(prompt_in(body)) // 3) + TOKENS_PER_REPLY) / 1_000 for body in openai_server.bodies)
    assert stopped.usage.money == pytest.approx(spent)
    assert 2 < spent <= 3
    assert answer_of(stopped).run.stop is StopReason.MONEY
    assert f"${spent:.4f}" in investigation_text(stopped).plain
    assert f"${spent:.4f}" in html_report(stopped)
    paid = len(openai_server.requests)
    again = ask(priced(tmp_path), "budget.money=3")
    assert (again.plan, again.memories, again.usage) == (stopped.plan, stopped.memories, stopped.usage)
    assert said(answer_of(again)) == said(answer_of(stopped))
    assert len(openai_server.requests) == paid
    whole = ask(priced(tmp_path), "budget.money=50")
    assert quoted(whole) == sorted(EVERY_OUTPUT)
    assert_nothing_was_sent_twice(openai_server)
    assert whole.usage.money > spent


def test_a_ceiling_of_money_for_a_model_without_a_price_is_refused_before_anything_is_done(
    prepared: tuple[Path, Path], tmp_path: Path
) -> None:
    settings = load_settings(None, ["budget.money=1", "chat.api_key=k", priced(tmp_path, "openai:dear")])
    models = ["openai:dear", "ask=openai:unheard-of"]
    made = Investigator(prepared[0], model=models, settings=settings, workspace=tmp_path / "w")
    with pytest.raises(SettingsError, match="no price is known for openai:unheard-of") as caught:
        made.ask(ALL)
    assert "budget.prices=" in caught.value.hint
    assert not (tmp_path / "w").exists()


def test_a_price_that_is_not_known_is_said_and_not_guessed(prepared: tuple[Path, Path], tmp_path: Path) -> None:
    engine = ScriptedEngine("{}", name="openai:unheard-of")
    made = Investigator(prepared[0], model=engine, workspace=tmp_path / "w", embedder=ScriptedEmbedder())
    case = outcome(made.investigate(ALL))
    assert case.usage.unpriced == case.usage.calls == len(engine.asked)
    assert f"{case.usage.calls} calls without a known price" in investigation_text(case).plain
    assert "$" not in investigation_text(case).plain


def test_after_the_time_limit_no_call_begins(ask: Ask, openai_server: OpenAIServer) -> None:
    def slow(body: Body) -> Response:
        return replace(sensible(body), delay=0.2 if role_in(body) == ASK else 0.0)

    openai_server.answer(slow)
    began = time.monotonic()
    case = ask("budget.seconds=0.5")
    assert time.monotonic() - began < 20
    assert answer_of(case).run.stop is StopReason.TIME
    paid = len(openai_server.requests)
    assert 1 <= paid < ALL_CALLS
    assert len(case.memories) == roles(openai_server).count(ASK)
    openai_server.answer(sensible)
    assert quoted(ask("budget.seconds=60")) == sorted(EVERY_OUTPUT)
    assert len(openai_server.requests) == ALL_CALLS


def unsure(body: Body) -> Response:
    """A sensible model that always requests more information."""
    if role_in(body) != ANSWER:
        return sensible(body)
    reply = {**judged(prompt_in(body)), "parts": [{"part": 1, "status": "in_part"}], "search": ["the owner"]}
    return completion(json.dumps(reply))


def test_a_ceiling_of_rounds_ends_with_an_answer_and_more_rounds_pay_the_rest_alone(
    ask: Ask, openai_server: OpenAIServer
) -> None:
    openai_server.answer(unsure)
    first = ask("research.rounds=1")
    assert (answer_of(first).run.stop, answer_of(first).status) == (StopReason.ROUNDS, AnswerStatus.ANSWERED_IN_PART)
    assert len(first.rounds) == 1
    assert quoted(first) == sorted(EVERY_OUTPUT)
    paid = len(openai_server.requests)
    assert ask("research.rounds=1") == first
    assert len(openai_server.requests) == paid
    two = ask("research.rounds=2")
    assert len(two.rounds) == 2
    assert two.usage.calls == len(openai_server.requests) - paid == 2  # a reflection and a plan
    assert roles(openai_server).count(ASK) == len(EVERY_OUTPUT)
