"""Any chat model that LangChain supports, hosted or local, as an engine."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from copy import copy
from functools import cache, partial
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING, Self

from investigator.engines.base import Hear, guessed_tokens
from investigator.engines.chat.errors import failure, is_too_long, status_of, without_reply
from investigator.engines.chat.models import (
    CHAT_PROVIDERS,
    OPENAI_COMPATIBLE,
    ChatSettings,
    Feature,
    build,
    constrained,
    features_of,
    server_of,
    server_of_ready,
)
from investigator.engines.http import within
from investigator.errors import EngineError, SettingsError
from investigator.records import FinishReason, Prompt, Reply, Traits
from investigator.secrets import redacted, redacted_so_far, without_secrets

if TYPE_CHECKING:
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage

_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "incomplete"})
_WHOLE = frozenset({"", "stop", "end_turn", "stop_sequence", "eos", "completed"})
_REFUSED = {
    Feature.TEMPERATURE: r"\btemperature\b",
    Feature.TOP_P: r"\btop_?p\b",
    Feature.MAX_TOKENS: r"\b(max_(completion_|output_)?tokens|num_predict)\b",
    Feature.JSON_SCHEMA: r"response_?format|json[_ ]?schema|json[_ ]object|structured output|\bgrammar\b",
    Feature.TOOLS: r"\b(tools?|tool_choice|parallel_tool_calls|functions?)\b",
}
"""The names under which a server's error refers to what it refused."""

_LOADING = Lock()  # two threads must not import packages with circular imports at the same time


class ChatEngine:
    """A chat model: a `provider:name` such as `openai:gpt-5-mini` or `ollama:llama3.2`, or a LangChain chat model.

    The prompt goes out as one user message. The reply is constrained to a JSON schema or, if the server rejects that,
    requested as a tool call; if it rejects both, only the prompt says how to reply. A parameter that the server rejects
    is omitted from then on, which is reported once to `on_notice`. The provider's client retries temporary errors, up
    to `settings.attempts` attempts in all, and waits as long as the server requests. A call always ends within
    `settings.timeout` seconds; a call that does not return is abandoned. All engines in a process that use the same
    endpoint make at most `settings.concurrency` concurrent calls.

    `callbacks` are LangChain callback handlers that receive each call, with the template in the metadata. A LangChain
    model built by the caller keeps its own callbacks, parameters, retries and handling of redirects: only `timeout`,
    `concurrency` and `max_reply_characters` apply to it, and no schema is requested from it.

    Raises SettingsError or CredentialError at once if the model cannot be used. Safe to call from several threads.
    """

    def __init__(
        self,
        model: str | BaseChatModel,
        settings: ChatSettings | None = None,
        *,
        on_notice: Callable[[str], None] | None = None,
        callbacks: Sequence[BaseCallbackHandler] = (),
    ) -> None:
        self._settings = settings or ChatSettings()
        self._on_notice = on_notice or (lambda _: None)
        self._callbacks = list(callbacks)
        self._refused: set[Feature] = set()
        self._has_worked = False
        self._lock = Lock()
        self._is_ready = not isinstance(model, str)
        if isinstance(model, str):
            self._server = server_of(model, self._settings)
            self._wanted = features_of(self._settings)
            self._models: dict[frozenset[Feature], BaseChatModel] = {}
            if self._server.provider not in CHAT_PROVIDERS or self._server.provider == "azure_openai":
                self._model(self._wanted)  # only its own class can check the name and the settings; the rest is lazy
        else:
            self._server, self._wanted = server_of_ready(model), frozenset()
            self._models = {self._wanted: model}

    @property
    def name(self) -> str:
        """Return the name as `provider:name`, followed by `@host` if a base URL is set."""
        return f"{self._server.model}@{self._server.host}" if self._settings.base_url else self._server.model

    @property
    def endpoint(self) -> str:
        """Return the scheme, host and port to which prompts are sent, or the provider if the address is unknown."""
        return self._server.endpoint

    @property
    def reply_format(self) -> Feature | None:
        """Return how the reply's schema is requested: the strictest way that the server has not rejected."""
        formats = (Feature.JSON_SCHEMA, Feature.TOOLS)
        return next((feature for feature in formats if feature in self._wanted - self._refused), None)

    @property
    def settings(self) -> ChatSettings:
        """Return the settings for calling the model."""
        return self._settings

    @property
    def traits(self) -> Traits:
        """Return the traits of a language model behind a server that may answer several prompts at a time."""
        settings = self._settings
        shaping = {"temperature": settings.temperature, "top_p": settings.top_p, "max_tokens": settings.max_tokens}
        return Traits(
            is_model=True,
            context_tokens=settings.context_tokens,
            concurrency=settings.concurrency,
            sampling=" ".join(f"{name}={value}" for name, value in shaping.items() if value is not None),
        )

    def with_settings(self, settings: ChatSettings) -> Self:
        """Return a copy of the engine with other parameters. It shares the known refusals with the original.

        Raises SettingsError for a LangChain model built by the caller, which has its own parameters.
        """
        if self._is_ready:
            raise SettingsError(
                f"{self.name} was built by the caller and keeps its own parameters",
                hint="Set temperature, top_p and max_tokens when building the model, or name it as provider:name.",
            )
        other = copy(self)
        other._settings, other._wanted, other._models = settings, features_of(settings), {}
        return other

    def reply(self, prompt: Prompt, hear: Hear | None = None) -> Reply:
        """Return the model's reply to one prompt, streamed piece by piece to a listener if the server supports it.

        Raises CredentialError for a rejected key, SettingsError for a missing model, and EngineError for any
        other failure.
        """
        began, sent = time.monotonic(), self._wanted - self._refused
        while True:
            answer = self._answer(prompt, hear, sent)
            if not isinstance(answer, Exception):
                break
            refused = self._refused_by(answer, sent)
            if refused is None:
                raise failure(answer, self._server) from without_secrets(answer)
            sent -= {refused}
        self._learn(self._wanted - sent)
        reply = _read(answer, prompt.text, self._settings.max_reply_characters)
        if not reply.text.strip():
            details = (answer.usage_metadata or {}).get("output_token_details") or {}
            raise without_reply(self._server, reply, int(details.get("reasoning") or 0))
        return reply.changed(seconds=time.monotonic() - began)

    reply_aloud = reply

    def _answer(self, prompt: Prompt, hear: Hear | None, sent: frozenset[Feature]) -> AIMessage | Exception:
        """Return the model's message, or the error if the call fails or takes too long. A listener hears of the message
        as it arrives.
        """
        settings, model = self._settings, self._model(sent)  # loaded before the clock starts
        call = partial(self._messages, model, prompt, sent, is_streamed=hear is not None)
        answer: AIMessage | Exception = EngineError("no message")
        with _slots(self.endpoint, settings.concurrency), closing(within(settings.timeout, call)) as answers:
            for answer in answers:
                if hear is not None and not isinstance(answer, Exception):
                    text = text_of(answer)
                    hear(redacted_so_far(text))
                    if len(text) > settings.max_reply_characters:
                        break
        return answer

    def _messages(
        self, model: BaseChatModel, prompt: Prompt, sent: frozenset[Feature], is_streamed: bool
    ) -> Iterator[AIMessage]:
        """Yield the model's message or, streamed, the message so far with each piece. If the server sends no pieces,
        stops in the middle or refuses to stream, request the whole message, which the provider's client retries.
        """
        from langchain_core.runnables.config import RunnableConfig, ensure_config, merge_configs
        from langsmith import tracing_context

        bound = model if self._is_ready else constrained(model, self._server, sent, prompt.reply_type)
        about = {"template": prompt.template}
        tags = ["investigator", prompt.template.partition("/")[0]]
        own = RunnableConfig(callbacks=self._callbacks, metadata=about, tags=tags)
        config = merge_configs(ensure_config(), own)  # keeps out the callbacks of an enclosing chain
        usage = {"stream_usage": True} if self._server.provider in OPENAI_COMPATIBLE else {}
        with tracing_context(enabled=False):  # an environment variable for another program must not redirect documents
            message = None
            try:
                for piece in bound.stream(prompt.text, config, **usage) if is_streamed else ():
                    message = piece if message is None else message + piece
                    yield message
            except Exception as error:
                if status_of(error) not in (None, 400, 422):
                    raise
                message = None
            if message is None:
                yield bound.invoke(prompt.text, config)

    def _refused_by(self, error: Exception, sent: frozenset[Feature]) -> Feature | None:
        """Return the feature that the server's error (400 or 422) rejects, or None for any other error.

        A refusal without a reason is attributed to the reply format until a call has worked.
        """
        if status_of(error) not in (400, 422) or is_too_long(error):
            return None
        sent = sent - {Feature.TOOLS} if Feature.JSON_SCHEMA in sent else sent
        for text in (str(getattr(error, "param", None)), str(error)):
            for feature in Feature:
                if feature in sent and re.search(_REFUSED[feature], text, re.IGNORECASE):
                    return feature
        formats = () if self._has_worked else (Feature.JSON_SCHEMA, Feature.TOOLS)
        return next((feature for feature in formats if feature in sent), None)

    def _learn(self, omitted: frozenset[Feature]) -> None:
        """After a successful call, never send again what it omitted, and report it."""
        with self._lock:
            news = omitted - self._refused
            self._refused |= news
            self._has_worked = True
        for feature in sorted(news):
            self._on_notice(f"{self.name} rejects the parameter {feature}, so it is no longer sent")

    def _model(self, features: frozenset[Feature]) -> BaseChatModel:
        with _LOADING:
            if features not in self._models:
                self._models[features] = build(self._server, self._settings, features)
            return self._models[features]


