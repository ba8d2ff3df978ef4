"""Selects the memories that a reply may use, as ParlAI 1.7.2 does, whose behaviour was verified by running it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence

from pydantic import Field

from investigator.bb3.memory.text import memory_words, owner_of
from investigator.records import Record

MOST_AVAILABLE = 32
"""Maximum number of memories shown to a module."""

Tokens = Callable[[str], Sequence[Hashable]]
"""Splits a text into units for comparison; BB3 uses GPT-2 tokens."""

Chance = Callable[[], float]
"""Returns a random number, 0 <= number < 1."""


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


def free_memories(
    text: str, memories: Mapping[str, int], in_session: Collection[str], options: MemoryOptions, *, chance: Chance
) -> list[str]:
    """Return the memories that the options admit for a reply to a turn, in order."""
    left = in_session if options.ignore_in_session_memories_mkm else ()
    return [
        memory
        for memory, turns in memories.items()
        if memory not in left and _near(text, memory, options) and not _blocked(turns, options, chance)
    ]


def most_alike(text: str, memories: Sequence[str], tokens: Tokens) -> list[str]:
    """Return the 32 memories that share the most tokens with the text, best first; if there are fewer than 32, return
    them unchanged. In a tie, the text that sorts last wins, as in the original.
    """
    if len(memories) < MOST_AVAILABLE:
        return list(memories)
    wanted = set(tokens(text.lower()))
    scored = [(len(wanted.intersection(tokens(memory.lower()))), memory) for memory in memories]
    return [memory for _, memory in sorted(scored, reverse=True)[:MOST_AVAILABLE]]


def _near(text: str, memory: str, options: MemoryOptions) -> bool:
    least = options.memory_overlap_threshold
    return least <= 0 or shared_words(text, owner_of(memory)[1]) >= least


def shared_words(text: str, other: str) -> float:
    """Return the F1 score (0..1) between the content words of two texts."""
    first, second = (Counter(memory_words(each, without_stop_words=True)) for each in (text, other))
    same = (first & second).total()
    return 2 * same / (first.total() + second.total()) if same else 0.0


def _blocked(turns: int, options: MemoryOptions, chance: Chance) -> bool:
    if turns < options.memory_hard_block_for_n_turns:
        return True
    decay = options.memory_soft_block_decay_factor
    return decay > 0 and chance() < decay**turns
