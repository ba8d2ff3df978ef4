"""Any chat model that LangChain supports, hosted or local, as an engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cache, partial
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING, Self

from investigator.engines.base import Hear, Traits, guessed_tokens
from investigator.engines.chat.calls import Hearing, heard, invoked, text_of
from investigator.engines.chat.errors import failure, host_of, without_reply
from investigator.engines.chat.models import (
    ChatSettings,
    build,
    can_build_later,
    constrained,
    features_of,
    server_of,
    server_of_ready,
    split_name,
)
from investigator.engines.chat.refusals import Feature, Refusals
from investigator.engines.http import within
from investigator.errors import SettingsError
from investigator.records import FinishReason, Prompt, Reply
from investigator.secrets import redacted, redacted_so_far, without_secrets

if TYPE_CHECKING:
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage

__all__ = ["ChatEngine", "ChatSettings"]

_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "incomplete"})
_WHOLE = frozenset({"", "stop", "end_turn", "stop_sequence", "eos", "completed"})


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

    Raises SettingsError, CredentialError or MissingPackageError at once if the model cannot be used. Safe to call from
    several threads.
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
        self._is_ready = not isinstance(model, str)
        if isinstance(model, str):
            self._server = server_of(*split_name(model), self._settings)
            self._wanted = features_of(self._server, self._settings)
        else:
            self._server, self._wanted = server_of_ready(model), frozenset[Feature]()
        self._refusals = Refusals(self.name, on_notice)
        self._models: dict[frozenset[Feature], BaseChatModel] = {} if isinstance(model, str) else {self._wanted: model}
        self._building = Lock()
        if not can_build_later(self._server):
            self._model(self._wanted)
        self._callbacks = tuple(callbacks)

    @property
    def name(self) -> str:
        """Return the name as `provider:name`, followed by `@host` if a base URL is set."""
        base_url = self._settings.base_url
        return f"{self._server.model}@{host_of(base_url)}" if base_url else self._server.model

    @property
    def endpoint(self) -> str:
        """Return the scheme, host and port to which prompts are sent, or the provider if the address is unknown."""
        return self._server.endpoint

    @property
    def reply_format(self) -> Feature | None:
        """Return how the reply's schema is requested: the strictest way that the server has not rejected."""
        allowed = self._refusals.allowed(self._wanted)
        return next((feature for feature in (Feature.JSON_SCHEMA, Feature.TOOLS) if feature in allowed), None)

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

    def reply(self, prompt: Prompt) -> Reply:
        """Return the model's reply to one prompt.

        Raises CredentialError for a rejected key, SettingsError for a missing model, RateLimitError,
        EngineTimeoutError, EngineUnreachableError, and EngineError for any other failure.
        """
        return self.reply_aloud(prompt, None)

    def reply_aloud(self, prompt: Prompt, hear: Hear | None) -> Reply:
        """Return the same reply as `reply`, streamed piece by piece if the server supports it."""
        started, sent = time.monotonic(), self._refusals.allowed(self._wanted)
        while isinstance(answer := self._answer(prompt, hear, sent), Exception):
            refused = self._refusals.refused_by(answer, sent, streamed=hear is not None)
            if refused is None:
                raise failure(answer, self._server) from without_secrets(answer)
            sent -= {refused}
        self._refusals.learn(self._wanted, sent)
        reply = _read(answer, prompt.text, self._settings.max_reply_characters)
        if not reply.text.strip():
            raise without_reply(self._server, reply, _thought(answer))
        return reply.changed(seconds=time.monotonic() - started)

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
        other._settings = settings
        other._wanted = features_of(self._server, settings)
        other._models, other._building = {}, Lock()
        return other

    def _answer(self, prompt: Prompt, hear: Hear | None, sent: frozenset[Feature]) -> AIMessage | Exception:
        """Return the model's message, or the error if the call fails or takes too long. A listener receives the reply
        as it arrives.
        """
        settings = self._settings
        model = self._model(sent)  # loaded before the clock starts
        bound = model if self._is_ready else constrained(model, self._server, sent, prompt.reply_type)
        with _slots(self._server.endpoint, settings.concurrency):
            if hear is None:
                return within(settings.timeout, partial(invoked, bound.invoke, prompt, self._callbacks))
            hearing = Hearing(lambda written: hear(redacted_so_far(written)), settings.max_reply_characters)
            arguments = {"stream_usage": True} if Feature.STREAM_OPTIONS in sent else {}
            aloud = partial(heard, bound, arguments, hearing)
            try:
                answer = within(settings.timeout, partial(invoked, aloud, prompt, self._callbacks))
            finally:
                hearing.end()
        if hearing.problem is not None:
            raise hearing.problem
        return answer

    def _model(self, features: frozenset[Feature]) -> BaseChatModel:
        with self._building:
            if features not in self._models:
                self._models[features] = build(self._server, self._settings, features)
            return self._models[features]


@cache
def _slots(endpoint: str, most: int) -> BoundedSemaphore:
    return BoundedSemaphore(most)


def _read(message: AIMessage, prompt: str, limit: int) -> Reply:
    text = redacted(text_of(message))  # redact before cutting: half a key would not be recognised
    usage = message.usage_metadata or {}
    tokens = (_count(usage.get("input_tokens"), prompt), _count(usage.get("output_tokens"), text))
    finish = FinishReason.LENGTH if len(text) > limit else _finish_of(message.response_metadata)
    return Reply(
        text=text[:limit],
        input_tokens=tokens[0],
        output_tokens=tokens[1],
        finish_reason=finish,
    )


def _thought(message: AIMessage) -> int:
    """Return the number of tokens that a model reports to have spent on thinking."""
    details = (message.usage_metadata or {}).get("output_token_details") or {}
    return int(details.get("reasoning") or 0)


def _count(told: object, text: str) -> int:
    """Return the number of tokens that a server reported, or an estimate if it is missing or implausible."""
    return told if isinstance(told, int) and told > 0 else guessed_tokens(text)


def _finish_of(metadata: Mapping[str, object]) -> FinishReason:
    named = next(
        (metadata[key] for key in ("finish_reason", "stop_reason", "done_reason", "status") if metadata.get(key)), ""
    )
    reason = str(named).lower()
    if reason in _CUT:
        return FinishReason.LENGTH
    return FinishReason.STOP if reason in _WHOLE else FinishReason.OTHER
