"""Ceilings: whether a call may begin while others are running, in several threads, and in a resumed run."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mill import SAID, call
from mill import asking as mill_asking

from investigator.asking.budget import Budget, BudgetSettings, BudgetSpent, ceiling_reached
from investigator.asking.call import Call
from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.engines.roles import Role
from investigator.engines.scripted import ScriptedEngine
from investigator.errors import EngineError
from investigator.records import (
    AskReply,
    AskVariables,
    Prompt,
    Reply,
    StopReason,
    Usage,
)
from investigator.scoring.prices import Price
from investigator.store.in_memory import InMemoryJournal

DEAR = Price(model="scripted", input=10.0, output=100.0)


@pytest.mark.parametrize(
    ("settings", "usage", "elapsed", "reason"),
    [
        (BudgetSettings(calls=3), Usage(calls=2), 0.0, None),
        (BudgetSettings(calls=3), Usage(calls=3), 0.0, StopReason.CALLS),
        (BudgetSettings(tokens=10), Usage(input_tokens=6, output_tokens=3), 0.0, None),
        (BudgetSettings(tokens=10), Usage(input_tokens=6, output_tokens=4), 0.0, StopReason.TOKENS),
        (BudgetSettings(money=0.5), Usage(money=0.49), 0.0, None),
        (BudgetSettings(money=0.5), Usage(money=0.5), 0.0, StopReason.MONEY),
        (BudgetSettings(seconds=60), Usage(seconds=999), 59.9, None),
        (BudgetSettings(seconds=60), Usage(), 60.0, StopReason.TIME),
        (BudgetSettings(calls=None), Usage(calls=10**6, input_tokens=10**9, money=1e6), 1e9, None),
    ],
)
def test_a_ceiling_is_reached_when_nothing_is_left_below_it(
    settings: BudgetSettings, usage: Usage, elapsed: float, reason: StopReason | None
) -> None:
    assert ceiling_reached(settings, usage, elapsed) is reason


class Spending(InMemoryJournal):
    """A budget over a separate journal, with a clock that the test sets."""

    def __init__(self, settings: BudgetSettings, price_of: Callable[[str], Price | None] = lambda _: None) -> None:
        super().__init__(price_of)
        self.now = 0.0
        self.inside: Callable[[Call], Reply] = self._reply
        self._budget = Budget(self, settings, price_of)
        self._lengths: dict[str, int] = {}

    def elapsed(self) -> float:
        return self.now

    def pay(self, reply_tokens: int, input_tokens: int = 100, model: str = "scripted") -> None:
        """Return a call that differs from all earlier calls, with a reply of the given length."""
        made = call(ScriptedEngine(SAID, name=model), f"Call {len(self._lengths)}.")
        self._lengths[made.key] = reply_tokens
        made = replace(made, tokens=input_tokens)
        with self._budget.charged(made) as end:
            end(self.inside(made))

    def _reply(self, begun: Call) -> Reply:
        return Reply(text=SAID, input_tokens=begun.tokens, output_tokens=self._lengths[begun.key])


def test_a_call_whose_prompt_alone_is_over_the_ceiling_does_not_begin() -> None:
    spending = Spending(BudgetSettings(tokens=5_000))
    with pytest.raises(BudgetSpent) as caught:
        spending.pay(1, input_tokens=5_001)
    assert caught.value.reason is StopReason.TOKENS
    assert spending.usage().calls == 0


def test_a_call_is_expected_to_be_as_long_as_the_longest_before_it() -> None:
    spending = Spending(BudgetSettings(tokens=3_000))
    spending.pay(1_000)
    for _ in range(8):
        spending.pay(10)
    with pytest.raises(BudgetSpent):
        spending.pay(10)
    assert spending.usage().tokens == 1_100 + 8 * 110  # one more might come to 1,980 + 100 + 1,000


def test_money_is_foreseen_by_the_price_of_the_model_that_is_asked() -> None:
    spending = Spending(BudgetSettings(money=0.03), lambda model: DEAR if model == "dear" else None)
    spending.pay(100, model="dear")  # 0.011
    spending.pay(100, model="unknown")
    with pytest.raises(BudgetSpent) as caught:
        spending.pay(100, model="dear")  # may cost 0.021: 200 tokens are expected of a reply
    assert caught.value.reason is StopReason.MONEY
    spending.pay(100, model="unknown")


@given(st.lists(st.integers(0, 4_000), min_size=1, max_size=40), st.integers(300, 20_000))
def test_one_call_after_the_other_passes_a_ceiling_by_no_more_than_a_reply_outgrows_all_before_it(
    replies: list[int], ceiling: int
) -> None:
    spending, longest = Spending(BudgetSettings(tokens=ceiling, calls=None)), 200
    for reply in replies:
        try:
            spending.pay(reply)
        except BudgetSpent:
            break
        assert spending.usage().tokens <= ceiling + max(0, reply - longest)
        longest = max(longest, reply)


def test_time_over_ends_the_calls() -> None:
    spending = Spending(BudgetSettings(seconds=10))
    spending.now = 9.9
    spending.pay(1)
    spending.now = 10.0
    with pytest.raises(BudgetSpent) as caught:
        spending.pay(1)
    assert caught.value.reason is StopReason.TIME


def test_a_call_that_fails_gives_its_place_back() -> None:
    spending = Spending(BudgetSettings(calls=1))

    def gone(_: Call) -> Reply:
        raise EngineError("gone")

    working, spending.inside = spending.inside, gone
    with pytest.raises(EngineError, match="gone"):
        spending.pay(1)
    spending.inside = working
    spending.pay(1)
    assert spending.usage().calls == 1


def test_calls_under_way_take_the_place_of_those_that_would_come_after_them() -> None:
    spending = Spending(BudgetSettings(calls=2, tokens=10_000))
    reasons: list[StopReason] = []
    reply = spending.inside

    def with_another_inside(begun: Call) -> Reply:
        try:
            spending.pay(1)
        except BudgetSpent as spent:
            reasons.append(spent.reason)
        return reply(begun)

    spending.inside = with_another_inside
    spending.pay(1)
    assert (reasons, spending.usage().calls) == ([StopReason.CALLS], 2)


def asking(number: int) -> AskVariables:
    return mill_asking("Text", question=f"Question {number}?")


class Waiting:
    """An engine whose calls wait until a given number of them run, and then return replies of a given length."""

    name = "scripted"

    def __init__(self, together_inside: int, *, input_tokens: int = 0, output_tokens: int = 0) -> None:
        self.calls = 0
        self._barrier = threading.Barrier(together_inside, timeout=20)
        self._lock = threading.Lock()
        self._reply = Reply(text=SAID, input_tokens=input_tokens, output_tokens=output_tokens)

    def reply(self, prompt: Prompt) -> Reply:
        with self._lock:
            self.calls += 1
        self._barrier.wait()
        return self._reply


def client(
    engine: Waiting, budget: BudgetSettings, journal: InMemoryJournal, price_of: Callable[[str], Price | None]
) -> EngineClient:
    return EngineClient({role: engine for role in Role}, Prompts(), journal, lambda: 0.0, budget, price_of=price_of)


def all_at_once(made: EngineClient, threads: int) -> list[StopReason | None]:
    """Return the sorted outcomes of calls that begin at the same moment; None for an answered call."""
    start = threading.Barrier(threads, timeout=20)

    def ask(number: int) -> StopReason | None:
        variables = asking(number)
        start.wait()
        try:
            made.ask("query/ask", variables, AskReply)
        except BudgetSpent as spent:
            return spent.reason
        return None

    with ThreadPoolExecutor(threads) as pool:
        return sorted(pool.map(ask, range(threads)), key=str)


def nothing(_: str) -> Price | None:
    return None


def test_threads_that_ask_at_once_never_make_more_calls_than_the_ceiling() -> None:
    engine, journal = Waiting(5), InMemoryJournal()
    outcomes = all_at_once(client(engine, BudgetSettings(calls=5), journal, nothing), threads=24)
    assert outcomes == [None] * 5 + [StopReason.CALLS] * 19
    assert engine.calls == journal.usage().calls == 5


PROMPT = -(-len(Prompts().prompt("query/ask", asking(10)).text) // 3)
"""The tokens of a prompt, as they are guessed."""


@pytest.mark.parametrize(
    ("ceiling", "most", "price"),
    [
        (StopReason.TOKENS, 4 * (PROMPT + 200) + 100, None),
        (StopReason.MONEY, 3.5 * DEAR.of(PROMPT, 200), DEAR),
    ],
)
def test_threads_that_ask_at_once_never_spend_more_than_the_ceiling(
    ceiling: StopReason, most: float, price: Price | None
) -> None:
    calls = 4 if price is None else 3
    engine, journal = Waiting(calls, input_tokens=PROMPT, output_tokens=200), InMemoryJournal(lambda _: price)
    budget = BudgetSettings(money=most) if price else BudgetSettings(tokens=int(most))
    outcomes = all_at_once(client(engine, budget, journal, lambda _: price), threads=16)
    assert outcomes == [None] * calls + [ceiling] * (16 - calls)
    usage = journal.usage()
    assert 0 < (usage.money if price else usage.tokens) <= most


def test_a_ceiling_of_money_is_not_kept_by_guesses_where_no_price_is_known() -> None:
    engine, journal = Waiting(1, input_tokens=10**6), InMemoryJournal()
    made = client(engine, BudgetSettings(money=0.000001), journal, nothing)
    made.ask("query/ask", asking(1), AskReply)
    assert (journal.usage().money, journal.usage().unpriced) == (0.0, 1)


def test_a_reply_that_is_kept_already_costs_nothing_even_when_all_is_spent() -> None:
    engine, journal = Waiting(1), InMemoryJournal()
    made = client(engine, BudgetSettings(calls=1), journal, nothing)
    first = made.ask("query/ask", asking(1), AskReply)
    with pytest.raises(BudgetSpent):
        made.ask("query/ask", asking(2), AskReply)
    assert made.ask("query/ask", asking(1), AskReply) == first
    assert engine.calls == 1


def test_a_run_that_goes_on_gets_no_second_budget() -> None:
    engine, journal = Waiting(1), InMemoryJournal()
    budget = BudgetSettings(calls=2)
    client(engine, budget, journal, nothing).ask("query/ask", asking(1), AskReply)
    again = client(engine, budget, journal, nothing)
    again.ask("query/ask", asking(2), AskReply)
    with pytest.raises(BudgetSpent):
        again.ask("query/ask", asking(3), AskReply)
    assert engine.calls == 2


def test_a_reply_that_was_paid_for_earlier_is_learnt_from() -> None:
    budget = Budget(InMemoryJournal(), BudgetSettings(tokens=1_500), nothing)
    budget.reused(Reply(text=SAID, output_tokens=1_600))
    with pytest.raises(BudgetSpent), budget.charged(call(ScriptedEngine(SAID), "One.")):
        pass
