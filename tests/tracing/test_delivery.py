"""Spans reach a real collector on loopback, as OpenTelemetry's own variables say."""

from __future__ import annotations

import subprocess
import sys

import pytest
from collectors import Collector
from watched_run import ENDED, ENGINE, PROMPT, REPLY

from investigator.errors import SettingsError
from investigator.tracing.base import Tracer, Traces, TraceSettings, WatchedCall
from investigator.tracing.opening import open_tracer
from investigator.tracing.spans import collectors_provider


def watch(tracer: Tracer) -> None:
    with tracer.run("r1", "Who?", ENGINE) as run:
        for _ in range(3):
            run.called(WatchedCall(PROMPT, ENGINE, "k", reply=REPLY))
        run.ended(ENDED)


def test_spans_arrive_under_the_name_of_the_program(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    watch(open_tracer(TraceSettings()))
    collectors_provider().shutdown()
    assert collector.names == ["chat gpt-5-mini"] * 3 + ["invoke_agent investigator"]
    assert collector.services == {"investigator"}


def test_each_run_is_delivered_under_the_name_of_the_service(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", f"{collector.url}/v1/traces")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "my-chat-bot")
    watch(open_tracer(TraceSettings()))
    watch(open_tracer(TraceSettings()))
    collectors_provider().shutdown()
    assert collector.names.count("invoke_agent investigator") == 2
    assert collector.services == {"my-chat-bot"}


def test_a_switch_of_the_sdk_is_the_sdk_s_to_follow(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    watch(open_tracer(TraceSettings()))
    collectors_provider().shutdown()
    assert collector.requests == []


def test_where_no_endpoint_is_set_nobody_watches() -> None:
    assert open_tracer(TraceSettings(), variables={}) == Traces()


@pytest.mark.parametrize("name", ["METRICS_ENDPOINT", "ENDPOINT"])
def test_an_endpoint_of_metrics_or_an_empty_one_is_none_for_spans(name: str) -> None:
    variables = {f"OTEL_EXPORTER_OTLP_{name}": " " if name == "ENDPOINT" else "http://c:4318"}
    assert open_tracer(TraceSettings(), variables=variables) == Traces()


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(SettingsError, match="no package that sends spans is installed") as caught:
        open_tracer(TraceSettings(), variables={"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"})
    assert "document-investigator[otel]" in caught.value.hint


def test_spans_go_to_the_provider_that_the_application_has_set_up() -> None:
    """This runs in a separate process, because a provider cannot be removed."""
    program = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from watched_run import ENDED, ENGINE, PROMPT, REPLY
from investigator.tracing.base import WatchedCall
from investigator.tracing.opening import open_tracer
from investigator.tracing.base import TraceSettings

exporter, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
with open_tracer(TraceSettings()).run("r1", "Who?", ENGINE) as run:
    run.called(WatchedCall(PROMPT, ENGINE, "k", reply=REPLY))
    run.ended(ENDED)
print(*(span.name for span in exporter.get_finished_spans()), sep=", ")
"""
    environment = {"PYTHONPATH": ":".join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == ("chat gpt-5-mini, invoke_agent investigator\n", "")
