"""A journal that is kept in memory only: for parts of the method that are used on their own."""

from __future__ import annotations

import threading
from collections.abc import Callable

from investigator.prices import Price
from investigator.records import Prompt, Reply, Usage


class InMemoryJournal:
    """Keeps calls for the life of the object. Safe to use from several threads."""

    def __init__(self, price_of: Callable[[str], Price | None] = lambda _: None) -> None:
        self._price_of = price_of
        self._replies: dict[str, Reply] = {}
        self._engines: dict[str, str] = {}
        self._too_long: dict[str, int] = {}
        self._writing = threading.Lock()

    def find(self, key: str) -> Reply | None:
        """The reply kept under a key."""
        return self._replies.get(key)

    def keep(self, key: str, prompt: Prompt, engine: str, reply: Reply) -> None:
        """Keep a reply."""
        with self._writing:
            self._replies.setdefault(key, reply)
            self._engines.setdefault(key, engine)

    def too_long(self, key: str) -> int | None:
        """The tokens of a prompt that did not fit, 0 where they are unknown; None of any other prompt."""
        return self._too_long.get(key)

    def keep_too_long(self, key: str, tokens: int) -> None:
        """Keep that a prompt did not fit."""
        with self._writing:
            self._too_long.setdefault(key, tokens)

    def usage(self) -> Usage:
        """What the kept calls have cost."""
        with self._writing:
            rows = [(self._price_of(self._engines[key]), reply) for key, reply in self._replies.items()]
        replies = [reply for _, reply in rows]
        return Usage(
            calls=len(replies),
            input_tokens=sum(reply.input_tokens for reply in replies),
            output_tokens=sum(reply.output_tokens for reply in replies),
            seconds=sum(reply.seconds for reply in replies),
            money=sum(price.of(reply.input_tokens, reply.output_tokens) for price, reply in rows if price is not None),
            unpriced=sum(price is None for price, _ in rows),
        )

    def elapsed(self) -> float:
        """Nothing limits the time of a journal without a run."""
        return 0.0
