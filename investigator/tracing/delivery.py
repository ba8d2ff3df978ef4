"""Spans on their way to an OpenTelemetry collector, sent while the run goes on.

The SDK reads its own variables: address, headers, time limits, batches, sampling, resource. Only whether spans are sent
at all, and by which protocol, is read here.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from investigator.errors import MissingPackageError, SettingsError
from investigator.tracing.base import RunTrace
from investigator.tracing.spans import SpanTracer

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult


class Protocols(StrEnum):
    """The protocols of OTLP that can be used; the value is that of OTEL_EXPORTER_OTLP_PROTOCOL."""

    HTTP = "http/protobuf"
    GRPC = "grpc"


@dataclass(frozen=True)
class DeliveringTracer:
    """Sends the spans of each run to a collector, from a thread of its own, the last of them when the run ends.

    `exporter` makes the sender of one run, `collector` is its name in a notice. A collector that cannot be reached
    delays the end of a run by at most `longest_flush` seconds, and `on_notice` is told once a run.
    """

    exporter: Callable[[], SpanExporter]
    collector: str
    content: bool = False
    on_notice: Callable[[str], None] | None = None
    longest_flush: float = 2.0

    def run(
        self, run_id: str, question: str, engine: str, *, resumed: bool = False
    ) -> AbstractContextManager[RunTrace]:
        """Watch a run with spans; the last ones are sent when it has ended or the context is left."""
        sender = _Sender(self.exporter())
        provider = _provider(sender)
        tracer = SpanTracer(provider, content=self.content, on_end=lambda: self._deliver(provider, sender))
        return tracer.run(run_id, question, engine, resumed=resumed)

    def _deliver(self, provider: TracerProvider, sender: _Sender) -> None:
        sending = threading.Thread(target=provider.shutdown, name="investigator-spans", daemon=True)
        sending.start()
        if not sender.failed.is_set():
            sending.join(self.longest_flush)
        if self.on_notice is not None and (sender.failed.is_set() or sending.is_alive()):
            self.on_notice(f"Not all spans of this run could be delivered to {self.collector}.")


class _Sender:
    """An exporter that remembers a failure, after which it sends nothing more."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter
        self.shutdown = exporter.shutdown
        self.force_flush = exporter.force_flush
        self.failed = threading.Event()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        from opentelemetry.sdk.trace.export import SpanExportResult

        result = SpanExportResult.FAILURE
        try:
            if not self.failed.is_set():
                result = self._exporter.export(spans)
        finally:
            if result is not SpanExportResult.SUCCESS:
                self.failed.set()
        return result


def _provider(sender: _Sender) -> TracerProvider:
    """Return a provider of our own: the global one is the application's to set."""
    from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource = Resource.create({SERVICE_NAME: "investigator"}).merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(cast("SpanExporter", sender)))
    return provider


def exporter_class(protocol: Protocols) -> Callable[[], SpanExporter]:
    """Return the exporter of a protocol. Raises MissingPackageError."""
    home = "http" if protocol is Protocols.HTTP else "grpc"
    try:
        import_module("opentelemetry.sdk.trace")
        module = import_module(f"opentelemetry.exporter.otlp.proto.{home}.trace_exporter")
    except ImportError as error:
        raise MissingPackageError(
            f"an OpenTelemetry endpoint is set, but no package is installed that sends spans by {protocol}",
            hint='Install it: pip install "investigator[otel]", or unset the variable for this program.',
        ) from error
    if not (log := logging.getLogger("opentelemetry")).handlers:
        log.addHandler(logging.NullHandler())  # one notice reports a failure; the log would print each try
    return cast("Callable[[], SpanExporter]", module.OTLPSpanExporter)


def collector_of(variables: Mapping[str, str]) -> str | None:
    """Return the address that spans go to by OpenTelemetry's variables; None if they are not to be sent."""
    disabled = variables.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    other = variables.get("OTEL_TRACES_EXPORTER", "").strip().lower() not in ("otlp", "")
    return None if disabled or other else _otlp(variables, "ENDPOINT")


def protocol_of(variables: Mapping[str, str], collector: str) -> Protocols:
    """Return the protocol that is named, else gRPC for its usual port 4317, else HTTP. Raises SettingsError."""
    try:
        if named := _otlp(variables, "PROTOCOL"):
            return Protocols(named)
        port = urlsplit(collector if "//" in collector else f"//{collector}").port
    except ValueError as error:
        raise SettingsError(
            "OTEL_EXPORTER_OTLP_... name an invalid address or an unknown protocol",
            hint="Protocols are http/protobuf and grpc; an address looks like http://localhost:4318",
        ) from error
    return Protocols.GRPC if port == 4317 else Protocols.HTTP


def _otlp(variables: Mapping[str, str], name: str) -> str | None:
    """Return the variable for traces, else the one for all signals, else None."""
    values = (variables.get(f"OTEL_EXPORTER_OTLP_{signal}{name}", "").strip() for signal in ("TRACES_", ""))
    return next(filter(None, values), None)
