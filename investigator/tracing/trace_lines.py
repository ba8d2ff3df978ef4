"""The lines of a trace: records of a run's beginning, of each engine call, and of its end."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from investigator.engines.roles import Role
from investigator.errors import SettingsError
from investigator.records import AnswerStatus, FinishReason, Record, StopReason, Usage


class RunBegan(Record):
    """A run begins, or goes on after it was stopped."""

    kind: Literal["run_began"] = "run_began"
    time: datetime
    run_id: str
    question: str
    engine: str
    resumed: bool


class Called(Record):
    """An engine was called; `time` is when the call began, `seconds` how long it took, waits and retries included.

    A reused reply was kept from before: its tokens were paid for then. Where there is no reply, `error` says why and
    `finish_reason` is None. `prompt` and `reply` are None where the texts are not to be kept.
    """

    kind: Literal["called"] = "called"
    time: datetime
    run_id: str
    role: Role
    template: str
    engine: str
    key: str = Field(description="sha256 under which the reply is kept")
    seconds: float
    input_tokens: int = 0
    output_tokens: int = 0
    finish_reason: FinishReason | None = None
    reused: bool = False
    error: str = ""
    prompt: str | None = None
    reply: str | None = None


class RunEnded(Record):
    """A run ends: with an answer, with an error, or (neither is set) because nobody wanted its next step.

    `seconds` are those of this process, `usage` is what the run has cost over all its processes.
    """

    kind: Literal["run_ended"] = "run_ended"
    time: datetime
    run_id: str
    seconds: float
    status: AnswerStatus | None = None
    stop: StopReason | None = None
    usage: Usage | None = None
    error: str = ""


TraceLine = Annotated[RunBegan | Called | RunEnded, Field(discriminator="kind")]
"""One line of a trace."""

_LINE: TypeAdapter[RunBegan | Called | RunEnded] = TypeAdapter(TraceLine)


def read_trace(path: Path) -> Iterator[RunBegan | Called | RunEnded]:
    """The lines of a trace, in their order; half a line, left by a process that was killed, is passed over.

    Raises SettingsError where the file cannot be read.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise SettingsError(
            f"the trace {path} cannot be read: {error.strerror}", hint="Name a file that --trace has written."
        ) from error
    for line in lines:
        try:
            yield _LINE.validate_json(line)
        except ValidationError:
            continue
