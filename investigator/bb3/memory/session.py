"""Remembers for one conversation, as ParlAI 1.7.2 does with BB3's own models (its behaviour was verified):
in the written form of their family. Chats about a folder keep their memories: see `long_term`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence

from pydantic import Field

from investigator.bb3.memory.text import (
    MemoryForm,
    is_new_memory,
    memory_words,
    owner_of,
    prefix_of,
    says_nothing,
    with_prefix,
    with_some_prefix,
)
from investigator.bb3.records import Speaker
from investigator.errors import DataError
from investigator.records import Record

MOST_AVAILABLE = 32
"""Maximum number of memories shown to a module."""

Tokens = Callable[[str], Sequence[Hashable]]
"""Splits a text into units for comparison; BB3 uses GPT-2 tokens."""


class MemoryOptions(Record):
    """The conditions for using a memory, named as in BB3."""

    ignore_in_session_memories_mkm: bool = Field(
        default=False, description="exclude memories created in this conversation"
    )
    memory_overlap_threshold: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="minimum F1 of the words that a memory shares with the turn; 0 admits any memory",
    )
    memory_hard_block_for_n_turns: int = Field(
        default=0, ge=0, description="number of turns for which a used or new memory is excluded"
    )
    memory_soft_block_decay_factor: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="decay d: excludes a memory with probability d**(turns since its last use); 0 excludes none",
    )


class SessionMemories:
    """The memories of one conversation; use it from one thread at a time. `prefixes` are those of the owners, if they
    differ from the family's; `chance` returns random numbers from 0 to 1, `tokens` splits texts for comparison.
    """

    def __init__(
        self,
        form: MemoryForm,
        options: MemoryOptions,
        *,
        chance: Callable[[], float],
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
        admitted = [memory for memory, turns in self._texts.items() if self._admits(text, memory, turns)]
        return most_alike(text, admitted, self._tokens)

    def add(self, text: str, speaker: Speaker) -> None:
        if says_nothing(text):
            return
        memory = self._written(text, speaker, with_prefix)
        if memory not in self._texts and self._is_new(memory, speaker):
            self._texts[memory] = 0
            self.in_session.add(memory)

    def set(self, memories: Mapping[str, int]) -> None:
        owners = tuple(f"{prefix}:" for prefix in self._prefixes.values())
        bare = {text for text in memories if not text.startswith(owners)}
        written = {text: self._written(text, Speaker.PARTNER, with_some_prefix) for text in bare}
        self._texts = {written.get(text, text): turns for text, turns in memories.items()}

    def end_turn(self, used: Sequence[str]) -> None:
        self._texts = {memory: 0 if memory in used else turns + 1 for memory, turns in self._texts.items()}

    def clear(self) -> None:
        self._texts = {}
        self.in_session = set()

    def _written(self, text: str, speaker: Speaker, of_family: Callable[[str, Speaker, MemoryForm], str]) -> str:
        prefix = f"{self._prefixes[speaker]}:"
        if self._prefixes[speaker] == prefix_of(speaker, self._form):
            return of_family(text, speaker, self._form)
        return text if text.startswith(prefix) else f"{prefix} {text}"

    def _is_new(self, memory: str, speaker: Speaker) -> bool:
        try:
            return is_new_memory(memory, self._prefixes[speaker], self._texts)
        except DataError:  # a memory without a prefix that begins with "Person"
            return True

    def _admits(self, text: str, memory: str, turns: int) -> bool:
        """Return True if the options admit a memory for a reply to a turn."""
        options, decay = self._options, self._options.memory_soft_block_decay_factor
        if options.ignore_in_session_memories_mkm and memory in self.in_session:
            return False
        least = options.memory_overlap_threshold
        if least > 0 and shared_words(text, owner_of(memory)[1]) < least:
            return False
        return turns >= options.memory_hard_block_for_n_turns and not (decay > 0 and self._chance() < decay**turns)


def most_alike(text: str, memories: Sequence[str], tokens: Tokens) -> list[str]:
    """Return the 32 memories that share the most tokens with the text, best first; if there are fewer than 32, return
    them unchanged. In a tie, the text that sorts last wins, as in the original.
    """
    if len(memories) < MOST_AVAILABLE:
        return list(memories)
    wanted = set(tokens(text.lower()))
    scored = [(len(wanted.intersection(tokens(memory.lower()))), memory) for memory in memories]
    return [memory for _, memory in sorted(scored, reverse=True)[:MOST_AVAILABLE]]


def shared_words(text: str, other: str) -> float:
    """Return the F1 score (0..1) between the content words of two texts."""
    first, second = (Counter(memory_words(each, without_stop_words=True)) for each in (text, other))
    same = (first & second).total()
    return 2 * same / (first.total() + second.total()) if same else 0.0
