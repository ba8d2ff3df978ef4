"""Remembers for one conversation, as BB3 does with its own models: in the written form of their family. Chats about a
folder keep their memories: see `of_chats`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from investigator.bb3.memory.choice import Chance, MemoryOptions, Tokens, free_memories, most_alike
from investigator.bb3.memory.text import (
    MemoryForm,
    is_new_memory,
    prefix_of,
    says_nothing,
    with_prefix,
    with_some_prefix,
)
from investigator.bb3.records import Speaker
from investigator.errors import DataError


class SessionMemories:
    """The memories of one conversation; use it from one thread at a time. `prefixes` are those of the owners, if they
    differ from the family's; `chance` returns random numbers from 0 to 1, `tokens` splits texts for comparison.
    """

    def __init__(
        self,
        form: MemoryForm,
        options: MemoryOptions,
        *,
        chance: Chance,
        tokens: Tokens = str.split,
        prefixes: Mapping[Speaker, str] | None = None,
    ) -> None:
        self._form = form
        self._options = options
        self._chance = chance
        self._tokens = tokens
        self._prefixes = prefixes or {speaker: prefix_of(speaker, form) for speaker in Speaker}
        self._texts: dict[str, int] = {}
        self.in_session: set[str] = set()
        """The memories created in this conversation."""

    def texts(self) -> Mapping[str, int]:
        return dict(self._texts)

    def dates(self) -> Mapping[str, str]:
        return {}

    def available(self, text: str) -> Sequence[str]:
        free = free_memories(text, self._texts, self.in_session, self._options, chance=self._chance)
        return most_alike(text, free, self._tokens)

    def add(self, text: str, speaker: Speaker) -> None:
        if says_nothing(text):
            return
        memory = self._written(text, speaker)
        if self._is_new(memory, speaker):
            self._texts[memory] = 0
            self.in_session.add(memory)

    def set(self, memories: Mapping[str, int]) -> None:
        own = tuple(f"{prefix}:" for prefix in self._prefixes.values())
        self._texts = {
            text if text.startswith(own) else self._written(text, Speaker.PARTNER, with_some_prefix): turns
            for text, turns in memories.items()
        }

    def end_turn(self, used: Sequence[str]) -> None:
        self._texts = {memory: 0 if memory in used else turns + 1 for memory, turns in self._texts.items()}

    def clear(self) -> None:
        self._texts = {}
        self.in_session = set()

    def _written(
        self, text: str, speaker: Speaker, write: Callable[[str, Speaker, MemoryForm], str] = with_prefix
    ) -> str:
        prefix = self._prefixes[speaker]
        if prefix == prefix_of(speaker, self._form):
            return write(text, speaker, self._form)
        return text if text.startswith(f"{prefix}:") else f"{prefix}: {text}"

    def _is_new(self, memory: str, speaker: Speaker) -> bool:
        if memory in self._texts:
            return False
        try:
            return is_new_memory(memory, self._prefixes[speaker], self._texts)
        except DataError:  # a memory without a prefix that begins with "Person"
            return True
