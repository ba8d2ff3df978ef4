"""A journal that is kept in memory only: for parts of the method that are used on their own."""

from __future__ import annotations

import threading

from investigator.records import Prompt, Reply, Usage


class InMemoryJournal:
    """Keeps calls for the life of the object. Safe to use from several threads."""

    def __init__(self) -> None:
        self._replies: dict[str, Reply] = {}
        self._writing = threading.Lock()

    def find(self, key: str) -> Reply | None:
        """The reply kept under a key."""
        return self._replies.get(key)

    def keep(self, key: str, prompt: Prompt, engine: str, reply: Reply) -> None:
        """Keep a reply."""
        with self._writing:
            self._replies.setdefault(key, reply)

    def usage(self) -> Usage:
        """What the kept calls have cost."""
        replies = list(self._replies.values())
        return Usage(
            calls=len(replies),
            input_tokens=sum(reply.input_tokens for reply in replies),
            output_tokens=sum(reply.output_tokens for reply in replies),
            seconds=sum(reply.seconds for reply in replies),
        )

    def elapsed(self) -> float:
        """Nothing limits the time of a journal without a run."""
        return 0.0
