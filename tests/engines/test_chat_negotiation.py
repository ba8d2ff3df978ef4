"""Servers that reject a part of a call, or misbehave: a real HTTP server on loopback."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import pytest
from chat_parts import PROMPT
from openai_server import Body, OpenAIServer, Response, completion, json_response, refusal

from investigator.engines.chat.engine import ChatEngine, Feature
from investigator.engines.chat.models import ChatSettings
from investigator.errors import EngineError, EngineTimeoutError
from investigator.records import FinishReason


def without_formats(body: Body) -> Response:
    """Return the reply of a server that supports neither schemas nor tools."""
    if "response_format" in body:
        return refusal(400, "'response_format' is not supported", param="response_format")
    return refusal(400, "this model does not support tools") if "tools" in body else completion("plain")


def without_schemas(body: Body) -> Response:
    """Return the reply of a server that supports tools only."""
    if "response_format" in body:
        return refusal(400, "response_format.type must be one of 'text', 'json_object'")
    return tool_call('{"readings": []}')


def tool_call(arguments: str, finish: str = "stop") -> Response:
    """Return a completion that calls a tool with these arguments."""
    call = {"id": "t1", "type": "function", "function": {"name": "AskReply", "arguments": arguments}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return json_response({"id": "c", "choices": [{"index": 0, "finish_reason": finish, "message": message}]})


def without_temperature(body: Body) -> Response:
    """Return the reply of a server with a fixed temperature."""
    return refusal(400, "temperature is not supported") if "temperature" in body else completion("ok")


def test_refused_formats_are_left_out_from_then_on_and_told_once(
    engine: ChatEngine, openai_server: OpenAIServer, notices: list[str]
) -> None:
    openai_server.answer(without_formats)
    assert [engine.reply(PROMPT).text for _ in range(3)] == ["plain"] * 3
    assert len(openai_server.requests) == 5  # the schema, the tool, and three without
    assert engine.reply_format is None
    assert ["schema" in notice for notice in notices] == [True, False]


def test_a_server_without_schemas_is_asked_for_a_tool_call(
    engine: ChatEngine, openai_server: OpenAIServer, notices: list[str]
) -> None:
    openai_server.answer(without_schemas)
    assert [engine.reply(PROMPT).text for _ in range(2)] == ['{"readings": []}'] * 2
    assert len(openai_server.requests) == 3
    [tool] = openai_server.bodies[-1]["tools"]  # type: ignore[misc]
    assert tool["function"]["parameters"]["required"] == ["readings"]  # type: ignore[index]
    assert engine.reply_format is Feature.TOOLS
    assert len(notices) == 1
    assert "schema" in notices[0]


def test_a_tool_call_that_was_cut_is_kept_and_marked(engine: ChatEngine, openai_server: OpenAIServer) -> None:
    openai_server.answer(tool_call('{"readings": [{"docu', finish="length"))
    reply = engine.reply(PROMPT)
    assert (reply.text, reply.finish_reason) == ('{"readings": [{"docu', FinishReason.LENGTH)


def test_a_tool_call_is_heard_while_it_is_written(engine: ChatEngine, openai_server: OpenAIServer) -> None:
    call = {"index": 0, "id": "t1", "type": "function", "function": {"name": "AskReply", "arguments": '{"readings"'}}
    rest = {"index": 0, "function": {"arguments": ": []}"}}
    events = [{"id": "c", "choices": [{"index": 0, "delta": {"tool_calls": [part]}}]} for part in (call, rest)]
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
    openai_server.answer(Response(200, body.encode(), {"Content-Type": "text/event-stream"}))
    heard: list[str] = []
    assert engine.reply_aloud(PROMPT, heard.append).text == '{"readings": []}'
    assert list(dict.fromkeys(heard)) == ['{"readings"', '{"readings": []}']


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ("temperature", "Unsupported value: 'temperature' does not support 0.2 with this model."),
        ("max_completion_tokens", "Unrecognized request argument supplied: max_completion_tokens"),
    ],
)
def test_a_refused_parameter_is_left_out_and_the_others_stay(
    openai_server: OpenAIServer, notices: list[str], sent: str, message: str
) -> None:
    openai_server.answer(lambda body: refusal(400, message) if sent in body else completion("ok"))
    settings = ChatSettings(base_url=openai_server.url, temperature=0.2, max_tokens=50)
    engine = ChatEngine("openai:m", settings, on_notice=notices.append)
    assert [engine.reply(PROMPT).text for _ in range(2)] == ["ok", "ok"]
    kept = {"temperature", "max_completion_tokens", "response_format"} - {sent}
    assert kept <= set(openai_server.bodies[-1])
    assert sent not in openai_server.bodies[-1]
    assert (len(openai_server.requests), len(notices)) == (3, 1)


def test_a_refusal_met_by_several_threads_is_told_once(openai_server: OpenAIServer, notices: list[str]) -> None:
    openai_server.answer(without_temperature)
    engine = ChatEngine("openai:m", ChatSettings(base_url=openai_server.url, temperature=1.0), on_notice=notices.append)
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: engine.reply(PROMPT).text, range(16)))
    assert replies == ["ok"] * 16
    assert len(notices) == 1


def test_a_refusal_without_a_reason_is_taken_for_one_of_the_format(
    engine: ChatEngine, openai_server: OpenAIServer
) -> None:
    openai_server.answer(lambda body: refusal(422, "wrong") if "response_format" in body else completion("ok"))
    assert engine.reply(PROMPT).text == "ok"


@pytest.mark.parametrize(("working", "requests"), [(0, 3), (1, 2)])
def test_a_prompt_that_is_refused_takes_no_format_away_and_one_that_has_worked_is_not_doubted(
    engine: ChatEngine, openai_server: OpenAIServer, notices: list[str], working: int, requests: int
) -> None:
    for _ in range(working):
        engine.reply(PROMPT)
    openai_server.answer(refusal(400, "your prompt was flagged"))
    with pytest.raises(EngineError, match="flagged"):
        engine.reply(PROMPT)
    assert (engine.reply_format, notices) == (Feature.JSON_SCHEMA, [])
    assert len(openai_server.requests) == requests


def test_a_refusal_survives_a_busy_server(engine: ChatEngine, openai_server: OpenAIServer) -> None:
    openai_server.answer(refusal(400, "no json_schema here"), refusal(429, "busy"), completion("{}"))
    assert engine.reply(PROMPT).text == "{}"
    assert ["response_format" in body for body in openai_server.bodies] == [True, False, False]


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


def test_a_redirect_to_nowhere_is_refused_in_words(engine: ChatEngine, openai_server: OpenAIServer) -> None:
    openai_server.answer(Response(302))
    with ends_early(), pytest.raises(EngineError, match="redirects to another address, which is refused"):
        engine.reply(PROMPT)


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
