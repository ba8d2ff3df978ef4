"""Reads the requested record from the JSON in a reply. Accepted deviations:

- several objects: the last matching object counts, but never an echoed schema;
- wrappers around the object (`{"reply": {...}}`, `[{...}]`);
- an item that is cut off or has the wrong form, which is dropped; the caller learns of the problem;
- keys with another spelling ("Document ID") or the name of such a field elsewhere, and unknown keys, which are dropped;
- a single value instead of a list, a list or object instead of a string, null instead of an optional value, and a
  string instead of a record with a single required text;
- several ids of evidence in one string ("E1, E2"), and words of an enum in another spelling ("In part"); a word that
  the enum does not have is replaced by the default of the field, and reported;
- numbers as strings ("0.8"), points out of bounds, and lone surrogates, which databases cannot store.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from investigator.asking.replies.json_text import Json, mended_values, whole_values
from investigator.errors import ReplyError
from investigator.records import Record

R = TypeVar("R", bound=Record)

_HINT = "Ask again, or choose a model that follows the requested format."
_MOST_PROBLEMS = 5
_DEEPEST_WRAPPING = 3
_LONGEST_WORD = 40
_SURROGATE = re.compile("[\ud800-\udfff]")
_BETWEEN_IDS = re.compile(r"[\s,;\[\]()]+")
_ALSO_CALLED = {"score": "point", "answer": "reply", "documentid": "document", "document": "documentid"}
"""Names that some of our records have for a field that others call differently."""


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
        if (read := _validated(_without_bad_items(value, reply_type), reply_type, [])) is not None:
            return ReadRecord(read.record, _message(reply_type, problems), mended=value in mended)
    raise ReplyError(_message(reply_type, problems), hint=_HINT)


def _objects(value: Json, reply_type: type[Record], depth: int = 0) -> Iterator[dict[str, Json]]:
    """Yield the outermost objects that consist mostly of fields of the record, the last first; never a schema."""
    known = {_field_of(key, reply_type) for key in value} - {None} if isinstance(value, dict) else ()
    if isinstance(value, dict) and ("properties" in value or 2 * len(known) >= len(value) > 0):
        if "properties" not in value:
            yield value
    elif isinstance(value, dict | list) and depth < _DEEPEST_WRAPPING:
        for part in reversed(list(value.values()) if isinstance(value, dict) else value):
            yield from _objects(part, reply_type, depth + 1)


def _validated(value: Json, reply_type: type[R], problems: list[str]) -> ReadRecord[R] | None:
    unknown: list[str] = []
    try:
        record = reply_type.model_validate(_fitted(value, reply_type, unknown))
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


def _without_bad_items(value: dict[str, Json], reply_type: type[Record]) -> Json:
    """Return an object without the records inside it that do not validate; None if no item of a required list does."""
    fit = _fitted(value, reply_type, [])
    if not isinstance(fit, dict):
        return None
    for name, info in reply_type.model_fields.items():
        items, kind = fit.get(name), _record_in(info.annotation)
        if kind is None or not items:
            continue
        if not isinstance(items, list):
            if _validated(items, kind, []) is None:
                del fit[name]
            continue
        fit[name] = good = [item for item in items if _validated(item, kind, []) is not None]
        if not good and info.is_required():
            return None
    return fit


def _fitted(value: Json, reply_type: type[Record], unknown: list[str]) -> Json:
    """Convert an object to the record's fields and types, at all depths; unknown fields are dropped, and words that an
    enum does not have are added to `unknown`. What cannot be converted is left for validation to report.
    """
    if isinstance(value, str):
        required = [(name, info) for name, info in reply_type.model_fields.items() if info.is_required()]
        is_only_text = len(required) == 1 and required[0][1].annotation is str
        return {required[0][0]: _text(value)} if is_only_text else value
    if not isinstance(value, dict):
        return value
    fit: dict[str, Json] = {}
    for key, part in sorted(value.items(), key=lambda entry: _field_of(entry[0], reply_type) != entry[0]):
        name = _field_of(key, reply_type)
        info = reply_type.model_fields[name] if name is not None else None
        if name is None or info is None or name in fit or (part is None and not info.is_required()):
            continue
        converted = _fitted_field(part, name, info, unknown)
        if converted is not None or info.is_required():
            fit[name] = converted
    return fit


def _field_of(key: str, reply_type: type[Record]) -> str | None:
    """Return the field of a record that a key refers to, ignoring case, spaces and punctuation, or None."""
    names, form = {_form(name): name for name in reply_type.model_fields}, _form(key)
    return names.get(form) or names.get(_ALSO_CALLED.get(form, ""))


def _form(word: str) -> str:
    return re.sub(r"[\W_]", "", word).casefold()


def _fitted_field(value: Json, name: str, info: FieldInfo, unknown: list[str]) -> Json:
    annotation = info.annotation
    if name == "point":
        number = _number(value, whole=False)
        if not isinstance(number, float) or not math.isfinite(number):
            return None
        return min(100, max(0, round(number * 100 if 0 < number < 1 else number)))
    if name == "evidence":
        texts = (str(_text(part)) for part in (value if isinstance(value, list) else [value]) if part is not None)
        return list(dict.fromkeys(id_ for text in texts for id_ in _BETWEEN_IDS.split(text) if id_))
    if isinstance(annotation, type) and issubclass(annotation, StrEnum):
        words = {_form(word): word.value for word in annotation}
        word = words.get(_form(str(value)))
        if word is None and info.is_required():
            return value
        if word is None:
            unknown.append(f"{name}: {str(value)[:_LONGEST_WORD]!r} is none of {', '.join(words.values())}")
        return word
    return _converted(value, annotation, unknown, info)


def _converted(value: Json, annotation: Any, unknown: list[str], info: FieldInfo | None = None) -> Json:
    if get_origin(annotation) is tuple:
        item = get_args(annotation)[0]
        values = value if isinstance(value, list) else [] if value in (None, "") else [value]
        fit = [_converted(part, item, unknown) for part in values if part is not None]
        return [part for part in fit if isinstance(part, int)] if item is int else fit
    if (inner := _record_in(annotation)) is not None:
        return _fitted(value, inner, unknown)
    kinds = {annotation, *get_args(annotation)}
    if str in kinds:
        return _text(value)
    return _number(value, whole=int in kinds, info=info) if kinds & {int, float} else value


def _text(value: Json) -> Json:
    if isinstance(value, list):
        return "; ".join(str(_text(part)) for part in value)
    if isinstance(value, dict):
        return next((_text(part) for part in value.values() if isinstance(part, str)), "")
    return "" if value is None else _SURROGATE.sub("\ufffd", str(value))


def _number(value: Json, *, whole: bool, info: FieldInfo | None = None) -> Json:
    """Convert a number or a string to a finite number within the field's bounds, if possible."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return value
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return value
    if not math.isfinite(number):
        return value
    for bound in info.metadata if info is not None else ():
        number = max(number, float(getattr(bound, "ge", number)))
        number = min(number, float(getattr(bound, "le", number)))
    return round(number) if whole else number


def _record_in(annotation: Any) -> type[Record] | None:
    """Return the record type in an annotation such as `Statement | None` or `tuple[Statement, ...]`, or None."""
    kinds = (annotation, *get_args(annotation))
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Record)), None)
