"""The JSON schema of a reply, in the strict form that servers can enforce."""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

from investigator.records import Record

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""Any JSON value."""


@cache  # building a schema takes a third of a call's processor time
def reply_schema(reply_type: type[Record]) -> dict[str, Json]:
    """Return the schema of a reply record: every property is required and in order, nothing else is allowed, and there
    are no defaults. This is the subset that OpenAI's strict mode, vLLM, Ollama and llama.cpp share; a model that must
    write every field in order cannot omit its quotes or explain before it scores. Callers must not change it.
    """
    return _strict_object(reply_type.model_json_schema())


def bounded(schema: dict[str, Json], *, characters: int, items: int, records: int) -> dict[str, Json]:
    """Return the schema with limits on texts, lists of texts and lists of records, for models that repeat themselves.

    `records` must not be less than the number of documents or statements that a prompt asks about.
    """

    def part(value: Json) -> Json:
        if isinstance(value, list):
            return [part(item) for item in value]
        limits = {"characters": characters, "items": items, "records": records}
        return bounded(value, **limits) if isinstance(value, dict) else value

    parts = {name: part(value) for name, value in schema.items()}
    match schema:
        case {"type": "string"}:
            return {**parts, "maxLength": characters}
        case {"type": "array", "items": {"$ref": _}}:
            return {**parts, "maxItems": records}
        case {"type": "array"}:
            return {**parts, "maxItems": items}
    return parts


def _strict(value: Json) -> Json:
    if isinstance(value, list):
        return [_strict(item) for item in value]
    return _strict_object(value) if isinstance(value, dict) else value


def _strict_object(schema: dict[str, Json]) -> dict[str, Json]:
    if "$ref" in schema:  # strict servers reject anything next to a reference
        return {"$ref": schema["$ref"]}
    strict: dict[str, Json] = {}
    for key, value in schema.items():
        if key in ("properties", "$defs") and isinstance(value, dict):  # its keys are names of fields
            strict[key] = {name: _strict(part) for name, part in value.items()}
        elif key not in ("default", "description", "title"):  # a prompt explains its fields, and a schema costs tokens
            strict[key] = _strict(value)
    if isinstance(properties := schema.get("properties"), dict):
        strict |= {"required": list(properties), "additionalProperties": False}
    return strict
