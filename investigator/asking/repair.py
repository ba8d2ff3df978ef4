"""Parses an engine's reply into the requested record, and says what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from investigator.asking.replies import read_closely
from investigator.errors import ReplyError
from investigator.records import FinishReason, Prompt, Record, Reply

R = TypeVar("R", bound=Record)

# in a prompt's example: {"reply": "<one or two sentences>"}
_PLACEHOLDER = re.compile(r'"(<[^<>"\n]{2,60}>|\.\.\.)"')


@dataclass(frozen=True)
class ReadReply(Generic[R]):
    """A reply after parsing: its value (None if there is a problem), the raw text, and the problem.

    `in_part` is True if something was omitted from the prompt because the context was too small.
    """

    value: R | None
    raw: str
    problem: str = ""
    in_part: bool = False


def anything(_: Record) -> str:
    """Return "", because every parsed value is acceptable."""
    return ""


def read_once(prompt: Prompt, reply: Reply, reply_type: type[R], problem_with: Callable[[R], str]) -> ReadReply[R]:
    """Return the record in one reply to a prompt, or the problem with the reply."""
    cut = "It was cut off: make it shorter." if reply.finish_reason is FinishReason.LENGTH else ""
    try:
        read = read_closely(reply.text, reply_type)
    except ReplyError as error:
        return ReadReply(None, reply.text, f"{error.message} {cut}".strip())
    if repeated := _repeated_placeholder(prompt.text, read.record):
        raw = _PLACEHOLDER.sub('""', reply.text)  # a placeholder is never shown as a reply
        return ReadReply(None, raw, f"it repeats {repeated} of the form instead of an answer")
    problem = (cut if read.mended else "") or read.problem or problem_with(read.record)
    return ReadReply(read.record, reply.text, problem)


def _repeated_placeholder(prompt: str, value: Record) -> str:
    """Return a placeholder from the prompt's example that is a string of a value, or ""."""
    waiting: list[object] = [value.model_dump()]
    placeholders = frozenset(_PLACEHOLDER.findall(prompt))
    while placeholders and waiting:
        match waiting.pop():
            case str() as text if text.strip() in placeholders:
                return text.strip()
            case dict() as fields:
                waiting.extend(fields.values())
            case list() | tuple() as items:
                waiting.extend(items)
    return ""
