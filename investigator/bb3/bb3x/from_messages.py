"""A reply of the chat as the data card writes it."""

from __future__ import annotations

from collections.abc import Mapping

from investigator.bb3.bb3x.persons import memory_line
from investigator.bb3.bb3x.records import ChatMessage, MemoryDecision, SearchDecision, Sender
from investigator.bb3.memory.text import owner_of
from investigator.bb3.records import PersonalFact, Speaker
from investigator.dialogue.messages import Message

_TEXTS = ("search_query", "search_knowledge")
_LISTS = ("search_knowledge_doc_titles", "search_knowledge_doc_content", "search_knowledge_doc_urls")


def chat_message_of(reply: Message, bot_message_id: str) -> ChatMessage:
    """A reply with its decisions, query, knowledge, documents and memories under the names of the card.

    The card numbers the two the other way round, see `persons`. A decision that no module made, or made in words of its
    own, is empty.
    """
    fields: dict[str, object] = {"text": reply.text, "sender": Sender.BOT, "bot_message_id": bot_message_id}
    fields |= {name: str(reply[name]) for name in _TEXTS if reply.get(name)}
    fields |= {name: tuple(map(str, _list(reply.get(name)))) for name in _LISTS}
    if used := reply.get("memory_knowledge"):
        fields["memory_knowledge"] = _as_the_card_writes(str(used))
    said = str(reply.get("search_decision", ""))
    fields["search_decision"] = SearchDecision(said) if said in set(SearchDecision) else SearchDecision.NONE
    said = str(reply.get("memory_decision", ""))
    fields["memory_decision"] = MemoryDecision(said) if said in set(MemoryDecision) else MemoryDecision.NONE
    memories = reply.get("memories")
    fields["memories"] = tuple(map(_as_the_card_writes, memories)) if isinstance(memories, Mapping) else ()
    return ChatMessage.model_validate(fields)


def _as_the_card_writes(memory: str) -> str:
    speaker, text = owner_of(memory)
    return memory_line(PersonalFact(id=1, speaker=speaker or Speaker.PARTNER, text=text))


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []
