"""Any chat model that LangChain supports, hosted or local, as an engine."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from copy import copy
from enum import StrEnum
from functools import cache, partial
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING, Any, Self

from investigator.engines.base import Hear, Sampling, guessed_tokens
from investigator.engines.chat.models import (
    CHAT_PROVIDERS,
    NAME_HINT,
    OPENAI_COMPATIBLE,
    ChatSettings,
    Server,
    cleaned,
    failure,
    is_too_long,
    missing_package,
    server_of,
    server_of_ready,
    status_of,
)
from investigator.engines.http import BodyBounds, bound_clients, client_settings, within
from investigator.engines.schemas import reply_schema
from investigator.errors import EngineError, SettingsError, SilentReplyError
from investigator.records import FinishReason, Prompt, Record, Reply, Traits
from investigator.secrets import redacted, redacted_so_far, without_secrets

if TYPE_CHECKING:
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.runnables import Runnable

_MOST_CHARACTERS = 200_000  # of a reply; the rest is cut off
_REJECTED = (400, 422)
_FINISH = {
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "model_length", "incomplete"), FinishReason.LENGTH),
    **dict.fromkeys(("", "stop", "end_turn", "stop_sequence", "eos", "completed"), FinishReason.STOP),
}
_SILENT = (
    "Turn the model's thinking off, raise chat.max_tokens (to 16000), or choose another model; then try again: "
    "finished work is kept."
)
_LOADING = Lock()  # two threads must not import packages with circular imports at the same time


class Feature(StrEnum):
    """A part of a call that some servers reject."""

    TEMPERATURE = "temperature"
    TOP_P = "top_p"
    MAX_TOKENS = "max_tokens"
    JSON_SCHEMA = "json_schema"
    TOOLS = "tools"


_REFUSED: Mapping[Feature, str] = {
    Feature.TEMPERATURE: r"\btemperature\b",
    Feature.TOP_P: r"\btop_?p\b",
    Feature.MAX_TOKENS: r"\b(max_(completion_|output_)?tokens|num_predict)\b",
    Feature.JSON_SCHEMA: r"response_?format|json[_ ]?schema|json[_ ]object|structured output|\bgrammar\b",
    Feature.TOOLS: r"\b(tools?|tool_choice|parallel_tool_calls|functions?)\b",
}
"""The names under which a server's error refers to what it rejected."""

_FORMATS: Mapping[Feature, str] = {Feature.JSON_SCHEMA: "json_schema", Feature.TOOLS: "function_calling"}
"""The ways to request the schema of a reply, the strictest first, as LangChain names them."""


class ChatEngine:
    """A chat model: a `provider:name` such as `openai:gpt-5-mini` or `ollama:llama3.2`, or a LangChain chat model.

    The prompt goes out as one user message. The reply is constrained to a JSON schema or, if the server rejects that,
    requested as a tool call; if it rejects both, only the prompt says how to reply. A parameter that the server rejects
    is omitted from then on, which is reported once to `on_notice`. The provider's client retries temporary errors. A
    call always ends within `settings.timeout` seconds; one that does not return is abandoned. All engines in a process
    that use the same endpoint make at most `settings.concurrency` concurrent calls.

    `callbacks` are LangChain callback handlers that receive each call, with the template in the metadata. A LangChain
    model built by the caller keeps its own callbacks, parameters, retries and handling of redirects, and no schema is
    requested from it. `endpoint` is the scheme, host and port to which prompts are sent, or the provider if the address
    is unknown. Raises SettingsError or CredentialError at once if the model cannot be used. Thread-safe.
    """

    def __init__(
        self,
        model: str | BaseChatModel,
        settings: ChatSettings | None = None,
        *,
        on_notice: Callable[[str], None] = lambda _: None,
        callbacks: Sequence[BaseCallbackHandler] = (),
    ) -> None:
        self._settings = settings = settings or ChatSettings()
        self.sampling = Sampling(temperature=settings.temperature, max_tokens=settings.max_tokens)
        self._on_notice, self._callbacks = on_notice, list(callbacks)
        self._refused: set[Feature] = set()
        self._has_worked, self._lock = False, Lock()
        self._ready = None if isinstance(model, str) else model
        self._models: dict[frozenset[Feature], BaseChatModel] = {}
        self._server = server_of(model, settings) if isinstance(model, str) else server_of_ready(model)
        self.name = f"{self._server.model}@{self._server.host}" if settings.base_url else self._server.model
        self.endpoint = self._server.endpoint
        if self._server.provider not in CHAT_PROVIDERS or self._server.provider == "azure_openai":
            self._model(self._wanted)  # only its own class can check the name and the settings; the rest is lazy

    @property
    def reply_format(self) -> Feature | None:
        """Return how the reply's schema is requested: the strictest way that the server has not rejected."""
        return next((feature for feature in _FORMATS if feature in self._wanted - self._refused), None)

    @property
    def traits(self) -> Traits:
        """Return the traits of a language model behind a server that may answer several prompts at a time."""
        values = [
            f"{name}={getattr(self.sampling, name)}" for name in Feature if name in self._wanted - _FORMATS.keys()
        ]
        most, concurrency = self._settings.context_tokens, self._settings.concurrency
        return Traits(is_model=True, context_tokens=most, concurrency=concurrency, sampling=" ".join(values))

    def with_sampling(self, sampling: Sampling) -> Self:
        """Return a copy of the engine with other parameters. It shares the known refusals with the original.

        Raises SettingsError for a LangChain model built by the caller, which has its own parameters.
        """
        if self._ready is not None:
            raise SettingsError(
                f"{self.name} was built by the caller and keeps its own parameters",
                hint="Set temperature, top_p and max_tokens when building the model, or name it as provider:name.",
            )
        other = copy(self)
        other.sampling, other._models = sampling, {}
        return other

    def reply(self, prompt: Prompt, hear: Hear | None = None) -> Reply:
        """Return the model's reply to one prompt, streamed piece by piece to a listener if the server supports it.

        Raises CredentialError for a rejected key, SettingsError for a missing model, and EngineError for any
        other failure.
        """
        began, sent = time.monotonic(), self._wanted - self._refused
        while isinstance(answer := self._answer(prompt, hear, sent), Exception):
            refused = self._refused_by(answer, sent)
            if refused is None:
                raise failure(answer, self._server) from without_secrets(answer)
            sent -= {refused}
        self._learn(self._wanted - sent)
        reply = _read(answer, prompt.text)
        if reply.text.strip():
            return reply.changed(seconds=time.monotonic() - began)
        thought = ((answer.usage_metadata or {}).get("output_token_details") or {}).get("reasoning") or 0
        is_cut = reply.finish_reason is FinishReason.LENGTH
        end = "used up its output limit before it wrote a reply" if is_cut else "ended without writing a reply"
        spent = f" ({thought:,} tokens went into its thinking)" if thought else ""
        raise SilentReplyError(f"{self._server.place} {end}{spent}", hint=_SILENT)

    reply_aloud = reply

    @property
    def _wanted(self) -> frozenset[Feature]:
        given = self.sampling.model_dump(exclude_none=True, exclude={"top_k"})
        return frozenset(() if self._ready else (*_FORMATS, *map(Feature, given)))

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
                    if len(text) > _MOST_CHARACTERS:
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

        bound = _constrained(model, self._server, sent, prompt.reply_type) if self._ready is None else model
        tags = ["investigator", prompt.template.partition("/")[0]]
        own = RunnableConfig(callbacks=self._callbacks, metadata={"template": prompt.template}, tags=tags)
        config = merge_configs(ensure_config(), own)  # keeps out the callbacks of an enclosing chain
        usage = {"stream_usage": True} if self._server.provider in OPENAI_COMPATIBLE else {}
        with tracing_context(enabled=False):  # an environment variable for another program must not redirect documents
            message = None
            try:
                for piece in bound.stream(prompt.text, config, **usage) if is_streamed else ():
                    message = piece if message is None else message + piece
                    yield message
            except Exception as error:
                if status_of(error) not in (0, *_REJECTED):
                    raise
                message = None
            if message is None:
                yield bound.invoke(prompt.text, config)

    def _refused_by(self, error: Exception, sent: frozenset[Feature]) -> Feature | None:
        """Return the feature that the server's error rejects, or None for any other error. A refusal without a reason
        is attributed to the reply format until a call has worked.
        """
        if status_of(error) not in _REJECTED or is_too_long(error):
            return None
        formats = [feature for feature in _FORMATS if feature in sent][:1]  # the others were not sent yet
        for text in (str(getattr(error, "param", None)), str(error)):
            for feature, names in _REFUSED.items():
                was_sent = feature in (formats if feature in _FORMATS else sent)
                if was_sent and re.search(names, text, re.IGNORECASE):
                    return feature
        return formats[0] if formats and not self._has_worked else None

    def _learn(self, omitted: frozenset[Feature]) -> None:
        """After a successful call, never send again what it omitted, and report it."""
        with self._lock:
            news = omitted - self._refused
            self._refused |= news
            self._has_worked = True
        for feature in sorted(news):
            self._on_notice(f"{self.name} rejects the parameter {feature}, so it is no longer sent")

    def _model(self, features: frozenset[Feature]) -> BaseChatModel:
        if self._ready is not None:
            return self._ready
        with _LOADING:
            if features not in self._models:
                values = {feature.value: getattr(self.sampling, feature) for feature in features - _FORMATS.keys()}
                self._models[features] = _build(self._server, self._settings, values)
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


