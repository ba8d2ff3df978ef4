"""Opens the tracers for a run: the trace file, and OpenTelemetry if it is configured."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from investigator.errors import SettingsError
from investigator.records import Record
from investigator.tracing.base import Tracer, Traces

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""The SDK does not read this variable, so each instrumentation must do so."""
_CAPTURING = frozenset({"true", "1", "span_only", "span_and_event"})


class TraceSettings(Record):
    """Settings for recording each engine call, in addition to the workspace's journal."""

    file: str | None = Field(default=None, description="file to which each engine call is appended as a line of JSON")
    prompts: bool = Field(default=False, description="also write the texts of prompts and replies to that file")


def open_tracer(
    settings: TraceSettings,
    *,
    folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
    on_notice: Callable[[str], None] | None = None,
) -> Tracer:
    """Return the tracers that the settings, OpenTelemetry's variables and the application request. Spans are sent to
    the application's tracer provider, otherwise to the collector named by OTEL_EXPORTER_OTLP_ENDPOINT or
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, if any. Raises SettingsError if the file cannot be written or would be one of
    the documents in `folder`; MissingPackageError if no package that can send spans is installed.
    """
    variables = os.environ if variables is None else variables
    tracers: list[Tracer] = []
    if settings.file is not None:
        file = Path(settings.file).expanduser()
        if folder is not None:
            _check_outside(file, folder)
        from investigator.tracing.trace_file import TraceFile  # imported here because few runs are traced

        tracers.append(TraceFile(file, prompts=settings.prompts, on_notice=on_notice))
    if (spans := _spans(variables, on_notice)) is not None:
        tracers.append(spans)
    return Traces(tuple(tracers))


def _check_outside(file: Path, folder: Path) -> None:
    """Raise SettingsError if the next question would read the trace as a document; hidden files are never read."""
    real, documents = file.resolve(), folder.resolve()
    if real.is_relative_to(documents) and not any(part.startswith(".") for part in real.relative_to(documents).parts):
        raise SettingsError(
            f"the trace {file} is inside the folder of documents, and would be read as one of them",
            hint="Choose a file outside the folder: --trace ../trace.jsonl",
        )


def _spans(variables: Mapping[str, str], on_notice: Callable[[str], None] | None) -> Tracer | None:
    content = variables.get(_CONTENT, "").strip().lower() in _CAPTURING
    provider = _applications_provider()
    if provider is not None:
        from investigator.tracing.spans import SpanTracer

        return SpanTracer(provider, content=content)
    if not any(variables.get(name, "").strip() for name in _ENDPOINTS):
        return None
    from investigator.tracing.delivery import DeliveringTracer, http_exporter

    return DeliveringTracer(http_exporter(), content=content, on_notice=on_notice)


def _applications_provider() -> TracerProvider | None:
    """Return the application's tracer provider, if it has set one. OpenTelemetry is loaded only if the application has
    loaded it, because only then can a provider be set.
    """
    if "opentelemetry.trace" not in sys.modules:
        return None
    from opentelemetry.trace import NoOpTracerProvider, ProxyTracerProvider, get_tracer_provider

    provider = get_tracer_provider()
    return None if isinstance(provider, NoOpTracerProvider | ProxyTracerProvider) else provider
