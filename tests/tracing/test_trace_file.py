"""The trace file records events line by line as they happen, and never harms the run."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from watched_run import CUT, ENDED, PROMPT, REPLY, SECRET, read_trace

from investigator.errors import EngineError, SettingsError
from investigator.tracing.base import TraceSettings, WatchedCall
from investigator.tracing.trace_file import TraceFile

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)


def trace_file(path: Path, *, prompts: bool = False) -> TraceFile:
    return TraceFile(TraceSettings(file=str(path), prompts=prompts), now=lambda: NOON)


def test_a_run_is_a_line_for_its_beginning_for_each_call_and_for_its_end(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    with trace_file(path).run("r1", "Who?", "openai:m") as run:
        run.called(WatchedCall(PROMPT, "openai:m", "k1", seconds=0.25, reply=CUT))
        run.called(WatchedCall(PROMPT, "openai:m", "k2", reply=REPLY, reused=True))
        run.ended(ENDED)
    noon = NOON.isoformat()
    call: dict[str, Any] = {
        "kind": "called",
        "run_id": "r1",
        "role": "ask",
        "template": "query/ask",
        "engine": "openai:m",
    }
    call |= {"engine": "openai:m", "input_tokens": 120, "error": None, "prompt": None, "reply": None}
    early = "2025-03-01T11:59:59.750000+00:00"
    cut = {"time": early, "key": "k1", "seconds": 0.25, "output_tokens": 2, "finish_reason": "length", "reused": False}
    whole = {"time": noon, "key": "k2", "seconds": 0.0, "output_tokens": 9, "finish_reason": "stop", "reused": True}
    began, *calls, ended = read_trace(path)
    assert began == {"kind": "run_began", "time": noon, "run_id": "r1", "question": "Who?", "engine": "openai:m"} | {
        "resumed": False
    }
    assert calls == [call | cut, call | whole]
    assert (ended["kind"], ended["status"], ended["stop"]) == ("run_ended", "not_found", "saturated")
    assert ended["error"] is None
    assert ended["usage"]["calls"] == ENDED.usage.calls


def test_each_line_is_there_at_once_and_texts_only_if_that_was_asked_for(tmp_path: Path) -> None:
    for prompts, kept in ((False, (None, None)), (True, (PROMPT.text, REPLY.text))):
        path = tmp_path / f"{prompts}.jsonl"
        with trace_file(path, prompts=prompts).run("r1", "Who?", "e") as run:
            assert [line["kind"] for line in read_trace(path)] == ["run_began"]
            run.called(WatchedCall(PROMPT, "e", "k", reply=REPLY))
            _, line = read_trace(path)
        assert (line["prompt"], line["reply"]) == kept
        assert (SECRET in path.read_text(encoding="utf-8")) is prompts


def test_an_error_is_told_in_its_call_and_at_the_end_and_stopping_early_is_none(tmp_path: Path) -> None:
    path, error = tmp_path / "trace.jsonl", EngineError("no more today")
    with suppress(EngineError), trace_file(path).run("r1", "Who?", "e") as run:
        run.called(WatchedCall(PROMPT, "e", "k", error=error))
        raise error

    def steps() -> Iterator[int]:
        with trace_file(path).run("r2", "Who?", "e"):
            yield 1
            yield 2

    watched = steps()
    next(watched)
    watched.close()  # type: ignore[attr-defined]
    _, called, ended, _, stopped = read_trace(path)
    assert called["finish_reason"] is None
    assert called["error"] == ended["error"] == "EngineError: no more today"
    assert (stopped["kind"], stopped["run_id"], stopped["error"]) == ("run_ended", "r2", None)


def test_what_many_threads_write_is_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    with trace_file(path, prompts=True).run("r1", "Who?", "e") as run:

        def ask() -> None:
            for _ in range(50):
                run.called(WatchedCall(PROMPT, "e", "k", reply=REPLY))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert [line["kind"] for line in lines] == ["run_began", *["called"] * 400, "run_ended"]


def test_a_second_run_is_appended_also_after_half_a_line(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    with trace_file(path).run("r1", "Who?", "e"):
        pass
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])  # as a killed process leaves it
    with trace_file(path).run("r2", "Who?", "gguf:mod\udcff.gguf", resumed=True):
        pass
    assert [(line["kind"], line["run_id"]) for line in read_trace(path)] == [
        ("run_began", "r1"),
        ("run_began", "r2"),
        ("run_ended", "r2"),
    ]
    assert list(read_trace(path))[1]["engine"] == "gguf:mod\\udcff.gguf"  # a name that is no Unicode is written out


def test_a_file_that_is_no_trace_is_left_as_it_is(tmp_path: Path) -> None:
    precious = tmp_path / "thesis.txt"
    precious.write_text("Chapter 1", encoding="utf-8")
    with pytest.raises(SettingsError, match="is not a trace"):
        trace_file(precious)
    assert precious.read_text(encoding="utf-8") == "Chapter 1"


@pytest.mark.parametrize("name", ["", "missing/trace.jsonl"])
def test_a_file_that_cannot_be_written_is_told_at_once(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match="the trace cannot be written"):
        trace_file(tmp_path / name)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_ends_the_trace_and_not_the_run() -> None:
    notices: list[str] = []
    with TraceFile(TraceSettings(file="/dev/full"), on_notice=notices.append).run("r1", "Who?", "e") as run:
        run.called(WatchedCall(PROMPT, "e", "k", reply=REPLY))
        run.ended(ENDED)
    assert notices == [f"Tracing to /dev/full stopped: {os.strerror(28)}."]
