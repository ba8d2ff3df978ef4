"""What a listener and callback handlers of LangChain receive of a chat model at a server on loopback."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest
from chat_parts import PROMPT
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult
from openai_server import OpenAIServer, Response, completion, refusal, streamed

from investigator.engines.base import Streams
from investigator.engines.catalogue import EngineOptions, open_engine
from investigator.engines.chat.engine import ChatEngine
from investigator.engines.chat.models import ChatSettings
from investigator.engines.scripted import ScriptedEngine
from investigator.errors import EngineError, EngineTimeoutError
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
    openai_server.answer(streamed(*PIECES, tokens=None, gate=gate))
    heard: list[str] = []

    def hear(text: str) -> None:
        heard.append(text)
        gate.set()  # without this the server would hold the rest back

    reply = engine.reply_aloud(PROMPT, hear)
    assert (reply.text, reply.output_tokens) == (WHOLE, -(-len(WHOLE) // 3))  # the tokens are guessed
    assert heard[0] == PIECES[0]


def test_a_server_that_sends_the_reply_in_one_piece_is_understood(
    engine: ChatEngine, openai_server: OpenAIServer
) -> None:
    openai_server.answer(completion(WHOLE))
    heard: list[str] = []
    reply = engine.reply_aloud(PROMPT, heard.append)
    assert (reply.text, reply.output_tokens, heard) == (WHOLE, 7, [WHOLE])
    assert [body["stream"] for body in openai_server.bodies] == [True, False]


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
    before = list(heard)
    assert 0 < len(before) < 20
    gate.set()
    for thread in threading.enumerate():
        if thread.name == "investigator-call":
            thread.join(5)
    assert heard == before


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


class Listener(BaseCallbackHandler):
    """Records what it receives."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.metadata: dict[str, Any] = {}
        self.tags: list[str] = []

    def on_chat_model_start(self, serialized: dict[str, Any], messages: list[list[BaseMessage]], **about: Any) -> None:
        self.heard.append(f"asked: {messages[0][0].content}")
        self.metadata, self.tags = about["metadata"], about["tags"]

    def on_llm_end(self, response: LLMResult, **about: Any) -> None:
        self.heard.append(f"told: {response.generations[0][0].text}")

    def on_llm_error(self, error: BaseException, **about: Any) -> None:
        self.heard.append(f"failed: {type(error).__name__}")


class Breaking(BaseCallbackHandler):
    """Fails at every event."""

    def on_chat_model_start(self, *heard: Any, **about: Any) -> None:
        raise ValueError("no start")

    def on_llm_end(self, *heard: Any, **about: Any) -> None:
        raise ValueError("no end")


def engine(server: OpenAIServer, callbacks: Sequence[BaseCallbackHandler]) -> ChatEngine:
    options = EngineOptions(lambda: ScriptedEngine([]), chat=ChatSettings(base_url=server.url), callbacks=callbacks)
    made = open_engine("openai:m", options)
    assert isinstance(made, ChatEngine)
    return made


def test_a_handler_hears_prompt_and_reply_and_which_template_it_was(openai_server: OpenAIServer) -> None:
    openai_server.answer(completion("102 years"))
    listener = Listener()
    engine(openai_server, [listener]).reply(PROMPT)
    assert listener.heard == ["asked: How old is the bridge?", "told: 102 years"]
    assert listener.metadata["template"] == "query/ask.j2"
    assert {"investigator", "query"} <= set(listener.tags)


def test_a_handler_hears_of_a_failed_call(openai_server: OpenAIServer) -> None:
    openai_server.answer(refusal(404, "no such model"))
    listener = Listener()
    with pytest.raises(Exception, match="no such model"):
        engine(openai_server, [listener]).reply(PROMPT)
    [failed] = listener.heard[1:]
    assert failed.startswith("failed: ")
    assert "NotFound" in failed


def test_a_handler_that_fails_changes_nothing(openai_server: OpenAIServer) -> None:
    openai_server.answer(completion("fine"))
    listener = Listener()
    assert engine(openai_server, [Breaking(), listener]).reply(PROMPT).text == "fine"
    assert len(listener.heard) == 2
    assert len(openai_server.requests) == 1


def test_a_ready_model_keeps_its_own_handlers_and_takes_ours() -> None:
    own, ours = Listener(), Listener()
    model = FakeListChatModel(responses=["yes"], callbacks=[own])
    assert ChatEngine(model, callbacks=[ours]).reply(PROMPT).text == "yes"
    assert own.heard == ours.heard == ["asked: How old is the bridge?", "told: yes"]


def test_a_ready_model_that_never_ends_is_given_up() -> None:
    model = FakeListChatModel(responses=["late"], sleep=2.0)
    with pytest.raises(EngineError, match="in time"):
        ChatEngine(model, ChatSettings(timeout=0.1, attempts=1)).reply(PROMPT)
