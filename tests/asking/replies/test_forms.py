"""A reply is parsed in whatever form it arrives."""

from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from investigator.asking.replies import read_reply
from investigator.errors import ReplyError
from investigator.records import AnswerReply, AskReply, PlanReply, ProposedClaim, ReflectReply, ThinkReply


def test_json_goes_before_free_text() -> None:
    text = 'Point: 20\n{"point": 85, "reply": "It opened.", "quotes": ["opened in 1999"]}'
    assert read_reply(text, AskReply) == AskReply(point=85, reply="It opened.", quotes=("opened in 1999",))


def test_a_point_beside_the_json_is_taken_when_the_json_has_none() -> None:
    assert read_reply('Point: 70\n{"reply": "It opened."}', AskReply).point == 70
    assert read_reply('Point: 70\n{"point": null, "reply": "It opened."}', AskReply).point is None


@pytest.mark.parametrize(
    ("text", "point", "reply", "quotes"),
    [
        ("Point: 85\nReply: It opened in 1999.", 85, "It opened in 1999.", ()),
        ("It opened in 1999.\nPoint: 85", 85, "It opened in 1999.", ()),
        ("### Point\n85\n### Reply\nIt opened.", 85, "### Reply\nIt opened.", ()),
        ("**Point:** 85/100\n\n**Reply:** It opened.", 85, "It opened.", ()),
        ("Point: 85. It opened in 1999.", 85, "It opened in 1999.", ()),
        ("It opened in 1999.", None, "It opened in 1999.", ()),
        ("Point: 40\nIt did.\nQuote: opened in 1999", 40, "It did.", ("opened in 1999",)),
        ('Point: 40\nIt did.\nQuote: "it opened in 1999"', 40, "It did.", ("it opened in 1999",)),
        ('- Point: 40\n- Quote 1: "42 MW"\n- Quote 2: "17 MW"', 40, "", ("42 MW", "17 MW")),
        (
            "Point: 40\nQuotes:\n- 42 MW\n- “opened in 1999”\n\nReply: It did.",
            40,
            "It did.",
            ("42 MW", "opened in 1999"),
        ),
        ("POINT\n-----\n40\nIt did.", 40, "It did.", ()),
        ("Point: 100% (all of it)", 100, "(all of it)", ()),
        ("Point: 40\n> it opened\n> in 1999\n\nIt did.", 40, "It did.", ("it opened in 1999",)),
        (
            "He says “it opened in May 1999”. Point: 40",
            40,
            "He says “it opened in May 1999”. Point: 40",
            ("it opened in May 1999",),
        ),
        ("Er sagt „es öffnete im Mai 1999“.", None, "Er sagt „es öffnete im Mai 1999“.", ("es öffnete im Mai 1999",)),
        (
            "Il dit «la centrale est ouverte ici».",
            None,
            "Il dit «la centrale est ouverte ici».",
            ("la centrale est ouverte ici",),
        ),
        (
            "点数：40\n「発電所は一九九九年に開業した」とある。",
            40,
            "「発電所は一九九九年に開業した」とある。",
            ("発電所は一九九九年に開業した",),
        ),
        ('It is "wind power" only.', None, 'It is "wind power" only.', ()),
        ("<think>Point: 1</think>Point: 2\nYes.", 2, "Yes.", ()),
    ],
)
def test_free_text_gives_point_quotes_and_reply(
    text: str, point: int | None, reply: str, quotes: tuple[str, ...]
) -> None:
    assert read_reply(text, AskReply) == AskReply(point=point, reply=reply, quotes=quotes)


@pytest.mark.parametrize("text", ["", "  \n ", "<think>hm</think>"])
def test_an_empty_reply_is_refused(text: str) -> None:
    with pytest.raises(ReplyError):
        read_reply(text, AskReply)


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("It opened in 1999 [E1].", [("It opened in 1999.", ("E1",))]),
        ("It opened in 1999 (E1, E3).", [("It opened in 1999.", ("E1", "E3"))]),
        ("It opened in 1999 [E1][E2].", [("It opened in 1999.", ("E1", "E2"))]),
        ("It opened in 1999 [E2-E4].", [("It opened in 1999.", ("E2", "E3", "E4"))]),
        ("It opened. [E1] It closed. [E2]", [("It opened.", ("E1",)), ("It closed.", ("E2",))]),
        ("- It opened [E1]\n- It closed [E2]\n", [("It opened", ("E1",)), ("It closed", ("E2",))]),
        ("1. It opened [E1]\n2. Nobody knows why.", [("It opened", ("E1",))]),
        ("Here is the answer. It opened [E1].", [("It opened.", ("E1",))]),
        ("The evidence does not answer the question.", []),
        ("I cannot determine this from the documents.", []),
        ("Das ist nicht beantwortbar.", []),
    ],
)
def test_sentences_with_ids_are_claims(text: str, claims: list[tuple[str, tuple[str, ...]]]) -> None:
    expected = tuple(ProposedClaim(text=words, evidence=ids) for words, ids in claims)
    assert read_reply(text, AnswerReply).claims == expected


def test_statements_without_ids_are_no_answer() -> None:
    with pytest.raises(ReplyError, match="claims"):
        read_reply("It opened in 1999 and closed in 2001.", AnswerReply)


def test_ids_inside_the_text_of_a_claim_become_its_evidence() -> None:
    text = '{"claims": [{"text": "It opened [E1].", "evidence": "E2, E3"}, {"text": "It closed.", "evidence": [4]}]}'
    assert read_reply(text, AnswerReply).claims == (
        ProposedClaim(text="It opened.", evidence=("E2", "E3", "E1")),
        ProposedClaim(text="It closed.", evidence=("E4",)),
    )


@pytest.mark.parametrize("reply_type", [PlanReply, ThinkReply, ReflectReply])
def test_other_replies_are_not_read_from_free_text(reply_type: type[PlanReply]) -> None:
    with pytest.raises(ReplyError):
        read_reply("First look into a.txt, then into b.txt.", reply_type)


@settings(deadline=None)
@given(
    st.text(max_size=100)
    | st.lists(st.sampled_from(["[E1", "]", ". ", "\n", "> ", "Quote:", '"', "Point: 5", "a b c d"])).map("".join)
)
def test_any_text_is_read_or_refused(text: str) -> None:
    for reply_type in (AskReply, AnswerReply):
        with contextlib.suppress(ReplyError):
            assert isinstance(read_reply(text, reply_type), reply_type)


HOSTILE = {
    "quotation marks": '"' * 1_000_000,
    "opening marks": "“a b c d e" * 100_000,
    "ids": "[E1]" * 250_000,
    "open ids": "[E1,E2," * 150_000,
    "spaced ids": "[E1" + " " * 1_000_000,
    "one line": "a" * 1_000_000,
    "blanks": "Quote:" + " " * 1_000_000 + "x",
    "markup": "*" * 1_000_000,
    "point lines": "Point: 5\n" * 100_000,
    "underscores": "Point" + "_" * 1_000_000 + "x",
    "negations": "does not " * 100_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("reply_type", [AskReply, AnswerReply])
def test_hostile_text_ends_soon(text: str, reply_type: type[AskReply]) -> None:
    began = time.process_time()
    with contextlib.suppress(ReplyError):
        read_reply(text, reply_type)
    assert time.process_time() - began < 10
