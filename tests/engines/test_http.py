"""Limits on the size and duration of HTTP responses, for clients created by other libraries."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass

import httpx
import pytest
from openai_server import OpenAIServer, Response, completion

from investigator.engines.http import BodyBounds, bound_clients, within
from investigator.errors import EngineError, EngineTimeoutError

BOUNDS = BodyBounds("some model", octets=1000)


@dataclass
class Kit:
    """A provider's client with an HTTP client inside, which several models may share."""

    _client: httpx.Client


@dataclass
class Model:
    """A LangChain model of a provider that accepts no HTTP client."""

    client: Kit
    root_client: str = "something else"


@pytest.fixture
def client() -> httpx.Client:
    made = httpx.Client(follow_redirects=True)
    bound_clients(Model(Kit(made)), BOUNDS)
    return made


def test_a_redirect_is_no_longer_followed(client: httpx.Client, openai_server: OpenAIServer) -> None:
    other = OpenAIServer()
    openai_server.answer(Response(307, headers={"Location": other.url}))
    with client:
        assert client.post(openai_server.url, json={}).status_code == 307
    other.close()
    assert other.requests == []


def test_a_long_body_is_cut_off(client: httpx.Client, openai_server: OpenAIServer) -> None:
    openai_server.answer(Response(body=b"x" * 1001))
    with client, pytest.raises(EngineError, match="some model sent more than 1,000 bytes"):
        client.post(openai_server.url, json={})


def test_a_slow_body_is_cut_off(client: httpx.Client, openai_server: OpenAIServer) -> None:
    openai_server.answer(Response(body=b"x" * 100, drip=0.01))

    def post() -> Iterator[None]:
        with pytest.raises(EngineTimeoutError, match="run out"):
            client.post(openai_server.url, json={})
        ended.set()
        yield

    ended = threading.Event()
    assert isinstance(next(within(0.1, post)), TimeoutError)
    assert ended.wait(20)
    client.close()


def test_what_is_within_the_bounds_comes_through(client: httpx.Client, openai_server: OpenAIServer) -> None:
    openai_server.answer(completion("fine"))
    with client:
        response = client.post(openai_server.url, json={})
    assert response.json()["choices"][0]["message"]["content"] == "fine"
    assert response.elapsed.total_seconds() >= 0


def test_a_client_that_two_models_share_is_bound_once(client: httpx.Client) -> None:
    bound_clients(Model(Kit(client)), BOUNDS)
    assert client.event_hooks["response"] == [BOUNDS]
    client.close()


def test_a_model_without_an_http_client_is_left_alone() -> None:
    bound_clients(object(), BOUNDS)


def test_work_has_the_results_the_error_and_the_context_of_who_asks_for_it() -> None:
    asking = ContextVar("asking", default="nobody")
    asking.set("me")

    def work() -> Iterator[str]:
        yield asking.get()
        raise KeyError("gone")

    result, error = within(5, work)
    assert result == "me"
    assert isinstance(error, KeyError)


def test_work_that_nobody_listens_to_any_more_does_not_go_on() -> None:
    ended, given_up = threading.Event(), threading.Event()

    def work() -> Iterator[int]:
        try:
            while not given_up.wait(0.01):
                yield 0
        finally:
            ended.set()

    results = within(60, work)
    assert next(results) == 0
    results.close()
    assert ended.wait(10)
    given_up.set()


def test_work_that_takes_too_long_is_left_alone() -> None:
    released = threading.Event()
    assert isinstance(next(within(0.02, lambda: [released.wait(20)])), TimeoutError)
    released.set()
