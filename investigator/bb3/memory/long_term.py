"""What is remembered of users over chats and restarts, for chats and for those who look at it or change it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime

from investigator.bb3.memory.contradiction import NEGATED, is_overturned, marks_of, settled_topics, what_holds
from investigator.bb3.memory.of_oneself import asked_topics
from investigator.bb3.memory.overlap import MemoryClaim, claim_of, repeats
from investigator.bb3.memory.personal_facts import FactSource, FactText, KeptFact, PersonalFacts
from investigator.bb3.memory.text import says_nothing
from investigator.bb3.records import Speaker
from investigator.errors import DialogueError
from investigator.store.database import Database

LONGEST_MEMORY = 2_000
"""Characters. What is longer is no fact about somebody, and would push everything else out of a prompt."""
LONGEST_USER = 500
_CANDIDATES = 256
_LATEST = 64
_RIVALS = 32
_OF_A_TOPIC = 4
_BY_HAND = FactSource()


class LongTermMemory:
    """The memories of all users of a workspace; a user is any text. Safe to use from several threads and processes.

    Memories are one line: white space is folded and control characters are left out, so that none can pass for a line
    of a prompt. Raises DialogueError where a user or a memory is empty or too long, StoreError and its kinds.
    """

    def __init__(self, database: Database, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._facts = PersonalFacts(database)
        self._now = now

    def users(self) -> tuple[str, ...]:
        """Those of whom something is remembered, sorted."""
        return self._facts.users()

    def count(self, user: str) -> int:
        """How much is remembered of a user."""
        return self._facts.count(_user(user))

    def memories(self, user: str, *, after: int = 0, most: int | None = None) -> tuple[KeptFact, ...]:
        """What is remembered of a user, in the order in which it came; only what has a number above `after`."""
        return self._facts.facts(_user(user), after=after, most=most)

    def get(self, user: str, numbers: Sequence[int]) -> tuple[KeptFact, ...]:
        """The memories with these numbers, as far as there are such."""
        return self._facts.get(_user(user), numbers)

    def latest(self, user: str, most: int) -> tuple[KeptFact, ...]:
        """What was remembered or used last, in the order in which it came."""
        return self._facts.latest(_user(user), most)

    def search(self, user: str, query: str, most: int = 20) -> tuple[KeptFact, ...]:
        """What has words of the query, in whatever form of the word, best first."""
        return self._facts.matching(_user(user), claim_of(one_line(query)[:LONGEST_MEMORY]).terms, most)

    def add(
        self, user: str, memory: str, speaker: Speaker = Speaker.PARTNER, source: FactSource = _BY_HAND
    ) -> KeptFact:
        """Remember a text as it is. Raises DialogueError where the same is remembered of the speaker already."""
        new = _fact(memory, speaker)
        kept = self._facts.add(_user(user), new, source, self._now())
        if kept is None and self._overturns(user, new):
            return self._facts.add_anew(user, new, source, self._now())
        if kept is None:
            raise DialogueError("this is remembered already", hint="See it with: investigator memory FOLDER list")
        return kept

    def add_all(
        self, user: str, memories: Iterable[str], speaker: Speaker = Speaker.PARTNER, source: FactSource = _BY_HAND
    ) -> int:
        """Remember many texts as they are, at once; gives how many of them were not remembered already.

        Where one is refused none is kept. Others wait meanwhile.
        """
        facts = [_fact(memory, speaker) for memory in memories]
        return self._facts.add_all(_user(user), facts, source, self._now())

    def remember(
        self, user: str, memory: str, speaker: Speaker, source: FactSource = _BY_HAND, *, anew: bool = True
    ) -> KeptFact | None:
        """Remember what a module has made of a turn; None where it says nothing, nothing new, or is too long.

        What says again something that no longer held is new, unless `anew` is false: it is the newest from now on.
        """
        told = one_line(memory)
        if says_nothing(told) or len(told) > LONGEST_MEMORY:
            return None
        new = _fact(told, speaker)
        claim = MemoryClaim.read(new.claim)
        kept = self._facts.add(
            _user(user), new, source, self._now(), lambda kept: repeats(claim, MemoryClaim.read(kept))
        )
        if kept is None and anew and self._overturns(user, new):
            return self._facts.add_anew(user, new, source, self._now())
        return kept

    def edit(self, user: str, number: int, memory: str) -> KeptFact:
        """Give a memory another text.

        Raises DialogueError where there is no such memory, or another one of that text.
        """
        kept = self._facts.get(_user(user), [number])
        speaker = kept[0].speaker if kept else Speaker.PARTNER
        return self._facts.edit(user, number, _fact(memory, speaker))

    def delete(self, user: str, number: int) -> None:
        """Forget one thing. Raises DialogueError where there is no such memory."""
        self._facts.delete(_user(user), number)

    def forget(self, user: str) -> int:
        """Forget everything of a user; gives the number of memories."""
        return self._facts.forget(_user(user))

    def candidates(self, user: str, text: str) -> tuple[KeptFact, ...]:
        """What a reply to a text may draw on, in the order in which it came.

        That is all there is, up to 256 memories; of more, those that share words with the text, at most 192, the 64
        that were made or used last, and the last that tell what the text asks for in other words.
        """
        every = self._facts.facts(_user(user), most=_CANDIDATES + 1)
        if len(every) <= _CANDIDATES:
            return every
        near = self.search(user, text, _CANDIDATES - _LATEST)
        asked = self._facts.newest_of_each(user, marks_of(asked_topics(text)), _OF_A_TOPIC)
        found = {fact.id: fact for fact in (*near, *self._facts.latest(user, _LATEST), *asked)}
        return tuple(found[number] for number in sorted(found))

    def newest(self, user: str, most: int) -> tuple[KeptFact, ...]:
        """What was remembered last, newest first."""
        return self._facts.newest(_user(user), most)

    def holding(self, user: str, facts: Sequence[KeptFact], newer: Collection[str] = ()) -> tuple[KeptFact, ...]:
        """Those of these memories that still hold, in their order; their texts without what does not.

        What was told later has overturned the rest, be it another memory or one of the texts that are `newer` than all.
        It stays remembered, to be seen and changed.
        """
        left: dict[int, str] = {}
        for speaker in {fact.speaker for fact in facts}:
            own = [fact for fact in facts if fact.speaker is speaker]
            found = {fact.id: fact for fact in (*self._rivals(user, [_text_of(fact) for fact in own]), *own)}
            said = newer if speaker is Speaker.PARTNER else ()
            order = sorted(found)
            left |= zip(order, what_holds([found[number].text for number in order], said), strict=True)
        return tuple(fact.changed(text=left[fact.id]) for fact in facts if left[fact.id])

    def end_turn(self, user: str, used: Collection[int] = ()) -> None:
        """A turn with the user is over in which these memories were used; the other ones are one turn older."""
        self._facts.end_turn(_user(user), used)

    def set_ages(self, user: str, ages: Mapping[int, int]) -> None:
        """Have memories seem unused for so many turns each."""
        for number, turns in ages.items():
            self._facts.set_unused(_user(user), number, turns)

    def _overturns(self, user: str, new: FactText) -> bool:
        """Whether a text contradicts something that holds."""
        told = sorted(self._rivals(user, [new]), key=lambda fact: fact.id)
        return is_overturned(what_holds([fact.text for fact in told]), new.text)

    def _rivals(self, user: str, texts: Sequence[FactText]) -> tuple[KeptFact, ...]:
        """What may contradict texts of one speaker, of the same speaker.

        That is all there is, up to 256 memories of the user; of more, the newest of each topic, the newest 32 that
        deny something in some of the same words, and the 32 that fit best a text that denies something.
        """
        user = _user(user)
        if not texts or self._facts.count(user) <= _CANDIDATES:
            found = self._facts.facts(user) if texts else ()
        else:
            topics = {mark for text in texts for mark in text.marks if mark != NEGATED}
            found = self._facts.newest_of_each(user, topics, _OF_A_TOPIC)
            if terms := {term for text in texts for term in text.terms}:
                found += self._facts.newest_of_each(user, (NEGATED,), _RIVALS, terms)
            if denied := {term for text in texts if NEGATED in text.marks for term in text.terms}:
                found += self._facts.matching(user, denied, _RIVALS)
        return tuple(fact for fact in found if fact.speaker is texts[0].speaker)


def one_line(text: str) -> str:
    """A text with its white space folded, without control characters and halves of characters."""
    kept = "".join(" " if character.isspace() else character for character in text if _is_kept(character))
    return " ".join(kept.split())


def _is_kept(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) not in {"Cc", "Cs"}


def _fact(memory: str, speaker: Speaker) -> FactText:
    told = one_line(memory)
    if not told:
        raise DialogueError("the memory is empty", hint='Give it a text, for example: "I have a dog."')
    if len(told) > LONGEST_MEMORY:
        raise DialogueError(
            f"the memory has {len(told):,} characters, the most are {LONGEST_MEMORY:,}",
            hint="Say it shorter, or put it into a document of the folder.",
        )
    claim = claim_of(told)
    marks = tuple(sorted(settled_topics(told)))
    return FactText(speaker=speaker, text=told, claim=claim.wire(), terms=tuple(sorted(claim.terms)), marks=marks)


def _text_of(fact: KeptFact) -> FactText:
    """What is kept as it was given, without cutting its words anew."""
    terms, marks = tuple(MemoryClaim.read(fact.claim).terms), tuple(settled_topics(fact.text))
    return FactText(speaker=fact.speaker, text=fact.text, claim=fact.claim, terms=terms, marks=marks)


def _user(user: str) -> str:
    """The name as it is given. A blank one is refused: it would be somebody else in every spelling."""
    problem = ""
    if not any(map(_is_seen, user)):
        problem = "blank"
    elif len(user) > LONGEST_USER:
        problem = f"too long: {len(user):,} characters, the most are {LONGEST_USER}"
    elif any(unicodedata.category(character) == "Cs" for character in user):
        problem = "no text"
    if problem:
        raise DialogueError(
            f"the user's name is {problem}",
            hint="Name one that can be read, as anna; on the command line --user may be left out.",
        )
    return user


def _is_seen(character: str) -> bool:
    return unicodedata.category(character)[0] not in "ZC"
