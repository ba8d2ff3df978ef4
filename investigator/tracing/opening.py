"""Opens the tracers for a run: the trace file, and OpenTelemetry if it is configured."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from investigator.errors import SettingsError
from investigator.resources.distribution import install_command
from investigator.tracing.base import Tracer, Traces, TraceSettings

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"  # the SDK leaves this variable to instrumentations


def open_tracer(
    settings: TraceSettings,
    *,
    folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
    on_notice: Callable[[str], None] = lambda _: None,
) -> Traces:
    """Return the tracers that the settings, OpenTelemetry's variables and the application request. Spans are sent to
    the application's tracer provider; if it has set none, to the collector that the variables name, if any. Raises
    SettingsError if the file cannot be written or would be one of the documents in `folder`, or no package that can
    send spans is installed.
    """
    variables = os.environ if variables is None else variables
    tracers: list[Tracer] = []
    if settings.file is not None:
        file = Path(settings.file).expanduser().resolve()
        inside = file.relative_to(folder.resolve()).parts if folder and file.is_relative_to(folder.resolve()) else ()
        if inside and not any(part.startswith(".") for part in inside):  # hidden files are never read
            raise SettingsError(
                f"the trace {file} is inside the folder of documents, and would be read as one of them",
                hint="Choose a file outside the folder: --set trace.file=../trace.jsonl",
            )
        from investigator.tracing.trace_file import TraceFile  # imported here because few runs are traced

        tracers.append(TraceFile(settings, on_notice=on_notice))
    is_named = any(variables.get(name, "").strip() for name in _ENDPOINTS)
    if is_named or "opentelemetry.trace" in sys.modules:  # an application that set a provider has imported it
        try:
            from investigator.tracing import spans

            provider = spans.applications_provider() or (spans.collectors_provider() if is_named else None)
        except ImportError as error:
            raise SettingsError(
                "an OpenTelemetry endpoint is set, but no package that sends spans is installed",
                hint=f"Install it: {install_command('otel')}, or unset the variable for this program.",
            ) from error
        if provider is not None:
            content = variables.get(_CONTENT, "").strip().lower() in {"true", "1", "span_only", "span_and_event"}
            tracers.append(spans.SpanTracer(provider, content=content))
    return Traces(tuple(tracers))
