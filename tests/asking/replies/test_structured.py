"""A record is parsed from JSON even if a model wrote other text around it or inside it."""

from __future__ import annotations

import contextlib
import json
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from investigator.asking.replies.structured import read_record
from investigator.errors import ReplyError
from investigator.records import AnswerReply, AskReply, PlanReply, ProposedStep, ReflectReply, ThinkReply

PLAN = '{"strategy": "s", "steps": [{"document_id": "a.txt", "purpose": "p", "perspectives": "v"}]}'
STEP = ProposedStep(document_id="a.txt", purpose="p", perspectives="v")
ASK = AskReply(point=85, reply="It opened.", quotes=("opened in 1999",))
ASK_JSON = '{"point": 85, "quotes": ["opened in 1999"], "reply": "It opened."}'


@pytest.mark.parametrize(
    "text",
    [
        ASK_JSON,
        f"Here it is:\n{ASK_JSON}\nI hope that helps (see {{above}})!",
        f"```json\n{ASK_JSON}\n```",
        f"```json\n{ASK_JSON}",
        f'<think>First {{"point": 1, "reply": "no"}}</think>{ASK_JSON}',
        f"Let me think</think>\n{ASK_JSON}",
        f"<think>{ASK_JSON}",
        f'{{"point": 1, "reply": "draft"}}\n\nBetter:\n{ASK_JSON}',
        f'{{"point": 0, "quotes": ["..."], "reply": "..."}}\n{ASK_JSON}',
        f"{ASK_JSON}\n" + '{"point": 0, "quotes": ["..."], "reply": "..."}',
        f"{json.dumps(AskReply.model_json_schema())}\n{ASK_JSON}",
        f"{ASK_JSON}\n{json.dumps(AskReply.model_json_schema())}",
        "{'point': 85, 'quotes': ['opened in 1999'], 'reply': 'It opened.'}",
        "{'point': 85, 'quotes': ('opened in 1999',), 'reply': 'It opened.', 'sure': True, 'more': None}",
        '{"point": 85, "quotes": ["opened in 1999",], "reply": "It opened.",}',
        '{"point": 85, "quotes": ["opened in 1999"], "reply": "It opened."',
        '{"point": 85, "quotes": ["opened in 1999"] "reply": "It opened."}',
        '{point: 85, quotes: ["opened in 1999"], reply: "It opened."}',
        '{"point": 85, /* sure */ "quotes": ["opened in 1999"], "reply": "It opened."}',
        '{"Point": "85", "Quotes": ["opened in 1999"], "Reply": "It opened."}',
        '{"point": "85/100", "quotes": "opened in 1999", "reply": ["It opened."]}',
        '{"point": 85.2, "quotes": [{"quote": "opened in 1999", "page": 3}], "reply": "It opened.", "note": "x"}',
        '{"score": 85, "quote": "opened in 1999", "answer": "It opened."}',
        '{"score": 1, "point": 85, "quotes": ["opened in 1999"], "answer": "no", "reply": "It opened."}',
        '{"answer": {"point": 85, "quotes": ["opened in 1999"], "reply": "It opened."}}',
        '{"reply": {"point": 85, "quotes": ["opened in 1999"], "reply": "It opened."}}',
        '{"properties": {"point": 85, "quotes": ["opened in 1999"], "reply": "It opened."}}',
        "\ufeff" + ASK_JSON,
    ],
)
def test_what_stands_around_and_in_the_object_is_forgiven(text: str) -> None:
    assert read_record(text, AskReply) == ASK


@pytest.mark.parametrize(
    ("point", "read"),
    [
        ('"85"', 85),
        ("-3", 0),
        ("8500", None),
        ('"n/a"', None),
        ('"8/10"', 80),
        ("null", None),
        ("NaN", None),
    ],
)
def test_point_is_read_like_any_other_point(point: str, read: int | None) -> None:
    assert read_record(f'{{"point": {point}, "reply": "x"}}', AskReply).point == read


@pytest.mark.parametrize(
    "text",
    [
        PLAN,
        '{"Strategy": "s", "Steps": [{"Document ID": "a.txt", "Purpose": "p", "PERSPECTIVES": ["v"]}]}',
        '{"strategy": "s", "steps": [{"documentId": "a.txt", "purpose": "p", "perspectives": "v", "plan_id": 1}]}',
        '{"strategy": "s", "steps": {"document_id": "a.txt", "purpose": "p", "perspectives": "v"}}',
        PLAN[:-2] + ', {"document_id": "b.txt", "pur',
        f'{{"plan": {PLAN}}}',
    ],
)
def test_plan_is_read_at_all_depths(text: str) -> None:
    assert read_record(text, PlanReply) == PlanReply(strategy="s", steps=(STEP,))


@pytest.mark.parametrize(
    "text",
    [
        '[{"document_id": "a.txt", "purpose": "p", "perspectives": "v"}]',
        'As asked: [{"document_id": "a.txt", "purpose": "p", "perspectives": "v"}] (see [1])',
        '[{"document_id": "a.txt", "purpose": "p", "perspectives": "v"}, {"document_id": "b.txt", "pur',
        '{"document_id": "a.txt", "purpose": "p", "perspectives": "v"}',
    ],
)
def test_bare_items_are_the_list_of_the_record(text: str) -> None:
    assert read_record(text, PlanReply).steps == (STEP,)


