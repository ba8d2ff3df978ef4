"""A chat over a folder: several users and conversations at once, each with turns and memories of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from investigator.bb3.chat_form import ChatForm
from investigator.bb3.chat_options import ChatOptions
from investigator.bb3.family import CHAT
from investigator.bb3.folder_search import FolderSearch, OpenShelf
from investigator.bb3.long_term_memory import LongTermMemory
from investigator.bb3.memories_of_chats import UserMemories
from investigator.bb3.memory_choice import Chance, MemoryOptions
from investigator.bb3.memory_text import is_opening
from investigator.bb3.modular_chat import ModularChat
from investigator.bb3.turn_draft import Conversation, Draft
from investigator.dialogue.messages import Message
from investigator.errors import DialogueError
from investigator.records import Module
from investigator.research.desk import Desk

_NOTHING_SAID = "I did not hear anything. What would you like to know?"
LONGEST_TURN = 20_000
"""Characters of a turn. What is longer belongs into a document of the folder."""


@dataclass
class ChatSession:
    """One conversation of one user; for one thread at a time. `messages` are its replies, oldest first."""

    user: str
    chat_id: str
    conversation: Conversation
    options: ChatOptions = field(default_factory=ChatOptions)
    messages: list[Message] = field(default_factory=list)


class FolderChat:
    """Replies in conversations about a folder. Safe to use from several threads, each with sessions of its own.

    `desk_of` gives the desk of a module; `memory` is what is remembered of the users; `new_id` names a chat, and
    `chance` gives random numbers from 0 to 1. Up to `side_by_side` calls of one step go out together. `on_step` is told
    of each module that is asked.
    """

    def __init__(
        self,
        open_shelf: OpenShelf,
        desk_of: Callable[[Module], Desk],
        memory: LongTermMemory,
        new_id: Callable[[], str],
        *,
        chance: Chance,
        options: ChatOptions | None = None,
        memory_options: MemoryOptions | None = None,
        side_by_side: int = 1,
        agent_id: str = "investigator",
        on_step: Callable[[Module], None] = lambda _: None,
    ) -> None:
        self._open_shelf = open_shelf
        self._desk_of = desk_of
        self._new_id = new_id
        self._chance = chance
        self._memory_options = memory_options
        self.memory = memory
        self.on_step = on_step
        self._options = options or ChatOptions()
        self._side_by_side = side_by_side
        self.agent_id = agent_id

    def start(self, user: str, chat_id: str | None = None) -> ChatSession:
        """A new conversation with a user. Raises DialogueError for a user's name that cannot be."""
        chat_id = chat_id or self._new_id()
        memories = UserMemories(self.memory, user, chat_id, self._chance, options=self._memory_options)
        memories.texts()
        return ChatSession(user, chat_id, Conversation(memories), self._options)

    def reply(self, said: Sequence[tuple[ChatSession, Message]]) -> list[Message]:
        """The replies to one message in each of several sessions, each step asked for all of them at once.

        A text that is empty gets a polite reply and asks no module. `memories` that come with a message are remembered;
        with the text "Opening" the conversation is begun from them. Raises DialogueError for a turn that is too long,
        EngineError, StoreError, BudgetSpent.
        """
        for session, message in said:
            _check(message)
            _learn(session, message)
        told = [session for session, message in said if message.text.strip() and not _opens(message)]
        for session, message in said:
            if session in told:
                session.conversation.hear(message.text.strip())
        drafts: dict[int, Draft] = {}
        with FolderSearch(self._open_shelf) as search:
            for options in {session.options: None for session, _ in said}:
                chat = self._chat(options, search)
                same = [session for session in told if session.options == options]
                drafts |= zip(map(id, same), chat.reply([session.conversation for session in same]), strict=True)
                for session, message in said:
                    if session.options == options and _opens(message):
                        drafts[id(session)] = chat.open(session.conversation)
        return [self._message(session, message, drafts.get(id(session))) for session, message in said]

    def _chat(self, options: ChatOptions, search: FolderSearch) -> ModularChat:
        return ModularChat(
            ChatForm(self._desk_of, search.sources, self._side_by_side, self.on_step), CHAT, options, search
        )

    def _message(self, session: ChatSession, heard: Message, draft: Draft | None) -> Message:
        if draft is None:
            return Message(id=self.agent_id, text=_NOTHING_SAID, episode_done=False)
        message = draft.message(self.agent_id)
        session.conversation.memories.end_turn([draft.memory_used] if draft.memory_used else [])
        session.messages.append(message)
        if heard.get("episode_done"):
            session.conversation.turns.clear()
        return message


def _opens(message: Message) -> bool:
    return is_opening(message.text, message.get("memories"))


def _check(message: Message) -> None:
    if len(message.text) > LONGEST_TURN:
        raise DialogueError(
            f"the message has {len(message.text):,} characters, the most are {LONGEST_TURN:,}",
            hint="Put the long text into a file of the folder, and ask about it.",
        )


def _learn(session: ChatSession, message: Message) -> None:
    """Memories that come with a message are remembered, whatever its text. Raises DialogueError where they are none."""
    told = message.get("memories")
    if told is None:
        return
    if isinstance(told, dict) and all(isinstance(text, str) for text in told):
        session.conversation.memories.set(
            {text: turns if isinstance(turns, int) else 0 for text, turns in told.items()}
        )
    elif isinstance(told, list | tuple) and all(isinstance(text, str) for text in told):
        session.conversation.memories.set(dict.fromkeys(told, 0))
    else:
        raise DialogueError(
            "the memories of the message are no list of texts",
            hint='Give them as a list, for example: ["I have a dog."]',
        )
