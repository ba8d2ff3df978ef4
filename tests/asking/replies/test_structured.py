"""A record is parsed from JSON even if a model wrote other text around it or inside it."""

from __future__ import annotations

import contextlib
import json
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from investigator.asking.replies import read_closely, read_reply, unfinished_text
from investigator.errors import ReplyError
from investigator.records import (
    AnswerReply,
    AskReply,
    CheckReply,
    DocumentReply,
    Fit,
    PartStatus,
    PlanReply,
    ProposedStatement,
    ProposedStep,
    Record,
    RowReply,
    Support,
    Verdict,
)

PLAN = '{"strategy": "s", "steps": [{"document_id": "a.txt", "purpose": "p", "perspectives": "v"}]}'
STEP = ProposedStep(document_id="a.txt", purpose="p", perspectives="v")
READING = DocumentReply(
    document="a.txt", verdict=Verdict.ANSWERS, point=85, quotes=("opened in 1999",), reply="It opened."
)
ASK = AskReply(readings=(READING,))
ITEM = '{"document": "a.txt", "verdict": "answers", "point": 85, "quotes": ["opened in 1999"], "reply": "It opened."}'
OTHER = '{"document": "b.txt", "verdict": "not_stated", "point": 0, "quotes": [], "reply": "It does not say."}'
ASK_JSON = f'{{"readings": [{ITEM}]}}'
DOTS = '{"readings": [{"document": "...", "verdict": "...", "quotes": ["..."], "reply": "..."}]}'


@pytest.mark.parametrize(
    "text",
    [
        ASK_JSON,
        f"Here it is:\n{ASK_JSON}\nI hope that helps (see {{above}})!",
        f"```json\n{ASK_JSON}\n```",
        f"```json\n{ASK_JSON}",
        f"<think>First {OTHER}</think>{ASK_JSON}",
        f"Let me think</think>\n{ASK_JSON}",
        f"<think>{ASK_JSON}",
        f'{{"readings": [{OTHER}]}}\n\nBetter:\n{ASK_JSON}',
        f"{DOTS}\n{ASK_JSON}",
        f"{json.dumps(AskReply.model_json_schema())}\n{ASK_JSON}",
        f"{ASK_JSON}\n{json.dumps(AskReply.model_json_schema())}",
        ASK_JSON.replace('"', "'"),
        ASK_JSON.replace("]", ",]").replace("}", ",}"),
        ASK_JSON[:-2],
        ASK_JSON.replace('"quotes"', '/* sure */ "quotes"'),
        ASK_JSON.replace(', "quotes"', ' "quotes"'),
        re.sub(r'"(\w+)":', r"\1:", ASK_JSON),
        ASK_JSON.replace('"document"', '"Document ID"').replace('"verdict"', '"Verdict"').replace("85", '"85"'),
        ASK_JSON.replace("85", '"85.0"').replace('["opened in 1999"]', '"opened in 1999"'),
        ASK_JSON.replace('"opened in 1999"', '{"quote": "opened in 1999", "page": 3}').replace("85", "85.2"),
        ASK_JSON.replace('"point"', '"score"').replace('"reply"', '"answer"'),
        ASK_JSON.replace("answers", "Answers."),
        f'{{"answer": {ASK_JSON}}}',
        f'{{"reply": {ASK_JSON}}}',
        f'{{"readings": {ITEM}}}',
        f"[{ASK_JSON}]",
        "\ufeff" + ASK_JSON,
    ],
)
def test_what_stands_around_and_in_the_object_is_forgiven(text: str) -> None:
    assert read_reply(text, AskReply) == ASK


@pytest.mark.parametrize(
    ("point", "read"),
    [
        ('"85"', 85),
        ("-3", 0),
        ("120", 100),
        ("8500", 100),
        ('"n/a"', None),
        ('"8/10"', None),
        ("0.85", 85),
        ("0", 0),
        ("1", 1),
        ("true", None),
        ("null", None),
        ("NaN", None),
    ],
)
def test_a_point_is_read_in_the_notations_of_numbers(point: str, read: int | None) -> None:
    assert read_reply(f'{{"readings": [{{"document": "a", "point": {point}}}]}}', AskReply).readings[0].point == read


@pytest.mark.parametrize(
    ("word", "verdict"),
    [
        ("in part", Verdict.IN_PART),
        ("In-Part", Verdict.IN_PART),
        ("Premise wrong", Verdict.PREMISE_WRONG),
        ("NOT_STATED.", Verdict.NOT_STATED),
        ("not stated", Verdict.NOT_STATED),
    ],
)
def test_a_verdict_is_known_in_every_spelling(word: str, verdict: Verdict) -> None:
    read = read_closely(ASK_JSON.replace("answers", word), AskReply)
    assert (read.record.readings[0].verdict, read.problem) == (verdict, "")


