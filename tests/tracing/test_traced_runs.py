"""A whole investigation, traced by a file, by OpenTelemetry, and by both."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from collectors import Collector
from watched_run import read_trace

from investigator import Investigator, ScriptedEmbedder, ScriptedEngine, Settings
from investigator.errors import EngineError, SettingsError
from investigator.tracing.base import TraceSettings
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
