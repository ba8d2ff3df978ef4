"""Converts a JSON value to the shape of a record. Accepted deviations:

- keys with another spelling ("Document ID") or a known synonym ("score"), and unknown keys, which are dropped;
- a single value instead of a list, a list or object instead of a string, null instead of an optional value;
- numbers as strings ("0.8") or out of bounds, and points in every notation of free text;
- lone surrogates, which databases cannot store.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, get_args, get_origin

from pydantic.fields import FieldInfo

from investigator.asking.replies.json_text import Json
from investigator.asking.replies.points import read_point
from investigator.records import Record

_SURROGATE = re.compile("[\ud800-\udfff]")
_ALSO_CALLED = {
    **dict.fromkeys(("points", "score", "rating", "relevance", "relevancescore"), "point"),
    **dict.fromkeys(("answer", "response"), "reply"),
    **dict.fromkeys(("quote", "quotations"), "quotes"),
    **dict.fromkeys(("document", "docid", "documentname"), "documentid"),
}
"""Other names that models use for a field, accepted if the record has no field with that name."""
_TEXT_KEYS = ("text", "quote", "value", "name", "id", "info")
"""Keys under which to look for the text if a model sends an object instead of a string."""


def fitted(value: Json, reply_type: type[Record]) -> Json:
    """Convert an object to the record's fields and types, at all depths; unknown fields are dropped.

    Keys are compared ignoring case, spaces and punctuation. A value that cannot be converted is left unchanged, so that
    validation reports it. A field called `point` is read like a point in free text.
    """
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
        fit[name] = _fitted_field(part, name, info)
    return fit


def known_fields(value: Json, reply_type: type[Record]) -> int:
    """Return how many of the record's fields an object contains."""
    if not isinstance(value, dict):
        return 0
    return len({field_of(key, reply_type) for key in value} - {None})


def field_of(key: str, reply_type: type[Record]) -> str | None:
    """Return the field of a record that a key refers to, or None."""
    form = key_form(key)
    for name in reply_type.model_fields:
        if key_form(name) in (form, _ALSO_CALLED.get(form)):
            return name
    return None


def key_form(key: str) -> str:
    """Return the same form for all spellings of a key, such as "Document ID", "documentId" and "document_id"."""
    return re.sub(r"[\W_]", "", str(key)).casefold()


def list_field(reply_type: type[Record]) -> tuple[str, type[Record]] | None:
    """Return the only field that is a list of records, and its item type; None unless exactly one exists."""
    found = [
        (name, item)
        for name, info in reply_type.model_fields.items()
        if (item := _item_record(info.annotation)) is not None
    ]
    return found[0] if len(found) == 1 else None


def _fitted_field(value: Json, name: str, info: FieldInfo) -> Json:
    if name == "point":
        return _point(value)
    return _fitted_value(value, info.annotation, info)


def _point(value: Json) -> int | None:
    return read_point(json.dumps({"point": value})) if value is not None else None


def _fitted_value(value: Json, annotation: Any, info: FieldInfo | None) -> Json:
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return fitted(value, annotation)
    if get_origin(annotation) is tuple:
        item = get_args(annotation)[0]
        values = value if isinstance(value, list) else [] if value in (None, "") else [value]
        return [_fitted_value(part, item, None) for part in values if part is not None]
    kinds = {annotation, *get_args(annotation)}
    if str in kinds:
        return _text(value)
    if kinds & {int, float}:
        return _number(value, whole=int in kinds, info=info)
    return value


def _text(value: Json) -> Json:
    if isinstance(value, list):
        return "; ".join(str(_text(part)) for part in value)
    if isinstance(value, dict):
        texts = {key_form(key): part for key, part in value.items() if isinstance(part, str)}
        named = [texts[key] for key in _TEXT_KEYS if key in texts]
        return _text(named[0]) if named else "; ".join(f"{key}: {_text(part)}" for key, part in value.items())
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
    if get_origin(annotation) is not tuple:
        return None
    item = get_args(annotation)[0]
    return item if isinstance(item, type) and issubclass(item, Record) else None


def is_schema(value: Mapping[str, Json]) -> bool:
    """Return True if an object is an echoed JSON schema instead of a record."""
    parts = value.get("properties")
    if isinstance(parts, dict):
        return all(
            isinstance(part, dict) and part.keys() & {"type", "$ref", "anyOf", "allOf"} for part in parts.values()
        )
    return "$defs" in value or "$schema" in value
