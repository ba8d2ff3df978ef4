"""A run for tests of tracing: its prompt, its replies, its end, and its trace."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from investigator.records import (
    Answer,
    AnswerStatus,
    AskReply,
    AskVariables,
    Coverage,
    FinishReason,
    Investigation,
    Prompt,
    Reply,
    RunFacts,
    RunSetup,
    ShownDocument,
    StopReason,
    Usage,
)

SECRET = "The reactor's code name is HERON."
ENGINE = "openai:gpt-5-mini@127.0.0.1:8000"

_VARIABLES = AskVariables(
    main_question="Who owns the plant?", mission="", documents=(ShownDocument(document_id="plant.txt"),)
)
PROMPT = Prompt("query/ask", _VARIABLES, f"Read this.\n{SECRET}\nWho owns the plant?", AskReply)
REPLY = Reply(text='{"point": 90, "reply": "HERON"}', input_tokens=120, output_tokens=9)
CUT = Reply(text='{"point"', input_tokens=120, output_tokens=2, finish_reason=FinishReason.LENGTH)
ANSWER = Answer(
    question="Who owns the plant?",
    status=AnswerStatus.NOT_FOUND,
    reason="Nothing says it.",
    text="",
    coverage=Coverage(),
    run=RunFacts(engine=ENGINE, stop=StopReason.SATURATED),
)
ENDED = Investigation(
    id="r1",
    question="Who owns the plant?",
    setup=RunSetup(mission="m", strategy="s", engine=ENGINE),
    answer=ANSWER,
    usage=Usage(calls=3, input_tokens=360),
)


def read_trace(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a trace in order; skip a partial line left by a killed process."""
    for line in path.read_bytes().splitlines():
        with suppress(ValueError):
            yield json.loads(line)
