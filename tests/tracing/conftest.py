"""Collectors on loopback that receive spans."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from collectors import Collector, collecting

from investigator.tracing.spans import collectors_provider


@pytest.fixture(autouse=True)
def _no_endpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ENDPOINT", "TRACES_ENDPOINT", "HEADERS", "TIMEOUT"):
        monkeypatch.delenv(f"OTEL_EXPORTER_OTLP_{name}", raising=False)
    for name in ("OTEL_SDK_DISABLED", "OTEL_SERVICE_NAME"):
        monkeypatch.delenv(name, raising=False)
    collectors_provider.cache_clear()


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as collector:
        yield collector
