"""The checks before the first call: names, keys, addresses, packages."""

from __future__ import annotations

import re
from typing import Any

import pytest
from openai_server import OpenAIServer, completion, refusal

from investigator.engines.chat.engine import ChatEngine
from investigator.engines.chat.models import ChatSettings
from investigator.errors import CredentialError, EngineError, SettingsError
from investigator.records import AskReply, FinishReason, Prompt, QuestionVariables

PROMPT = Prompt("query/ask.j2", QuestionVariables(document_id="a", purpose="p", perspectives=""), "Well?", AskReply)


@pytest.mark.parametrize("name", ["gpt-4o", "", ":", "openai:", ":gpt-4o", "C:\\models\\x y:z", "open ai:gpt"])
def test_a_name_without_provider_and_model_is_refused_with_an_example(name: str) -> None:
    with pytest.raises(SettingsError) as caught:
        ChatEngine(name)
    assert "openai:" in caught.value.hint


@pytest.mark.parametrize(
    ("model", "variable"), [("openai:gpt-x", "OPENAI_API_KEY"), ("anthropic:claude-x", "ANTHROPIC_API_KEY")]
)
def test_a_missing_key_names_its_variable(model: str, variable: str) -> None:
    with pytest.raises(CredentialError) as caught:
        ChatEngine(model)
    assert variable in caught.value.hint


@pytest.mark.parametrize("key", ["sk-abc\n", "sk abc", "\tsk"])
def test_a_key_with_white_space_is_refused_before_it_is_sent(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(CredentialError, match="white space") as caught:
        ChatEngine("openai:gpt-x")
    assert "OPENAI_API_KEY" in caught.value.hint
    assert key not in str(caught.value)


def test_a_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COHERE_API_KEY", "x")
    with pytest.raises(SettingsError) as caught:
        ChatEngine("cohere:command-x")
    assert "pip install langchain-cohere" in caught.value.hint


@pytest.mark.parametrize(
    "address", ["localhost:8000", "ftp://x/v1", "http://", "v1", "http://x:port/v1", "http://x:99999", "http://[x"]
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(SettingsError, match="not an address"):
        ChatEngine("openai:m", ChatSettings(base_url=address))


def test_an_address_from_the_environment_is_used_and_needs_no_key(
    monkeypatch: pytest.MonkeyPatch, openai_server: OpenAIServer
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", openai_server.url)
    openai_server.answer(completion("from there"))
    assert ChatEngine("openai:m").reply(PROMPT).text == "from there"


def test_no_gateway_of_the_environment_leads_the_documents_elsewhere(
    monkeypatch: pytest.MonkeyPatch, openai_server: OpenAIServer
) -> None:
    gateway = OpenAIServer()
    monkeypatch.setenv("LANGSMITH_GATEWAY", gateway.url)
    monkeypatch.setenv("LANGSMITH_GATEWAY_API_KEY", "gateway-key")
    ChatEngine("openai:m", ChatSettings(base_url=openai_server.url)).reply(PROMPT)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-own")
    assert ChatEngine("openai:m")._server.address == "https://api.openai.com/v1"  # not asked: it is not on loopback
    gateway.close()
    assert gateway.requests == []
    assert openai_server.requests[0].headers["authorization"] == "Bearer none"


def test_a_password_in_the_address_is_shown_nowhere(openai_server: OpenAIServer) -> None:
    openai_server.answer(refusal(400, "no"))
    address = openai_server.url.replace("http://", "http://me:secret@")
    engine = ChatEngine("openai:m", ChatSettings(base_url=address))
    with pytest.raises(EngineError, match=re.escape(openai_server.url)) as caught:
        engine.reply(PROMPT)
    assert "secret" not in engine.name + str(caught.value) + caught.value.hint


def test_settings_that_a_provider_needs_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "x")
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
    with pytest.raises(SettingsError, match="endpoint"):
        ChatEngine("azure_openai:deployment")


def _model(reply: Any) -> Any:
    """A LangChain chat model whose reply is a message, or an error that it raises."""
    from langchain_core.language_models import BaseChatModel
    from langchain_core.outputs import ChatGeneration, ChatResult

    class OwnModel(BaseChatModel):
        model_name: str = "tiny"

        @property
        def _llm_type(self) -> str:
            return "own"

        def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **given: Any) -> ChatResult:
            if isinstance(reply, Exception):
                raise reply
            assert not given
            return ChatResult(generations=[ChatGeneration(message=reply)])

    return OwnModel()


def test_a_langchain_model_is_used_as_it_is() -> None:
    from langchain_core.messages import AIMessage

    message = AIMessage(
        content=[{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "yes"}],
        response_metadata={"stop_reason": "max_tokens"},
        usage_metadata={"input_tokens": 3, "output_tokens": 2, "total_tokens": 5},
    )
    engine = ChatEngine(_model(message))
    reply = engine.reply(PROMPT)
    assert engine.name == "OwnModel:tiny"
    assert (reply.text, reply.input_tokens, reply.output_tokens) == ("yes", 3, 2)
    assert reply.finish_reason is FinishReason.LENGTH


def test_an_error_of_an_unknown_kind_is_still_an_engine_error() -> None:
    class OddError(Exception):
        pass

    with pytest.raises(EngineError, match="went wrong") as caught:
        ChatEngine(_model(OddError("it went wrong"))).reply(PROMPT)
    assert isinstance(caught.value.__cause__, OddError)
