"""Chats about a folder, with several users and conversations at once; each conversation has its own turns."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from investigator.bb3.chat_options import ChatOptions, Conditioning
from investigator.bb3.exchange import Modules
from investigator.bb3.memory.long_term import FactSource, KeptFact, LongTermMemory, check_length, memory_line
from investigator.bb3.memory.session import MOST_AVAILABLE
from investigator.bb3.memory.text import MemoryForm, is_opening, owner_of, prefix_of
from investigator.bb3.modular_chat import ModularChat
from investigator.bb3.module_table import CHAT, TABLE
from investigator.bb3.records import Module, Speaker, Turn
from investigator.bb3.search.folder_search import FolderSearch
from investigator.bb3.turn_draft import LiveConversation, TurnDraft
from investigator.dialogue.messages import Message
from investigator.engines.base import Hear
from investigator.errors import DialogueError

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
        """Return the 64 latest memories, by creation or use, each with the turns since it was last used."""
        latest = self._written(self._memory.latest(self._user, _MOST_SHOWN))
        return {memory: fact.turns_since_used for memory, fact in latest.items()}

    def dates(self) -> Mapping[str, str]:
        """Return the day on which each memory that was returned before was last stated."""
        return {memory: f"{fact.created:%Y-%m-%d}" for memory, fact in self._facts.items()}

    def available(self, text: str) -> Sequence[str]:
        """Return the 32 memories whose meanings are nearest to the text, in the order in which they were stated."""
        facts = self._written(self._memory.nearest(self._user, text, MOST_AVAILABLE))
        return sorted(facts, key=lambda memory: (facts[memory].created, facts[memory].id))

    def add(self, text: str, speaker: Speaker) -> None:
        """Remember a module's output for a turn, unless it is empty, not new, or too long."""
        self._memory.remember(self._user, text, speaker, self._source)

    def set(self, memories: Mapping[str, int]) -> None:
        """Add these memories to the existing ones; memories without a prefix belong to the partner."""
        ages = {}
        for memory, turns in memories.items():
            owner, text = owner_of(memory)
            if kept := self._memory.remember(self._user, text, owner or Speaker.PARTNER, self._source, again=False):
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


_SILENCE = "I did not hear anything. What would you like to know?"
_NO_REPLY = "I have no reply to that."
_MOST_OF_A_TURN = 64  # maximum number of memories that one turn creates or uses
_OPENING_FIELD = TABLE[Module.ORM].name
LONGEST_TURN = 20_000
"""Maximum number of characters in a turn. Longer text belongs in a document."""
_Heard = tuple["ChatSession", Mapping[str, int], str]  # the memories and the text of a message in a session


@dataclass
class ChatSession:
    """A conversation with one user; use it from one thread at a time. `messages` contains the replies, oldest first."""

    user: str
    chat_id: str
    conversation: LiveConversation
    options: ChatOptions = field(default_factory=ChatOptions)
    messages: list[Message] = field(default_factory=list)


