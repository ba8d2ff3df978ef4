"""Sending a call: it is answered from the journal or by its engine, and a trace receives it either way."""

from __future__ import annotations

import pytest
from mill import SAID, TEXT, call, sender

from investigator.engines.scripted import ScriptedEngine
from investigator.errors import EngineError
from investigator.records import Investigation, Prompt, Reply
from investigator.store.in_memory import InMemoryJournal
from investigator.tracing.base import WatchedCall


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
    journal, trace, asked = InMemoryJournal(), Watching(), call(Gone(), TEXT)
    journal.keep(asked.key, asked.prompt, "gone", Reply(text="kept", seconds=3.0))
    assert sender(journal, trace).send(asked).text == "kept"
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