def _read(message: AIMessage, prompt: str) -> Reply:
    """Return the reply in a message; the tokens are guessed if the server reports none, or an impossible number."""
    text = redacted(text_of(message))  # redact before cutting: half a key would not be recognised
    about, usage = message.response_metadata, message.usage_metadata or {}
    tokens = (usage.get("input_tokens"), prompt), (usage.get("output_tokens"), text)
    read, written = (n if isinstance(n, int) and n > 0 else guessed_tokens(words) for n, words in tokens)
    reason = next(filter(None, map(about.get, ("finish_reason", "stop_reason", "done_reason", "status"))), "")
    finish = _FINISH.get(str(reason).lower(), FinishReason.OTHER)
    if len(text) > _MOST_CHARACTERS:
        text, finish = text[:_MOST_CHARACTERS], FinishReason.LENGTH
    return Reply(text=text, input_tokens=read, output_tokens=written, finish_reason=finish)


def _build(server: Server, settings: ChatSettings, sampling: Mapping[str, object]) -> BaseChatModel:
    """Return a chat model that sends the values in `sampling`. It follows no redirects and reads no endless body, as
    far as the provider's class accepts our client, or its own can be found. Raises SettingsError.
    """
    provider, _, name = server.model.partition(":")
    try:
        from langchain.chat_models import init_chat_model

        model: BaseChatModel = init_chat_model(name, model_provider=provider, **_arguments(server, settings, sampling))
        bound_clients(model, BodyBounds(server.place))
    except ImportError as error:
        raise missing_package(server, str(error)) from error
    except Exception as error:  # noqa: BLE001 - each provider's package has its own errors; all are caught here
        reason = cleaned(str(error))
        raise SettingsError(f"{server.model} cannot be used: {reason}", hint=NAME_HINT) from without_secrets(error)
    return model


def _arguments(server: Server, settings: ChatSettings, sampling: Mapping[str, object]) -> dict[str, object]:
    """Return the arguments for the provider's class."""
    client = client_settings(BodyBounds(server.place), settings.timeout)
    given = {**sampling, **({"base_url": server.address} if server.address else {})}
    if server.provider == "ollama":  # it takes no timeout and no key, and has another name for the longest reply
        return {"num_predict": given.pop("max_tokens", None), "client_kwargs": client, **given}
    given |= {"timeout": settings.timeout, "max_retries": settings.attempts - 1}
    given |= {"api_key": server.secret} if server.secret else {}
    if server.provider in OPENAI_COMPATIBLE:
        from openai import DefaultHttpxClient

        given["http_client"] = DefaultHttpxClient(**client)
    if server.provider == "openai":  # None keeps LangChain from choosing a temperature; local servers need no key
        given = {"temperature": None, "api_key": "none", **given}
    return given


def _constrained(
    model: BaseChatModel, server: Server, sent: frozenset[Feature], reply_type: type[Record]
) -> Runnable[Any, Any]:
    """Return the model, constrained to the schema of a reply in the strictest way that is allowed and supported."""
    schema = {"title": reply_type.__name__, **reply_schema(reply_type)}
    for feature in (feature for feature in _FORMATS if feature in sent):
        if feature is Feature.JSON_SCHEMA and server.provider in OPENAI_COMPATIBLE:  # whose client fails on cut replies
            strict = {"name": reply_type.__name__, "schema": reply_schema(reply_type), "strict": True}
            return model.bind(extra_body={"response_format": {"type": "json_schema", "json_schema": strict}})
        with suppress(NotImplementedError, TypeError, ValueError):  # this class has no such method
            structured = model.with_structured_output(schema, method=_FORMATS[feature])
            bound: Runnable[Any, Any] = getattr(structured, "first", model)  # without its parser, for the same reason
            return bound
    return model
