"""Records runs and engine calls as OpenTelemetry spans, named according to its conventions for generative AI."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from investigator.engines.roles import role_of
from investigator.records import Investigation, Reply
from investigator.secrets import redacted
from investigator.tracing.base import WatchedCall, encodable

if TYPE_CHECKING:
    from opentelemetry.trace import Span, TracerProvider

_AGENT = "investigator"
_PROVIDERS = {
    "azure_ai": "azure.ai.inference",
    "azure_openai": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "bedrock_converse": "aws.bedrock",
    "google_genai": "gcp.gemini",
    "google_vertexai": "gcp.vertex_ai",
    "ibm": "ibm.watsonx.ai",
    "mistralai": "mistral_ai",
    "xai": "x_ai",
}
"""The names of providers in the conventions, if they differ from LangChain's names."""


class SpanTracer:
    """Creates an `invoke_agent investigator` span for each run, with a child span `chat MODEL` for each call.
    Attributes defined by the conventions are named `gen_ai.*`; other attributes are named `investigator.*`. The texts
    of questions, prompts and replies are in the spans only if `content` is set. A reused reply has no usage. `on_end`
    is called when the span of a run has ended.

    https://opentelemetry.io/docs/specs/semconv/gen-ai/
    """

    def __init__(
        self, provider: TracerProvider, *, content: bool = False, on_end: Callable[[], None] = lambda: None
    ) -> None:
        self.tracer = provider.get_tracer(_AGENT)
        self.content = content
        self.on_end = on_end

    @contextmanager
    def run(self, run_id: str, question: str, engine: str, *, resumed: bool = False) -> Iterator[_Run]:
        """Trace a run with a span below the current span, without making it the current span."""
        from opentelemetry.trace import SpanKind

        attributes: dict[str, str | bool] = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": _AGENT,
            "investigator.run_id": run_id,
            "investigator.engine": encodable(engine),
            "investigator.resumed": resumed,
        }
        if self.content:
            attributes["gen_ai.input.messages"] = _message("user", question)
        span = self.tracer.start_span(f"invoke_agent {_AGENT}", kind=SpanKind.INTERNAL, attributes=attributes)
        run = _Run(self, span, run_id)
        try:
            yield run
        except GeneratorExit:  # the caller stopped early; this is not an error
            raise
        except BaseException as error:
            if span.is_recording():
                _failed(span, error)
            raise
        finally:
            run.close()


class _Run:
    def __init__(self, by: SpanTracer, span: Span, run_id: str) -> None:
        self._by = by
        self._span = span
        self._run_id = run_id
        self._closed = False

    @contextmanager
    def call(self, call: WatchedCall) -> Iterator[WatchedCall]:
        """Trace a call with a span.

        The span's parent is passed explicitly, because a worker thread does not know the current span.
        """
        from opentelemetry.trace import SpanKind, set_span_in_context, use_span

        asked = _asked(call.engine)
        attributes: dict[str, str | int | bool] = {
            **asked,
            "gen_ai.operation.name": "chat",
            "investigator.run_id": self._run_id,
            "investigator.role": role_of(call.prompt.template).value,
            "investigator.template": call.prompt.template,
            "investigator.key": call.key,
        }
        if self._by.content:
            attributes["gen_ai.input.messages"] = _message("user", call.prompt.text)
        span = self._by.tracer.start_span(
            f"chat {asked['gen_ai.request.model']}",
            context=set_span_in_context(self._span),
            kind=SpanKind.CLIENT,
            attributes=attributes,
        )
        with use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
            try:
                yield call
            except BaseException as error:
                _failed(span, error)
                raise
            finally:
                if call.reply is not None:
                    self._replied(span, call.reply, call.reused)

    def ended(self, investigation: Investigation) -> None:
        """Record the outcome, and end the span."""
        if answer := investigation.answer:
            self._span.set_attribute("investigator.status", answer.status.value)
            self._span.set_attribute("investigator.stop", answer.run.stop.value)
            if self._by.content:
                self._span.set_attribute("gen_ai.output.messages", _message("assistant", answer.text))
        self._span.set_attribute("investigator.calls", investigation.usage.calls)
        self.close()

    def close(self) -> None:
        """End the span and report it, once."""
        if not self._closed:
            self._closed = True
            self._span.end()
            self._by.on_end()

    def _replied(self, span: Span, reply: Reply, reused: bool) -> None:
        finish_reason = reply.finish_reason.value
        span.set_attribute("investigator.reused", reused)
        span.set_attribute("gen_ai.response.finish_reasons", [finish_reason])
        if not reused:
            span.set_attribute("gen_ai.usage.input_tokens", reply.input_tokens)
            span.set_attribute("gen_ai.usage.output_tokens", reply.output_tokens)
        if self._by.content:
            span.set_attribute("gen_ai.output.messages", _message("assistant", reply.text, finish_reason))


def _asked(engine: str) -> dict[str, str | int]:
    """Return the provider, model and server from an engine's name, which is `provider:model` or
    `provider:model@host:port`.
    """
    named, _, host = engine.rpartition("@")
    server = urlsplit(f"//{host}") if named and _is_host(host) else None
    provider, _, model = encodable(named if server else engine).partition(":")
    asked: dict[str, str | int] = {
        "gen_ai.provider.name": _PROVIDERS.get(provider, provider),
        "gen_ai.request.model": model or provider,
    }
    if server is not None:
        asked["server.address"] = server.hostname or host
        if server.port is not None:
            asked["server.port"] = server.port
    return asked


def _is_host(words: str) -> bool:
    """Return True if the words are a host, not part of a model's name like the date in `claude-sonnet-4@20250514`."""
    try:
        port = urlsplit(f"//{words}").port
    except ValueError:
        return False
    return port is not None or "." in words or words == "localhost"


def _failed(span: Span, error: BaseException) -> None:
    """Record the type of the error, but not its message, because a server may repeat the prompt in it."""
    from opentelemetry.trace import Status, StatusCode

    span.set_attribute("error.type", type(error).__name__)
    span.set_status(Status(StatusCode.ERROR))


def _message(role: str, text: str, finish_reason: str | None = None) -> str:
    """Return a list with one message as JSON, in the conventions' format."""
    message: dict[str, object] = {"role": role, "parts": [{"type": "text", "content": redacted(text)}]}
    if finish_reason is not None:
        message["finish_reason"] = finish_reason
    return json.dumps([message])
