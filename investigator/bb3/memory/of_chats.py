"""The memories of a user as one conversation sees them; they outlast it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from investigator.bb3.memory.choice import Chance, MemoryOptions, Tokens, available_memories
from investigator.bb3.memory.long_term import LongTermMemory
from investigator.bb3.memory.overlap import Claim
from investigator.bb3.memory.text import MemoryForm, owner_of, prefix_of
from investigator.bb3.memory.words import memory_words
from investigator.records import Speaker
from investigator.store.personal_facts import FactSource, KeptFact

_MOST_SHOWN = 64


class UserMemories:
    """What is remembered of a user, as one conversation sees it; what it adds outlasts it.

    Several conversations with one user may go on at once, in several processes. `chat_id` is kept with what is added.
    `tokens` cuts texts for comparing; without it words that tell something are compared.
    """

    def __init__(
        self,
        memory: LongTermMemory,
        user: str,
        chat_id: str,
        chance: Chance,
        form: MemoryForm = MemoryForm.PREFIXES,
        options: MemoryOptions | None = None,
        tokens: Tokens | None = None,
    ) -> None:
        self._memory = memory
        self._user = user
        self._chat_id = chat_id
        self._form = form
        self._chance = chance
        self._options = options or MemoryOptions()
        self._tokens = tokens
        self._turn = 1
        self._numbers: dict[str, int] = {}
        self._in_session: set[str] = set()

    def texts(self) -> Mapping[str, int]:
        """The 64 memories that were made or used last, with the turns since each was used."""
        return self._written(self._memory.latest(self._user, _MOST_SHOWN))

    def available(self, text: str) -> Sequence[str]:
        """At most 32 memories that may be drawn on for a reply to this text."""
        candidates = self._memory.candidates(self._user, text)
        tokens = self._tokens or self._known_words(candidates)
        found = self._written(candidates)
        return available_memories(text, found, self._in_session, self._options, chance=self._chance, tokens=tokens)

    def add(self, text: str, speaker: Speaker) -> None:
        """Remember what a module has made of a turn, unless it says nothing, nothing new, or is too long."""
        source = FactSource(chat_id=self._chat_id, turn=self._turn)
        kept = self._memory.remember(self._user, text, speaker, source)
        if kept is not None:
            self._in_session.update(self._written([kept]))

    def set(self, memories: Mapping[str, int]) -> None:
        """Remember these besides what is remembered; those without a prefix are the partner's."""
        source = FactSource(chat_id=self._chat_id, turn=self._turn)
        ages = {}
        for memory, turns in memories.items():
            owner, told = owner_of(memory)
            kept = self._memory.remember(self._user, told, owner or Speaker.PARTNER, source)
            if kept is not None:
                ages[kept.id] = turns
        self._memory.set_ages(self._user, ages)

    def end_turn(self, used: Sequence[str]) -> None:
        """A turn is over in which these were used."""
        self._memory.end_turn(self._user, [self._numbers[memory] for memory in used if memory in self._numbers])
        self._turn += 1

    def clear(self) -> None:
        """Nothing belongs to this conversation alone but which memories it has made; that is forgotten."""
        self._in_session = set()

    def facts(self, memories: Sequence[str]) -> tuple[KeptFact, ...]:
        """What is kept of memories that this conversation was given: number, source, and when they were made."""
        numbers = [self._numbers[memory] for memory in memories if memory in self._numbers]
        return self._memory.get(self._user, numbers)

    def _written(self, facts: Sequence[KeptFact]) -> dict[str, int]:
        written = {f"{prefix_of(fact.speaker, self._form)}: {fact.text}": fact for fact in facts}
        self._numbers.update({memory: fact.id for memory, fact in written.items()})
        return {memory: fact.turns_since_used for memory, fact in written.items()}

    def _known_words(self, facts: Sequence[KeptFact]) -> Tokens:
        """Cuts texts into words; those of the facts were cut when they were made."""
        known = {
            f"{prefix_of(fact.speaker, self._form)}: {fact.text}".lower(): tuple(Claim.read(fact.claim).terms)
            for fact in facts
        }
        return lambda text: known[text] if text in known else tuple(memory_words(text, without_stop_words=True))
