"""Spans on their way to an OpenTelemetry collector: beside the run, never in its way."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast
from urllib.parse import urlsplit

from investigator.errors import MissingPackageError, SettingsError
from investigator.records import Investigation, Prompt
from investigator.tracing.base import CallTrace, RunTrace
from investigator.tracing.spans import SpanTracer

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

_EXPORT_EVERY = 1000  # milliseconds; a collector that is not there is then known before a run of some seconds ends
_LONGEST_FLUSH = 2.0  # seconds at the end of a run


class Exporter(Protocol):
    """What sends spans; the SDK's SpanExporter."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send spans and wait until they have arrived or cannot."""
        ...

    def shutdown(self) -> None:
        """Send nothing more."""
        ...

    def force_flush(self, timeout_millis: int = ...) -> bool:
        """Send what is held back; whether that was done in time."""
        ...


class Protocols(StrEnum):
    """The protocols of OTLP that can be spoken."""

    HTTP = "http/protobuf"
    GRPC = "grpc"


class DeliveringTracer:
    """Sends the spans of each run to a collector, by a thread of its own, the last of them before the run ends.

    `exporter` makes the sender of one run, `collector` is what to call it in a notice. A collector that cannot be
    reached costs a run at most two seconds at its end, and `on_notice` is told once a run.
    """

    def __init__(
        self,
        exporter: Callable[[], Exporter],
        *,
        collector: str,
        content: bool = False,
        on_notice: Callable[[str], None] | None = None,
        longest_flush: float = _LONGEST_FLUSH,
    ) -> None:
        self._exporter = exporter
        self._collector = collector
        self._content = content
        self._on_notice = on_notice
        self._longest_flush = longest_flush

    @contextmanager
    def run(self, run_id: str, question: str, engine: str, *, resumed: bool = False) -> Iterator[RunTrace]:
        """Watch a run with spans; they are sent off when it has ended or the context is left."""
        sender = _Watched(self._exporter())
        provider = _provider(sender)
        delivered = False

        def deliver() -> None:
            nonlocal delivered
            if not delivered:
                delivered = True
                self._end(provider, sender)

        tracer = SpanTracer(provider, content=self._content)
        try:
            with tracer.run(run_id, question, engine, resumed=resumed) as run:
                yield _Run(run, deliver)
        finally:
            deliver()

    def _end(self, provider: TracerProvider, sender: _Watched) -> None:
        ending = threading.Thread(target=provider.shutdown, name="investigator-spans", daemon=True)
        ending.start()
        if not sender.failed.is_set():
            ending.join(self._longest_flush)
        if self._on_notice is not None and (sender.failed.is_set() or ending.is_alive()):
            self._on_notice(f"Not all spans of this run could be delivered to {self._collector}.")


class _Run:
    def __init__(self, run: RunTrace, deliver: Callable[[], None]) -> None:
        self._run = run
        self._deliver = deliver

    def call(self, prompt: Prompt, engine: str, key: str) -> AbstractContextManager[CallTrace]:
        return self._run.call(prompt, engine, key)

    def ended(self, investigation: Investigation) -> None:
        self._run.ended(investigation)
        self._deliver()


class _Watched:
    """A sender that remembers whether it failed; after that it sends nothing more."""

    def __init__(self, exporter: Exporter) -> None:
        self._exporter = exporter
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

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._exporter.force_flush(timeout_millis)


def _provider(sender: _Watched) -> TracerProvider:
    """A provider of our own: the process's one is the application's to set."""
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource = Resource.create()
    if str(resource.attributes.get(SERVICE_NAME, "unknown_service")).startswith("unknown_service"):
        resource = resource.merge(Resource({SERVICE_NAME: "investigator"}))
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(cast("SpanExporter", sender), schedule_delay_millis=_EXPORT_EVERY))
    return provider


def exporter_class(protocol: Protocols) -> Callable[[], Exporter]:
    """The sender of a protocol; it takes its address and all else from OpenTelemetry's own variables.

    Raises MissingPackageError.
    """
    home = "http" if protocol is Protocols.HTTP else "grpc"
    try:
        import_module("opentelemetry.sdk.trace")
        module = import_module(f"opentelemetry.exporter.otlp.proto.{home}.trace_exporter")
    except ImportError as error:
        raise MissingPackageError(
            f"an OpenTelemetry endpoint is set, and no package is installed that sends spans by {protocol}",
            hint='Install it: pip install "investigator[otel]", or unset the variable for this program.',
        ) from error
    if not (log := logging.getLogger("opentelemetry")).handlers:
        log.addHandler(logging.NullHandler())  # a notice tells it once; the log would print each try
    exporter: Callable[[], Exporter] = module.OTLPSpanExporter
    return exporter


def collector_of(variables: Mapping[str, str]) -> str | None:
    """The address that spans go to, by OpenTelemetry's own variables; None where they are not to be sent."""
    if variables.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return None
    if variables.get("OTEL_TRACES_EXPORTER", "otlp").strip().lower() not in ("otlp", ""):
        return None
    named = (variables.get(f"OTEL_EXPORTER_OTLP_{signal}ENDPOINT", "").strip() for signal in ("TRACES_", ""))
    return next((address for address in named if address), None)


def protocol_of(variables: Mapping[str, str], collector: str) -> Protocols:
    """The protocol that is named, else gRPC for its usual port 4317 and HTTP for any other. Raises SettingsError."""
    names = (variables.get(f"OTEL_EXPORTER_OTLP_{signal}PROTOCOL", "").strip() for signal in ("TRACES_", ""))
    named = next((name for name in names if name), None)
    try:
        if named is not None:
            return Protocols(named)
        port = urlsplit(collector if "//" in collector else f"//{collector}").port
    except ValueError as error:
        raise SettingsError(
            "the variables OTEL_EXPORTER_OTLP_... name an address or a protocol that cannot be used",
            hint="Protocols are http/protobuf and grpc; an address looks like http://localhost:4318",
        ) from error
    return Protocols.GRPC if port == 4317 else Protocols.HTTP
