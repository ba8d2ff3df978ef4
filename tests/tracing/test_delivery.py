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


@pytest.mark.parametrize(
    ("variables", "service"),
    [
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": ""}, "investigator"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "/v1/traces", "OTEL_SERVICE_NAME": "my-bot"}, "my-bot"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "", "OTEL_SDK_DISABLED": "true"}, None),  # a switch of the SDK
    ],
)
def test_each_run_is_delivered_as_the_variables_of_opentelemetry_say(
    collector: Collector, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], service: str | None
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, collector.url + value if "ENDPOINT" in name else value)
    watch(open_tracer(TraceSettings()))
    watch(open_tracer(TraceSettings()))
    collectors_provider().shutdown()
    names = ["chat gpt-5-mini"] * 6 + ["invoke_agent investigator"] * 2
    assert (collector.names, collector.services) == ((names, {service}) if service else ([], set()))


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://c:4318"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": " "},
    ],
)
def test_where_no_endpoint_for_spans_is_set_nobody_watches(variables: dict[str, str]) -> None:
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