@cache
def _slots(endpoint: str, most: int) -> BoundedSemaphore:
    return BoundedSemaphore(most)


def text_of(message: AIMessage) -> str:
    """Return the text of a message, without reasoning: the arguments of its tool call, or else its text blocks."""
    if pieces := getattr(message, "tool_call_chunks", None):
        return "".join(piece["args"] or "" for piece in pieces)
    if message.tool_calls:
        return json.dumps(message.tool_calls[0]["args"], ensure_ascii=False)
    if message.invalid_tool_calls:
        return message.invalid_tool_calls[0]["args"] or ""
    return str(message.text)


def _read(message: AIMessage, prompt: str, limit: int) -> Reply:
    text = redacted(text_of(message))  # redact before cutting: half a key would not be recognised
    usage = message.usage_metadata or {}
    return Reply(
        text=text[:limit],
        input_tokens=_count(usage.get("input_tokens"), prompt),
        output_tokens=_count(usage.get("output_tokens"), text),
        finish_reason=FinishReason.LENGTH if len(text) > limit else _finish_of(message.response_metadata),
    )


def _count(reported: object, text: str) -> int:
    """Return the number of tokens that a server reported, or an estimate if it is missing or implausible."""
    return reported if isinstance(reported, int) and reported > 0 else guessed_tokens(text)


def _finish_of(metadata: Mapping[str, object]) -> FinishReason:
    keys = ("finish_reason", "stop_reason", "done_reason", "status")
    reason = str(next((metadata[key] for key in keys if metadata.get(key)), "")).lower()
    if reason in _CUT:
        return FinishReason.LENGTH
    return FinishReason.STOP if reason in _WHOLE else FinishReason.OTHER
