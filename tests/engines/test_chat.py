"""Tests of ChatEngine against a real HTTP server on loopback."""

from __future__ import annotations

import json
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest
from chat_parts import PROMPT
from openai_server import OpenAIServer, Response, completion, json_response, refusal

from investigator.engines.chat.engine import ChatEngine
from investigator.engines.chat.models import ChatSettings, Server, failure
from investigator.errors import ContextTooLongError, CredentialError, EngineError, InvestigatorError, SettingsError
from investigator.records import AskReply, FinishReason, Prompt


def test_the_reply_carries_text_tokens_and_time(engine: ChatEngine, openai_server: OpenAIServer) -> None:
    openai_server.answer(completion('{"point": 90}', tokens=(120, 8)))
    reply = engine.reply(PROMPT)
    assert (reply.text, reply.finish_reason) == ('{"point": 90}', FinishReason.STOP)
    assert (reply.input_tokens, reply.output_tokens) == (120, 8)
    assert 0 < reply.seconds < 30


def test_the_prompt_goes_out_as_one_user_message_and_nothing_that_was_not_set(
    engine: ChatEngine, openai_server: OpenAIServer
) -> None:
    engine.reply(PROMPT)
    [body] = openai_server.bodies
    assert body["messages"] == [{"role": "user", "content": "How old is the bridge?"}]
    assert set(body) - {"stream"} == {"model", "messages", "response_format"}
    assert not body.get("stream")


@pytest.mark.parametrize("model", ["o1-mini", "gpt-5", "gpt-4o"])
def test_no_model_name_makes_langchain_add_a_temperature(openai_server: OpenAIServer, model: str) -> None:
    ChatEngine(f"openai:{model}", ChatSettings(base_url=openai_server.url)).reply(PROMPT)
    assert "temperature" not in openai_server.bodies[0]


def test_the_reply_is_held_to_a_strict_schema_with_verdict_and_point_before_the_words(
    engine: ChatEngine, openai_server: OpenAIServer
) -> None:
    engine.reply(PROMPT)
    wanted = openai_server.bodies[0]["response_format"]["json_schema"]  # type: ignore[index]
    assert wanted["strict"] is True
    reading = wanted["schema"]["$defs"]["DocumentReply"]
    assert reading["required"] == ["document", "verdict", "point", "head", "quotes", "reply"]
    assert wanted["schema"]["additionalProperties"] is False


def test_the_key_of_the_settings_is_sent_and_shown_nowhere(openai_server: OpenAIServer) -> None:
    settings = ChatSettings(base_url=openai_server.url, api_key="sk-secret")  # type: ignore[arg-type]
    openai_server.answer(refusal(401, "Incorrect API key provided: sk-secret."))
    with pytest.raises(CredentialError) as caught:
        ChatEngine("openai:m", settings).reply(PROMPT)
    assert openai_server.requests[0].headers["authorization"] == "Bearer sk-secret"
    assert "sk-secret" not in str(caught.value) + repr(settings) + settings.model_dump_json()
    assert "OPENAI_API_KEY" in caught.value.hint


def test_the_name_tells_the_model_and_the_server(engine: ChatEngine, openai_server: OpenAIServer) -> None:
    host = openai_server.url.removeprefix("http://").removesuffix("/v1")
    assert engine.name == f"openai:m@{host}"


WHOLE = completion("whole")
BUSY = refusal(429, "slow down")


@pytest.mark.parametrize(
    ("failures", "least"),
    [
        ([refusal(429, "slow down", headers={"Retry-After": "2"})], 2),
        ([refusal(500, "oops"), refusal(503, "busy")], 0),
        ([Response(200, WHOLE.body, WHOLE.headers, cut=True)], 0),
    ],
    ids=["rate limit", "server", "connection"],
)
def test_a_failure_that_passes_is_waited_for_as_long_as_the_server_asks(
    engine: ChatEngine, openai_server: OpenAIServer, failures: list[Response], least: float
) -> None:
    openai_server.answer(*failures, WHOLE)
    reply = engine.reply(PROMPT)
    assert reply.text == "whole"
    assert least <= reply.seconds < 20


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (BUSY, "slow down"),
        (refusal(500, "oops"), "500"),
        (Response(502, b"<html><h1>Bad Gateway</h1></html>", {"Content-Type": "text/html"}), "502"),
        (Response(200, WHOLE.body, WHOLE.headers, cut=True), "openai:m at"),
    ],
    ids=["rate limit", "server", "page of a gateway", "connection"],
)
def test_a_failure_that_does_not_pass_ends_after_the_attempts(
    openai_server: OpenAIServer, failure: Response, message: str
) -> None:
    openai_server.answer(failure)
    with pytest.raises(EngineError, match=message):
        ChatEngine("openai:m", ChatSettings(base_url=openai_server.url, attempts=2)).reply(PROMPT)
    assert len(openai_server.requests) == 2


def thinking(tokens: int) -> Response:
    """Return a reply whose tokens were spent on thinking."""
    body = json.loads(completion("", finish="length").body)
    body["usage"] = {"prompt_tokens": 9, "completion_tokens": 4096, "total_tokens": 4105}
    body["usage"]["completion_tokens_details"] = {"reasoning_tokens": tokens}
    return json_response(body)


TOO_LONG = (
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    "request (5031 tokens) exceeds the available context size (2048 tokens), try increasing it",
    "prompt is too long: 210000 tokens > 200000 maximum",
)


