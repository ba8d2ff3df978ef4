"""Spans have the names of OpenTelemetry's conventions, contain no words of documents, and are below the run's span."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from watched_run import ANSWER, CUT, ENDED, ENGINE, PROMPT, REPLY

from investigator.errors import EngineTimeoutError
from investigator.records import Reply
from investigator.tracing.base import WatchedCall
from investigator.tracing.spans import SpanTracer


class Spans:
    """A tracer provider, and the spans that it has finished."""

    def __init__(self) -> None:
        self.provider = TracerProvider(shutdown_on_exit=False)
        self._exporter = InMemorySpanExporter()
        self.provider.add_span_processor(SimpleSpanProcessor(self._exporter))

    def watch(self, *replies: Reply, engine: str = ENGINE, content: bool = False) -> None:
        with SpanTracer(self.provider, content=content).run("r1", "Who owns the plant?", engine) as run:
            for reply in replies:
                run.called(WatchedCall(PROMPT, engine, "k", seconds=1.5, reply=reply))
            run.ended(ENDED)

    def finished(self) -> tuple[ReadableSpan, ...]:
        """Return the spans since the last call."""
        spans = self._exporter.get_finished_spans()
        self._exporter.clear()
        return spans


@pytest.fixture
def spans() -> Iterator[Spans]:
    spans = Spans()
    yield spans
    spans.provider.shutdown()


def test_a_call_is_named_as_the_conventions_name_it(spans: Spans) -> None:
    spans.watch(CUT)
    chat, run = spans.finished()
    assert (chat.name, chat.kind) == ("chat gpt-5-mini", SpanKind.CLIENT)
    assert dict(chat.attributes or {}) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-5-mini",
        "gen_ai.response.finish_reasons": ("length",),
        "gen_ai.usage.input_tokens": 120,
        "gen_ai.usage.output_tokens": 2,
        "investigator.run_id": "r1",
        "investigator.role": "ask",
        "investigator.template": "query/ask",
        "investigator.key": "k",
        "investigator.reused": False,
    }
    assert (run.name, run.kind) == ("invoke_agent investigator", SpanKind.INTERNAL)
    assert dict(run.attributes or {}) == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "investigator",
        "investigator.run_id": "r1",
        "investigator.engine": ENGINE,
        "investigator.resumed": False,
        "investigator.status": "not_found",
        "investigator.stop": "saturated",
        "investigator.calls": 3,
    }
    assert chat.parent == run.context
    assert (chat.end_time or 0) - (chat.start_time or 0) == 1_500_000_000


@pytest.mark.parametrize(
    ("engine", "provider_name", "model"),
    [
        ("extractive", "extractive", "extractive"),
        ("gguf:small.gguf", "gguf", "small.gguf"),
        ("google_vertexai:claude-sonnet-4@20250514", "google_vertexai", "claude-sonnet-4@20250514"),
        ("bedrock_converse:anthropic.claude-v2:1", "bedrock_converse", "anthropic.claude-v2:1"),
        ("openai:m@api.example.org", "openai", "m"),
        ("openai:m@[::1]:8000", "openai", "m"),
    ],
)
def test_provider_and_model_are_told_apart(spans: Spans, engine: str, provider_name: str, model: str) -> None:
    spans.watch(REPLY, engine=engine)
    attributes = spans.finished()[0].attributes or {}
    assert (attributes["gen_ai.provider.name"], attributes["gen_ai.request.model"]) == (provider_name, model)


def test_a_reused_reply_counts_no_tokens_a_second_time(spans: Spans) -> None:
    with SpanTracer(spans.provider).run("r1", "Who?", ENGINE) as run:
        run.called(WatchedCall(PROMPT, ENGINE, "k", reply=REPLY, reused=True))
    attributes = spans.finished()[0].attributes or {}
    assert attributes["investigator.reused"] is True
    assert not [name for name in attributes if name.startswith("gen_ai.usage")]


def test_words_leave_only_if_that_was_asked_for(spans: Spans) -> None:
    spans.watch(REPLY)
    seen = " ".join(span.to_json() for span in spans.finished())
    assert [word for word in ("HERON", "Who owns", "plant.txt") if word in seen] == []
    spans.watch(REPLY, content=True)
    chat, run = (span.attributes or {} for span in spans.finished())
    for name, role, text in (("input", "user", PROMPT.text), ("output", "assistant", REPLY.text)):
        messages = json.loads(str(chat[f"gen_ai.{name}.messages"]))
        assert messages == [{"role": role, "parts": [{"type": "text", "content": text}]}]
    assert ANSWER.question in str(run["gen_ai.input.messages"])


def test_an_error_is_told_by_its_kind_and_not_by_its_words(spans: Spans) -> None:
    error = EngineTimeoutError("no reply to: HERON")
    with suppress(EngineTimeoutError), SpanTracer(spans.provider).run("r1", "Who?", ENGINE) as run:
        run.called(WatchedCall(PROMPT, ENGINE, "k", error=error))
        raise error
    finished = spans.finished()
    assert len(finished) == 2
    for span in finished:
        assert span.status.status_code is StatusCode.ERROR
        assert (span.attributes or {})["error.type"] == "EngineTimeoutError"
        assert "HERON" not in span.to_json()


def test_calls_of_threads_lie_below_the_run_and_the_run_below_the_applications_span(spans: Spans) -> None:
    def steps() -> Iterator[int]:
        with SpanTracer(spans.provider).run("r1", "Who?", ENGINE) as run, ThreadPoolExecutor(2) as pool:
            list(pool.map(run.called, [WatchedCall(PROMPT, ENGINE, "k", reply=REPLY)] * 4))
            yield 1

    with spans.provider.get_tracer("app").start_as_current_span("request") as request:
        for _ in steps():
            assert trace.get_current_span() is request  # the run does not take its place
    *chats, run, outer = spans.finished()
    assert [chat.parent for chat in chats] == [run.context] * 4
    assert run.parent == outer.context
