"""Spans reach a real collector on loopback, and one that is not there costs a run next to nothing."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec

import pytest
from collectors import Collector
from watched_run import ENDED, ENGINE, PROMPT, REPLY

from investigator.errors import MissingPackageError, SettingsError
from investigator.tracing.base import Tracer, Traces, WatchedCall
from investigator.tracing.delivery import DeliveringTracer, Protocols, collector_of, exporter_class, protocol_of
from investigator.tracing.opening import TraceSettings, open_tracer

needs_http = pytest.mark.skipif(
    find_spec("opentelemetry.exporter.otlp.proto.http") is None,
    reason="opentelemetry-exporter-otlp-proto-http is not installed",
)


def watch(tracer: Tracer, look: Callable[[], None] = lambda: None) -> None:
    with tracer.run("r1", "Who?", ENGINE) as run:
        for _ in range(3):
            with run.call(WatchedCall(PROMPT, ENGINE, "k")) as call:
                call.done(REPLY)
        run.ended(ENDED)
        look()


@needs_http
def test_spans_have_arrived_by_http_when_the_run_ends(
    http_collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", http_collector.url)
    arrived: list[str] = []
    watch(open_tracer(TraceSettings()), lambda: arrived.extend(http_collector.names))
    assert arrived == ["chat gpt-5-mini"] * 3 + ["invoke_agent investigator"]
    assert http_collector.services == {"investigator"}


def test_spans_have_arrived_by_grpc_when_the_run_ends(
    grpc_collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", grpc_collector.url)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "my-chat-bot")
    watch(open_tracer(TraceSettings()))
    assert grpc_collector.names == ["chat gpt-5-mini"] * 3 + ["invoke_agent investigator"]
    assert grpc_collector.services == {"my-chat-bot"}


def test_each_run_is_delivered(grpc_collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", grpc_collector.url)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    tracer = open_tracer(TraceSettings())
    watch(tracer)
    watch(tracer)
    assert grpc_collector.names.count("invoke_agent investigator") == 2


@pytest.mark.parametrize("protocol", [pytest.param(Protocols.HTTP, marks=needs_http), Protocols.GRPC])
def test_a_collector_that_is_not_there_is_told_of_once_and_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], protocol: Protocols
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound and not listening: a call is refused
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{closed.getsockname()[1]}")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")  # its thread must not try on beside later tests
        notices: list[str] = []
        tracer = DeliveringTracer(
            exporter_class(protocol), collector="127.0.0.1", on_notice=notices.append, longest_flush=0.2
        )
        began = time.monotonic()
        watch(tracer)
        assert time.monotonic() - began < 1
    assert notices == ["Not all spans of this run could be delivered to 127.0.0.1."]
    assert capfd.readouterr() == ("", "")


def test_a_collector_that_never_replies_does_not_keep_the_process_from_ending() -> None:
    """In a process of its own: what is still under way at its end must not hold it."""
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
            "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
            "PYTHONPATH": ":".join(path for path in sys.path if path),
        }
        done = subprocess.run(
            [sys.executable, "-c", program], env=variables, capture_output=True, text=True, timeout=20, check=True
        )
    assert done.stdout == "Not all spans of this run could be delivered to 127.0.0.1.\n"
    assert done.stderr == ""


def test_where_no_endpoint_is_set_nobody_watches() -> None:
    assert open_tracer(TraceSettings(), variables={}) == Traces()


@pytest.mark.parametrize(
    "environ",
    [
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_SDK_DISABLED": "true"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_TRACES_EXPORTER": "none"},
        {"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://c:4318"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": " "},
    ],
)
def test_spans_that_were_switched_off_are_not_sent(environ: dict[str, str]) -> None:
    assert collector_of(environ) is None


@pytest.mark.parametrize(
    ("environ", "protocol"),
    [
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, Protocols.HTTP),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector.example.org"}, Protocols.HTTP),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4317"}, Protocols.GRPC),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "c:4317"}, Protocols.GRPC),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, Protocols.GRPC),
        (
            {
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4317",
                "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
                "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf",
            },
            Protocols.HTTP,
        ),
    ],
)
def test_the_protocol_is_the_one_named_else_that_of_the_port(environ: dict[str, str], protocol: Protocols) -> None:
    assert protocol_of(environ, collector_of(environ) or "") is protocol


@pytest.mark.parametrize(
    "environ",
    [
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_EXPORTER_OTLP_PROTOCOL": "pigeon"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:port"},
    ],
)
def test_a_variable_that_has_no_meaning_is_told(environ: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match="OTEL_EXPORTER_OTLP"):
        open_tracer(TraceSettings(), variables=environ)


@pytest.mark.parametrize(("protocol", "home"), [(Protocols.HTTP, "http"), (Protocols.GRPC, "grpc")])
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, protocol: Protocols, home: str) -> None:
    monkeypatch.setitem(sys.modules, f"opentelemetry.exporter.otlp.proto.{home}.trace_exporter", None)
    with pytest.raises(MissingPackageError, match=f"no package is installed that sends spans by {protocol}") as caught:
        exporter_class(protocol)
    assert "investigator[otel]" in caught.value.hint


def test_spans_go_to_the_provider_that_the_application_has_set_up() -> None:
    """In a process of its own, for a provider cannot be taken back."""
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
