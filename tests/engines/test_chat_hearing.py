"""A chat model's reply is received while a server on loopback is sending it."""

from __future__ import annotations

import threading

import pytest
from chat_parts import PROMPT
from openai_server import OpenAIServer, Response, completion, refusal, streamed

from investigator.engines.base import Streams
from investigator.engines.chat.engine import ChatEngine
from investigator.engines.chat.models import ChatSettings
from investigator.errors import EngineTimeoutError
from investigator.records import FinishReason

PIECES = ('{"reply": "The bridge', " is old.", ' It is long."}')
WHOLE = "".join(PIECES)


def test_each_piece_is_told_with_all_that_was_written_before(engine: ChatEngine, openai_server: OpenAIServer) -> None:
    openai_server.answer(streamed(*PIECES))
    heard: list[str] = []
    reply = engine.reply_aloud(PROMPT, heard.append)
    assert isinstance(engine, Streams)
    assert list(dict.fromkeys(heard)) == [PIECES[0], PIECES[0] + PIECES[1], WHOLE]
    assert (reply.text, reply.input_tokens, reply.output_tokens) == (WHOLE, 11, 7)
    assert reply.finish_reason is FinishReason.STOP
    (body,) = openai_server.bodies
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})
    assert "response_format" in body


def test_a_piece_is_told_before_the_next_one_is_sent(engine: ChatEngine, openai_server: OpenAIServer) -> None:
    gate = threading.Event()
    openai_server.answer(streamed(*PIECES, gate=gate))
    heard: list[str] = []

    def hear(text: str) -> None:
        heard.append(text)
        gate.set()  # without this the server would hold the rest back

    assert engine.reply_aloud(PROMPT, hear).text == WHOLE
    assert heard[0] == PIECES[0]


def test_a_server_that_sends_the_reply_in_one_piece_is_understood(
    engine: ChatEngine, openai_server: OpenAIServer
) -> None:
    openai_server.answer(completion(WHOLE))
    heard: list[str] = []
    reply = engine.reply_aloud(PROMPT, heard.append)
    assert (reply.text, reply.output_tokens, heard) == (WHOLE, 7, [WHOLE])
    assert [body["stream"] for body in openai_server.bodies] == [True, False]


def test_tokens_that_are_not_told_are_guessed(engine: ChatEngine, openai_server: OpenAIServer) -> None:
    openai_server.answer(streamed(*PIECES, tokens=None))
    assert engine.reply_aloud(PROMPT, lambda _: None).output_tokens == -(-len(WHOLE) // 3)


@pytest.mark.parametrize("words", ["Unknown parameter: stream_options", "bad request"])
def test_a_server_that_refuses_to_stream_is_asked_for_the_whole_reply(
    engine: ChatEngine, openai_server: OpenAIServer, notices: list[str], words: str
) -> None:
    openai_server.answer(lambda body: refusal(400, words) if body["stream"] else completion(WHOLE))
    assert engine.reply_aloud(PROMPT, lambda _: None).text == WHOLE
    assert [body["stream"] for body in openai_server.bodies] == [True, False]
    assert notices == []


def test_a_reply_whose_stream_is_cut_is_asked_for_as_a_whole(engine: ChatEngine, openai_server: OpenAIServer) -> None:
    whole = streamed(*PIECES)
    openai_server.answer(Response(200, whole.body, whole.headers, cut=True), completion(WHOLE))
    heard: list[str] = []
    assert engine.reply_aloud(PROMPT, heard.append).text == WHOLE
    assert heard[0] == PIECES[0]
    assert heard[-1] == WHOLE


def test_after_the_time_limit_nothing_is_told(openai_server: OpenAIServer) -> None:
    gate = threading.Event()
    openai_server.answer(streamed(*"a" * 20, gate=gate))
    settings = ChatSettings(base_url=openai_server.url, timeout=3, attempts=1)
    engine = ChatEngine("openai:m", settings)
    heard: list[str] = []
    with pytest.raises(EngineTimeoutError):
        engine.reply_aloud(PROMPT, heard.append)
    told = list(heard)
    assert 0 < len(told) < 20
    gate.set()
    for thread in threading.enumerate():
        if thread.name == "investigator-call":
            thread.join(5)
    assert heard == told


def test_a_reply_without_end_is_cut(openai_server: OpenAIServer) -> None:
    openai_server.answer(streamed(*["a" * 10_000] * 50))
    heard: list[str] = []
    reply = ChatEngine("openai:m", ChatSettings(base_url=openai_server.url)).reply_aloud(PROMPT, heard.append)
    assert (len(reply.text), reply.finish_reason) == (200_000, FinishReason.LENGTH)
    assert len(heard[-1]) == 210_000


def test_what_a_listener_raises_comes_back_and_is_no_fault_of_the_server(
    engine: ChatEngine, openai_server: OpenAIServer
) -> None:
    openai_server.answer(streamed(*PIECES))

    def hear(_: str) -> None:
        raise EOFError

    with pytest.raises(EOFError):
        engine.reply_aloud(PROMPT, hear)
    assert len(openai_server.requests) == 1
