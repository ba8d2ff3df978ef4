"""Tests of the schema that constrains a reply."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pydantic import Field

from investigator.engines.schemas import Json, bounded, reply_schema
from investigator.records import AnswerReply, AskReply, CheckReply, PlanReply, Record, ReflectReply, RowReply


def objects_of(schema: Json) -> Iterator[dict[str, Json]]:
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for part in schema.values():
            yield from objects_of(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from objects_of(part)


@pytest.mark.parametrize("reply_type", [PlanReply, AskReply, RowReply, ReflectReply, AnswerReply, CheckReply])
def test_every_field_is_required_and_no_other_is_allowed(reply_type: type[Record]) -> None:
    found = list(objects_of(reply_schema(reply_type)))
    assert found
    for schema in found:
        assert schema["required"] == list(schema["properties"])  # type: ignore[arg-type]
        assert schema["additionalProperties"] is False


def test_fields_that_are_named_like_keywords_survive() -> None:
    class Odd(Record):
        title: str = "x"
        default: int = 3
        ref: str = Field(default="", description="where")
        description: str = ""

    schema = reply_schema(Odd)
    assert schema["properties"] == {
        "title": {"type": "string"},
        "default": {"type": "integer"},
        "ref": {"type": "string"},
        "description": {"type": "string"},
    }


def test_a_bounded_schema_ends_every_text_and_list() -> None:
    schema = bounded(reply_schema(AskReply), characters=50, items=3, records=20)
    assert schema["properties"] == {
        "readings": {"type": "array", "maxItems": 20, "items": {"$ref": "#/$defs/DocumentReply"}}
    }
    reading = schema["$defs"]["DocumentReply"]["properties"]  # type: ignore[index, call-overload]
    assert reading["point"] == {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 100}, {"type": "null"}]}  # type: ignore[index, call-overload]
    assert reading["reply"] == {"type": "string", "maxLength": 50}  # type: ignore[index, call-overload]
    assert reading["quotes"] == {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 50}}  # type: ignore[index, call-overload]
