"""The client renders, sends and reads. A call is answered from the journal or by its engine, and is traced."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
from mill import SAID, TEXT, asking, call, sender

from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.bb3.records import CONTRACTS, Module, Speaker, Turn, TurnsVariables
from investigator.engines.base import Engine
from investigator.engines.roles import Role
from investigator.engines.scripted import ScriptedEngine
from investigator.errors import EngineError
from investigator.records import (
    AnswerReply,
    AnswerVariables,
    AskReply,
    CheckReply,
    CheckVariables,
    Investigation,
    Prompt,
    Record,
    Reply,
    Traits,
)
from investigator.store.in_memory import InMemoryJournal
from investigator.tracing.base import WatchedCall

PACKAGE = Path(inspect.getfile(EngineClient)).parents[1]
MOST_FRAMES = 5
"""From the method's call to the engine's reply: the client, the repair of a reply, the sender, and the engine's own."""


class Looking:
    """An engine that records the functions of the package through which it was called, outermost first."""

    name = "looking"

    def __init__(self, *replies: str) -> None:
        self.paths: list[list[str]] = []
        self._script = ScriptedEngine(replies)

    def reply(self, prompt: Prompt) -> Reply:
        own = [frame for frame in inspect.stack()[1:] if PACKAGE in Path(frame.filename).parents]
        self.paths.append([f"{Path(frame.filename).stem}.{frame.function}" for frame in reversed(own)])
        return self._script.reply(prompt)


def client(engine: Engine, **others: Any) -> EngineClient:
    return EngineClient(dict.fromkeys(Role, engine), Prompts(), InMemoryJournal(), lambda: 0.0, **others)


def test_a_call_reaches_its_engine_through_few_frames() -> None:
    engine = Looking("Hm.", SAID)
    reading = client(engine).ask("query/ask", asking(TEXT), AskReply)
    assert reading.value is not None
    first, repair = engine.paths
    assert first[0] == repair[0] == "client.ask"
    assert len(first) + 1 <= MOST_FRAMES, first  # with the engine's own
    assert len(repair) + 1 <= MOST_FRAMES, repair


def test_an_engine_that_gives_no_reply_record_is_named() -> None:
    class Careless:
        name = "toy:x"

        def reply(self, prompt: Prompt) -> str:
            return "42"

    variables = AnswerVariables(question="?", mission="M", parts=("?",), documents=())
    with pytest.raises(EngineError, match="toy:x returned str"):
        client(Careless()).ask("answer/answer", variables, AnswerReply)  # type: ignore[arg-type]


def test_a_prompt_of_the_method_ends_with_the_day_of_the_run_and_so_does_its_repair() -> None:
    engine = ScriptedEngine(["Hm.", SAID])
    client(engine, day="2026-03-01").ask("query/ask", asking(TEXT), AskReply)
    first, repair = engine.asked
    for prompt in (first, repair):
        assert prompt.text == f"{prompt.undated}\nToday is 2026-03-01."
        assert "Today is" not in prompt.undated
    assert first.undated in repair.undated


def test_a_prompt_without_a_day_or_of_another_owner_names_none() -> None:
    undated, chat = ScriptedEngine(SAID), ScriptedEngine('{"text": "no"}')
    client(undated).ask("query/ask", asking(TEXT), AskReply)
    prompts = Prompts(contracts=CONTRACTS)
    talking = EngineClient(dict.fromkeys(Role, chat), prompts, InMemoryJournal(), lambda: 0.0, day="2026-03-01")
    turns = TurnsVariables(turns=(Turn(speaker=Speaker.PARTNER, text="Hello."),))
    talking.ask(Module.VRM.template, turns, CONTRACTS[Module.VRM.template].reply or Record)
    for engine in (undated, chat):
        assert {prompt.undated for prompt in engine.asked} == {""}
        assert all("Today is" not in prompt.text for prompt in engine.asked)


