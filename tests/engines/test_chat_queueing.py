"""Calls to one endpoint: a limited number at once, fewer after a refusal, and none while it asks to wait."""

from __future__ import annotations

import gc
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest
from chat_parts import PROMPT, MadeTime
from hypothesis import given
from hypothesis import strategies as st
from openai_server import Body, OpenAIServer, Response, completion, refusal

from investigator.engines.chat.engine import ChatEngine
from investigator.engines.chat.models import ChatSettings, server_of
from investigator.engines.chat.queueing import CallPace, CallQueue, Ended, queue_at
from investigator.errors import EngineTimeoutError, RateLimitError


def refused(pace: CallPace, *, began: float, now: float, running: int = 100, asked: float | None = None) -> CallPace:
    return pace.after_refusal(began=began, now=now, running=running, asked=asked)


def test_a_refusal_halves_and_never_below_one() -> None:
    pace, slots = CallPace(16), []
    for now in range(1, 7):
        pace = refused(pace, began=now, now=now)
        slots.append(pace.slots)
    assert slots == [8, 4, 2, 1, 1, 1]


def test_a_crowd_that_is_refused_together_halves_once() -> None:
    pace = CallPace(16)
    for now in (1.0, 1.1, 1.2):
        pace = refused(pace, began=0.0, now=now)
    assert pace.slots == 8
    assert refused(pace, began=1.3, now=1.4).slots == 4


def test_what_is_halved_is_what_was_running() -> None:
    assert refused(CallPace(16), began=0, now=1, running=5).limit == 2.5


def test_as_many_successes_as_calls_side_by_side_allow_about_one_more() -> None:
    pace = CallPace(4)
    for _ in range(4):
        pace = pace.after_success(16)
    assert 4.8 < pace.limit <= 5


def test_successes_never_lead_beyond_the_most() -> None:
    pace = CallPace(1)
    for _ in range(1000):
        pace = pace.after_success(16)
    assert pace.slots == 16
    assert pace.after_success(4) == pace


def test_the_longest_wait_that_was_asked_for_counts() -> None:
    pace = refused(refused(CallPace(4), began=0, now=10, asked=30), began=0, now=11, asked=5)
    assert (pace.hold(11), pace.hold(40), pace.hold(41)) == (29, 0, 0)


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 60)), max_size=60), st.integers(1, 256))
def test_the_slots_are_always_between_one_and_the_most(history: list[tuple[bool, float]], most: int) -> None:
    pace = CallPace(most)
    for now, (went_well, asked) in enumerate(history):
        pace = pace.after_success(most) if went_well else refused(pace, began=now, now=now, asked=asked)
        assert 1 <= pace.slots <= most


def test_one_wait_that_was_asked_for_holds_back_all_calls() -> None:
    made_time = MadeTime()
    queue = made_time.queue()
    first, second = (queue.ticket(most=16, longest=60, patience=600) for _ in range(2))
    queue.end(first, queue.begin(first), Ended.REFUSED, asked=20.0)
    assert queue.begin(second) == 1020.0
    assert made_time.slept == [20.0]


def test_a_refusal_that_asks_for_no_wait_holds_back_nobody() -> None:
    made_time = MadeTime()
    queue = made_time.queue()
    first, second = (queue.ticket(most=16, longest=60, patience=600) for _ in range(2))
    queue.end(first, queue.begin(first), Ended.REFUSED)
    assert queue.begin(second) == 1000.0
    assert made_time.slept == []


def test_who_finds_no_turn_gives_up_when_its_patience_has_run_out() -> None:
    queue = CallQueue("http://test:1")
    queue.begin(queue.ticket(most=1, longest=1, patience=1))
    with pytest.raises(EngineTimeoutError, match="http://test:1"):
        queue.begin(queue.ticket(most=1, longest=1, patience=0.05))


def test_the_oldest_goes_first_although_it_has_been_refused() -> None:
    queue = CallQueue("http://test:1", sleep=lambda _: None)
    oldest, running, youngest = (queue.ticket(most=1, longest=1, patience=5) for _ in range(3))
    order: list[int] = []
    began = queue.begin(running)

    def take(number: int) -> None:
        ticket = (oldest, running, youngest)[number]
        moment = queue.begin(ticket)
        order.append(number)
        queue.end(ticket, moment, Ended.WELL)

    waiting = [threading.Thread(target=take, args=(number,)) for number in (2, 0)]
    for thread in waiting:
        thread.start()
        while len(queue._waiting) < 1 + waiting.index(thread):
            time.sleep(0.001)
    queue.end(running, began, Ended.WELL)
    for thread in waiting:
        thread.join()
    assert order == [0, 2]


@dataclass
class Crowded:
    """A server that answers slowly, and refuses more than a given number of calls at once."""

    room: int
    seconds: float = 0.03
    retry_after: str | None = None
    inside: int = 0
    most_inside: int = 0
    refusals: list[float] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, body: Body) -> Response:
        with self.lock:
            self.inside += 1
            self.most_inside = max(self.most_inside, self.inside)
            is_full = self.inside > self.room
        if is_full:
            self.refusals.append(time.monotonic())
        else:
            time.sleep(self.seconds)
        with self.lock:
            self.inside -= 1
        headers = {"Retry-After": self.retry_after} if self.retry_after else {}
        return refusal(429, "too many", headers=headers) if is_full else completion("{}")


def test_all_engines_and_threads_share_the_turns_of_an_endpoint(openai_server: OpenAIServer) -> None:
    crowded = Crowded(room=100)
    openai_server.answer(crowded)
    settings = ChatSettings(base_url=openai_server.url, concurrency=3)
    engines = [ChatEngine(f"openai:{name}", settings) for name in "abc"]
    with ThreadPoolExecutor(9) as pool:
        list(pool.map(lambda number: engines[number % 3].reply(PROMPT), range(18)))
    assert crowded.most_inside == 3


def test_a_crowded_server_answers_everybody_in_the_end(openai_server: OpenAIServer) -> None:
    crowded = Crowded(room=3, retry_after="0.05")
    openai_server.answer(crowded)
    engine = ChatEngine("openai:m", ChatSettings(base_url=openai_server.url, attempts=6))
    with ThreadPoolExecutor(12) as pool:
        replies = list(pool.map(lambda _: engine.reply(PROMPT).text, range(60)))
    assert replies == ["{}"] * 60
    assert 1 <= len(crowded.refusals) < 30


def test_an_endpoint_has_the_same_turns_for_as_long_as_somebody_holds_them() -> None:
    queue = queue_at("http://one:1")
    ticket = queue.ticket(most=1, longest=60, patience=60)
    queue.end(ticket, queue.begin(ticket), Ended.REFUSED, asked=3600.0)
    with pytest.raises(RateLimitError):
        queue_at("http://one:1").begin(ticket)
    queue_at("http://two:1").begin(ticket)
    del queue
    gc.collect()
    queue_at("http://one:1").begin(ticket)


@pytest.mark.parametrize(
    ("model", "base_url", "endpoint"),
    [
        ("a", "http://me:secret@Host:8000/v1", "http://host:8000"),
        ("b", "https://host/v1/x", "https://host:443"),
        ("c", "http://[::1]/v1", "http://[::1]:80"),
    ],
)
def test_an_endpoint_is_scheme_host_and_port(model: str, base_url: str, endpoint: str) -> None:
    assert server_of("openai", model, ChatSettings(base_url=base_url)).endpoint == endpoint


def test_without_an_address_the_provider_is_the_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "x")
    assert server_of("anthropic", "claude-x", ChatSettings()).endpoint == "anthropic"
