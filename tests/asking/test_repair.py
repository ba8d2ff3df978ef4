"""A reply that cannot be parsed, or has a problem, is requested once more, but not twice."""

from __future__ import annotations

import pytest
from mill import SAID, TEXT, asking

from investigator.asking.budget import BudgetSettings
from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.asking.repair import ReadReply
from investigator.engines.roles import Role
from investigator.engines.scripted import ScriptedEngine
from investigator.errors import ContextTooLongError
from investigator.records import AskReply, DocumentReply, FinishReason, Prompt, Reply, Verdict
from investigator.store.in_memory import InMemoryJournal

POINTLESS = '{"readings": [{"document": "mill.txt", "reply": "Well, who knows."}]}'
SO_IT_IS = AskReply(
    readings=(DocumentReply(document="mill.txt", verdict=Verdict.ANSWERS, point=90, reply="So it is."),)
)
SHORTER = "It was cut off: make it shorter."


def no_point(reply: AskReply) -> str:
    return "" if all(reading.point is not None for reading in reply.readings) else "no point"


class Saying(ScriptedEngine):
    """An engine whose first reply may be cut off, and which refuses a second prompt without a second reply."""

    def __init__(self, *replies: str, finish: FinishReason = FinishReason.STOP) -> None:
        super().__init__(replies)
        self._most, self._finish = len(replies), finish

    def reply(self, prompt: Prompt) -> Reply:
        if len(self.asked) == self._most:
            raise ContextTooLongError("too long")
        finish = FinishReason.STOP if self.asked else self._finish
        return super().reply(prompt).changed(finish_reason=finish)


def read(engine: ScriptedEngine, calls: int = 200) -> ReadReply[AskReply]:
    budget = BudgetSettings(calls=calls)
    client = EngineClient(dict.fromkeys(Role, engine), Prompts(), InMemoryJournal(), lambda: 0.0, budget)
    return client.ask("query/ask", asking(TEXT), AskReply, problem_with=no_point)


def test_a_good_reply_is_not_asked_for_again() -> None:
    engine = Saying(SAID)
    assert read(engine) == ReadReply(SO_IT_IS, SAID)
    assert len(engine.asked) == 1


def test_the_engine_is_shown_its_prompt_its_reply_and_the_problem_with_it() -> None:
    engine = Saying(POINTLESS, SAID)
    assert read(engine) == ReadReply(SO_IT_IS, SAID)
    first, second = engine.asked
    assert all(text in second.text for text in (first.text, POINTLESS, "no point"))


@pytest.mark.parametrize(
    ("replies", "calls", "raw"),
    [
        ((POINTLESS, POINTLESS.replace("Well, who", "Nobody")), 200, POINTLESS.replace("Well, who", "Nobody")),
        ((POINTLESS, ""), 200, POINTLESS),
        ((POINTLESS,), 200, POINTLESS),
        ((POINTLESS, SAID), 1, POINTLESS),
    ],
    ids=["a problem again", "unreadable", "too long", "a ceiling"],
)
def test_what_does_not_help_is_not_asked_for_twice_and_the_better_reply_stays(
    replies: tuple[str, ...], calls: int, raw: str
) -> None:
    engine = Saying(*replies)
    reading = read(engine, calls)
    assert (reading.raw, reading.problem) == (raw, "no point")
    assert len(engine.asked) == min(calls, len(replies))


def test_a_reply_that_was_cut_off_is_asked_for_shorter() -> None:
    engine = Saying("Let me think about", "", finish=FinishReason.LENGTH)
    assert read(engine).value is None
    assert SHORTER in engine.asked[1].text


def test_a_list_that_was_cut_off_is_asked_for_shorter_and_used_if_that_fails_too() -> None:
    begun = SAID.removesuffix("]}") + ', {"document": "b.txt", "verdict": "ans'
    engine = Saying(begun, "Hm.", finish=FinishReason.LENGTH)
    reading = read(engine)
    assert SHORTER in engine.asked[1].text
    assert reading.value is not None
    assert reading.value.readings[0] == SO_IT_IS.readings[0]


def test_an_unknown_verdict_is_asked_for_again_and_loses_no_other_reading() -> None:
    engine = Saying(f'{{"readings": [{{"document": "b.txt", "verdict": "partly", "point": 40}}, {SAID[14:]}', "Hm.")
    reading = read(engine)
    assert "verdict: 'partly' is none of answers, in_part" in engine.asked[1].text
    assert reading.value is not None
    assert [entry.verdict for entry in reading.value.readings] == [Verdict.UNREAD, Verdict.ANSWERS]


PLACEHOLDERS = (
    '{"readings": [{"document": "mill.txt", "verdict": "answers", "point": 80, "quotes": ["<words of the document>"],'
    ' "reply": "<what it says>"}]}'
)


def test_the_placeholders_of_a_prompt_never_come_back_as_a_reply() -> None:
    engine = Saying(PLACEHOLDERS, SAID)
    assert read(engine).value == SO_IT_IS
    assert "it repeats <" in engine.asked[1].text
    stubborn = read(ScriptedEngine(PLACEHOLDERS))
    assert stubborn.value is None
    assert "<words of the document>" not in stubborn.raw
    assert "<what it says>" not in stubborn.raw
