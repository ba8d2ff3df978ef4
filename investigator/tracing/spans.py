"""Records runs and calls as OpenTelemetry spans, named by its conventions for generative AI.

https://opentelemetry.io/docs/specs/semconv/gen-ai/
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from opentelemetry.trace import (
    NoOpTracerProvider,
    ProxyTracerProvider,
    Span,
    SpanKind,
    Status,
    StatusCode,
    TracerProvider,
    get_tracer_provider,
    set_span_in_context,
)

from investigator.engines.roles import role_of
from investigator.records import Investigation
from investigator.secrets import redacted
from investigator.tracing.base import WatchedCall, encodable

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider as SdkTracerProvider

_HOST = re.compile(r"@(?:localhost|[^@]*[.:][^@]*)$")


class SpanTracer:
    """Creates an `invoke_agent investigator` span for each run, with a child span `chat MODEL` for each call. The
    texts of questions, prompts and replies are in the spans only if `content` is set. A reused reply has no usage.
    """

    def __init__(self, provider: TracerProvider, *, content: bool = False) -> None:
        self.tracer = provider.get_tracer("investigator")
        self.content = content

    @contextmanager
    def run(self, run_id: str, question: str, engine: str, *, resumed: bool = False) -> Iterator[_Run]:
        """Trace a run with a span below the current span, without making it the current span."""
        span = self.tracer.start_span("invoke_agent investigator")
        _note(span, "gen_ai", {"operation.name": "invoke_agent", "agent.name": "investigator"})
        _note(span, "investigator", {"run_id": run_id, "engine": encodable(engine), "resumed": resumed})
        run = _Run(self, span, run_id)
        run.message(span, "input", question)
        try:
            yield run
        except GeneratorExit:  # the caller stopped early; this is not an error
            raise
        except BaseException as error:
            _fail(span, error)
            raise
        finally:
            if span.is_recording():  # the run has no outcome
                span.end()


class _Run:
    def __init__(self, by: SpanTracer, span: Span, run_id: str) -> None:
        self._by, self._span, self._run_id = by, span, run_id

    def called(self, call: WatchedCall) -> None:
        """Record a call that has ended as a child of the run's span, which a worker thread does not know."""
        now, reply, template = time.time_ns(), call.reply, call.prompt.template
        provider, _, model = _HOST.sub("", encodable(call.engine)).partition(":")
        began, parent = now - int(call.seconds * 1e9), set_span_in_context(self._span)
        span = self._by.tracer.start_span(f"chat {model or provider}", parent, SpanKind.CLIENT, start_time=began)
        attributes = {"operation.name": "chat", "provider.name": provider, "request.model": model or provider}
        _note(span, "gen_ai", attributes)
        identity = {"run_id": self._run_id, "role": role_of(template).value, "template": template, "key": call.key}
        _note(span, "investigator", {**identity, "reused": call.reused})
        self.message(span, "input", call.prompt.text)
        if reply is not None:
            _note(span, "gen_ai", {"response.finish_reasons": [reply.finish_reason.value]})
            if not call.reused:
                tokens = {"input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens}
                _note(span, "gen_ai.usage", tokens)
            self.message(span, "output", reply.text)
        if call.error is not None:
            _fail(span, call.error)
        span.end(now)

    def ended(self, investigation: Investigation) -> None:
        """Record the outcome, and end the span."""
        if answer := investigation.answer:
            _note(self._span, "investigator", {"status": answer.status.value, "stop": answer.run.stop.value})
            self.message(self._span, "output", answer.text)
        _note(self._span, "investigator", {"calls": investigation.usage.calls})
        self._span.end()

    def message(self, span: Span, direction: str, text: str) -> None:
        """Add a message in the conventions' format, if texts are recorded."""
        if self._by.content:
            role = "user" if direction == "input" else "assistant"
            message = {"role": role, "parts": [{"type": "text", "content": redacted(text)}]}
            _note(span, "gen_ai", {f"{direction}.messages": json.dumps([message])})


def applications_provider() -> TracerProvider | None:
    """Return the application's tracer provider, if it has set one."""
    provider = get_tracer_provider()
    return None if isinstance(provider, NoOpTracerProvider | ProxyTracerProvider) else provider


@cache
def collectors_provider() -> SdkTracerProvider:
    """Return a provider that sends spans over HTTP, as OpenTelemetry's variables say. Raises ImportError."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource = Resource.create({SERVICE_NAME: "investigator"}).merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def _note(span: Span, prefix: str, attributes: Mapping[str, Any]) -> None:
    span.set_attributes({f"{prefix}.{name}": value for name, value in attributes.items()})


def _fail(span: Span, error: BaseException) -> None:
    """Record the type of the error, but not its message, because a server may repeat the prompt in it."""
    span.set_attribute("error.type", type(error).__name__)
    span.set_status(Status(StatusCode.ERROR))
