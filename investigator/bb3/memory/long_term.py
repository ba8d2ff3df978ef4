"""Keeps users' memories across chats and restarts, and lets users view and change them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime

from investigator.bb3.memory.about_speaker import asked_topics
from investigator.bb3.memory.contradiction import NEGATED, is_overturned, marks_of, settled_topics, what_holds
from investigator.bb3.memory.overlap import Gist, gist_of, repeats
from investigator.bb3.memory.personal_facts import FactSource, FactText, KeptFact, PersonalFacts
from investigator.bb3.memory.text import says_nothing
from investigator.bb3.records import Speaker
from investigator.errors import DialogueError
from investigator.language.normalise import one_line
from investigator.store.database import Database

LONGEST_MEMORY = 2_000
"""Maximum number of characters in a memory. A longer text is not a fact about somebody, and would leave little room for
the rest of a prompt.
"""
_CANDIDATES = 256
_LATEST = 64
_RIVALS = 32
_OF_A_TOPIC = 4
_BY_HAND = FactSource()


class LongTermMemory(PersonalFacts):
    """Stores the memories of all users in a workspace, and selects the memories for a reply. Memories are single lines:
    whitespace is collapsed and control characters are removed, so that none can imitate a line of a prompt. Raises
    DialogueError if a memory is empty or too long.
    """

    def __init__(self, database: Database, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        super().__init__(database)
        self._now = now

    def search(self, user: str, query: str, most: int = 20) -> tuple[KeptFact, ...]:
        """Return the facts that share words with the query, in any form of the word, best first."""
        return self.matching(user, gist_of(memory_line(query)[:LONGEST_MEMORY]).terms, most)

    def add(
        self, user: str, memory: str, speaker: Speaker = Speaker.PARTNER, source: FactSource = _BY_HAND
    ) -> KeptFact:
        """Remember text about a speaker without calling a module. Raises DialogueError if the text is already
        remembered.
        """
        new = _fact(memory, speaker)
        kept = self.put(user, new, source, self._now()) or self._put_again(user, new, source)
        if kept is None:
            raise DialogueError(
                "this is already remembered", hint="List the memories with: investigator memory FOLDER list"
            )
        return kept

    def add_all(self, user: str, memories: Iterable[str]) -> int:
        """Remember several texts about a user in one transaction; return how many were new. If any text is rejected,
        none is kept.
        """
        return self.put_all(user, [_fact(memory, Speaker.PARTNER) for memory in memories], _BY_HAND, self._now())

    def remember(
        self, user: str, memory: str, speaker: Speaker, source: FactSource = _BY_HAND, *, anew: bool = True
    ) -> KeptFact | None:
        """Remember a module's output for a turn; return None if it is empty, not new, or too long. A statement that
        only repeats an invalidated one counts as new, and becomes the newest, unless `anew` is False.
        """
        told = memory_line(memory)
        if says_nothing(told) or len(told) > LONGEST_MEMORY:
            return None
        new = _fact(told, speaker)
        claim = Gist.read(new.claim)
        kept = self.put(user, new, source, self._now(), lambda kept: repeats(claim, Gist.read(kept)))
        return kept or (self._put_again(user, new, source) if anew else None)

    def edit(self, user: str, number: int, memory: str) -> KeptFact:
        """Change the text of a memory. Raises DialogueError if the memory does not exist, or another one has that
        text.
        """
        return self.replace(user, number, lambda speaker: _fact(memory, speaker))

    def candidates(self, user: str, text: str) -> tuple[KeptFact, ...]:
        """Return the memories that a reply to the text may use, oldest first. If there are at most 256 memories, all
        are returned. If there are more memories, the result has at most 192 that share words with the text, the 64 most
        recently created or used ones, and the latest ones about a topic that the text asks about.
        """
        every = self.memories(user, _CANDIDATES + 1)
        if len(every) <= _CANDIDATES:
            return every
        near = self.search(user, text, _CANDIDATES - _LATEST)
        asked = self.newest_of_each(user, marks_of(asked_topics(text)), _OF_A_TOPIC)
        found = {fact.id: fact for fact in (*near, *self.latest(user, _LATEST), *asked)}
        return tuple(found[number] for number in sorted(found))

    def holding(self, user: str, facts: Sequence[KeptFact], newer: Collection[str] = ()) -> tuple[KeptFact, ...]:
        """Return the memories that are still valid, in order, without the parts that something later contradicts:
        another memory, or one of the `newer` texts. The parts left out remain stored, and can be viewed and changed.
        """
        left: dict[int, str] = {}
        for speaker in {fact.speaker for fact in facts}:
            own = [fact for fact in facts if fact.speaker is speaker]
            found = {fact.id: fact for fact in (*self._rivals(user, [_text_of(fact) for fact in own]), *own)}
            said = newer if speaker is Speaker.PARTNER else ()
            order = sorted(found)
            left |= zip(order, what_holds([found[number].text for number in order], said), strict=True)
        return tuple(fact.changed(text=left[fact.id]) for fact in facts if left[fact.id])

    def _put_again(self, user: str, new: FactText, source: FactSource) -> KeptFact | None:
        """Store a statement again, as the newest, if it contradicts a statement that is still valid."""
        told = sorted(self._rivals(user, [new]), key=lambda fact: fact.id)
        if is_overturned(what_holds([fact.text for fact in told]), new.text):
            return self.put_anew(user, new, source, self._now())
        return None

    def _rivals(self, user: str, texts: Sequence[FactText]) -> tuple[KeptFact, ...]:
        """Return the memories about the same speaker that may contradict the texts, or be contradicted by them. If
        there are at most 256 memories, all are considered. If there are more, only some are considered: the newest of
        each topic, the newest 32 that share words with the texts and deny something, and the 32 that best match a text
        that denies something.
        """
        if not texts:
            return ()
        if self.count(user) <= _CANDIDATES:
            found = self.memories(user)
        else:
            topics = {mark for text in texts for mark in text.marks if mark != NEGATED}
            found = self.newest_of_each(user, topics, _OF_A_TOPIC)
            if terms := {term for text in texts for term in text.terms}:
                found += self.newest_of_each(user, (NEGATED,), _RIVALS, terms)
            if denied := {term for text in texts if NEGATED in text.marks for term in text.terms}:
                found += self.matching(user, denied, _RIVALS)
        return tuple(fact for fact in found if fact.speaker is texts[0].speaker)


def memory_line(text: str) -> str:
    """Return the text on one line, without control characters and lone surrogates."""
    return one_line("".join(char for char in text if char.isspace() or unicodedata.category(char) not in {"Cc", "Cs"}))


def _fact(memory: str, speaker: Speaker) -> FactText:
    told = memory_line(memory)
    if not told:
        raise DialogueError("the memory is empty", hint='Write a text, for example: "I have a dog."')
    if len(told) > LONGEST_MEMORY:
        raise DialogueError(
            f"the memory has {len(told):,} characters, more than the limit of {LONGEST_MEMORY:,}",
            hint="Shorten it, or put it into a document in the folder.",
        )
    claim = gist_of(told)
    marks = tuple(sorted(settled_topics(told)))
    return FactText(speaker=speaker, text=told, claim=claim.wire(), terms=tuple(sorted(claim.terms)), marks=marks)


def _text_of(fact: KeptFact) -> FactText:
    """Return the text of a stored fact, reusing its stored words so that it is not split again."""
    terms, marks = tuple(Gist.read(fact.claim).terms), tuple(settled_topics(fact.text))
    return FactText(speaker=fact.speaker, text=fact.text, claim=fact.claim, terms=terms, marks=marks)
