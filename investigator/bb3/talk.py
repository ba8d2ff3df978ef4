"""Conducts one conversation: the guard checks its messages, and they are recorded in the format of the data card."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path

from investigator.bb3.bb3x.conversation_files import conversations_in, write_conversations
from investigator.bb3.bb3x.persons import chat_message_of
from investigator.bb3.bb3x.records import ChatMessage, Conversation, Sender
from investigator.bb3.chat_options import ChatOptions
from investigator.bb3.feedback import DislikeType, answered_after_dislike, asked_after_dislike, disliked, liked
from investigator.bb3.folder_chat import ChatSession, FolderChat
from investigator.bb3.safety import SafetyGuard
from investigator.dialogue.messages import Message
from investigator.engines.base import Hear
from investigator.errors import DialogueError, DialogueFormatError, FolderError, RunError
from investigator.secrets import redacted

THANKS = "Thank you, I have noted that."
CHATS = "chats"
"""The folder of a workspace for saved conversations."""


class Talk:
    """A conversation with one user; use it from one thread at a time. `consent` means that the user explicitly agreed
    to share the conversation; no release contains it otherwise. `new_id` creates ids of messages.
    """

    def __init__(
        self, chat: FolderChat, session: ChatSession, guard: SafetyGuard, new_id: Callable[[], str], *, consent: bool
    ) -> None:
        self._chat = chat
        self._session = session
        self._guard = guard
        self._new_id = new_id
        self._asked_why = False
        self._place: int | None = None  # index of the last reply in the record
        self.record = Conversation(
            user_pseudo_id=session.user, chat_id=session.chat_id, message_history=(), consent=consent
        )
        self.last: Message | None = None

    @property
    def options(self) -> ChatOptions:
        """Return the options for searching and remembering."""
        return self._session.options

    @options.setter
    def options(self, options: ChatOptions) -> None:
        self._session.options = options

    def say(self, text: str, fields: Mapping[str, object] | None = None, hear: Hear | None = None) -> Message:
        """Return the reply to the user's message; `fields` are additional fields for the message, such as `memories`.
        `hear` receives the proven and safe part of the text while a model writes; the final message rarely differs.
        After a dislike, the message counts as the answer to the question about what would have been better. If the
        message is unsafe or a model fails, the reply is canned, with the reason in `failure` and the model's error in
        `problem`; the exchange is not passed to the modules in later turns. Raises DialogueError, StoreError,
        FolderError, and the signal BudgetSpent.
        """
        if not isinstance(text, str):
            raise DialogueError(
                f"the message must be a string, not {text!r:.60}", hint='Pass a string: talk.say("Hello")'
            )
        text = redacted(text)
        if self._asked_why:
            return self._noted(text)
        made: list[Message] = []
        problems: list[RunError] = []

        def reply_to(human: str) -> str:
            message = Message(text=human)
            message.update(fields or {})
            try:
                made.extend(self._chat.reply([(self._session, message)], None if hear is None else self._safe(hear)))
            except RunError as error:
                problems.append(error)
                raise
            return made[-1].text

        said = self._guard.reply(text, reply_to)
        if said.failure is not None and made:
            self._chat.take_back(self._session, made[-1])
        human = ChatMessage(text=text, sender=Sender.HUMAN, human_message_id=self._new_id(), safety=said.human)
        if said.failure is None:
            shown = made[-1]
            answer = chat_message_of(shown, self._new_id())
            answer = answer.changed(safety=said.bot, is_safety_controlled_response=False)
        else:
            shown = Message(id=self._chat.agent_id, text=said.text, episode_done=False, failure=str(said.failure))
            if problems:
                shown["problem"] = problems[-1].message
            answer = said.message(self._new_id())
        self._add(human, answer)
        self._place = len(self.record.message_history) - 1
        self.last = shown
        return shown

    def _safe(self, hear: Hear) -> Hear:
        """Return a function that passes text on to `hear` only if the guard accepts it."""

        def guarded(text: str) -> None:
            with suppress(RunError):  # the whole reply is checked again later
                if not self._guard.annotation(text).is_unsafe:
                    hear(text)

        return guarded

    def like(self) -> None:
        """Mark the last reply as liked, regardless of its earlier rating. Raises DialogueError if there is no reply
        yet.
        """
        self.record = liked(self.record, self._place)
        self._asked_why = False

    def dislike(self, kind: DislikeType) -> str:
        """Mark the last reply as disliked; return the question that the user should answer next. Raises DialogueError
        if there is no reply yet, or the type of dislike does not apply to it.
        """
        self.record = asked_after_dislike(disliked(self.record, kind, self._place), self._new_id())
        self._asked_why = True
        return self.record.message_history[-1].text

    def save(self, path: Path) -> None:
        """Write the conversation to a file as one line of JSON. Raises FolderError if the file cannot be written, or
        already contains something other than an older state of the same conversation.
        """
        if path.exists() and not self._is_saved_in(path):
            hint = "Choose another file: a conversation only replaces older versions of itself."
            raise FolderError(f"{path} already exists with other contents", hint=hint)
        write_conversations(path, [self.record])

    def _is_saved_in(self, path: Path) -> bool:
        try:
            return [found.id for found in islice(conversations_in(path), 2)] == [self.record.id]
        except (DialogueError, DialogueFormatError):
            return False

    def _noted(self, text: str) -> Message:
        """Store the answer to the question about what would have been better, with the guard's verdict; an empty
        message is not an answer.
        """
        if not text.strip():
            return Message(id=self._chat.agent_id, text=self.record.message_history[-1].text, episode_done=False)
        self._asked_why = False
        self.record = answered_after_dislike(self.record, text, self._new_id())
        *before, answer = self.record.message_history
        with suppress(RunError):  # if the classifier fails, the answer is kept
            answer = answer.changed(safety=self._guard.annotation(text))
        self.record = self.record.changed(message_history=tuple(before))
        self._add(answer, ChatMessage(text=THANKS, sender=Sender.BOT, bot_message_id=self._new_id()))
        return Message(id=self._chat.agent_id, text=THANKS, episode_done=False)

    def _add(self, *messages: ChatMessage) -> None:
        history = (*self.record.message_history, *messages)
        self.record = self.record.changed(message_history=history)
