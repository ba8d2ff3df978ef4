"""Reads the requested record from the JSON in a reply. Accepted deviations:

- several objects: the last matching object counts, but never an echoed schema;
- wrappers around the object (`{"reply": {...}}`, `[{...}]`);
- an item that is cut off or has the wrong form, which is dropped; the caller learns of the problem.

`json_text` handles broken JSON, and `shapes` handles the names and types of its fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import ValidationError

from investigator.asking.replies.json_text import Json, mended_values, whole_values
from investigator.asking.replies.shapes import fitted, known_fields, without_bad_items
from investigator.errors import ReplyError
from investigator.records import Record

R = TypeVar("R", bound=Record)

_HINT = "Ask again, or choose a model that follows the requested format."
_MOST_PROBLEMS = 5
_DEEPEST_WRAPPING = 3


@dataclass(frozen=True)
class ReadRecord(Generic[R]):
    """A record that was read from a reply, and the problem with parts of it that were dropped or replaced, or "".

    `mended` is True if the JSON was broken, for example because the reply was cut off.
    """

    record: R
    problem: str = ""
    mended: bool = False


def read_reply(text: str, reply_type: type[R]) -> R:
    """Return the record in a reply. Raises ReplyError with a message that explains the fault to the model."""
    return read_closely(text, reply_type).record


def read_closely(text: str, reply_type: type[R]) -> ReadRecord[R]:
    """Return the record in a reply, and the problem with its parts. Raises ReplyError as `read_reply` does."""
    problems: list[str] = []
    whole = [part for value in reversed(whole_values(text)) for part in _objects(value, reply_type)]
    for value in whole:
        if (read := _validated(value, reply_type, problems)) is not None:
            return read
    mended = [part for value in mended_values(text) for part in _objects(value, reply_type)]
    for value in mended:
        if (read := _validated(value, reply_type, problems)) is not None:
            return ReadRecord(read.record, read.problem, mended=True)
    for value in (*whole, *mended):
        if (read := _validated(without_bad_items(value, reply_type), reply_type, [])) is not None:
            return ReadRecord(read.record, _message(reply_type, problems), mended=value in mended)
    raise ReplyError(_message(reply_type, problems), hint=_HINT)


def _objects(value: Json, reply_type: type[Record], depth: int = 0) -> Iterator[dict[str, Json]]:
    """Yield the outermost objects that consist mostly of fields of the record, the last first; never a schema."""
    if isinstance(value, dict) and ("properties" in value or 2 * known_fields(value, reply_type) >= len(value) > 0):
        if "properties" not in value:
            yield value
    elif isinstance(value, dict | list) and depth < _DEEPEST_WRAPPING:
        for part in reversed(list(value.values()) if isinstance(value, dict) else value):
            yield from _objects(part, reply_type, depth + 1)


def _validated(value: Json, reply_type: type[R], problems: list[str]) -> ReadRecord[R] | None:
    unknown: list[str] = []
    try:
        record = reply_type.model_validate(fitted(value, reply_type, unknown))
    except ValidationError as error:
        for problem in error.errors(include_url=False, include_input=False)[:_MOST_PROBLEMS]:
            place = ".".join(str(part) for part in problem["loc"])
            problems.append(f"{place}: {problem['msg']}")
        return None
    return ReadRecord(record, _message(reply_type, unknown) if unknown else "")


def _message(reply_type: type[Record], problems: list[str]) -> str:
    wanted = ", ".join(f'"{name}"' for name in reply_type.model_fields)
    if not problems:
        return f"The reply holds no JSON object with the fields {wanted}."
    faults = "; ".join(list(dict.fromkeys(problems))[:_MOST_PROBLEMS])
    return f"The JSON object does not have the form that was asked for ({faults}). It needs the fields {wanted}."
