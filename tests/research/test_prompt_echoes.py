"""Values that repeat a prompt's own rules are dropped."""

from __future__ import annotations

import json

import pytest

from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.engines.roles import Role
from investigator.engines.scripted import ScriptedEngine
from investigator.records import DocumentCard, PlanVariables, ThinkVariables
from investigator.research.critical_thinking import repeats, think
from investigator.research.planner import PlannerSettings, propose
from investigator.store.in_memory import InMemoryJournal

PROMPTS = Prompts()
CARD = DocumentCard(document_id="lake.txt", title="Lake", match=0.9)
RULE = "The most promising document first. Leave out documents that cannot help"
QUESTION = "How deep is Lake Kariba?"


def client(reply: object) -> EngineClient:
    engine = ScriptedEngine([json.dumps(reply)])
    return EngineClient(dict.fromkeys(Role, engine), PROMPTS, InMemoryJournal(), lambda: 0.0)


@pytest.mark.parametrize(
    ("value", "is_echo"),
    [
        (RULE, True),
        ("the most  promising\ndocument FIRST.", True),
        ("documents that cannot help", True),
        ("The deepest document first", False),
        ("documents", False),
        ("the depth of Lake Kariba", False),
        ("", False),
    ],
)
def test_only_the_prompts_own_words_are_an_echo(value: str, is_echo: bool) -> None:
    assert repeats(value, PROMPTS.own_words("planner/plan")) is is_echo


def test_a_rule_is_neither_purpose_nor_perspective() -> None:
    step = {"document_id": "lake.txt", "purpose": "How deep is it?", "perspectives": RULE}
    request = PlanVariables(
        question=QUESTION,
        mission="M",
        strategy="S",
        needs=(),
        documents=(CARD,),
        history=(),
        unknown_infos=(),
        past_strategies=(),
        step_limit=3,
    )
    proposal = propose(client({"strategy": "Look.", "steps": [step]}), request, PlannerSettings())
    assert [(one.purpose, one.perspectives) for one in proposal.steps] == [("How deep is it?", "")]


def test_a_rule_is_no_term_that_must_be_known() -> None:
    rule = "List two to eight terms to look for"
    request = ThinkVariables(
        question=QUESTION, mission="M", strategy="S", documents=(CARD,), document_count=1, term_frequencies=()
    )
    thought = think(
        client({"needs": [{"term": rule, "reason": "r"}, {"term": "depth", "reason": "r"}], "parts": []}), request
    )
    assert [need.term for need in thought.needs] == ["depth"]
    assert [part.question for part in thought.parts] == [QUESTION]
