"""Conversations about the served folders: each turn runs in its own thread, and can be watched and stopped.
This module does not know how replies are made: `OpenTalks` opens the conversations of a folder. Turns are stored with
the folder's jobs, so a conversation continues after a restart.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from threading import Event, Lock, Thread
from typing import Protocol

from investigator.documents.fresh import FreshDocument
from investigator.errors import StoreError
from investigator.investigator import Investigator
from investigator.proof.standing import standing_quotes
from investigator.secrets import redacted
from investigator.server.folders import ServedFolder
from investigator.server.problems import ServerError, problem, problem_of
from investigator.server.records import ENDED, TURN, Chat, ChatTurn, LoggedEvent, SpokenReply, TurnState

LONGEST_TURN = 20_000
_MOST_TURNS = 200
_MOST_OPEN = 50
"""Maximum number of open conversations; if there are more, the oldest idle ones are closed until their next turn."""


class Watch(Protocol):
    """Receives the progress of a reply; each call may raise TurnStopped to end the turn."""

    def doing(self, step: str) -> None:
        """Receive the current step, in words."""

    def writing(self, text: str) -> None:
        """Receive the text of the reply so far."""


Say = Callable[[str, Watch], SpokenReply]
"""Replies to a turn of one conversation. Raises InvestigatorError."""
Begin = Callable[[str, Sequence[ChatTurn]], Say]
"""Starts a conversation under an id, or continues one from its turns."""
OpenTalks = Callable[[Investigator], AbstractContextManager[Begin]]
"""Opens the conversations of a folder."""


class TurnStopped(Exception):
    """Signals that the user has cancelled the reply."""


@dataclass
class _Conversation:
    """An open conversation, and the watch of its replies."""

    folder: ServedFolder
    speak: Say
    chat: Chat
    version: int = 1
    stopping: Event = field(default_factory=Event)
    thread: Thread | None = None
    lock: Lock = field(default_factory=Lock)

    def doing(self, step: str) -> None:
        self._go_on(step=step)

    def writing(self, text: str) -> None:
        self._go_on(reply=SpokenReply(text=text))

    def _go_on(self, **fields: object) -> None:
        if self.stopping.is_set():
            raise TurnStopped
        self.show(self.chat.turns[-1].changed(**fields))

    def begin(self, text: str) -> None:
        """Store a turn, and start its reply. Raises ServerError if a reply is in progress, or after too many turns."""
        with self.lock:
            turns = self.chat.turns
            if self.chat.is_busy:
                hint = "Wait for the reply in progress, or stop it."
                raise ServerError(HTTPStatus.CONFLICT, "a reply is in progress in this chat", hint)
            if len(turns) >= _MOST_TURNS:
                failure = f"this chat has reached the limit of {_MOST_TURNS} turns"
                raise ServerError(HTTPStatus.CONFLICT, failure, "Start a new chat.")
            turn = ChatTurn(number=len(turns) + 1, said=redacted(text.strip()))
            self.folder.chats.keep(self.chat.id, turn)
            self.stopping.clear()
            self.show(turn)
            self.thread = Thread(target=self._reply, daemon=True)
            self.thread.start()

    def show(self, turn: ChatTurn) -> None:
        """Show a turn as the last one."""
        self.chat = self.chat.changed(turns=(*self.chat.turns[: turn.number - 1], turn))
        self.version += 1

    def _reply(self) -> None:
        """Reply to the last turn, and store the outcome before it is shown; if it cannot be stored, say so."""
        try:
            self._end(state=TurnState.DONE, reply=self.speak(self.chat.turns[-1].said, self))
        except TurnStopped:
            self._end(state=TurnState.STOPPED, reply=None)
        except Exception as error:  # noqa: BLE001 - the outermost handler of the thread: the user must see the error
            self._end(state=TurnState.FAILED, problem=problem_of(error))

    def _end(self, **outcome: object) -> None:
        turn = self.chat.turns[-1].changed(step="", **outcome)
        try:
            self.folder.chats.keep(self.chat.id, turn)
        except StoreError as error:
            turn = turn.changed(problem=problem_of(error))
        self.show(turn)


class Chats:
    """Manages the conversations of a server. Thread-safe. Its methods raise StoreError if turns cannot be stored."""

    def __init__(self, folders: Mapping[str, ServedFolder], open_talks: OpenTalks) -> None:
        self._folders = folders
        self._open_talks = open_talks
        self._lock = Lock()
        self._open = ExitStack()
        self._beginners: dict[str, Begin] = {}
        self._held: dict[str, _Conversation] = {}

    def begin(self, folder: ServedFolder, first: str = "") -> Chat:
        """Start a conversation about a folder, optionally with a first message. Raises InvestigatorError if the folder
        cannot be opened for chats, and the same errors as `say`.
        """
        if first:
            _check(first)
        chat = Chat(id=secrets.token_hex(8), folder=folder.name)
        self._hold(folder, chat)
        folder.chats.add(chat.id, datetime.now(UTC).isoformat(timespec="seconds"))
        return self.say(chat.id, first) if first else chat

    def chat(self, chat_id: str) -> Chat:
        """Return the current state of a conversation. Raises ServerError."""
        return self.versioned(chat_id)[1]

    def versioned(self, chat_id: str) -> tuple[int, Chat]:
        """Return the state of a conversation, after a number that changes whenever it does. Raises ServerError."""
        held = self._held.get(chat_id)
        return (held.version, held.chat) if held is not None else (1, self._kept(chat_id)[1])

    def standing(self, chat_id: str) -> tuple[int, Chat]:
        """Return the same as `versioned`, with the quotes of all replies looked up again in the files. Raises
        ServerError and StoreError.
        """
        version, chat = self.versioned(chat_id)
        quotes = [quote for turn in chat.turns if turn.reply is not None for quote in turn.reply.quotes]
        fresh = self._folders[chat.folder].investigator.documents_of(quotes) if quotes else {}
        return version, chat.changed(turns=tuple(_standing(turn, fresh) for turn in chat.turns))

    def changes(self, chat_id: str, after: int) -> Sequence[LoggedEvent]:
        """Return the last turn as an event, unless it has not changed since the version `after`. The outcome of a reply
        is always returned, because the version may come from another server. Raises ServerError.
        """
        version, chat = self.versioned(chat_id)
        if not chat.turns or (version == after and chat.is_busy):
            return ()
        kind = TURN if chat.is_busy else ENDED
        return [LoggedEvent(number=version, at=time.time(), kind=kind, body=chat.turns[-1].model_dump_json())]

    def say(self, chat_id: str, text: str) -> Chat:
        """Start a reply to a message; the conversation changes as the reply is written. Raises ServerError if the text
        is empty or too long, the conversation is too long, or a reply is in progress, and the errors of `begin`.
        """
        _check(text)
        held = self._held.get(chat_id) or self._hold(*self._kept(chat_id))
        held.begin(text)
        return held.chat

    def stop(self, chat_id: str) -> Chat:
        """End the reply in progress after its next step; the conversation continues without it. Raises ServerError."""
        if held := self._held.get(chat_id):
            held.stopping.set()
        return self.chat(chat_id)

    def forget(self, chat_id: str) -> None:
        """Delete a conversation, but keep the memories about the user. Raises ServerError."""
        folder, _ = self._kept(chat_id)
        self.stop(chat_id)
        with self._lock:
            folder.chats.forget(chat_id)
            self._held.pop(chat_id, None)

    def close(self) -> None:
        """End all replies in progress; an unfinished reply is not part of its conversation."""
        with self._lock:
            for held in self._held.values():
                held.stopping.set()
            for held in self._held.values():
                if held.thread is not None:
                    held.thread.join()
            self._open.close()

    def _kept(self, chat_id: str) -> tuple[ServedFolder, Chat]:
        for folder in self._folders.values():
            if (turns := folder.chats.turns(chat_id)) is not None:
                return folder, Chat(id=chat_id, folder=folder.name, turns=tuple(map(_as_left, turns)))
        hint = "A user deleted it, or it was deleted because many newer ones were started: start a new chat."
        raise ServerError(HTTPStatus.NOT_FOUND, f"unknown chat {chat_id[:40]}", hint)

    def _hold(self, folder: ServedFolder, chat: Chat) -> _Conversation:
        """Open a conversation, and close the oldest one if too many are open. Raises InvestigatorError."""
        with self._lock:
            if held := self._held.get(chat.id):
                return held
            if folder.name not in self._beginners:
                self._beginners[folder.name] = self._open.enter_context(self._open_talks(folder.investigator))
            held = _Conversation(folder, self._beginners[folder.name](chat.id, chat.turns), chat)
            idle = [other.chat.id for other in self._held.values() if not other.chat.is_busy]
            for chat_id in idle[: max(0, len(self._held) + 1 - _MOST_OPEN)]:
                del self._held[chat_id]
            self._held[chat.id] = held
        return held


def _standing(turn: ChatTurn, fresh: Mapping[str, FreshDocument]) -> ChatTurn:
    if turn.reply is None:
        return turn
    quotes, lost = standing_quotes(turn.reply.quotes, lambda _: fresh)
    return turn.changed(reply=turn.reply.changed(quotes=quotes, lost=lost))


def _as_left(turn: ChatTurn) -> ChatTurn:
    """Return a stored turn as it appears after a restart: an unfinished reply is not generated again."""
    if turn.state is not TurnState.RUNNING:
        return turn
    failure = problem(503, "The server ended before this reply was finished.", "Send the message again.")
    return turn.changed(state=TurnState.STOPPED, problem=failure)


def _check(text: str) -> None:
    """Raise ServerError if a message is empty or too long."""
    if not text.strip() or len(text) > LONGEST_TURN:
        failure = f"a message must have 1 to {LONGEST_TURN:,} characters, not {len(text.strip()):,}"
        raise ServerError(HTTPStatus.UNPROCESSABLE_ENTITY, failure)
