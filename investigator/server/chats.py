"""Conversations about the served folders: each turn is done in a thread of its own, and can be watched and stopped.

How a reply is made is not known here: `OpenTalks` opens the conversations of a folder. They last as long as the server.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from http import HTTPStatus
from threading import Event, Lock, Thread
from typing import Protocol

from investigator.errors import InvestigatorError
from investigator.investigator import Investigator
from investigator.server.bell import Bell
from investigator.server.folders import ServedFolder
from investigator.server.problems import ServerError, problem, problem_of
from investigator.server.records import Chat, ChatTurn, SpokenReply, TurnState

_MOST_CHATS = 50
"""Kept over all folders; beyond that the oldest goes in which nothing is under way."""
_MOST_TURNS = 200
LONGEST_TURN = 20_000


class Watch(Protocol):
    """Is told how far a reply is; each of its calls may end the turn with an exception of its own."""

    def doing(self, step: str) -> None:
        """Take the step that is being done, in words."""

    def said(self, text: str) -> None:
        """Take the text of the reply so far."""


Say = Callable[[str, Watch], SpokenReply]
"""Replies to a turn of one conversation. Raises InvestigatorError."""
OpenTalks = Callable[[Investigator], AbstractContextManager[Callable[[], Say]]]
"""Opens the conversations of a folder: what the context gives begins one."""


class TurnStopped(Exception):
    """A signal: the reader does not want the reply any more."""


@dataclass
class _Conversation:
    folder: ServedFolder
    say: Say
    chat: Chat
    version: int = 0
    stopping: Event = field(default_factory=Event)
    thread: Thread | None = None


class Chats:
    """Holds the conversations of a server. Safe to use from several threads; `bell` rings at every change."""

    def __init__(self, open_talks: OpenTalks, new_id: Callable[[], str], bell: Bell) -> None:
        self.bell = bell
        self._open_talks = open_talks
        self._new_id = new_id
        self._lock = Lock()
        self._opening = Lock()
        self._open = ExitStack()
        self._beginners: dict[str, Callable[[], Say]] = {}
        self._held: dict[str, _Conversation] = {}

    def begin(self, folder: ServedFolder, first: str = "") -> Chat:
        """Begin a conversation about a folder, with what a reader says first, if anything.

        Raises InvestigatorError if the folder cannot be talked about, and what `say` does.
        """
        if first:
            _check(first)
        with self._opening:
            if folder.name not in self._beginners:
                self._beginners[folder.name] = self._open.enter_context(self._open_talks(folder.investigator))
            say = self._beginners[folder.name]()
        chat = Chat(id=self._new_id(), folder=folder.name)
        with self._lock:
            idle = [held.chat.id for held in self._held.values() if not held.chat.is_busy]
            for chat_id in idle[: max(0, len(self._held) + 1 - _MOST_CHATS)]:
                del self._held[chat_id]
            self._held[chat.id] = _Conversation(folder, say, chat)
        return self.say(chat.id, first) if first else chat

    def of(self, folder: ServedFolder) -> tuple[Chat, ...]:
        """Return the conversations about a folder, newest first."""
        with self._lock:
            return tuple(held.chat for held in reversed(self._held.values()) if held.folder is folder)

    def chat(self, chat_id: str) -> Chat:
        """Return a conversation as far as it has come. Raises ServerError."""
        return self._conversation(chat_id).chat

    def folder_of(self, chat_id: str) -> ServedFolder:
        """Return the folder that a conversation is about. Raises ServerError."""
        return self._conversation(chat_id).folder

    def version(self, chat_id: str) -> int:
        """Return a number that grows with each change of a conversation. Raises ServerError."""
        return self._conversation(chat_id).version

    def say(self, chat_id: str, text: str) -> Chat:
        """Begin to reply to what a reader says; the conversation changes as the reply is made.

        Raises ServerError if the text is empty or too long, the conversation too, or a reply is under way.
        """
        held = self._conversation(chat_id)
        _check(text)
        with self._lock:
            if held.chat.is_busy:
                hint = "Wait for the reply under way, or stop it."
                raise ServerError(problem(HTTPStatus.CONFLICT, "a reply is under way in this chat", hint))
            if len(held.chat.turns) >= _MOST_TURNS:
                hint = "Begin another one."
                raise ServerError(problem(HTTPStatus.CONFLICT, f"this chat has {_MOST_TURNS} turns", hint))
            held.stopping.clear()
            self._put(held, (*held.chat.turns, ChatTurn(number=len(held.chat.turns) + 1, said=text.strip())))
            held.thread = Thread(target=self._reply, args=(held,), daemon=True)
            held.thread.start()
        self.bell.ring()
        return held.chat

    def stop(self, chat_id: str) -> Chat:
        """End the reply under way after its next step; the conversation goes on without it. Raises ServerError."""
        held = self._conversation(chat_id)
        held.stopping.set()
        return held.chat

    def close(self) -> None:
        """End what is under way, and forget everything."""
        with self._lock:
            held = tuple(self._held.values())
        for one in held:
            one.stopping.set()
        for one in held:
            if one.thread is not None:
                one.thread.join()
        self._open.close()

    def _conversation(self, chat_id: str) -> _Conversation:
        with self._lock:
            if chat_id in self._held:
                return self._held[chat_id]
        hint = "A chat lasts as long as the server runs: begin another one."
        raise ServerError(problem(HTTPStatus.NOT_FOUND, f"there is no chat {chat_id[:40]}", hint))

    def _put(self, held: _Conversation, turns: tuple[ChatTurn, ...]) -> None:
        held.version += 1
        held.chat = held.chat.changed(turns=turns)

    def _change(self, held: _Conversation, **fields: object) -> None:
        with self._lock:
            *before, last = held.chat.turns
            self._put(held, (*before, last.changed(**fields)))
        self.bell.ring()

    def _reply(self, held: _Conversation) -> None:
        try:
            reply = held.say(held.chat.turns[-1].said, _Watch(self, held))
            self._change(held, state=TurnState.DONE, step="", reply=reply)
        except TurnStopped:
            self._change(held, state=TurnState.STOPPED, step="", reply=None)
        except InvestigatorError as error:
            self._change(held, state=TurnState.FAILED, step="", problem=problem_of(error))
        except Exception as error:  # noqa: BLE001 - the outermost shell of the thread: the reader must be told
            told = problem(HTTPStatus.INTERNAL_SERVER_ERROR, f"unexpected error: {type(error).__name__}: {error}")
            self._change(held, state=TurnState.FAILED, step="", problem=told)


def _check(text: str) -> None:
    """Raise ServerError if a text is empty, or too long for a turn."""
    if not text.strip() or len(text) > LONGEST_TURN:
        told = f"a turn has 1 to {LONGEST_TURN:,} characters, this one {len(text.strip()):,}"
        raise ServerError(problem(HTTPStatus.UNPROCESSABLE_ENTITY, told))


class _Watch:
    """Shows how far a reply is, and ends it when the reader wants that."""

    def __init__(self, chats: Chats, held: _Conversation) -> None:
        self._chats, self._held = chats, held

    def doing(self, step: str) -> None:
        self._go_on(step=step)

    def said(self, text: str) -> None:
        self._go_on(reply=SpokenReply(text=text))

    def _go_on(self, **fields: object) -> None:
        if self._held.stopping.is_set():
            raise TurnStopped
        self._chats._change(self._held, **fields)
