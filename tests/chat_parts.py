"""A prompt and a simulated clock for the tests of chat models."""

from __future__ import annotations

from investigator.engines.chat.queueing import CallQueue
from investigator.records import AskReply, Prompt, QuestionVariables

PROMPT = Prompt(
    template="query/ask.j2",
    variables=QuestionVariables(document_id="a.txt", purpose="p", perspectives=""),
    text="How old is the bridge?",
    reply_type=AskReply,
)


class MadeTime:
    """A clock that advances only during sleeps, which are recorded in `slept`; no real time passes."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def queue(self, jitter: float = 0.0) -> CallQueue:
        """Return a queue at a separate endpoint."""
        return CallQueue("http://test:1", clock=self.clock, sleep=self.sleep, jitter=lambda: jitter)
