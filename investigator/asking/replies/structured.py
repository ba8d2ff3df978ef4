"""Reads the requested record from the JSON in a reply. Accepted deviations:

- several objects: the last matching object counts, but never an echoed schema or example;
- wrappers around the object (`{"reply": {...}}`, `[{...}]`), and the object written inside its own field;
- a bare list, or items one after the other, if the record has one list of records;
- an item that is cut off or has the wrong form, which is dropped; the caller learns of the problem.

`json_text` handles broken JSON, and `shapes` handles the names and types of its fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import ValidationError

from investigator.asking.replies.json_text import Json, mended_values, whole_values
from investigator.asking.replies.shapes import fitted, is_schema, known_fields, list_field, without_bad_items
from investigator.asking.replies.thoughts import without_thoughts
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
    whole = whole_values(text)
    if (read := _first_fitting(reversed(whole), reply_type, problems)) is not None:
        return read
    mended = list(mended_values(text))
    if (read := _first_fitting(mended, reply_type, problems)) is not None:
        return ReadRecord(read.record, read.problem, mended=True)
    for values in (reversed(whole), mended):
        lossy = _first_fitting((_without_bad_items(value, reply_type) for value in values), reply_type, [])
        if lossy is not None:
            return ReadRecord(lossy.record, _message(reply_type, problems), mended=values is mended)
    for values in (whole, mended[:1]):
        if (together := _from_items(values, reply_type)) is not None:
            return ReadRecord(together.record, together.problem, mended=values is not whole)
    if whole == [[]] and "{" not in without_thoughts(text) and (field := list_field(reply_type)):
        return ReadRecord(reply_type.model_validate({field[0]: []}))
    raise ReplyError(_message(reply_type, problems), hint=_HINT)


def _first_fitting(values: Iterable[Json], reply_type: type[R], problems: list[str]) -> ReadRecord[R] | None:
    """Return the first matching value, trying objects before lists; add the problems of other values to `problems`."""
    lists: list[list[Json]] = []
    for value in values:
        content = _unwrapped(value, reply_type)
        if isinstance(content, list):
            lists.append(content)
        elif content is not None and (record := _validated(content, reply_type, problems)) is not None:
            return record
    for content in lists:
        wrapped = _wrapped(content, reply_type)
        if wrapped is not None and (record := _validated(wrapped, reply_type, problems)) is not None:
            return record
    return None


def _unwrapped(value: Json, reply_type: type[Record], depth: int = 0) -> Json:
    """Return an object with fields of the record, without wrappers such as {"reply": {...}} or [{...}]."""
    if isinstance(value, dict):
        if is_schema(value) or _is_example(value):
            return None
        if _is_of_record(value, reply_type) and not _wraps_itself(value, reply_type):
            return value
    if isinstance(value, list) and value and _wrapped(value, reply_type) is not None:
        return value
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    boxes = [part for part in inner if isinstance(part, dict | list)]
    if depth >= _DEEPEST_WRAPPING or not boxes:
        return None
    found = [part for part in (_unwrapped(box, reply_type, depth + 1) for box in boxes[-5:]) if part is not None]
    return found[-1] if found else None


def _is_of_record(value: dict[str, Json], reply_type: type[Record]) -> bool:
    """Return True if an object has fields of the record, and is not rather one of the items of its list."""
    own, field = known_fields(value, reply_type), list_field(reply_type)
    return own > 0 and (field is None or own >= known_fields(value, field[1]))


def _wraps_itself(value: dict[str, Json], reply_type: type[Record]) -> bool:
    """Return True if the only key contains the whole record again: {"reply": {"point": 85, "reply": "..."}}."""
    only = next(iter(value.values())) if len(value) == 1 else None
    return isinstance(only, dict) and _is_of_record(only, reply_type)


def _is_example(value: dict[str, Json]) -> bool:
    """Return True if all strings are dots, as in an echo of the prompt's example."""
    written = [text.strip() for text in _texts(value)]
    return bool(written) and all(text in ("...", "…") for text in written)


def _texts(value: Json) -> Iterator[str]:
    """Yield all strings in a value, at any depth."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if isinstance(value, str):
        yield value
    for part in inner:
        yield from _texts(part)


def _wrapped(items: list[Json], reply_type: type[Record]) -> dict[str, Json] | None:
    """Wrap a bare list of items into the record."""
    field = list_field(reply_type)
    if field is None or not all(known_fields(item, field[1]) for item in items):
        return None
    return {field[0]: items}


def _from_items(values: Iterable[Json], reply_type: type[R]) -> ReadRecord[R] | None:
    """Build the record from items written one after the other, without a list."""
    field = list_field(reply_type)
    items: list[Json] = [
        value
        for value in values
        if field and isinstance(value, dict) and known_fields(value, field[1]) and not _is_example(value)
    ]
    return _validated({field[0]: items}, reply_type, []) if field and items else None


def _without_bad_items(value: Json, reply_type: type[Record]) -> Json:
    """Return an object without items that do not fit, such as the last item of a truncated reply."""
    content = _unwrapped(value, reply_type)
    content = _wrapped(content, reply_type) if isinstance(content, list) else content
    return without_bad_items(content, reply_type) if isinstance(content, dict) else None


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
    found = "; ".join(list(dict.fromkeys(problems))[:_MOST_PROBLEMS])
    return f"The JSON object does not have the form that was asked for ({found}). It needs the fields {wanted}."
