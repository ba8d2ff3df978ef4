"""Defines conversations and their messages, with every field of the data card (seed: bb3x_data_card, "Composition").

The card and the released files spell the sender and a conversation's id differently: values are kept as read, and
`by_human` and `id` handle both. Property names and paths of the card (`is_liked`, `isLiked`) are read, and paths are
written. Unknown fields are kept and missing ones stay missing, so reading and writing a record does not change it.

Person 1 is the bot in the card's memories, and Person 2 the human. BB3's prompts number them the other way round.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum

from pydantic import ConfigDict, Field, JsonValue

from investigator.bb3.memory.text import owner_of
from investigator.bb3.records import Speaker, Turn
from investigator.dialogue.messages import Message
from investigator.records.base import Record

OK = "__ok__"
_CARD_NUMBERS = {Speaker.SELF: 1, Speaker.PARTNER: 2}
_PREFIX = re.compile(r"\s*Person\s+([12])['\u2019]s\s+Persona\s*:\s*", re.IGNORECASE)
_TEXTS = ("search_query", "search_knowledge")
_LISTS = ("search_knowledge_doc_titles", "search_knowledge_doc_content", "search_knowledge_doc_urls")


class Sender(StrEnum):
    """The sender of a message. The released files and ours use the first two values, the card uses the last two."""

    BOT = "bot"
    HUMAN = "human"
    CARD_BOT = "Chatbot"
    CARD_HUMAN = "Human"


class SearchDecision(StrEnum):
    """The search decision module's reply; empty if the module was not called. The card has two names for "yes"."""

    SEARCH = "search"
    DO_SEARCH = "do search"
    DO_NOT_SEARCH = "do not search"
    NONE = ""


class MemoryDecision(StrEnum):
    """The memory decision module's reply; empty if the module was not called."""

    ACCESS = "access memory"
    DO_NOT_ACCESS = "do not access memory"
    NONE = ""


class InteractionFailure(StrEnum):
    """The reason for a canned reply: the human's message, the bot's planned reply, or a failed model."""

    NONE = ""
    UNSAFE_HUMAN = "unsafe_Human"
    UNSAFE_BOT = "unsafe_BlenderBot3"
    MODEL_CRASH = "unsafe_model_crash"


class ForeignRecord(Record):
    """A record that other programs write too: unknown fields are kept, and known fields must have the declared type."""

    model_config = ConfigDict(
        frozen=True, extra="allow", strict=True, populate_by_name=True, ser_json_inf_nan="constants"
    )

    def wire(self) -> dict[str, JsonValue]:
        """Return the record in JSON form, with the card's paths as keys and without fields that were never set."""
        form: dict[str, JsonValue] = self.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return form


class Safety(ForeignRecord):
    """The verdicts of a classifier and a string matcher on a message; `__ok__` means that they found nothing."""

    duo_safety: str | None = None
    string_matcher: str | None = None

    @property
    def is_unsafe(self) -> bool:
        """Return True if either check found something; a check that did not run counts as finding nothing."""
        return any(verdict not in (None, OK) for verdict in (self.duo_safety, self.string_matcher))


class ChatMessage(ForeignRecord):
    """A message from one of the two speakers, with its metadata. The card does not list the types of dislikes; ours are
    in `talk.DislikeType`. A `reward` is like "Predicted class: __ok__ with probability: 0.9"; `mturk` has a number
    for each question put to crowdworkers.
    """

    text: str
    sender: Sender
    bot_message_id: str | None = None
    human_message_id: str | None = None
    is_liked: bool | None = Field(default=None, alias="isLiked")
    is_disliked: bool | None = Field(default=None, alias="isDisliked")
    dislike_type: str | None = None
    memories: tuple[str, ...] | None = None
    memory_decision: MemoryDecision | None = None
    memory_knowledge: str | None = None
    search_decision: SearchDecision | None = None
    search_query: str | None = None
    search_knowledge: str | None = None
    search_knowledge_doc_titles: tuple[str, ...] | None = None
    search_knowledge_doc_content: tuple[str, ...] | None = None
    search_knowledge_doc_urls: tuple[str, ...] | None = None
    is_safety_controlled_response: bool | None = Field(default=None, alias="isSafetyControlledResponse")
    previous_interaction_failure: InteractionFailure | None = None
    from_model_crash: bool | None = None
    is_dislike_feedback: bool | None = Field(default=None, alias="isDislikeFeedback")
    safety: Safety | None = None
    reward: str | dict[str, JsonValue] | None = None
    mturk: dict[str, int | float] | None = None

    @property
    def by_human(self) -> bool:
        """Return True if the human sent the message."""
        return self.sender in (Sender.HUMAN, Sender.CARD_HUMAN)

    @property
    def id(self) -> str:
        """Return the id of the message; the card puts ids of bot messages under the path of human ones, too."""
        own, other = self.bot_message_id, self.human_message_id
        return (other or own or "") if self.by_human else (own or other or "")

    @property
    def is_canned(self) -> bool:
        """Return True if no module wrote the reply, because a message was unsafe or a model failed."""
        return bool(self.is_safety_controlled_response or self.from_model_crash or self.previous_interaction_failure)

    @property
    def is_unsafe(self) -> bool:
        """Return True if the annotation marks the message as unsafe; without an annotation it counts as not unsafe."""
        return self.safety is not None and self.safety.is_unsafe


class Conversation(ForeignRecord):
    """One conversation. `user_pseudo_id` is the same in all conversations of one user. `consent` is our addition: True
    if this user explicitly agreed to share the conversation. A missing value means that the user did not agree.
    """

    user_pseudo_id: str | None = None
    chat_id: str | None = None
    convo_id: str | None = None
    message_history: tuple[ChatMessage, ...]
    consent: bool | None = None

    @property
    def id(self) -> str:
        """Return the id of the conversation, whichever of its two field names is used; "" if it has none."""
        return self.chat_id or self.convo_id or ""


def kept_memory(line: str) -> tuple[Speaker | None, str]:
    """Return owner and text of a memory of the card, "Person 1's Persona: I like tea"; None without a prefix."""
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
    """Return a reply with all that it is based on, as in the card; decisions in other words are empty."""
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