def test_items_one_after_the_other_are_a_list_too() -> None:
    text = '1. {"document_id": "a", "purpose": "p"}\n2. {"document_id": "b", "purpose": "q"}'
    assert [step.document_id for step in read_record(text, PlanReply).steps] == ["a", "b"]


def test_an_empty_list_is_a_plan_without_steps() -> None:
    assert read_record("[]", PlanReply).steps == ()
    assert read_record('{"claims": []}', AnswerReply).claims == ()


def test_latex_keeps_its_backslashes() -> None:
    reply = read_record(r'{"point": 5, "reply": "\alpha and \frac{1}{2} and \times and \\beta\nnext"}', AskReply).reply
    assert reply == "\\alpha and \\frac{1}{2} and \\times and \\beta\nnext"


def test_quotes_inside_quotes_survive() -> None:
    reply = read_record('{"point": 5, "reply": "He said "yes" to it", "quotes": []}', AskReply).reply
    assert reply == 'He said "yes" to it'


def test_numbers_are_brought_into_their_bounds() -> None:
    needs = read_record('{"needs": [{"term": "a", "weight": "0.8"}, {"term": 7, "weight": 3}]}', ThinkReply).needs
    assert [(need.term, need.weight) for need in needs] == [("a", 0.8), ("7", 1.0)]


def test_knowledge_is_read_with_its_points() -> None:
    text = """{"knowledge": [{"term": "t", "known_infos": [{"info": "i", "point": "90%", "document_ids": "a.txt",
    "memory_ids": ["1", 2]}], "unknown_infos": null, "relations": [{"term": "u", "relation": "part of"}]}]}"""
    (item,) = read_record(text, ReflectReply).knowledge
    assert (item.known_infos[0].point, item.known_infos[0].memory_ids) == (90, (1, 2))
    assert (item.known_infos[0].document_ids, item.unknown_infos) == (("a.txt",), ())


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert read_record(r'{"point": 5, "reply": "a \ud83d b"}', AskReply).reply == "a \ufffd b"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot do that.",
        "{}",
        '{"foo": 1}',
        "[1]",
        "{",
        '{"steps": "none"}',
        '{"steps": [{"purpose": "p"}]}',
        json.dumps(PlanReply.model_json_schema()),
        f"<think>{PLAN}</think>",
        "null",
        '"text"',
    ],
)
def test_what_is_no_plan_is_refused(text: str) -> None:
    with pytest.raises(ReplyError) as caught:
        read_record(text, PlanReply)
    assert "steps" in caught.value.message
    assert caught.value.hint


def test_message_names_the_missing_field() -> None:
    with pytest.raises(ReplyError, match=r"steps\.0\.document_id: Field required"):
        read_record('{"steps": [{"purpose": "p"}]}', PlanReply)


@settings(deadline=None)
@given(st.text(max_size=50), st.text(max_size=30), st.integers(0, 100), st.lists(st.text(max_size=20), max_size=3))
def test_a_valid_object_comes_back_as_it_was(prose: str, reply: str, point: int, quotes: list[str]) -> None:
    record = AskReply(point=point, reply=reply, quotes=tuple(quotes))
    before = prose.translate(str.maketrans("", "", "{}[]\\<"))
    if {text.strip() for text in (reply, *quotes)} <= {"...", "…"}:
        return
    if any(re.search(r"[\b\f\n\r\t][a-z]", text) for text in (reply, *quotes)):  # "\to" is taken for LaTeX
        return
    assert read_record(f"{before}\n{record.model_dump_json()}", AskReply) == record


@settings(deadline=None)
@given(st.text(alphabet='{}[]":,ab1 \n\\<think>/`', max_size=80), st.sampled_from([AskReply, PlanReply, ThinkReply]))
def test_any_text_gives_a_record_or_a_reply_error(text: str, reply_type: type[AskReply]) -> None:
    with contextlib.suppress(ReplyError):
        assert isinstance(read_record(text, reply_type), reply_type)


HOSTILE = {
    "objects": "{" * 1_000_000,
    "lists": "[" * 1_000_000,
    "pairs": "[{" * 500_000,
    "nested": '{"a":' * 200_000,
    "nested list": '{"a":[' * 150_000,
    "quotes": '{"a": "' + '"x' * 400_000,
    "closed": "{}" * 500_000,
    "blanks": '{"point": ' + " " * 1_000_000,
    "backslashes": '{"reply": "' + "\\" * 1_000_000,
    "digits": '{"point": ' + "9" * 1_000_000 + "}",
    "fences": "```\n{\n" * 150_000,
    "colons": "{" + ':"' * 400_000,
    "single quotes": "{'" * 400_000,
    "text": "word " * 200_000,
    "long": '{"point": 5, "reply": "' + "word " * 400_000 + '"}',
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_ends_soon(text: str) -> None:
    began = time.process_time()
    with contextlib.suppress(ReplyError):
        read_record(text, PlanReply)
    assert time.process_time() - began < 10
