"""Gives one conversation access to its user's memories, which are kept after the conversation ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from investigator.bb3.memory.about_speaker import asked_topics, asks_for_everything, asks_for_more
from investigator.bb3.memory.choice import MOST_AVAILABLE, Chance, MemoryOptions, Tokens, available_memories
from investigator.bb3.memory.contradiction import topics_of
from investigator.bb3.memory.long_term import LongTermMemory
from investigator.bb3.memory.overlap import Gist
from investigator.bb3.memory.personal_facts import FactSource, KeptFact
from investigator.bb3.memory.text import MemoryForm, owner_of, prefix_of
from investigator.bb3.memory.words import memory_words
from investigator.bb3.records import AND_MORE, Speaker

MOST_TOLD = 5
"""Maximum number of memories listed at once if the user asks for everything."""
_MOST_SHOWN = 64
_OF_A_TOPIC = 4
_MOST_LOOKED_AT = 256


class UserMemories:
    """The memories of a user, as seen in one conversation; new memories are kept after it ends. A user may have several
    conversations at the same time, even in several processes. `chat_id` is stored with new memories; `turns` is the
    number of earlier replies in a continued conversation.
    """

    def __init__(
        self,
        memory: LongTermMemory,
        user: str,
        chat_id: str,
        chance: Chance,
        options: MemoryOptions | None = None,
        turns: int = 0,
    ) -> None:
        self._memory = memory
        self._user = user
        self._chat_id = chat_id
        self._chance = chance
        self._options = options or MemoryOptions()
        self._turn = turns + 1
        self._numbers: dict[str, tuple[int, ...]] = {}
        own = [fact for fact in memory.latest(user, _MOST_SHOWN) if fact.source.chat_id == chat_id] if turns else []
        self._in_session = set(self._written(own))
        self._told: set[int] = set()

    def texts(self) -> Mapping[str, int]:
        """Return the 64 most recently created or used memories, each with the number of turns since it was last used.
        Memories contradicted by later statements are kept, but omitted from the result.
        """
        latest = self._memory.latest(self._user, _MOST_SHOWN)
        holding = {fact.id for fact in self._memory.holding(self._user, latest)}
        return self._written([fact for fact in latest if fact.id in holding])

    def available(self, text: str) -> Sequence[str]:
        """Return at most 32 memories that are still valid and may be used for a reply to this text.

        If the text asks for everything known about its speaker, the speaker's latest statements are combined into one
        memory of several lines.
        """
        if asks_for_everything(text) and (everything := self._everything(text)):
            return everything
        candidates = self._memory.candidates(self._user, text)
        tokens = _known_words(candidates)
        chosen = self._chosen(text, candidates, tokens)
        if asked := asked_topics(text):  # "I moved to Paris" shares no word with "Where do I live?"
            told = [fact for fact in candidates if asked & topics_of(fact.text)][-_OF_A_TOPIC:]
            chosen = list(dict.fromkeys([*self._chosen(text, told, tokens), *chosen]))[:MOST_AVAILABLE]
        numbers = [number for memory in chosen for number in self._numbers[memory]]
        of_number = {fact.id: fact for fact in candidates}
        return list(self._written(self._memory.holding(self._user, [of_number[one] for one in numbers], [text])))

    def add(self, text: str, speaker: Speaker) -> None:
        """Remember a module's output for a turn, unless it is empty, not new, or too long."""
        source = FactSource(chat_id=self._chat_id, turn=self._turn)
        kept = self._memory.remember(self._user, text, speaker, source)
        if kept is not None:
            self._in_session.update(self._written([kept]))

    def set(self, memories: Mapping[str, int]) -> None:
        """Add these memories to the existing ones; memories without a prefix belong to the partner."""
        source = FactSource(chat_id=self._chat_id, turn=self._turn)
        ages = {}
        for memory, turns in memories.items():
            owner, told = owner_of(memory)
            kept = self._memory.remember(self._user, told, owner or Speaker.PARTNER, source, anew=False)
            if kept is not None:
                ages[kept.id] = turns
        if ages:
            self._memory.set_ages(self._user, ages)

    def end_turn(self, used: Sequence[str]) -> None:
        numbers = {number for memory in used for number in self._numbers.get(memory, ())}
        self._memory.end_turn(self._user, numbers)
        self._told |= numbers
        self._turn += 1

    def clear(self) -> None:
        """Forget which memories this conversation created and which it has shown."""
        self._in_session = set()
        self._told = set()

    def _chosen(self, text: str, facts: Sequence[KeptFact], tokens: Tokens) -> list[str]:
        found = self._written(facts)
        return available_memories(text, found, self._in_session, self._options, chance=self._chance, tokens=tokens)

    def _everything(self, text: str) -> list[str]:
        """Return the newest valid facts as one memory; if the user asks for more, return facts that were not shown
        yet.
        """
        newest = self._memory.newest(self._user, _MOST_LOOKED_AT)
        own = self._memory.holding(self._user, [fact for fact in newest if fact.speaker is Speaker.PARTNER])
        if asks_for_more(text):
            own = tuple(sorted(own, key=lambda fact: fact.id in self._told))
        free = self._chosen(text, own[: 3 * MOST_TOLD], str.split)[:MOST_TOLD]
        if not free:
            return []
        lines = [owner_of(memory)[1] for memory in free] + [AND_MORE] * (len(own) > len(free))
        memory = _line(Speaker.PARTNER, "\n".join(lines))
        self._numbers[memory] = tuple(number for one in free for number in self._numbers[one])
        return [memory]

    def _written(self, facts: Sequence[KeptFact]) -> dict[str, int]:
        written = {_line(fact.speaker, fact.text): fact for fact in facts}
        self._numbers.update({memory: (fact.id,) for memory, fact in written.items()})
        return {memory: fact.turns_since_used for memory, fact in written.items()}


def _line(speaker: Speaker, text: str) -> str:
    return f"{prefix_of(speaker, MemoryForm.PREFIXES)}: {text}"


def _known_words(facts: Sequence[KeptFact]) -> Tokens:
    """Return a function that splits texts into content words. Facts are not split again: their words were stored with
    them.
    """
    known = {_line(fact.speaker, fact.text).lower(): tuple(Gist.read(fact.claim).terms) for fact in facts}
    return lambda text: known[text] if text in known else tuple(memory_words(text, without_stop_words=True))