def test_an_unknown_verdict_is_unread_and_named_and_the_other_readings_stay() -> None:
    read = read_closely(f'{{"readings": [{ITEM.replace("answers", "partly")}, {OTHER}]}}', AskReply)
    assert [reading.verdict for reading in read.record.readings] == [Verdict.UNREAD, Verdict.NOT_STATED]
    assert "verdict: 'partly' is none of answers, in_part, not_stated" in read.problem


def test_a_last_reading_that_was_cut_off_leaves_the_others() -> None:
    read = read_closely(f'{{"readings": [{ITEM}, {{"document": "b.txt", "verd', AskReply)
    assert read.record.readings[0] == READING
    assert read.mended


def test_an_item_of_the_wrong_form_is_dropped_and_named() -> None:
    text = '{"answers": [{"question": "1", "verdict": "answers", "answer": "42 MW"}, {"question": "the second"}]}'
    read = read_closely(text, RowReply)
    assert [(cell.question, cell.answer) for cell in read.record.answers] == [(1, "42 MW")]
    assert "answers.1.question" in read.problem


def test_unknown_judgements_of_a_check_leave_the_known_ones() -> None:
    text = """{"statements": [{"number": 1, "support": "partly", "reason": "r"},
    {"number": "2", "support": "Supported"}], "answers": "corrects the question", "open_parts": "1", "reason": null}"""
    read = read_closely(text, CheckReply)
    assert [check.support for check in read.record.statements] == [Support.UNCHECKED, Support.SUPPORTED]
    assert (read.record.answers, read.record.open_parts) == (Fit.CORRECTS, (1,))
    assert "support: 'partly'" in read.problem


def test_an_answer_is_read_with_its_lead_details_and_evidence() -> None:
    text = """{"lead": {"text": "It makes 42 MW.", "evidence": "E1, E2"}, "details": [{"head": "2019",
    "text": "It made 40 MW.", "evidence": ["E3; E4", 5]}, {"head": "torn"}],
    "parts": [{"part": "1", "status": "In part"}], "not_stated": ["since when"], "search": null}"""
    read = read_closely(text, AnswerReply)
    answer = read.record
    assert answer.lead == ProposedStatement(text="It makes 42 MW.", evidence=("E1", "E2"))
    assert answer.details == (ProposedStatement(head="2019", text="It made 40 MW.", evidence=("E3", "E4", "5")),)
    assert [(part.part, part.status) for part in answer.parts] == [(1, PartStatus.IN_PART)]
    assert answer.not_stated == (ProposedStatement(text="since when"),)
    assert "details.1.text: Field required" in read.problem


def test_a_lead_may_be_missing_null_or_a_sentence() -> None:
    assert read_reply('{"details": []}', AnswerReply).lead is None
    assert read_reply('{"lead": null, "parts": []}', AnswerReply).lead is None
    assert read_reply('{"lead": "It did."}', AnswerReply).lead == ProposedStatement(text="It did.")


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
    assert read_reply(text, PlanReply) == PlanReply(strategy="s", steps=(STEP,))


@pytest.mark.parametrize(
    "text",
    [f"[{ITEM}]", ITEM, f"1. {ITEM}\n2. {OTHER}", "[]"],
)
def test_items_without_the_object_that_was_asked_for_are_asked_for_again(text: str) -> None:
    with pytest.raises(ReplyError, match='no JSON object with the fields "readings"'):
        read_reply(text, AskReply)


def test_an_empty_list_is_a_reply_without_readings() -> None:
    assert read_closely('{"readings": []}', AskReply).record == AskReply(readings=())


def test_an_empty_list_inside_a_broken_object_is_no_reply() -> None:
    broken = '{"readings": [{"document" "a.txt" "quotes": [] "reply": "It opened."}]'
    with contextlib.suppress(ReplyError):
        assert read_reply(broken, AskReply).readings
    with pytest.raises(ReplyError):
        read_reply('{"found": "nothing", "list": []}', AskReply)


def reply_of(text: str) -> str:
    return read_reply(f'{{"readings": [{{"document": "a", "reply": {text}}}]}}', AskReply).readings[0].reply


def test_latex_keeps_its_backslashes() -> None:
    text = reply_of(r'"\alpha and \frac{1}{2} and \times and \\beta\nnext"')
    assert text == "\\alpha and \\frac{1}{2} and \\times and \\beta\nnext"


def test_quotes_inside_quotes_survive() -> None:
    assert reply_of('"He said "yes" to it", "quotes": []') == 'He said "yes" to it'


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert reply_of(r'"a \ud83d b"') == "a \ufffd b"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot do that.",
        "{}",
        '{"foo": 1}',
        "[1]",
        "{",
        "It opened in 1999.",
        "<think>hm",
        json.dumps(PlanReply.model_json_schema()),
        f"<think>{PLAN}</think>",
        "null",
        '"text"',
    ],
)
def test_what_is_no_plan_is_refused(text: str) -> None:
    with pytest.raises(ReplyError) as caught:
        read_reply(text, PlanReply)
    assert "steps" in caught.value.message
    assert caught.value.hint


