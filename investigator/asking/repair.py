"""Parses an engine's reply into the requested record, and asks once more if it cannot be parsed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from investigator.asking.budget import BudgetSpent
from investigator.asking.replies import read_closely
from investigator.errors import ContextTooLongError, ReplyError
from investigator.records import FinishReason, Prompt, Record, RepairVariables, Reply, StopReason

R = TypeVar("R", bound=Record)

# in a prompt's example: {"reply": "<one or two sentences>"}
_PLACEHOLDER = re.compile(r'"(<[^<>"\n]{2,60}>|\.\.\.)"')


@dataclass(frozen=True)
class ReadReply(Generic[R]):
    """A reply after parsing: its value (None if there is a problem), the problem, and the raw text.

    `in_part` is True if something was omitted from the prompt because the context was too small; `stopped_by` is the
    ceiling that prevented asking once more.
    """

    value: R | None
    raw: str
    problem: str = ""
    in_part: bool = False
    stopped_by: StopReason | None = None


def anything(_: Record) -> str:
    """Return "", because every parsed value is acceptable."""
    return ""


def read_or_repaired(
    prompt: Prompt,
    reply: Reply,
    reply_type: type[R],
    problem_with: Callable[[R], str],
    ask_again: Callable[[RepairVariables], Reply],
) -> ReadReply[R]:
    """Return the record in a reply to a prompt; if the reply has a problem, ask once more.

    The second reply is used if it can be parsed, even if `problem_with` still finds a problem. If asking again is
    impossible, because the prompt would be too long or a limit is reached, the first reply is returned unchanged.
    Raises EngineError, TemplateError and StoreError.
    """
    first = read_once(prompt, reply, reply_type, problem_with)
    if not first.problem:
        return first
    try:
        again = ask_again(
            RepairVariables(prompt=prompt.undated or prompt.text, reply=reply.text, problem=first.problem)
        )
    except ContextTooLongError:
        return first
    except BudgetSpent as spent:
        return replace(first, stopped_by=spent.reason)
    second = read_once(prompt, again, reply_type, problem_with)
    return second if second.value is not None or first.value is None else first


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
    """Return a placeholder from the prompt's example that occurs as a string in a value; "" if none does."""
    placeholders = frozenset(_PLACEHOLDER.findall(prompt))
    waiting: list[object] = [value.model_dump()] if placeholders else []
    while waiting:
        match waiting.pop():
            case str() as text if text.strip() in placeholders:
                return text.strip()
            case dict() as fields:
                waiting.extend(fields.values())
            case list() | tuple() as items:
                waiting.extend(items)
    return ""
