"""With servers that misbehave, each call ends in time with a specific error, against a real HTTP server on loopback."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from chat_parts import PROMPT
from openai_server import OpenAIServer, Response, completion, json_response

from investigator.engines.chat.engine import ChatEngine
from investigator.engines.chat.models import ChatSettings
from investigator.errors import EngineError, EngineTimeoutError
from investigator.records import FinishReason

MANY_OCTETS = Response(200, b"x" * 100_000, {"Content-Type": "application/json"}, endless=True)
LONG = completion("late " * 2000)  # takes minutes to come octet by octet
PATIENCE = 20.0  # seconds: far more than a call may take on a busy machine, far less than waiting to the end


@contextmanager
def ends_early() -> Iterator[None]:
    """Check that the code inside ends early."""
    began = time.monotonic()
    yield
    assert time.monotonic() - began < PATIENCE


def hasty(server: OpenAIServer, **settings: float) -> ChatEngine:
    """Return a chat model with little time for each call, which tries once by default."""
    return ChatEngine("openai:m", ChatSettings(base_url=server.url, **{"timeout": 0.15, "attempts": 1, **settings}))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "slow",
    [
        Response(delay=60),
        replace(LONG, drip=0.02),
        replace(LONG, drip=0.2, drip_head=True),
        Response(200, b" ", {"Content-Type": "application/json"}, drip=0.02, endless=True),
    ],
    ids=["says nothing", "body octet by octet", "head octet by octet", "spaces for ever"],
)
def test_a_server_that_takes_its_time_is_a_timeout(openai_server: OpenAIServer, slow: Response) -> None:
    openai_server.answer(slow)
    engine = hasty(openai_server)
    with ends_early(), pytest.raises(EngineTimeoutError) as caught:
        engine.reply(PROMPT)
    assert "timeout" in caught.value.hint


def test_a_dribbled_body_is_not_listened_to_for_longer_than_the_call_may_take(openai_server: OpenAIServer) -> None:
    openai_server.answer(replace(LONG, drip=0.01))
    with pytest.raises(EngineTimeoutError):
        hasty(openai_server).reply(PROMPT)
    assert openai_server.abandoned.wait(20)
    assert openai_server.octets_sent < 1000


def test_a_call_that_was_given_up_is_not_made_again(openai_server: OpenAIServer) -> None:
    openai_server.answer(Response(delay=60))
    with ends_early(), pytest.raises(EngineTimeoutError):
        hasty(openai_server, attempts=4).reply(PROMPT)
    time.sleep(2)  # the client would wait for up to a second before its next attempt
    assert len(openai_server.requests) == 1


def test_a_call_that_was_given_up_leaves_its_turn_to_the_next(openai_server: OpenAIServer) -> None:
    openai_server.answer(Response(delay=60), completion("fine"))
    engine = hasty(openai_server, concurrency=1, timeout=3)  # enough for a reply on a busy machine
    with pytest.raises(EngineTimeoutError):
        engine.reply(PROMPT)
    with ends_early():
        assert engine.reply(PROMPT).text == "fine"


@pytest.mark.parametrize(
    "odd",
    [
        Response(200, b"<html><body>Welcome</body></html>", {"Content-Type": "text/html"}),
        Response(200, b"", {"Content-Type": "application/json"}),
        Response(200, b'{"id": "c1", "choi', {"Content-Type": "application/json"}),
        Response(200, b"null", {"Content-Type": "application/json"}),
        json_response({"hello": "world"}),
        json_response({"id": "c1", "choices": []}),
        json_response({"id": "c1", "choices": None}),
        json_response({"id": "c1", "choices": [{"index": 0}]}),
        json_response([1, 2]),
    ],
    ids=["html", "empty", "half", "null", "other", "no choices", "null choices", "no message", "list"],
)
def test_a_body_that_is_no_completion_is_named(engine: ChatEngine, openai_server: OpenAIServer, odd: Response) -> None:
    openai_server.answer(odd)
    with ends_early(), pytest.raises(EngineError, match="not a chat completion") as caught:
        engine.reply(PROMPT)
    assert type(caught.value) is EngineError
    assert "base URL" in caught.value.hint


def test_a_reply_of_a_megabyte_is_cut_and_marked(engine: ChatEngine, openai_server: OpenAIServer) -> None:
    openai_server.answer(completion("x" * 1_000_000))
    with ends_early():
        reply = engine.reply(PROMPT)
    assert (len(reply.text), reply.finish_reason) == (200_000, FinishReason.LENGTH)


@pytest.mark.parametrize("status", [200, 400, 500])
def test_a_body_without_end_is_not_read_to_the_end(openai_server: OpenAIServer, status: int) -> None:
    openai_server.answer(replace(MANY_OCTETS, status=status))
    engine = ChatEngine("openai:m", ChatSettings(base_url=openai_server.url))
    with ends_early(), pytest.raises(EngineError, match="4,000,000 bytes"):
        engine.reply(PROMPT)
    assert openai_server.abandoned.wait(20)
    assert openai_server.octets_sent < 20_000_000
    assert len(openai_server.requests) == 1


def test_a_body_comes_as_it_is_or_not_at_all(engine: ChatEngine, openai_server: OpenAIServer) -> None:
    whole = completion("fine")
    openai_server.answer(replace(whole, headers={**whole.headers, "Content-Encoding": "gzip"}))
    with pytest.raises(EngineError, match="gzip"):
        engine.reply(PROMPT)
    assert openai_server.requests[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("status", [302, 307, 308])
def test_a_redirect_is_refused_and_nothing_goes_to_the_other_host(
    engine: ChatEngine, openai_server: OpenAIServer, status: int
) -> None:
    other = OpenAIServer()
    openai_server.answer(Response(status, headers={"Location": f"{other.url}/chat/completions"}))
    with ends_early(), pytest.raises(EngineError, match=re.escape(other.url)):
        engine.reply(PROMPT)
    other.close()
    assert other.requests == []
    assert len(openai_server.requests) == 1
