"""Prompts and replies: everything that passes between the method and an engine."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from investigator.records.base import Foreign, Record


class RepairVariables(Record):
    """Variables of `asking/repair.j2`: a prompt, the unreadable reply, and the problem with it."""

    prompt: str
    reply: str
    problem: str


class FinishReason(StrEnum):
    """The reason why a reply ended."""

    STOP = "stop"
    LENGTH = "length"
    OTHER = "other"


@dataclass(frozen=True)
class Prompt:
    """A request to an engine.

    `text` is the rendered template, `variables` are its inputs, `reply_type` is the record that must be returned.
    `undated` is the text without the day of the run, which is not part of the key of a stored reply; empty if the
    text names no day.
    """

    template: str
    variables: Record
    text: str
    reply_type: type[Record]
    undated: str = ""


class Reply(Record):
    """The output of an engine: its text, input and output tokens, finish reason, and duration in seconds."""

    text: Foreign
    input_tokens: int = 0
    output_tokens: int = 0
    finish_reason: FinishReason = FinishReason.STOP
    seconds: float = 0.0
