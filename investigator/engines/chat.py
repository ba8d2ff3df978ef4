"""Any chat model that LangChain knows, hosted or local, behind the one seam."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Self

from investigator.engines.base import Traits
from investigator.engines.chat_errors import (
    Failure,
    Parameter,
    Server,
    failure,
    host_of,
    is_unexplained_refusal,
    refused_parameter,
)
from investigator.engines.chat_models import (
    ChatSettings,
    build,
    format_argument,
    server_of,
    settable_parameters,
    split_name,
)
from investigator.records import FinishReason, Prompt, Reply

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from tenacity import RetryCallState, Retrying

__all__ = ["ChatEngine", "ChatSettings"]

_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "incomplete"})
_WHOLE = frozenset({"", "stop", "end_turn", "stop_sequence", "eos", "completed"})


class ChatEngine:
    """A chat model: a `provider:name` such as `openai:gpt-5-mini` or `ollama:llama3.2`, or a LangChain chat model.

    The prompt goes out as one user message. The reply is held to a JSON schema where the provider can do so. A
    parameter that the server refuses is left out from then on, and `on_notice` is told once. Errors that may pass
    are tried again, up to `settings.attempts`, with growing random waits or the wait that the server asks for;
    `sleep` does the waiting. A ready LangChain model keeps its own parameters: of the settings only `attempts`,
    `max_wait` and `max_reply_characters` apply to it, and it is not asked for a schema.

    Raises SettingsError, CredentialError or MissingPackageError at once where the model cannot be used.
    Safe to call from several threads.
    """

    def __init__(
        self,
        model: str | BaseChatModel,
        settings: ChatSettings | None = None,
        *,
        on_notice: Callable[[str], None] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._settings = settings or ChatSettings()
        self._parameters: frozenset[Parameter] = frozenset()
        if isinstance(model, str):
            self._server = server_of(*split_name(model), self._settings)
            self._parameters = settable_parameters(self._server, self._settings)
            self._model = build(self._server, self._settings, self._parameters)
        else:
            given = getattr(model, "model_name", None) or getattr(model, "model", None) or "model"
            self._server = Server(f"{type(model).__name__}:{given}")
            self._model = model
        self._on_notice = on_notice
        self._sleep = sleep
        self._format_works = False
        self._lock = Lock()

    @classmethod
    def of(cls, model: BaseChatModel, settings: ChatSettings | None = None) -> Self:
        """An engine over a LangChain chat model that was built elsewhere."""
        return cls(model, settings)

    @property
    def name(self) -> str:
        """`provider:name`, with `@host` where a base URL is set."""
        base_url = self._settings.base_url
        return f"{self._server.model}@{host_of(base_url)}" if base_url else self._server.model

    @property
    def traits(self) -> Traits:
        """A language model, behind a server that may answer several prompts at a time."""
        return Traits(
            is_model=True, context_tokens=self._settings.context_tokens, concurrency=self._settings.concurrency
        )

    def reply(self, prompt: Prompt) -> Reply:
        """The model's reply to one prompt.

        Raises CredentialError for a refused key, SettingsError for a model that is not there, RateLimitError,
        EngineTimeoutError, EngineUnreachableError, and EngineError for everything else that gives no reply.
        """
        started = time.monotonic()
        outcome: Reply | Failure = self._retrying()(self._attempt, prompt)
        if isinstance(outcome, Failure):
            raise outcome.error from outcome.cause
        return outcome.model_copy(update={"seconds": time.monotonic() - started})

    def _retrying(self) -> Retrying:
        from tenacity import Retrying, wait_exponential_jitter

        back_off = wait_exponential_jitter(initial=1, max=self._settings.max_wait)

        def is_worth_a_try(state: RetryCallState) -> bool:
            outcome = _outcome(state)
            return isinstance(outcome, Failure) and state.attempt_number < outcome.tries

        def wait(state: RetryCallState) -> float:
            outcome = _outcome(state)
            asked = outcome.wait if isinstance(outcome, Failure) else None
            return float(back_off(state)) if asked is None else asked

        return Retrying(
            retry=is_worth_a_try,
            stop=lambda state: state.attempt_number >= self._settings.attempts,
            wait=wait,
            sleep=self._sleep,
            retry_error_callback=_outcome,
        )

    def _attempt(self, prompt: Prompt) -> Reply | Failure:
        """One try; a parameter that the server refuses is left out and does not count as a try."""
        while True:
            with self._lock:
                model, parameters = self._model, self._parameters
            try:
                message = _invoke(model, prompt, format_argument(self._server, parameters, prompt.reply_type))
            except Exception as error:  # noqa: BLE001 - each provider's package has errors of its own; all end here
                refused = self._refused(error, parameters)
                if refused is None:
                    return failure(error, self._server, self._settings.max_wait)
                self._leave_out(refused)
            else:
                self._format_works |= Parameter.RESPONSE_FORMAT in parameters
                return _read(message, self._settings.max_reply_characters)

    def _refused(self, error: Exception, sent: frozenset[Parameter]) -> Parameter | None:
        named = refused_parameter(error, sent)
        if named is None and Parameter.RESPONSE_FORMAT in sent and not self._format_works:
            return Parameter.RESPONSE_FORMAT if is_unexplained_refusal(error) else None
        return named

    def _leave_out(self, parameter: Parameter) -> None:
        with self._lock:
            if parameter not in self._parameters:  # another thread has met the same refusal
                return
            self._parameters -= {parameter}
            if parameter is not Parameter.RESPONSE_FORMAT:
                self._model = build(self._server, self._settings, self._parameters)
        if self._on_notice is not None:
            self._on_notice(f"{self.name} refuses the parameter {parameter}: it is no longer sent")


def _outcome(state: RetryCallState) -> Reply | Failure:
    assert state.outcome is not None
    result: Reply | Failure = state.outcome.result()
    return result


def _invoke(model: BaseChatModel, prompt: Prompt, arguments: Mapping[str, object]) -> AIMessage:
    from langchain_core.messages import HumanMessage
    from langsmith import tracing_context

    with tracing_context(enabled=False):  # a variable set for another program must not send the documents away
        return model.invoke([HumanMessage(prompt.text)], **arguments)


def _read(message: AIMessage, limit: int) -> Reply:
    text = _text_of(message.content)
    usage = message.usage_metadata or {}
    finish = FinishReason.LENGTH if len(text) > limit else _finish_of(message.response_metadata)
    return Reply(
        text=text[:limit],
        input_tokens=usage.get("input_tokens") or 0,
        output_tokens=usage.get("output_tokens") or 0,
        finish_reason=finish,
    )


def _text_of(content: str | list[str | dict[str, object]]) -> str:
    """The text of a message; of a list of blocks the texts, without reasoning and other kinds."""
    if isinstance(content, str):
        return content
    texts = (block if isinstance(block, str) else block.get("text") for block in content if _is_text(block))
    return "".join(text for text in texts if isinstance(text, str))


def _is_text(block: str | dict[str, object]) -> bool:
    return isinstance(block, str) or block.get("type") in ("text", "output_text")


def _finish_of(metadata: Mapping[str, object]) -> FinishReason:
    named = next(
        (metadata[key] for key in ("finish_reason", "stop_reason", "done_reason", "status") if metadata.get(key)), ""
    )
    reason = str(named).lower()
    if reason in _CUT:
        return FinishReason.LENGTH
    return FinishReason.STOP if reason in _WHOLE else FinishReason.OTHER
