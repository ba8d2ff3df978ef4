"""Who is Person 1: the one place that knows that the card and BB3's prompts number the two the other way round.

In memories of the card, Person 1 is the bot and Person 2 the human. In the prompts of BB3 (30B and 175B), Person 1 is
the partner, that is the human, and Person 2 the one who replies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from investigator.bb3.bb3x.records import ChatMessage, Conversation
from investigator.bb3.records import PersonalFact, Speaker, Turn
from investigator.records.base import Record

_CARD_NUMBERS = {Speaker.SELF: 1, Speaker.PARTNER: 2}
_CARD_SPEAKERS = {number: speaker for speaker, number in _CARD_NUMBERS.items()}
_PREFIX = re.compile(r"\s*Person\s+([12])['\u2019]s\s+Persona\s*:\s*", re.IGNORECASE)


class KeptMemory(Record):
    """One memory of a record: about the bot (self) or the human (partner); None where its prefix says neither."""

    speaker: Speaker | None
    text: str


def kept_memory(line: str) -> KeptMemory:
    """A memory as the card writes it, "Person 1's Persona: I like tea", as whose it is and what it says."""
    found = _PREFIX.match(line)
    if found is None:
        return KeptMemory(speaker=None, text=line)
    return KeptMemory(speaker=_CARD_SPEAKERS[int(found[1])], text=line[found.end() :])


def memory_line(fact: PersonalFact) -> str:
    """A fact as the card writes memories."""
    return f"Person {_CARD_NUMBERS[fact.speaker]}'s Persona: {fact.text}"


def facts_of(lines: Iterable[str]) -> tuple[PersonalFact, ...]:
    """Memories of a record as facts, numbered from 1; those without a prefix are taken to be about the human."""
    kept = (kept_memory(line) for line in lines)
    return tuple(
        PersonalFact(id=number, speaker=memory.speaker or Speaker.PARTNER, text=memory.text)
        for number, memory in enumerate(kept, start=1)
    )


def turn_of(message: ChatMessage) -> Turn:
    """A message as a turn: the bot is the one who replies."""
    return Turn(speaker=Speaker.PARTNER if message.by_human else Speaker.SELF, text=message.text)


def memories_of_user(conversations: Iterable[Conversation], user_pseudo_id: str) -> tuple[str, ...]:
    """What is remembered after a user's conversations, given from the oldest to the newest.

    A further conversation of the same user starts with these.
    """
    remembered: tuple[str, ...] = ()
    for conversation in conversations:
        if conversation.user_pseudo_id == user_pseudo_id:
            for message in conversation.message_history:
                remembered = message.memories or remembered
    return remembered
