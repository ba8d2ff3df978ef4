"""Maps Person 1 and Person 2 between the card and BB3's prompts, which number them in opposite ways. In the card's
memories, Person 1 is the bot and Person 2 the human. In the prompts of BB3 (30B and 175B), Person 1 is the partner (the
human), and Person 2 the speaker who replies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from investigator.bb3.bb3x.records import ChatMessage, MemoryDecision, SearchDecision, Sender
from investigator.bb3.memory.text import owner_of
from investigator.bb3.records import Speaker, Turn
from investigator.dialogue.messages import Message

_CARD_NUMBERS = {Speaker.SELF: 1, Speaker.PARTNER: 2}
_PREFIX = re.compile(r"\s*Person\s+([12])['\u2019]s\s+Persona\s*:\s*", re.IGNORECASE)
_TEXTS = ("search_query", "search_knowledge")
_LISTS = ("search_knowledge_doc_titles", "search_knowledge_doc_content", "search_knowledge_doc_urls")


def kept_memory(line: str) -> tuple[Speaker | None, str]:
    """Return the owner and the text of a memory in the card's format, "Person 1's Persona: I like tea".

    The speaker is None if the prefix is missing.
    """
    prefix = _PREFIX.match(line)
    if prefix is None:
        return None, line
    return Speaker.SELF if prefix[1] == "1" else Speaker.PARTNER, line[prefix.end() :]


def memory_line(speaker: Speaker, text: str) -> str:
    """Return a memory about one of the two speakers in the card's format."""
    return f"Person {_CARD_NUMBERS[speaker]}'s Persona: {text}"


def turn_of(message: ChatMessage) -> Turn:
    """Return a message as a turn; the bot is the replying speaker."""
    return Turn(speaker=Speaker.PARTNER if message.by_human else Speaker.SELF, text=message.text)


def chat_message_of(reply: Message, bot_message_id: str) -> ChatMessage:
    """Return a reply with its decisions, query, knowledge, documents and memories, using the field names of the card.

    A decision is empty if no module made it, or if the module's reply was not one of the expected words.
    """
    fields: dict[str, object] = {"text": reply.text, "sender": Sender.BOT, "bot_message_id": bot_message_id}
    fields |= {name: str(reply[name]) for name in _TEXTS if reply.get(name)}
    fields |= {name: tuple(map(str, each)) for name in _LISTS if isinstance(each := reply.get(name, ()), list | tuple)}
    if memory := reply.get("memory_knowledge"):
        fields["memory_knowledge"] = _as_the_card_writes(str(memory))
    for name, decisions in (("search_decision", SearchDecision), ("memory_decision", MemoryDecision)):
        word = str(reply.get(name, ""))
        fields[name] = decisions(word if word in set(decisions) else "")
    memories = reply.get("memories")
    fields["memories"] = tuple(map(_as_the_card_writes, memories)) if isinstance(memories, Mapping) else ()
    return ChatMessage.model_validate(fields)


def _as_the_card_writes(memory: str) -> str:
    speaker, text = owner_of(memory)
    return memory_line(speaker or Speaker.PARTNER, text)
