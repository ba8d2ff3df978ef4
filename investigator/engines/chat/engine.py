"""Any chat model that LangChain supports, hosted or local, as an engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Self

from investigator.engines.base import Hear, Traits, guessed_tokens
from investigator.engines.chat.errors import FailedCall, failure, host_of, without_reply
from investigator.engines.chat.invoking import Hearing, Observer, heard, invoked, text_of
from investigator.engines.chat.known_servers import KnownServers, Negotiation
from investigator.engines.chat.models import (
    ChatSettings,
    build,
    can_build_later,
    first_sending,
    format_arguments,
    server_of,
    server_of_ready,
    split_name,
    stream_arguments,
)
from investigator.engines.chat.queueing import CallQueue, Ended, Ticket, queue_at
from investigator.engines.chat.sending import Parameter, ReplyFormat, Sending
from investigator.engines.http import retried, within
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


@dataclass
class _Call:
    """The state of one prompt across its attempts; `hear` receives the partial reply."""

    prompt: Prompt
    hear: Hear | None
    sending: Sending
    ticket: Ticket
    failed: FailedCall | None = None
    """The error of the last attempt that reached the server."""


class ChatEngine:
    """A chat model: a `provider:name` such as `openai:gpt-5-mini` or `ollama:llama3.2`, or a LangChain chat model.

    The prompt goes out as one user message. The reply is constrained to a JSON schema if the provider supports that. A
    parameter that the server rejects is omitted from then on, which is reported once to `on_notice`; `known` remembers
    it for other engines and later runs. Temporary errors are retried, up to `settings.attempts` times, with growing
    random waits or the wait that the server requests. A call always ends within `settings.timeout` seconds; a call that
    does not return is abandoned. All engines in a process that use the same endpoint share a queue, which allows at
    most `settings.concurrency` concurrent calls, fewer after refusals, and none while the endpoint requests a pause. A
    prompt that is still waiting after `attempts * (timeout + max_wait)` seconds fails.

    `callbacks` are LangChain callback handlers that receive each call, with the template in the metadata; LangChain
    logs their errors, which have no other effect. A LangChain model built by the caller keeps its own callbacks,
    parameters and handling of redirects: only the settings for time, attempts, concurrency and `max_reply_characters`
    apply to it, and no schema is requested from it.

    Raises SettingsError, CredentialError or MissingPackageError at once if the model cannot be used. Safe to call from
    several threads.
    """

    def __init__(
        self,
        model: str | BaseChatModel,
        settings: ChatSettings | None = None,
        *,
        on_notice: Callable[[str], None] | None = None,
        known: KnownServers | None = None,
        callbacks: Sequence[BaseCallbackHandler] = (),
        queue: CallQueue | None = None,
    ) -> None:
        self._settings = settings or ChatSettings()
        self._is_ready = not isinstance(model, str)
        if isinstance(model, str):
            self._server = server_of(*split_name(model), self._settings)
            self._wanted = first_sending(self._server, self._settings)
        else:
            self._server, self._wanted, known = server_of_ready(model), Sending(), None
        self._negotiation = Negotiation(self.name, self._server.identity, known, on_notice)
        parameters = self._negotiation.allowed(self._wanted).parameters
        self._models: dict[frozenset[Parameter], BaseChatModel] = {} if isinstance(model, str) else {parameters: model}
        self._building = Lock()
        if not can_build_later(self._server):
            self._model(parameters)
        self._observers = [Observer(handler) for handler in callbacks]
        self._queue = queue or queue_at(self._server.endpoint)

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
    def reply_format(self) -> ReplyFormat:
        """Return the reply format to request: the strictest one that the server has not rejected."""
        return self._negotiation.allowed(self._wanted).reply_format

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
        self._model(self._negotiation.allowed(self._wanted).parameters)  # loaded before the clock starts
        started, settings = time.monotonic(), self._settings
        patience = settings.attempts * (settings.timeout + settings.max_wait)
        ticket = self._queue.ticket(most=settings.concurrency, longest=settings.max_wait, patience=patience)
        call = _Call(prompt, hear, self._negotiation.allowed(self._wanted), ticket)
        reply = retried(lambda: self._try(call), lambda _, tried: self._wait(call, tried), self._queue.pause)
        return reply.changed(seconds=time.monotonic() - started)

    def with_settings(self, settings: ChatSettings) -> Self:
        """Return a copy of the engine with other parameters. It shares the queue and the known refusals with the
        original.

        Raises SettingsError for a LangChain model built by the caller, which has its own parameters.
        """
        if self._is_ready:
            raise SettingsError(
                f"{self.name} was built by the caller and keeps its own parameters",
                hint="Set temperature, top_p and max_tokens when building the model, or name it as provider:name.",
            )
        other = copy(self)
        other._settings = settings
        other._wanted = first_sending(self._server, settings)
        other._models, other._building = {}, Lock()
        return other

    def _wait(self, call: _Call, tried: int) -> float | None:
        """Return the seconds to wait before the next attempt, or None if the call should fail."""
        failed, settings = call.failed, self._settings
        if failed is None or tried >= min(failed.tries, settings.attempts):
            return None
        return min(2.0 ** (tried - 1), settings.max_wait) if failed.wait is None else failed.wait

    def _try(self, call: _Call) -> Reply:
        """Make one attempt; if the server rejects a parameter, try again without it as part of the same attempt."""
        while True:
            call.failed = None
            began = self._queue.begin(call.ticket)
            answer = self._answer(call, began)
            if not isinstance(answer, FailedCall):
                self._negotiation.after_success(self._wanted, call.sending)
                reply = _read(answer, call.prompt.text, self._settings.max_reply_characters)
                if not reply.text.strip():
                    raise without_reply(self._server, reply, _thought(answer))
                return reply
            cause, streamed = answer.cause, call.hear is not None
            less = None if cause is None else self._negotiation.after_refusal(cause, call.sending, streamed=streamed)
            if less is None:
                call.failed = answer
                raise answer.error from (None if cause is None else without_secrets(cause))
            call.sending = less

    def _answer(self, call: _Call, began: float) -> AIMessage | FailedCall:
        """Return the model's message or the failure, and adapt the queue to the server's response."""
        ended, asked = Ended.OTHERWISE, None
        try:
            answer = self._said(call)
            if not isinstance(answer, Exception):
                ended = Ended.WELL
                return answer
            failed = failure(answer, self._server, self._settings.max_wait)
            if failed.busy:
                ended, asked = Ended.REFUSED, failed.wait
            return failed
        finally:
            self._queue.end(call.ticket, began, ended, asked)

    def _said(self, call: _Call) -> AIMessage | Exception:
        """Return the reply, or the error if the call fails or takes too long. A listener receives the reply as it
        arrives.
        """
        sending, timeout = call.sending, self._settings.timeout
        arguments = format_arguments(self._server, sending.reply_format, call.prompt.reply_type)
        model = self._model(sending.parameters)
        if (hear := call.hear) is None:
            ask = partial(model.invoke, **arguments)
            return within(timeout, partial(invoked, ask, call.prompt, self._observers))
        hearing = Hearing(lambda said: hear(redacted_so_far(said)), self._settings.max_reply_characters)
        aloud = partial(heard, model, {**arguments, **stream_arguments(sending)}, hearing)
        try:
            answer = within(timeout, partial(invoked, aloud, call.prompt, self._observers))
        finally:
            hearing.end()
        if hearing.problem is not None:
            raise hearing.problem
        return answer

    def _model(self, parameters: frozenset[Parameter]) -> BaseChatModel:
        with self._building:
            if parameters not in self._models:
                self._models[parameters] = build(self._server, self._settings, parameters)
            return self._models[parameters]


def _read(message: AIMessage, prompt: str, limit: int) -> Reply:
    text = redacted(text_of(message.content))  # redact before cutting: half a key would not be recognised
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
