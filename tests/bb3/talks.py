"""Helpers for tests of the chat: turns that end with the partner's, and a sleep that takes no time."""

from __future__ import annotations

from investigator.bb3.records import Speaker, Turn


def turns(*texts: str) -> tuple[Turn, ...]:
    """Return the turns of a conversation, the last of them the partner's."""
    speakers = (Speaker.PARTNER, Speaker.SELF)
    return tuple(Turn(speaker=speakers[(len(texts) - 1 - n) % 2], text=text) for n, text in enumerate(texts))


class Waits:
    """A sleep that only records its duration."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
