"""Converts a JSON value to the fields and types of a record. Accepted deviations:

- keys with another spelling ("Document ID") or the name of such a field elsewhere, and unknown keys, which are dropped;
- a single value instead of a list, a list or object instead of a string, null instead of an optional value, and a
  string instead of a record with a single required text;
- several ids of evidence in one string ("E1, E2"), and words of an enum in another spelling ("In part");
- numbers as strings ("0.8") or out of bounds;
- lone surrogates, which databases cannot store.

A word that an enum does not have is replaced by the default of the field, and reported.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from investigator.asking.replies.json_text import Json
from investigator.records import Record

_SURROGATE = re.compile("[\ud800-\udfff]")
_BETWEEN_IDS = re.compile(r"[\s,;\[\]()]+")
_IDS = "evidence"
"""The name of the fields that hold ids of evidence."""
_ALSO_CALLED = {"score": "point", "answer": "reply", "documentid": "document", "document": "documentid"}
"""Names that some of our records have for a field that others call differently."""
_LONGEST_WORD = 40


def fitted(value: Json, reply_type: type[Record], unknown: list[str]) -> Json:
    """Convert an object to the record's fields and types, at all depths; unknown fields are dropped.

    Keys are compared ignoring case, spaces and punctuation. A value that cannot be converted is left unchanged, so that
    validation reports it. Words that an enum does not have are added to `unknown`.
    """
    if isinstance(value, str) and (name := _only_text(reply_type)):
        return {name: _text(value)}
    if not isinstance(value, dict):
        return value
    fit: dict[str, Json] = {}
    for key, part in sorted(value.items(), key=lambda entry: field_of(entry[0], reply_type) != entry[0]):
        name = field_of(key, reply_type)
        if name is None or name in fit:
            continue
        info = reply_type.model_fields[name]
        if part is None and not info.is_required():
            continue
        converted = _fitted_field(part, name, info, unknown)
        if converted is not None or info.is_required():
            fit[name] = converted
    return fit


def without_bad_items(value: dict[str, Json], reply_type: type[Record]) -> Json:
    """Return an object without the records inside it that do not validate; None if no item of a required list does."""
    fit = fitted(value, reply_type, [])
    if not isinstance(fit, dict):
        return None
    for name, info in reply_type.model_fields.items():
        items, item_type = fit.get(name), _item_record(info.annotation)
        if isinstance(items, list) and item_type is not None:
            good = [item for item in items if _validates(item, item_type)]
            if items and not good and info.is_required():
                return None
            fit[name] = list(good)
        elif isinstance(items, dict) and (inner := _record_in(info.annotation)) and not _validates(items, inner):
            del fit[name]
    return fit


def known_fields(value: Json, reply_type: type[Record]) -> int:
    """Return how many of the record's fields an object contains."""
    if not isinstance(value, dict):
        return 0
    return len({field_of(key, reply_type) for key in value} - {None})


def field_of(key: str, reply_type: type[Record]) -> str | None:
    """Return the field of a record that a key refers to, or None."""
    names, form = {key_form(name): name for name in reply_type.model_fields}, key_form(key)
    return names.get(form) or names.get(_ALSO_CALLED.get(form, ""))


def key_form(key: str) -> str:
    """Return the same form for all spellings of a key, such as "Document ID", "documentId" and "document_id"."""
    return re.sub(r"[\W_]", "", str(key)).casefold()


def _fitted_field(value: Json, name: str, info: FieldInfo, unknown: list[str]) -> Json:
    annotation = info.annotation
    if name == "point":
        return _point(value)
    if name == _IDS:
        return list(_ids(value))
    if isinstance(annotation, type) and issubclass(annotation, StrEnum):
        return _word(value, name, annotation, info, unknown)
    return _fitted_value(value, annotation, info, unknown)


def _fitted_value(value: Json, annotation: Any, info: FieldInfo | None, unknown: list[str]) -> Json:
    if (inner := _record_in(annotation)) is not None:
        return fitted(value, inner, unknown)
    if get_origin(annotation) is tuple:
        item = get_args(annotation)[0]
        values = value if isinstance(value, list) else [] if value in (None, "") else [value]
        fit = [_fitted_value(part, item, None, unknown) for part in values if part is not None]
        return [part for part in fit if isinstance(part, int)] if item is int else fit
    kinds = {annotation, *get_args(annotation)}
    if str in kinds:
        return _text(value)
    if kinds & {int, float}:
        return _number(value, whole=int in kinds, info=info)
    return value


def _point(value: Json) -> int | None:
    """Return a point, within 0..100, from a number, a fraction below 1, or a text with one; None if it is none."""
    number = _number(value, whole=False, info=None)
    if not isinstance(number, float):
        return None
    return min(100, max(0, round(number * 100 if 0 < number < 1 else number)))


def _ids(value: Json) -> Iterator[str]:
    """Yield the ids of evidence in a list or a string, each once."""
    values = value if isinstance(value, list) else [value]
    texts = (str(_text(part)) for part in values if part is not None)
    yield from dict.fromkeys(name for text in texts for name in _BETWEEN_IDS.split(text) if name)


def _word(value: Json, name: str, words: type[StrEnum], info: FieldInfo, unknown: list[str]) -> Json:
    """Return the word of an enum, whatever its spelling; None, so that the default applies, if the enum has no such
    word.
    """
    known = {key_form(word.value): word.value for word in words}
    word = known.get(key_form(str(value)))
    if word is not None or info.is_required():
        return word if word is not None else value
    unknown.append(f"{name}: {str(value)[:_LONGEST_WORD]!r} is none of {', '.join(known.values())}")
    return None


def _text(value: Json) -> Json:
    if isinstance(value, list):
        return "; ".join(str(_text(part)) for part in value)
    if isinstance(value, dict):
        return next((_text(part) for part in value.values() if isinstance(part, str)), "")
    if value is None:
        return ""
    return _SURROGATE.sub("\ufffd", str(value))


def _number(value: Json, *, whole: bool, info: FieldInfo | None) -> Json:
    """Convert a number or a string to a number, clamped to the field's bounds."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return value
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return value
    if not math.isfinite(number):
        return value
    low, high = _bounds(info)
    bounded = min(max(number, low), high)
    return round(bounded) if whole else bounded


def _bounds(info: FieldInfo | None) -> tuple[float, float]:
    metadata = info.metadata if info else []
    lows = [float(limit) for part in metadata if (limit := getattr(part, "ge", None)) is not None]
    highs = [float(limit) for part in metadata if (limit := getattr(part, "le", None)) is not None]
    return max(lows, default=-math.inf), min(highs, default=math.inf)


def _item_record(annotation: Any) -> type[Record] | None:
    return _record_in(get_args(annotation)[0]) if get_origin(annotation) is tuple else None


def _record_in(annotation: Any) -> type[Record] | None:
    """Return the record type of an annotation such as `Statement` or `Statement | None`, or None."""
    kinds = (annotation,) if isinstance(annotation, type) else get_args(annotation)
    if get_origin(annotation) is tuple:
        return None
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Record)), None)


def _only_text(reply_type: type[Record]) -> str | None:
    """Return the only required field of a record if it is a text, or None."""
    required = [(name, info) for name, info in reply_type.model_fields.items() if info.is_required()]
    return required[0][0] if len(required) == 1 and required[0][1].annotation is str else None


def _validates(value: Json, record_type: type[Record]) -> bool:
    try:
        record_type.model_validate(value)
    except ValidationError:
        return False
    return True