def test_a_reply_is_reused_on_another_day() -> None:
    journal, engine = InMemoryJournal(), ScriptedEngine([SAID])
    for day in ("2026-03-01", "2026-03-02", ""):
        of_day = EngineClient(dict.fromkeys(Role, engine), Prompts(), journal, lambda: 0.0, day=day)
        assert of_day.ask("query/ask", asking(TEXT), AskReply).raw == SAID
    assert len(engine.asked) == 1


def test_the_client_knows_the_room_and_the_useful_number_of_calls_of_each_role() -> None:
    narrow = ScriptedEngine(SAID, traits=Traits(context_tokens=4_000, concurrency=2))
    engines = {role: narrow if role is Role.ASK else ScriptedEngine(SAID) for role in Role}
    sending = EngineClient(engines, Prompts(), InMemoryJournal(), lambda: 0.0)
    assert (sending.room(Role.ASK), sending.concurrency(Role.ASK)) == (4_000, 2)
    assert (sending.room(Role.CHECK), sending.concurrency(Role.CHECK)) == (None, Traits().concurrency)


def test_the_check_of_an_answer_has_an_engine_of_its_own() -> None:
    checking = ScriptedEngine('{"statements": []}')
    engines = {role: checking if role is Role.CHECK else ScriptedEngine([]) for role in Role}
    sending = EngineClient(engines, Prompts(), InMemoryJournal(), lambda: 0.0)
    variables = CheckVariables(question="?", statements=(), documents=())
    assert sending.ask("answer/check", variables, CheckReply).value == CheckReply(statements=())
    assert len(checking.asked) == 1


class Watching:
    """A trace that records what it receives."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def called(self, call: WatchedCall) -> None:
        outcome = f"failed: {call.error}" if call.reply is None else call.reply.text
        self.heard.append(f"{call.prompt.template} to {call.engine}, {call.seconds} s, {call.reused}: {outcome}")

    def ended(self, investigation: Investigation) -> None:
        self.heard.append("ended")


class Gone:
    """An engine that fails."""

    name = "gone"

    def reply(self, prompt: Prompt) -> Reply:
        raise EngineError("gone")


def test_a_call_is_watched_with_its_reply_and_its_seconds() -> None:
    trace, ticks = Watching(), iter([10.0, 10.5, 12.0, 12.5])
    reply = sender(trace=trace, clock=lambda: next(ticks)).send(call(ScriptedEngine("yes"), TEXT))
    assert (reply.text, reply.seconds) == ("yes", 1.5)
    assert trace.heard == ["query/ask to scripted, 2.5 s, False: yes"]


def test_a_reply_in_the_journal_is_used_again_and_its_engine_is_not_asked() -> None:
    journal, trace, sending = InMemoryJournal(), Watching(), call(Gone(), TEXT)
    journal.keep(sending.key, sending.prompt, "gone", Reply(text="kept", seconds=3.0))
    assert sender(journal, trace).send(sending).text == "kept"
    assert trace.heard == ["query/ask to gone, 0.0 s, True: kept"]


def test_an_error_of_the_engine_is_reported_and_passes_through() -> None:
    trace = Watching()
    with pytest.raises(EngineError, match="gone"):
        sender(trace=trace).send(call(Gone(), TEXT))
    assert trace.heard == ["query/ask to gone, 0.0 s, False: failed: gone"]


def test_a_reply_is_heard_while_it_is_written_if_somebody_listens() -> None:
    heard: list[str] = []
    assert sender().send(call(ScriptedEngine("So it is."), TEXT, hear=heard.append)).text == "So it is."
    assert heard == ["So ", "So it ", "So it is."]


def test_another_engine_or_another_prompt_is_another_call() -> None:
    keys = {
        call(engine, text).key
        for engine in (ScriptedEngine(SAID), ScriptedEngine(SAID, name="another"))
        for text in (TEXT, "Nothing.")
    }
    assert len(keys) == 4
