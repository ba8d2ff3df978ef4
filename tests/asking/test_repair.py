"""A reply that cannot be parsed, or has a problem, is requested once more, but not twice."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from mill import SAID, TEXT, asking

from investigator.asking.budget import BudgetSettings, BudgetSpent
from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.asking.repair import ReadReply, read_or_repaired
from investigator.engines.roles import Role
from investigator.engines.scripted import ScriptedEngine
from investigator.errors import ContextTooLongError
from investigator.records import (
    AskReply,
    DocumentReply,
    FinishReason,
    PlanReply,
    RepairVariables,
    Reply,
    StopReason,
    Verdict,
)
from investigator.store.in_memory import InMemoryJournal

PROMPT = Prompts().prompt("query/ask", asking(TEXT))
POINTLESS = '{"readings": [{"document": "mill.txt", "reply": "Well, who knows."}]}'
SO_IT_IS = AskReply(
    readings=(DocumentReply(document="mill.txt", verdict=Verdict.ANSWERS, point=90, reply="So it is."),)
)


def no_point(reply: AskReply) -> str:
    return "" if all(reading.point is not None for reading in reply.readings) else "no point"


def read(first: str, again: Callable[[RepairVariables], Reply]) -> ReadReply[AskReply]:
    return read_or_repaired(PROMPT, Reply(text=first), AskReply, no_point, again)


def never(_: RepairVariables) -> Reply:
    raise AssertionError("asked once more")


def test_a_good_reply_is_not_asked_for_again() -> None:
    found = read(SAID, never)
    assert found == ReadReply(SO_IT_IS, SAID)


def test_the_engine_is_shown_its_prompt_its_reply_and_the_problem_with_it() -> None:
    asked: list[RepairVariables] = []

    def again(variables: RepairVariables) -> Reply:
        asked.append(variables)
        return Reply(text=SAID)

    found = read(POINTLESS, again)
    assert asked == [RepairVariables(prompt=PROMPT.text, reply=POINTLESS, problem="no point")]
    assert (found.raw, found.problem) == (SAID, "")


def test_a_second_reply_with_a_problem_is_taken_as_it_is() -> None:
    again = POINTLESS.replace("Well, who", "Nobody")
    found = read(POINTLESS, lambda _: Reply(text=again))
    assert (found.raw, found.problem) == (again, "no point")


def test_a_second_reply_that_cannot_be_read_does_not_replace_one_that_could() -> None:
    assert read(POINTLESS, lambda _: Reply(text="")).raw == POINTLESS


def test_a_reply_that_was_cut_off_is_asked_for_shorter() -> None:
    said: list[str] = []

    def again(variables: RepairVariables) -> Reply:
        said.append(variables.problem)
        return Reply(text="")

    cut = Reply(text="Let me think about", finish_reason=FinishReason.LENGTH)
    found = read_or_repaired(PROMPT, cut, PlanReply, lambda _: "", again)
    assert found.value is None
    assert said[0].endswith("It was cut off: make it shorter.")


def test_a_list_that_was_cut_off_is_asked_for_shorter_and_used_if_that_fails_too() -> None:
    begun = SAID.removesuffix("]}") + ', {"document": "b.txt", "verdict": "ans'
    said: list[str] = []

    def again(variables: RepairVariables) -> Reply:
        said.append(variables.problem)
        return Reply(text="Hm.")

    cut = Reply(text=begun, finish_reason=FinishReason.LENGTH)
    found = read_or_repaired(PROMPT, cut, AskReply, lambda _: "", again)
    assert said == ["It was cut off: make it shorter."]
    assert found.value is not None
    assert found.value.readings[0] == SO_IT_IS.readings[0]


def test_an_unknown_verdict_is_asked_for_again_and_loses_no_other_reading() -> None:
    readings = f'{{"readings": [{{"document": "b.txt", "verdict": "partly", "point": 40}}, {SAID[14:]}'
    said: list[str] = []

    def again(variables: RepairVariables) -> Reply:
        said.append(variables.problem)
        return Reply(text="Hm.")

    found = read(readings, again)
    assert "verdict: 'partly' is none of answers, in_part" in said[0]
    assert found.value is not None
    assert [reading.verdict for reading in found.value.readings] == [Verdict.UNREAD, Verdict.ANSWERS]


def test_where_asking_once_more_does_not_fit_the_first_reply_stays() -> None:
    def again(_: RepairVariables) -> Reply:
        raise ContextTooLongError("too long")

    found = read(POINTLESS, again)
    assert (found.raw, found.problem, found.stopped_by) == (POINTLESS, "no point", None)


def test_where_a_ceiling_forbids_asking_once_more_the_first_reply_stays_and_names_it() -> None:
    def again(_: RepairVariables) -> Reply:
        raise BudgetSpent(StopReason.MONEY)

    found = read(POINTLESS, again)
    assert (found.raw, found.stopped_by) == (POINTLESS, StopReason.MONEY)


@pytest.mark.parametrize(("calls", "stopped_by"), [(1, StopReason.CALLS), (2, None)])
def test_asking_once_more_is_a_call_of_its_own(calls: int, stopped_by: StopReason | None) -> None:
    engine, budget = ScriptedEngine([POINTLESS, SAID]), BudgetSettings(calls=calls)
    client = EngineClient({role: engine for role in Role}, Prompts(), InMemoryJournal(), lambda: 0.0, budget)
    found = client.ask("query/ask", asking(TEXT), AskReply, problem_with=no_point)
    assert (len(engine.asked), found.stopped_by, client.no_repair_for) == (calls, stopped_by, stopped_by)


PLACEHOLDERS = (
    '{"readings": [{"document": "mill.txt", "verdict": "answers", "point": 80, "quotes": ["<words of the document>"],'
    ' "reply": "<what it says>"}]}'
)


def test_the_placeholders_of_a_prompt_never_come_back_as_a_reply() -> None:
    engine = ScriptedEngine([PLACEHOLDERS, SAID])
    client = EngineClient(dict.fromkeys(Role, engine), Prompts(), InMemoryJournal(), lambda: 0.0)
    read = client.ask("query/ask", asking(TEXT), AskReply)
    assert read.value == SO_IT_IS
    assert "it repeats <" in engine.asked[1].text
    stubborn = ScriptedEngine(PLACEHOLDERS)
    client = EngineClient(dict.fromkeys(Role, stubborn), Prompts(), InMemoryJournal(), lambda: 0.0)
    read = client.ask("query/ask", asking(TEXT), AskReply)
    assert read.value is None
    assert "<words of the document>" not in read.raw
    assert "<what it says>" not in read.raw
