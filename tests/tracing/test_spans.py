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


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def provider(exporter: InMemorySpanExporter) -> Iterator[TracerProvider]:
    made = TracerProvider(shutdown_on_exit=False)
    made.add_span_processor(SimpleSpanProcessor(exporter))
    yield made
    made.shutdown()


def watch(tracer: SpanTracer, *replies: Reply, engine: str = ENGINE) -> None:
    with tracer.run("r1", "Who owns the plant?", engine) as run:
        for reply in replies:
            run.called(WatchedCall(PROMPT, engine, "k", seconds=1.5, reply=reply))
        run.ended(ENDED)


def chat_span(exporter: InMemorySpanExporter) -> ReadableSpan:
    return exporter.get_finished_spans()[0]


def test_a_call_is_named_as_the_conventions_name_it(provider: TracerProvider, exporter: InMemorySpanExporter) -> None:
    watch(SpanTracer(provider), CUT)
    chat, run = exporter.get_finished_spans()
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
def test_provider_and_model_are_told_apart(
    provider: TracerProvider, exporter: InMemorySpanExporter, engine: str, provider_name: str, model: str
) -> None:
    watch(SpanTracer(provider), REPLY, engine=engine)
    told = dict(chat_span(exporter).attributes or {})
    assert (told["gen_ai.provider.name"], told["gen_ai.request.model"]) == (provider_name, model)


def test_a_reused_reply_counts_no_tokens_a_second_time(
    provider: TracerProvider, exporter: InMemorySpanExporter
) -> None:
    with SpanTracer(provider).run("r1", "Who?", ENGINE) as run:
        run.called(WatchedCall(PROMPT, ENGINE, "k", reply=REPLY, reused=True))
    told = dict(chat_span(exporter).attributes or {})
    assert told["investigator.reused"] is True
    assert not [name for name in told if name.startswith("gen_ai.usage")]


def test_words_leave_only_if_that_was_asked_for(provider: TracerProvider, exporter: InMemorySpanExporter) -> None:
    watch(SpanTracer(provider), REPLY)
    seen = " ".join(span.to_json() for span in exporter.get_finished_spans())
    assert [word for word in ("HERON", "Who owns", "plant.txt") if word in seen] == []
    exporter.clear()
    watch(SpanTracer(provider, content=True), REPLY)
    chat, run = (span.attributes or {} for span in exporter.get_finished_spans())
    for name, role, text in (("input", "user", PROMPT.text), ("output", "assistant", REPLY.text)):
        messages = json.loads(str(chat[f"gen_ai.{name}.messages"]))
        assert messages == [{"role": role, "parts": [{"type": "text", "content": text}]}]
    assert ANSWER.question in str(run["gen_ai.input.messages"])


def test_an_error_is_told_by_its_kind_and_not_by_its_words(
    provider: TracerProvider, exporter: InMemorySpanExporter
) -> None:
    error = EngineTimeoutError("no reply to: HERON")
    with suppress(EngineTimeoutError), SpanTracer(provider).run("r1", "Who?", ENGINE) as run:
        run.called(WatchedCall(PROMPT, ENGINE, "k", error=error))
        raise error
    for span in exporter.get_finished_spans():
        assert span.status.status_code is StatusCode.ERROR
        assert (span.attributes or {})["error.type"] == "EngineTimeoutError"
        assert "HERON" not in span.to_json()
    assert len(exporter.get_finished_spans()) == 2


def test_calls_of_threads_lie_below_the_run_and_the_run_below_the_applications_span(
    provider: TracerProvider, exporter: InMemorySpanExporter
) -> None:
    def steps() -> Iterator[int]:
        with SpanTracer(provider).run("r1", "Who?", ENGINE) as run, ThreadPoolExecutor(2) as pool:
            list(pool.map(run.called, [WatchedCall(PROMPT, ENGINE, "k", reply=REPLY)] * 4))
            yield 1

    with provider.get_tracer("app").start_as_current_span("request") as request:
        for _ in steps():
            assert trace.get_current_span() is request  # the run does not take its place
    *chats, run, outer = exporter.get_finished_spans()
    assert [chat.parent for chat in chats] == [run.context] * 4
    assert run.parent == outer.context
