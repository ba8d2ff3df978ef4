"""The key under which a reply is stored, the role that a template belongs to, and the schema of a reply."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from pydantic import Field

from investigator.engines.base import prompt_key
from investigator.engines.roles import Role, role_of
from investigator.engines.schemas import Json, bounded, reply_schema
from investigator.records import (
    AnswerReply,
    AskReply,
    AskVariables,
    CheckReply,
    PlanDocument,
    PlanReply,
    PlanVariables,
    Prompt,
    QuestionVariables,
    Record,
    ReflectReply,
    RowReply,
    RowVariables,
    ShownDocument,
    ShownPassage,
)

VARIABLES = QuestionVariables(document_id="a.txt", purpose="why", perspectives="")
PROMPT = Prompt("query/ask.j2", VARIABLES, "text", AskReply)


def test_the_key_is_the_same_in_every_process() -> None:
    assert prompt_key("openai:m", PROMPT) == "0e31f00479f8dc2fe7b5496dbefa9ac69ccef4b61bed3113527d1b573a81fbfd"


@pytest.mark.parametrize(
    "other",
    [
        replace(PROMPT, template="query/other.j2"),
        replace(PROMPT, text="text "),
        replace(PROMPT, variables=VARIABLES.changed(purpose="how")),
        replace(PROMPT, reply_type=AnswerReply),
    ],
    ids=["template", "text", "variables", "reply type"],
)
def test_every_part_of_the_prompt_changes_the_key(other: Prompt) -> None:
    assert prompt_key("openai:m", other) != prompt_key("openai:m", PROMPT)


def document(match: float, text: str) -> ShownDocument:
    return ShownDocument(document_id="a.txt", passages=(ShownPassage(text=text, start=0, match=match),))


def of_reading(match: float, text: str) -> tuple[Record, type[Record]]:
    return AskVariables(main_question="q", mission="m", documents=(document(match, text),)), AskReply


def planned(match: float, text: str) -> tuple[Record, type[Record]]:
    documents = (PlanDocument(document_id="a.txt", match=match, passages=(text,)),)
    variables = PlanVariables(
        question="q", mission="m", strategy="s", documents=documents, document_count=1, step_limit=3
    )
    return variables, PlanReply


def filled_in(match: float, text: str) -> tuple[Record, type[Record]]:
    return RowVariables(mission="m", questions=("q",), document=document(match, text)), RowReply


@pytest.mark.parametrize("made", [of_reading, planned, filled_in])
def test_what_a_search_measured_counts_only_for_an_engine_that_goes_by_it(
    made: Callable[[float, str], tuple[Record, type[Record]]],
) -> None:
    def key(match: float, text: str = "The mill burned.", *, measures: bool = False) -> str:
        variables, reply_type = made(match, text)
        return prompt_key("toy:m", Prompt("t/t", variables, "text", reply_type), measures=measures)

    assert key(0.2) == key(0.9)
    assert key(0.2) != key(0.2, "The mill stands.")
    assert key(0.2, measures=True) != key(0.9, measures=True)


def test_the_day_of_the_run_is_no_part_of_the_key() -> None:
    first, second = (replace(PROMPT, text=f"text\nToday is {day}.", undated="text") for day in ("1", "2"))
    assert prompt_key("openai:m", first) == prompt_key("openai:m", second) == prompt_key("openai:m", PROMPT)


def test_another_engine_has_another_key() -> None:
    assert prompt_key("openai:m", PROMPT) != prompt_key("openai:n", PROMPT)


def test_text_that_is_not_valid_unicode_has_a_key() -> None:
    broken = replace(PROMPT, text="half \ud800", variables=VARIABLES.changed(purpose="\udfff"))
    assert len(prompt_key("openai:m", broken)) == 64


@pytest.mark.parametrize(
    ("template", "role"),
    [
        ("planner/plan.j2", Role.PLAN),
        ("query/ask.j2", Role.ASK),
        ("reflection/reflect.j2", Role.REFLECT),
        ("query/row", Role.ASK),
        ("answer/answer.j2", Role.ANSWER),
        ("answer/check.j2", Role.CHECK),
        ("answer/check", Role.CHECK),
        ("query/ask", Role.ASK),
        ("bb3/sdm", Role.CHAT),
    ],
)
def test_a_template_belongs_to_a_role(template: str, role: Role) -> None:
    assert role_of(template) is role


@pytest.mark.parametrize("template", ["tactical_planning/question.j2", "asking/repair", "", "ask.j2"])
def test_a_template_that_no_engine_answers_has_no_role(template: str) -> None:
    with pytest.raises(ValueError, match="no role"):
        role_of(template)


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
    objects = list(objects_of(reply_schema(reply_type)))
    assert objects
    for schema in objects:
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
