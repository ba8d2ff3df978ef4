"""A trace receives each call, its error, and reused replies."""

from __future__ import annotations

import pytest
from mill import SAID, TEXT, call

from investigator.asking.call import Call, TimedEngine, Traced
from investigator.engines.scripted import ScriptedEngine
from investigator.errors import EngineError
from investigator.records import Investigation, Reply
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


def test_a_call_is_watched_with_its_reply_and_its_seconds() -> None:
    trace, ticks = Watching(), iter([10.0, 12.5])
    reply = Traced(TimedEngine(lambda: 0.0), trace, lambda: next(ticks))(call(ScriptedEngine("yes"), TEXT))
    assert reply.text == "yes"
    assert trace.heard == ["query/ask to scripted, 2.5 s, False: yes"]


def test_a_reply_that_is_used_again_is_said_to_be() -> None:
    trace = Watching()
    traced = Traced(TimedEngine(lambda: 0.0), trace, lambda: 0.0)
    traced.reused(call(ScriptedEngine(SAID), TEXT), Reply(text="kept", seconds=3.0))
    assert trace.heard == ["query/ask to scripted, 0.0 s, True: kept"]


def test_an_error_of_the_engine_is_reported_and_passes_through() -> None:
    trace = Watching()

    def gone(_: Call) -> Reply:
        raise EngineError("gone")

    with pytest.raises(EngineError, match="gone"):
        Traced(gone, trace, lambda: 0.0)(call(ScriptedEngine(SAID), TEXT))
    assert trace.heard == ["query/ask to scripted, 0.0 s, False: failed: gone"]


def test_a_reply_is_heard_while_it_is_written_if_somebody_listens() -> None:
    heard: list[str] = []
    asked = call(ScriptedEngine("So it is."), TEXT, hear=heard.append)
    assert TimedEngine(lambda: 0.0)(asked).text == "So it is."
    assert heard == ["So ", "So it ", "So it is."]