@pytest.mark.parametrize(
    ("answer", "kind", "message", "hint"),
    [
        (refusal(404, "The model `m` does not exist"), SettingsError, "does not exist", "chat.base_url"),
        (refusal(429, "daily limit", headers={"Retry-After": "3600"}), EngineError, "daily", "Wait 3600 seconds"),
        (refusal(429, "Used up", code="insufficient_quota"), EngineError, "Used up", "credit"),
        *[
            (refusal(400, text, code="context_length_exceeded"), ContextTooLongError, "too long", "query.characters")
            for text in TOO_LONG
        ],
        (json_response({"error": {"message": "used up"}}), EngineError, "error instead of a reply: used up", ""),
        (json_response({"error": {"message": "no key", "code": 401}}), CredentialError, "rejected the key: no key", ""),
        *[
            (completion(text), EngineError, "ended without writing a reply", "thinking off")
            for text in ("", None, " \n")
        ],
        (thinking(4000), EngineError, "used up its output limit.*4,000 tokens went", "chat.max_tokens"),
    ],
)
def test_a_lasting_failure_is_named_at_once_with_what_to_do(
    engine: ChatEngine,
    openai_server: OpenAIServer,
    answer: Response,
    kind: type[InvestigatorError],
    message: str,
    hint: str,
) -> None:
    openai_server.answer(answer)
    with pytest.raises(kind, match=message) as caught:
        engine.reply(PROMPT)
    assert hint in caught.value.hint
    assert "--" not in caught.value.advice  # which also holds on a page
    assert len(openai_server.requests) == (4 if hint == "credit" else 1)


def test_a_refused_connection_names_the_address() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    engine = ChatEngine("openai:m", ChatSettings(base_url=f"http://127.0.0.1:{port}/v1", attempts=1))
    with pytest.raises(EngineError, match=f"127.0.0.1:{port}.*refused"):
        engine.reply(PROMPT)


def test_a_reply_cut_at_the_token_limit_is_marked_and_kept(engine: ChatEngine, openai_server: OpenAIServer) -> None:
    openai_server.answer(completion('{"point": 5, "rep', finish="length"))
    reply = engine.reply(PROMPT)
    assert (reply.text, reply.finish_reason) == ('{"point": 5, "rep', FinishReason.LENGTH)


def test_a_filtered_reply_is_neither_whole_nor_cut(engine: ChatEngine, openai_server: OpenAIServer) -> None:
    openai_server.answer(completion("I cannot", finish="content_filter"))
    assert engine.reply(PROMPT).finish_reason is FinishReason.OTHER


def test_of_content_in_blocks_only_the_text_counts(engine: ChatEngine, openai_server: OpenAIServer) -> None:
    blocks = [
        {"type": "reasoning", "text": "hm"},
        {"type": "text", "text": '{"point"'},
        {"type": "text", "text": ": 1}"},
    ]
    message = {"role": "assistant", "content": blocks}
    openai_server.answer(
        json_response({"id": "c", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]})
    )
    assert engine.reply(PROMPT).text == '{"point": 1}'


def test_tracing_that_the_shell_asks_for_does_not_send_prompts_away(
    engine: ChatEngine, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from langchain_core.tracers.langchain import wait_for_all_tracers
    from langsmith.utils import get_env_var

    spy = OpenAIServer()
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("LANGSMITH_ENDPOINT", spy.url)
    monkeypatch.setenv("LANGSMITH_API_KEY", "x")
    get_env_var.cache_clear()  # it keeps what it has read of the environment
    engine.reply(PROMPT)
    wait_for_all_tracers()
    get_env_var.cache_clear()
    spy.close()
    assert spy.requests == []
    assert len(openai_server.requests) == 1


def test_threads_share_one_engine(engine: ChatEngine, openai_server: OpenAIServer) -> None:
    openai_server.answer(lambda body: completion(json.dumps(body["messages"])))
    prompts = [Prompt(PROMPT.template, PROMPT.variables, f"number {i}", AskReply) for i in range(16)]
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(engine.reply, prompts))
    assert [json.loads(reply.text)[0]["content"] for reply in replies] == [prompt.text for prompt in prompts]


@pytest.mark.parametrize("tokens", [(-5000, -100), (0, 0), ("many", None)])
def test_tokens_that_a_server_cannot_mean_are_guessed_from_the_texts(
    engine: ChatEngine, openai_server: OpenAIServer, tokens: tuple[object, object]
) -> None:
    answer = json.loads(completion('{"point": 90}').body)
    answer["usage"] = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": 1}
    openai_server.answer(json_response(answer))
    reply = engine.reply(PROMPT)
    assert (reply.input_tokens, reply.output_tokens) == (8, 5)  # 22 and 13 characters, three to a token


@pytest.mark.parametrize(
    ("address", "hint"),
    [
        ("http://127.0.0.1:1", "chat.base_url=http://127.0.0.1:1/v1"),
        ("http://user:word@127.0.0.1:1/v1", "curl http://127.0.0.1:1/v1/models"),
        ("", "the name of the model"),
    ],
)
def test_what_a_server_does_not_have_is_answered_by_where_to_look(address: str, hint: str) -> None:
    class NotFoundError(Exception):
        status_code = 404

    failed = failure(NotFoundError("Error code: 404"), Server("openai:m", address))
    assert failed.message.endswith("was not found (404)")
    assert hint in failed.hint
    assert "word" not in failed.hint
