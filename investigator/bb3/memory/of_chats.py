"""Gives one conversation access to its user's memories, which are kept after the conversation ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from investigator.bb3.memory.choice import MOST_AVAILABLE
from investigator.bb3.memory.long_term import FactSource, KeptFact, LongTermMemory
from investigator.bb3.memory.text import MemoryForm, owner_of, prefix_of
from investigator.bb3.records import Speaker

_MOST_SHOWN = 64


class UserMemories:
    """The memories of a user, as seen in one conversation; new memories are kept after it ends. A user may have several
    conversations at the same time, even in several processes. `chat_id` is stored with new memories; `turns` is the
    number of earlier replies in a continued conversation.
    """

    def __init__(self, memory: LongTermMemory, user: str, chat_id: str, turns: int = 0) -> None:
        self._memory = memory
        self._user = user
        self._source = FactSource(chat_id=chat_id, turn=turns + 1)
        self._facts: dict[str, KeptFact] = {}

    def texts(self) -> Mapping[str, int]:
        """Return the 64 most recently created or used memories, each with the number of turns since it was last
        used.
        """
        latest = self._written(self._memory.latest(self._user, _MOST_SHOWN))
        return {memory: fact.turns_since_used for memory, fact in latest.items()}

    def dates(self) -> Mapping[str, str]:
        """Return the day on which each memory that was returned before was last stated."""
        return {memory: f"{fact.created:%Y-%m-%d}" for memory, fact in self._facts.items()}

    def available(self, text: str) -> Sequence[str]:
        """Return the memories that may be used for a reply to this text: the 32 whose meanings are nearest, in the
        order in which they were stated.
        """
        nearest = list(self._memory.scores(self._user, text))[:MOST_AVAILABLE]
        facts = self._written(self._memory.with_ids(self._user, nearest))
        return sorted(facts, key=lambda memory: (facts[memory].created, facts[memory].id))

    def add(self, text: str, speaker: Speaker) -> None:
        """Remember a module's output for a turn, unless it is empty, not new, or too long."""
        self._memory.remember(self._user, text, speaker, self._source)

    def set(self, memories: Mapping[str, int]) -> None:
        """Add these memories to the existing ones; memories without a prefix belong to the partner."""
        ages = {}
        for memory, turns in memories.items():
            owner, text = owner_of(memory)
            kept = self._memory.remember(self._user, text, owner or Speaker.PARTNER, self._source, again=False)
            if kept is not None:
                ages[kept.id] = turns
        if ages:
            self._memory.set_ages(self._user, ages)

    def end_turn(self, used: Sequence[str]) -> None:
        numbers = {self._facts[memory].id for memory in used if memory in self._facts}
        self._memory.end_turn(self._user, numbers)
        self._source = self._source.changed(turn=(self._source.turn or 0) + 1)

    def clear(self) -> None:
        """Do nothing: no memory belongs only to the conversation."""

    def _written(self, facts: Sequence[KeptFact]) -> dict[str, KeptFact]:
        written = {f"{prefix_of(fact.speaker, MemoryForm.PREFIXES)}: {fact.text}": fact for fact in facts}
        self._facts.update(written)
        return written
