"""A whole investigation traced by a file and by OpenTelemetry, and spans that reach a collector on loopback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from collectors import Collector
from watched_run import ENDED, ENGINE, PROMPT, REPLY, read_trace

from investigator import Investigator, ScriptedEmbedder, ScriptedEngine, Settings
from investigator.errors import EngineError, SettingsError
from investigator.tracing.base import Tracer, Traces, TraceSettings, WatchedCall
from investigator.tracing.opening import open_tracer
from investigator.tracing.spans import collectors_provider

QUESTION = "When was the bridge built?"
QUOTE = "The bridge was built in 1884."
READING = {"verdict": "answers", "point": 95, "quotes": [QUOTE], "reply": "In 1884."}
LEAD = {"text": "It was built in 1884.", "evidence": ["E1"]}
SCRIPT = {
    "planner/plan": json.dumps({"strategy": "Ask it.", "steps": [{"document_id": "bridge.txt", "purpose": "When?"}]}),
    "query/ask": json.dumps({"readings": [READING]}),
    "answer/answer": json.dumps({"lead": LEAD, "parts": [{"part": 1, "status": "answered"}]}),
    "answer/check": json.dumps({"statements": [{"number": 1, "support": "supported"}], "answers": "yes"}),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    (made / "bridge.txt").write_text(f"{QUOTE} It has two arches.\n", encoding="utf-8")
    return made


def investigator(folder: Path, trace: TraceSettings, **changes: object) -> tuple[Investigator, ScriptedEngine]:
    named = {name.replace("__", "/"): script for name, script in changes.items()}
    engine = ScriptedEngine({**SCRIPT, **named})  # type: ignore[dict-item]
    settings = Settings(trace=trace)
    return Investigator(folder, model=engine, embedder=ScriptedEmbedder(), settings=settings), engine


def test_each_call_of_a_run_is_a_line(folder: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    traced, engine = investigator(folder, TraceSettings(file=str(trace), prompts=True))
    answer = traced.ask(QUESTION)
    began, *calls, ended = read_trace(trace)
    assert (began["kind"], ended["kind"]) == ("run_began", "run_ended")
    assert sorted(call["prompt"] for call in calls) == sorted(prompt.text for prompt in engine.asked)
    assert (ended["status"], ended["usage"]["calls"]) == (answer.status, len(engine.asked))


def test_a_run_that_was_stopped_shows_what_it_had_paid_for_as_reused(folder: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    settings = TraceSettings(file=str(trace))
    broken, first = investigator(folder, settings, answer__answer=[])
    with pytest.raises(EngineError):
        broken.ask(QUESTION)
    stopped = list(read_trace(trace))
    assert stopped[-1]["error"].startswith("EngineError: the script ran out")
    whole, second = investigator(folder, settings)
    whole.ask(QUESTION)
    calls = [line for line in list(read_trace(trace))[len(stopped) :] if line["kind"] == "called"]
    assert [call["template"] for call in calls if not call["reused"]] == [prompt.template for prompt in second.asked]
    assert sum(call["reused"] for call in calls) == len(first.asked) - 1


@pytest.mark.parametrize("name", ["missing/trace.jsonl", "folder/trace.jsonl"])
def test_a_trace_that_cannot_be_kept_is_told_before_anything_is_asked(folder: Path, tmp_path: Path, name: str) -> None:
    traced, engine = investigator(folder, TraceSettings(file=str(tmp_path / name)))
    with pytest.raises(SettingsError, match="the trace"):
        traced.ask(QUESTION)
    assert engine.asked == []
    assert not (folder / "trace.jsonl").exists()


def test_all_calls_lie_below_the_run_in_one_trace(
    folder: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    traced, engine = investigator(folder, TraceSettings())
    traced.ask(QUESTION)
    collectors_provider().shutdown()
    (run,) = [span for span in collector.spans if span.name == "invoke_agent investigator"]
    chats = [span for span in collector.spans if span.name == "chat scripted"]
    assert len(chats) == len(engine.asked)
    assert {(span.trace_id, span.parent_span_id) for span in chats} == {(run.trace_id, run.span_id)}


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
    assert 'pip install "opentelemetry-exporter-otlp-proto-http' in caught.value.hint


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
