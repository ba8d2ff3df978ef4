"""Sends spans to an OpenTelemetry collector while the run continues. The SDK and its exporter read their own
environment variables, which set the address, headers, time limits, batches, sampling and resource, and can disable the
SDK or the exporter.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from investigator.errors import MissingPackageError
from investigator.resources.distribution import install_command
from investigator.tracing.base import RunTrace
from investigator.tracing.spans import SpanTracer

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult


@dataclass(frozen=True)
class DeliveringTracer:
    """Sends the spans of each run to a collector, from a separate thread; the last ones are sent when the run ends.

    `exporter` creates the exporter for one run. An unreachable collector delays the end of a run by at most
    `longest_flush` seconds, and causes one call to `on_notice` per run.
    """

    exporter: Callable[[], SpanExporter]
    content: bool = False
    on_notice: Callable[[str], None] | None = None
    longest_flush: float = 2.0

    def run(
        self, run_id: str, question: str, engine: str, *, resumed: bool = False
    ) -> AbstractContextManager[RunTrace]:
        """Trace a run with spans; the last ones are sent when the run ends or the context manager exits."""
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
            self.on_notice("Not all spans of this run could be delivered via OTLP over HTTP.")


class _Sender:
    """An exporter that stops sending after a failure."""

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
    """Return a separate provider, because the global one belongs to the application."""
    from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource = Resource.create({SERVICE_NAME: "investigator"}).merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(cast("SpanExporter", sender)))
    return provider


def http_exporter() -> Callable[[], SpanExporter]:
    """Return the exporter that sends spans over HTTP. Raises MissingPackageError."""
    try:
        import_module("opentelemetry.sdk.trace")
        module = import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    except ImportError as error:
        raise MissingPackageError(
            "an OpenTelemetry endpoint is set, but no package that sends spans is installed",
            hint=f"Install it: {install_command('otel')}, or unset the variable for this program.",
        ) from error
    if not (log := logging.getLogger("opentelemetry")).handlers:
        log.addHandler(logging.NullHandler())  # one notice is enough, and the log would contain every attempt
    return cast("Callable[[], SpanExporter]", module.OTLPSpanExporter)
