"""Spans reach a real collector on loopback, and a missing collector costs a run almost nothing."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from collectors import Collector
from watched_run import ENDED, ENGINE, PROMPT, REPLY

from investigator.errors import MissingPackageError
from investigator.tracing.base import Tracer, Traces, WatchedCall
from investigator.tracing.delivery import DeliveringTracer, http_exporter
from investigator.tracing.opening import TraceSettings, open_tracer


def watch(tracer: Tracer, look: Callable[[], None] = lambda: None) -> None:
    with tracer.run("r1", "Who?", ENGINE) as run:
        for _ in range(3):
            with run.call(WatchedCall(PROMPT, ENGINE, "k")) as call:
                call.done(REPLY)
        run.ended(ENDED)
        look()


def test_spans_have_arrived_when_the_run_ends(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    arrived: list[str] = []
    watch(open_tracer(TraceSettings()), lambda: arrived.extend(collector.names))
    assert arrived == ["chat gpt-5-mini"] * 3 + ["invoke_agent investigator"]
    assert collector.services == {"investigator"}


def test_each_run_is_delivered_under_the_name_of_the_service(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", f"{collector.url}/v1/traces")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "my-chat-bot")
    tracer = open_tracer(TraceSettings())
    watch(tracer)
    watch(tracer)
    assert collector.names.count("invoke_agent investigator") == 2
    assert collector.services == {"my-chat-bot"}


def test_a_switch_of_the_sdk_is_the_sdk_s_to_follow(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    notices: list[str] = []
    watch(open_tracer(TraceSettings(), on_notice=notices.append))
    assert (collector.requests, notices) == ([], [])


def test_a_collector_that_is_not_there_is_told_of_once_and_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound and not listening: a call is refused
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{closed.getsockname()[1]}")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "9")  # its thread must not try on beside later tests
        notices: list[str] = []
        tracer = DeliveringTracer(http_exporter(), on_notice=notices.append, longest_flush=0.2)
        began = time.monotonic()
        watch(tracer)
        assert time.monotonic() - began < 9
    assert notices == ["Not all spans of this run could be delivered via OTLP over HTTP."]
    assert capfd.readouterr() == ("", "")


def test_a_collector_that_never_replies_does_not_keep_the_process_from_ending() -> None:
    """This runs in a separate process, whose end must not be delayed by unfinished deliveries."""
    program = """
from watched_run import ENDED, ENGINE, PROMPT, REPLY
from investigator.tracing.base import WatchedCall
from investigator.tracing.opening import TraceSettings, open_tracer
with open_tracer(TraceSettings(), on_notice=print).run("r1", "Who?", ENGINE) as run:
    with run.call(WatchedCall(PROMPT, ENGINE, "k")) as call:
        call.done(REPLY)
    run.ended(ENDED)
"""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        variables = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{silent.getsockname()[1]}",
            "PYTHONPATH": ":".join(path for path in sys.path if path),
        }
        done = subprocess.run(
            [sys.executable, "-c", program], env=variables, capture_output=True, text=True, timeout=20, check=True
        )
    assert done.stdout == "Not all spans of this run could be delivered via OTLP over HTTP.\n"
    assert done.stderr == ""


def test_where_no_endpoint_is_set_nobody_watches() -> None:
    assert open_tracer(TraceSettings(), variables={}) == Traces()


@pytest.mark.parametrize("name", ["METRICS_ENDPOINT", "ENDPOINT"])
def test_an_endpoint_of_metrics_or_an_empty_one_is_none_for_spans(name: str) -> None:
    variables = {f"OTEL_EXPORTER_OTLP_{name}": " " if name == "ENDPOINT" else "http://c:4318"}
    assert open_tracer(TraceSettings(), variables=variables) == Traces()


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(MissingPackageError, match="no package that sends spans is installed") as caught:
        http_exporter()
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
from investigator.tracing.opening import TraceSettings, open_tracer

exporter, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
with open_tracer(TraceSettings()).run("r1", "Who?", ENGINE) as run:
    with run.call(WatchedCall(PROMPT, ENGINE, "k")) as call:
        call.done(REPLY)
    run.ended(ENDED)
print(*(span.name for span in exporter.get_finished_spans()), sep=", ")
"""
    environment = {"PYTHONPATH": ":".join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == ("chat gpt-5-mini, invoke_agent investigator\n", "")