def test_message_names_the_missing_field() -> None:
    with pytest.raises(ReplyError, match=r"statements\.0\.number: Field required"):
        read_reply('{"statements": [{"support": "supported"}]}', CheckReply)


def test_a_plan_whose_only_step_has_the_wrong_form_keeps_its_parts() -> None:
    read = read_closely('{"parts": ["How much?"], "steps": [{"purpose": "p"}]}', PlanReply)
    assert (read.record.parts, read.record.steps) == (("How much?",), ())
    assert "steps.0.document_id: Field required" in read.problem


@settings(deadline=None)
@given(st.text(max_size=50), st.text(max_size=30), st.integers(0, 100), st.lists(st.text(max_size=20), max_size=3))
def test_a_valid_object_comes_back_as_it_was(prose: str, reply: str, point: int, quotes: list[str]) -> None:
    record = AskReply(readings=(READING.changed(point=point, reply=reply, quotes=tuple(quotes)),))
    before = prose.translate(str.maketrans("", "", "{}[]\\<"))
    if any(re.search(r"[\b\f\n\r\t][a-z]", text) for text in (reply, *quotes)):  # "\to" is taken for LaTeX
        return
    assert read_reply(f"{before}\n{record.model_dump_json()}", AskReply) == record


@settings(deadline=None)
@given(
    st.text(alphabet='{}[]":,ab1 \n\\<think>/`', max_size=80),
    st.sampled_from([AskReply, PlanReply, AnswerReply, CheckReply, RowReply]),
)
def test_any_text_gives_a_record_or_a_reply_error(text: str, reply_type: type[Record]) -> None:
    with contextlib.suppress(ReplyError):
        assert isinstance(read_reply(text, reply_type), reply_type)


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
@pytest.mark.parametrize("reply_type", [PlanReply, AskReply])
def test_hostile_text_ends_soon(text: str, reply_type: type[Record]) -> None:
    began = time.process_time()
    with contextlib.suppress(ReplyError):
        read_reply(text, reply_type)
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("", ""),
        ("Sure! ", ""),
        ('{"quotes": ["a', ""),
        ('{"quotes": ["a"], "rep', ""),
        ('{"quotes": ["a"], "reply": "The ren', "The ren"),
        ('```json\n{"reply": "The \\"ren', 'The "ren'),
        ('{"reply": "a\\u00e', "a"),
        ('{"reply": "The rent."}\n```', "The rent."),
        ('{"reply": 5', ""),
        ('{"reply": null, ', ""),
        ('<think>{"reply": "no"', ""),
        ('<think>{"x": 1}</think>{"reply": "yes', "yes"),
        ('[{"reply": "a', "a"),
    ],
)
def test_the_text_is_told_as_far_as_it_is_written(written: str, text: str) -> None:
    assert unfinished_text(written, "reply") == text


BROKEN = {
    "no end": '{"point": 85, "quotes": ["opened [E1]"], "reply": "It opened."',
    "comma too many": '{"point": 85, "quotes": ["opened [E1]"], "reply": "It opened.",}',
    "comma too few": '{"point": 85, "quotes": ["opened [E1]"] "reply": "It opened."}',
    "single quotes": "{'point': 85, 'quotes': ['opened [E1]'], 'reply': 'It opened.'}",
    "bare keys": '{point: 85, quotes: ["opened [E1]"], reply: "It opened."}',
    "comment": '{ // as asked\n"point": 85, "quotes": ["opened [E1]"], "reply": "It opened."}',
    "brace too many": '{"point": 85, "quotes": ["opened [E1]"], "reply": "It opened."}}',
}
AROUND = {
    "nothing": "{}",
    "prose": "According to [1] and {{2}}, it is:\n{}",
    "prose after a fence": "I looked at [1].\n\n```json\n{}\n```\n\nNote: the value (see {{above}}) is certain.",
    "another fence": "```python\nx = [1, 2]\n```\nso\n{}",
    "thoughts": '<think>Maybe {{"point": 1, "reply": "no"}} or [E1]?</think>\n{}',
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_broken_json_is_mended_in_whatever_it_stands(broken: str, around: str) -> None:
    wanted = DocumentReply(point=85, quotes=("opened [E1]",), reply="It opened.")
    assert read_reply(around.format(f'{{"readings": [{broken}]}}'), AskReply).readings == (wanted,)


def test_the_marks_that_close_a_fence_are_no_part_of_a_value_that_was_cut_off() -> None:
    text = '```json\n{"strategy": "s", "steps": [{"document_id": "a.txt", "purpose": "p", "perspectives": ""\n```'
    (step,) = read_reply(text, PlanReply).steps
    assert (step.document_id, step.perspectives) == ("a.txt", "")
