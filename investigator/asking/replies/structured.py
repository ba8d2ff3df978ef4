"""Reads the requested record from the JSON in a reply. Accepted deviations:

- several objects: the last matching object counts, but never an echoed schema or example;
- wrappers around the object (`{"reply": {...}}`, `[{...}]`), and the object written inside its own field;
- a bare list, or items one after the other, if the record is one list;
- a last item that was cut off.

`json_text` handles broken JSON, and `shapes` handles the names and types of its fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from pydantic import ValidationError

from investigator.asking.replies.json_text import Json, mended_values, whole_values
from investigator.asking.replies.shapes import fitted, is_schema, known_fields, list_field
from investigator.errors import ReplyError
from investigator.records import Record

R = TypeVar("R", bound=Record)

_HINT = "Ask again, or choose a model that follows the requested format."
_MOST_PROBLEMS = 5
_DEEPEST_WRAPPING = 3


def read_record(text: str, reply_type: type[R]) -> R:
    """Return the record in a reply. Raises ReplyError with a message that explains the fault to the model."""
    problems: list[str] = []
    values = whole_values(text)
    record = _first_fitting(reversed(values), reply_type, problems)
    if record is None:
        mended = list(mended_values(text))
        record = _first_fitting(mended, reply_type, problems)
        record = record or _first_fitting((_without_torn_items(value, reply_type) for value in mended), reply_type, [])
    if record is not None:
        return record
    together = _from_items(values, reply_type)
    if together is not None:
        return together
    raise ReplyError(_message(reply_type, problems), hint=_HINT)


def _first_fitting(values: Iterable[Json], reply_type: type[R], problems: list[str]) -> R | None:
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
        if known_fields(value, reply_type) and not _wraps_itself(value, reply_type):
            return value
    if isinstance(value, list) and _wrapped(value, reply_type) is not None:
        return value
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    boxes = [part for part in inner if isinstance(part, dict | list)]
    if depth >= _DEEPEST_WRAPPING or not boxes:
        return None
    found = [part for part in (_unwrapped(box, reply_type, depth + 1) for box in boxes[-5:]) if part is not None]
    return found[-1] if found else None


def _wraps_itself(value: dict[str, Json], reply_type: type[Record]) -> bool:
    """Return True if the only key contains the whole record again: {"reply": {"point": 85, "reply": "..."}}."""
    only = next(iter(value.values())) if len(value) == 1 else None
    return isinstance(only, dict) and known_fields(only, reply_type) > 1


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


def _from_items(values: Iterable[Json], reply_type: type[R]) -> R | None:
    """Build the record from items written one after the other, without a list."""
    field = list_field(reply_type)
    items = [value for value in values if field and known_fields(value, field[1])]
    return _validated({field[0]: items}, reply_type, []) if field and items else None


def _without_torn_items(value: Json, reply_type: type[Record]) -> Json:
    """Return a repaired object without incomplete list items, such as the last item of a truncated reply."""
    content = _unwrapped(value, reply_type)
    content = _wrapped(content, reply_type) if isinstance(content, list) else content
    field = list_field(reply_type)
    if field is None or not isinstance(content, dict):
        return None
    fit = fitted(content, reply_type)
    items = fit.get(field[0]) if isinstance(fit, dict) else None
    if not isinstance(fit, dict) or not isinstance(items, list):
        return None
    whole = [item for item in items if _validated(item, field[1], []) is not None]
    return {**fit, field[0]: whole} if whole else None


def _validated(value: Json, reply_type: type[R], problems: list[str]) -> R | None:
    try:
        return reply_type.model_validate(fitted(value, reply_type))
    except ValidationError as error:
        for problem in error.errors(include_url=False, include_input=False)[:_MOST_PROBLEMS]:
            place = ".".join(str(part) for part in problem["loc"])
            problems.append(f"{place}: {problem['msg']}")
        return None


def _message(reply_type: type[Record], problems: list[str]) -> str:
    wanted = ", ".join(f'"{name}"' for name in reply_type.model_fields)
    if not problems:
        return f"The reply holds no JSON object with the fields {wanted}."
    found = "; ".join(list(dict.fromkeys(problems))[:_MOST_PROBLEMS])
    return f"The JSON object does not have the form that was asked for ({found}). It needs the fields {wanted}."
