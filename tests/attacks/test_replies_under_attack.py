"""A model that repeats an attack, in its prose, its thoughts or its quotes, is still understood."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from attack_cases import Attack, attacks

from investigator.asking.replies import read_reply, without_thoughts
from investigator.bb3.records import CONTRACTS
from investigator.records import AskReply, Record

ATTACKS = attacks()
READING = {"document": "", "verdict": "answers", "point": 7, "quotes": ["It makes 42 MW."], "reply": "It makes 42 MW."}
OWN: dict[str, dict[str, object]] = {
    "AskReply": {"readings": [READING]},
    "RowReply": {"answers": [{"question": 1, "verdict": "answers", "quotes": ["It makes 42 MW."], "answer": "42 MW"}]},
    "ExtractReply": {"cells": [{"column": 1, "verdict": "answers", "values": ["42"], "quotes": ["It makes 42 MW."]}]},
    "PlanReply": {"strategy": "Ask.", "steps": [{"document_id": "plant.txt", "purpose": "Q", "perspectives": "p"}]},
    "AnswerReply": {
        "lead": {"text": "It makes 42 MW.", "evidence": ["E1"]},
        "parts": [{"part": 1, "status": "answered"}],
    },
    "CheckReply": {"statements": [{"number": 1, "support": "supported", "reason": ""}], "answers": "yes"},
    "OutlineReply": {"parts": [{"heading": "Power", "questions": ["How much power does it make?"]}]},
    "SectionReply": {"paragraphs": [[{"text": "It makes 42 MW.", "evidence": ["E1"]}]]},
    "SummaryReply": {"paragraphs": [[{"text": "It makes 42 MW.", "evidence": ["S1"]}]], "gaps": []},
    "ReflectReply": {"known": [], "unknown": ["since when"], "wordings": ["opened in"]},
    "DecisionReply": {"point": 7, "needed": False},
    "PhraseReply": {"text": "power"},
    "FactReply": {"point": 7, "fact_id": 3},
    "ResponseReply": {"quotes": [], "reply": "Hello."},
}
REPLIES = {contract.reply for contract in CONTRACTS.values() if contract.reply is not None}
WAYS: dict[str, Callable[[str, str], str]] = {
    "prose": "The passage says: {}\n\nSo my reply is:\n{}".format,
    "fence": "{}\n```json\n{}\n```".format,
    "thought": "<think>It says: {}</think>\n{}".format,
}


@pytest.mark.parametrize("attack", ATTACKS, ids=[attack.id for attack in ATTACKS])
def test_the_models_own_reply_is_read_after_the_attack_that_it_repeats_or_quotes(attack: Attack) -> None:
    for reply_type in REPLIES:
        own = OWN[reply_type.__name__]
        for way, write in WAYS.items():
            reply: Record = read_reply(write(attack.text, json.dumps(own)), reply_type)
            assert reply == reply_type.model_validate(own), (reply_type.__name__, way)
    quoting = {"readings": [{**READING, "quotes": [attack.text], "reply": f"It says: {attack.text[:300]}"}]}
    fenced = f"```json\n{json.dumps(quoting, indent=1)}\n```"
    for text in (json.dumps(quoting), json.dumps(quoting, ensure_ascii=False), fenced):
        assert read_reply(text, AskReply) == AskReply.model_validate(quoting)


def test_a_thought_that_mentions_a_reply_is_still_a_thought() -> None:
    thought = '<think>I could say {"point": 90, "reply": "a <think> tag"}, but no.</think>'
    assert without_thoughts(f"{thought}So: 10") == "So: 10"


def test_a_thought_that_is_cut_off_does_not_become_the_reply() -> None:
    own, other = (json.dumps({"readings": [{**READING, "point": point}]}) for point in (80, 5))
    assert read_reply(f"{own}\n<think>Or should it be {other} after all", AskReply).readings[0].point == 80
