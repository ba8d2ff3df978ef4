"""The lines of a trace: records of a run's start, of each engine call, and of its end."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from investigator.engines.roles import Role
from investigator.records import AnswerStatus, FinishReason, Record, StopReason, Usage


class RunBegan(Record):
    """A run begins, or resumes after it was stopped."""

    kind: Literal["run_began"] = "run_began"
    time: datetime
    run_id: str
    question: str
    engine: str
    resumed: bool


class Called(Record):
    """An engine was called; `time` is the start of the call, `seconds` its duration including waits and retries. The
    tokens of a reused reply were paid for earlier. Without a reply, `error` gives the reason and `finish_reason` is
    None. `prompt` and `reply` are None if texts are not recorded.
    """

    kind: Literal["called"] = "called"
    time: datetime
    run_id: str
    role: Role
    template: str
    engine: str
    key: str = Field(description="sha256 under which the reply is stored")
    seconds: float
    input_tokens: int = 0
    output_tokens: int = 0
    finish_reason: FinishReason | None = None
    reused: bool = False
    error: str = ""
    prompt: str | None = None
    reply: str | None = None


class RunEnded(Record):
    """A run ends with an answer, with an error, or (if neither is set) because the caller stopped.

    `seconds` are those of this process; `usage` is the cost of the run over all its processes.
    """

    kind: Literal["run_ended"] = "run_ended"
    time: datetime
    run_id: str
    seconds: float
    status: AnswerStatus | None = None
    stop: StopReason | None = None
    usage: Usage | None = None
    error: str = ""
