"""LangChain's callback handlers receive each call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from chat_parts import PROMPT
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult
from openai_server import OpenAIServer, completion, refusal

from investigator.engines.catalogue import EngineOptions, open_engine
from investigator.engines.chat.engine import ChatEngine
from investigator.engines.chat.models import ChatSettings
from investigator.engines.scripted import ScriptedEngine
from investigator.errors import EngineError


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