@dataclass(kw_only=True)
class FolderChat:
    """Generates the replies in conversations about a folder. Thread-safe if each thread has its own sessions. `memory`
    contains the users' memories. `search_of` creates a search for one turn, and `form_of` the modules that read what it
    finds; they call `on_step` before each module call, and pass on the finished part of a reply.
    """

    memory: LongTermMemory
    search_of: Callable[[], FolderSearch]
    form_of: Callable[[FolderSearch, Callable[[Module], None], Hear | None], Modules]
    options: ChatOptions = field(default_factory=ChatOptions)
    agent_id: str = "investigator"
    on_step: Callable[[Module], None] = lambda _: None

    def start(self, user: str, chat_id: str | None = None, before: Iterable[Turn] = ()) -> ChatSession:
        """Start a conversation with a user, or continue one from its earlier turns.

        Raises DialogueError for an invalid user name.
        """
        chat_id, turns = chat_id or str(uuid.uuid4()), list(before)
        replies = [Message(id=self.agent_id, text=turn.text) for turn in turns if turn.speaker is Speaker.SELF]
        memories = UserMemories(self.memory, user, chat_id, len(replies))
        memories.texts()
        return ChatSession(user, chat_id, LiveConversation(memories, turns), self.options, replies)

    def reply(self, messages: Sequence[tuple[ChatSession, Message]], say: Hear | None = None) -> list[Message]:
        """Return the replies to one message in each of several sessions; each step runs for all sessions with the same
        options at once. For a single message, `say` repeatedly receives the part of a model's unfinished reply that
        needs no check. Only the returned message is final. An empty text gets a polite reply, and no module is called.
        `memories` in a message are remembered; with the text "Opening" they start the conversation. On failure, the
        conversations are unchanged. Raises DialogueError, before any call, for a duplicate session, a turn or a memory
        that is too long, or memories that are not strings. Also raises EngineError, StoreError and BudgetSpent.
        """
        if len({id(session) for session, _ in messages}) < len(messages):
            raise DialogueError("a session received two messages at once", hint="Reply to them one after the other.")
        heard = [(session, _memories_of(message), _text_of(message)) for session, message in messages]
        before = [(session.conversation, tuple(session.conversation.turns)) for session, _ in messages]
        for session, memories, _ in heard:
            session.conversation.memories.set(memories)
        drafts: dict[int, TurnDraft] = {}
        try:
            for options in dict.fromkeys(session.options for session, _ in messages):
                group = [each for each in heard if each[0].options == options]
                drafts |= self._drafts(options, group, say if len(heard) == 1 else None)
        except BaseException:
            for conversation, turns in before:
                conversation.turns[:] = turns
            raise
        return [self._message(session, message, drafts.get(id(session))) for session, message in messages]

    def take_back(self, session: ChatSession, reply: Message) -> None:
        """Undo the last reply of a session and the turn before it; use this if the reply is not shown to the user.
        Memories created from the reply are deleted as well; those created from the user's message are kept. Nothing is
        undone if no module wrote the reply, because it is then not part of the conversation. Raises StoreError.
        """
        if not session.messages or session.messages[-1] is not reply:
            return
        del session.conversation.turns[-1 if _OPENING_FIELD in reply else -2 :]
        source = FactSource(chat_id=session.chat_id, turn=len(session.messages))
        for fact in self.memory.latest(session.user, _MOST_OF_A_TURN):
            if fact.source == source and fact.speaker is Speaker.SELF:
                self.memory.delete(session.user, fact.id)

    def _drafts(self, options: ChatOptions, group: Sequence[_Heard], say: Hear | None) -> dict[int, TurnDraft]:
        """Return the drafts of sessions with the same options, keyed by the `id()` of the session."""
        search = self.search_of()
        say = say if options.knowledge_conditioning is Conditioning.COMBINED else None
        chat = ModularChat(self.form_of(search, self.on_step, say), CHAT, options, search)
        drafts, talking = {}, []
        for session, memories, text in group:
            if is_opening(text, memories):
                drafts[id(session)] = chat.open(session.conversation)
            elif text:
                session.conversation.hear(text)
                talking.append(session)
        replies = chat.reply([session.conversation for session in talking])
        return drafts | dict(zip(map(id, talking), replies, strict=True))

    def _message(self, session: ChatSession, heard: Message, draft: TurnDraft | None) -> Message:
        if draft is None:
            message = Message(id=self.agent_id, text=_SILENCE, episode_done=False)
        else:
            message = draft.message(self.agent_id)
            session.conversation.memories.end_turn(draft.memories_used)
            session.messages.append(message)
        if not message.text:
            message.force_set("text", _NO_REPLY)
        if heard.get("episode_done"):
            session.conversation.end()
        return message


def _text_of(message: Message) -> str:
    """Return the text of a message; lone surrogates, which no model accepts, become U+FFFD."""
    if len(message.text) > LONGEST_TURN:
        problem = f"the message has {len(message.text):,} characters, more than the limit of {LONGEST_TURN:,}"
        raise DialogueError(problem, hint="Put the long text into a file in the folder, and ask about it.")
    return message.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").strip()


def _memories_of(message: Message) -> dict[str, int]:
    """Return the memories in a message, each with the number of turns since it was last used."""
    given = message.get("memories") or {}
    ages = dict.fromkeys(given, 0) if isinstance(given, list | tuple) else given
    if not isinstance(ages, Mapping) or not all(isinstance(text, str) for text in ages):
        hint = 'Pass them as a list, for example: ["I have a dog."]'
        raise DialogueError("the message's memories must be a list of strings", hint=hint)
    for text in ages:
        check_length("a memory in the message", memory_line(text))
    return {text: max(0, turns) if isinstance(turns, int) else 0 for text, turns in ages.items()}
