"""The reply of a local model while it is written: it is counted, and ended when its time is over."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from investigator.engines.gguf.model import ReplyStream
from investigator.errors import EngineTimeoutError
from investigator.records import FinishReason, Writing
from investigator.reports.steps import writing_line


class Clock:
    """A clock that the test advances."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def reading(processed: int, total: int = 1_000) -> dict[str, Any]:
    choices = [{"finish_reason": None, "index": 0, "delta": {"role": "assistant", "content": None}}]
    return {"choices": choices, "prompt_progress": {"processed": processed, "total": total}, "timings": {}}


def word(text: str, number: int) -> dict[str, Any]:
    choices = [{"finish_reason": None, "index": 0, "delta": {"content": text}}]
    return {"choices": choices, "timings": {"predicted_n": number}}


def fed(stream: ReplyStream, clock: Clock, pieces: list[dict[str, Any]], each: float) -> int:
    """Return the number of pieces that were accepted, if they arrive at the given interval in seconds."""
    for number, piece in enumerate(pieces, start=1):
        clock.now += each
        wants_more = False
        with suppress(Exception):  # as llama.cpp takes it
            stream.take(piece)
            wants_more = True
        if not wants_more:
            return number
    return len(pieces)


def test_a_reply_that_takes_too_long_is_cut_where_it_is() -> None:
    clock = Clock()
    stream = ReplyStream("m", 50, clock, seconds=10)
    pieces = [reading(512), reading(1_000), *(word(f"w{n} ", n) for n in range(1, 40))]
    assert fed(stream, clock, pieces, each=1.0) == 10
    reply = stream.reply(2_000)
    assert (reply.text.split()[-1], reply.finish_reason) == ("w8", FinishReason.LENGTH)
    assert (reply.input_tokens, reply.output_tokens) == (1_000, 8)


def test_a_prompt_that_takes_too_long_to_read_is_a_timeout() -> None:
    clock = Clock()
    stream = ReplyStream("m", 50, clock, seconds=10)
    assert fed(stream, clock, [reading(512), reading(1_000)], each=6.0) == 2
    with pytest.raises(EngineTimeoutError, match="it had read 1,000 of 1,000 tokens"):
        stream.reply(2_000)


def test_it_tells_how_far_it_is_and_how_long_it_will_take() -> None:
    clock, told = Clock(), list[Writing]()
    stream = ReplyStream("m", 50, clock, on_writing=told.append)
    fed(stream, clock, [reading(500), reading(1_000), *(word("w", n) for n in range(1, 11))], each=5.0)
    assert writing_line(told[0]) == "the model reads: 500/1,000 tokens, 100/s, about 5.0 s left"
    assert writing_line(told[-1]) == "the model writes: 10 tokens, 0.2/s, at most 3 min 00 s left"


def test_what_a_hearer_raises_ends_the_reply_and_comes_out() -> None:
    class Enough(Exception):
        pass

    def hear(said: str) -> None:
        if said.count("w") == 3:
            raise Enough

    clock = Clock()
    stream = ReplyStream("m", 50, clock, hear)
    assert fed(stream, clock, [word("w", n) for n in range(1, 9)], each=0.1) == 3
    with pytest.raises(Enough):
        stream.reply(2_000)
