"""Conducts one conversation, recorded in the format of the data card (seed: bb3x_data_card). A guard checks the human's
text before any model sees it, and the bot's before the human sees it; a canned reply takes the place of the bot's if a
text is unsafe or the model failed. The user may rate replies; after a dislike, the bot asks what would be better.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import StrEnum
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Protocol

from investigator.bb3.bb3x.conversation_files import conversations_in, write_conversations
from investigator.bb3.bb3x.records import (
    OK,
    ChatMessage,
    Conversation,
    InteractionFailure,
    Safety,
    Sender,
    chat_message_of,
)
from investigator.bb3.folder_chat import ChatSession, FolderChat
from investigator.dialogue.messages import Message
from investigator.engines.base import Hear
from investigator.errors import DataError, DialogueError, FolderError, RunError
from investigator.language.lists import data_file, listed_lines
from investigator.language.undisguised import undisguised
from investigator.secrets import redacted

NOT_OK = "__notok__"


def own_words(kind: str, name: str) -> Any:
    """Return what the bot says by itself: `canned` replies for a failure, or a question `after_dislike`."""
    return data_file("own_words", "investigator.bb3")[kind][name]


class SafetyClassifier(Protocol):
    """A model that detects unsafe texts that contain no listed word. Raises RunError if the model fails."""

    def is_unsafe(self, text: str) -> bool:
        """Return True if the text is offensive or otherwise unsuitable."""


@cache
def _offensive() -> re.Pattern[str]:
    listed = listed_lines("offensive_words.txt", "investigator.bb3")
    patterns = (re.sub(r"\W+", r"\\W+", undisguised(word.rstrip("*")).text) for word in listed)
    ends = (r"\w*" if word.endswith("*") else "" for word in listed)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(''.join, zip(patterns, ends, strict=True)))})(?!\w)")


def is_offensive(text: str) -> bool:
    """Return True if a text has a word or phrase of `offensive_words.txt`. Case, accents, invisible characters and
    letters of other scripts make no difference. A listed word with a star matches all words that begin with it; words
    that merely contain a listed word (Scunthorpe) do not match.
    """
    return _offensive().search(undisguised(text).text) is not None


class SafetyGuard:
    """Checks texts with the matcher and, if given, also with the classifier. `random` chooses among the canned replies,
    but never the reply that was used last for the same failure.
    """

    def __init__(self, random: Random, classifier: SafetyClassifier | None = None) -> None:
        self._random = random
        self._classifier = classifier
        self._last: dict[InteractionFailure, str] = {}

    def annotation(self, text: str) -> Safety:
        """Return the verdicts of matcher and classifier, as in the card. Raises RunError if the classifier fails."""
        verdicts = {"string_matcher": is_offensive(text)}
        if self._classifier is not None:
            verdicts["duo_safety"] = self._classifier.is_unsafe(text)
        return Safety.model_validate({name: NOT_OK if unsafe else OK for name, unsafe in verdicts.items()})

    def canned(self, failure: InteractionFailure) -> str:
        """Return a canned reply for a failure."""
        texts = [text for text in own_words("canned", failure) if text != self._last.get(failure)]
        self._last[failure] = self._random.choice(texts)
        return self._last[failure]


THANKS = "Thank you, I have noted that."
CHATS = "chats"
"""The folder of a workspace for saved conversations."""


class DislikeType(StrEnum):
    """The reason for disliking a reply: those of the demonstration in the BlenderBot 3 paper (arXiv 2208.03188), and
    two of the card, with which the human agrees or not that the message before a canned reply was unsafe.
    """

    OFF_TOPIC = "off_topic"
    NONSENSICAL = "nonsensical"
    RUDE = "rude"
    SPAM = "spam"
    OTHER = "other"
    AGREE_SENSITIVE = "agree_sensitive"
    DISAGREE_SENSITIVE = "disagree_sensitive"


def dislike_type_of(word: str) -> DislikeType:
    """Return the type that the user names, such as `off topic` or `Off-Topic`. Raises DialogueError."""
    try:
        return DislikeType(word.strip().lower().replace("-", "_").replace(" ", "_"))
    except ValueError as error:
        problem = f"unknown type of dislike {word.strip()[:40]!r}" if word.strip() else "a dislike needs a type"
        raise DialogueError(problem, hint=f"Types are: {', '.join(DislikeType)}") from error


class Talk:
    """A conversation with one user; use it from one thread at a time. `consent` means that the user explicitly agreed
    to share the conversation; no release contains it otherwise. `new_id` creates ids of messages.
    """

    def __init__(
        self, chat: FolderChat, session: ChatSession, guard: SafetyGuard, new_id: Callable[[], str], *, consent: bool
    ) -> None:
        self._chat = chat
        self.session = session
        self._guard = guard
        self._new_id = new_id
        self._asked_why = False
        self._place: int | None = None  # index of the last reply in the record
        self.record = Conversation(
            user_pseudo_id=session.user, chat_id=session.chat_id, message_history=(), consent=consent
        )
        self.last: Message | None = None

    def say(self, text: str, fields: Mapping[str, object] | None = None, hear: Hear | None = None) -> Message:
        """Return the reply to the user's message; `fields` are additional fields for the message, such as `memories`.
        `hear` receives the proven and safe part of the text while a model writes; the final message rarely differs.
        After a dislike, the message counts as the answer to the question about what would have been better. If the
        message is unsafe or a model fails, the reply is canned, with the reason in `failure` and the error in
        `problem`; the exchange is not passed to the modules in later turns. Raises DialogueError, StoreError,
        FolderError, and the signal BudgetSpent.
        """
        if not isinstance(text, str):
            raise DialogueError(
                f"the message must be a string, not {text!r:.60}", hint='For example: talk.say("Hello")'
            )
        text = redacted(text)
        if self._asked_why:
            return self._noted(text)
        human, bot, reply = Safety(), Safety(), None
        failure, problem = InteractionFailure.NONE, ""
        try:
            human = self._guard.annotation(text)
            if human.is_unsafe:
                failure = InteractionFailure.UNSAFE_HUMAN
            else:
                message = Message({**(fields or {}), "text": text})
                (reply,) = self._chat.reply([(self.session, message)], None if hear is None else self._safe(hear))
                bot = self._guard.annotation(reply.text)
                failure = InteractionFailure.UNSAFE_BOT if bot.is_unsafe else failure
        except RunError as error:
            failure, problem = InteractionFailure.MODEL_CRASH, error.message
        self._add(Sender.HUMAN, text, safety=human)
        if reply is None or failure:
            self.last = self._canned(failure, problem, reply)
        else:
            answer = chat_message_of(reply, self._new_id())
            self._append(answer.changed(safety=bot, is_safety_controlled_response=False))
            self.last = reply
        self._place = len(self.record.message_history) - 1
        return self.last

    def _canned(self, failure: InteractionFailure, problem: str, reply: Message | None) -> Message:
        """Return a canned reply in the place of a reply that must not be shown, and record it."""
        if reply is not None:
            self._chat.take_back(self.session, reply)
        text = self._guard.canned(failure)
        marks = {"previous_interaction_failure": failure, "from_model_crash": failure is InteractionFailure.MODEL_CRASH}
        self._add(Sender.BOT, text, is_safety_controlled_response=True, **marks)
        problems = {"problem": problem} if problem else {}
        return Message(id=self._chat.agent_id, text=text, episode_done=False, failure=str(failure), **problems)

    def _safe(self, hear: Hear) -> Hear:
        """Return a function that passes text on to `hear` only if the guard accepts it."""

        def guarded(text: str) -> None:
            with suppress(RunError):  # the whole reply is checked again later
                if not self._guard.annotation(text).is_unsafe:
                    hear(text)

        return guarded

    def like(self) -> None:
        """Mark the last reply as liked, instead of an earlier rating. Raises DialogueError if there is none."""
        self._mark(is_liked=True, is_disliked=False, dislike_type=None)
        self._asked_why = False

    def dislike(self, kind: DislikeType) -> str:
        """Mark the last reply as disliked; return a question to the user. Raises DialogueError if nothing fits."""
        is_canned = self._place is not None and self.record.message_history[self._place].is_canned
        if kind in (DislikeType.AGREE_SENSITIVE, DislikeType.DISAGREE_SENSITIVE) and not is_canned:
            hint = "Choose another type; this type applies only to canned replies."
            raise DialogueError(f"the reply cannot be disliked as {kind}: it is not a canned reply", hint=hint)
        self._mark(is_liked=False, is_disliked=True, dislike_type=str(kind))
        question = str(own_words("after_dislike", kind))
        self._add(Sender.BOT, question)
        self._asked_why = True
        return question

    def _mark(self, **marks: object) -> None:
        if self._place is None:
            raise DialogueError("no reply found in the conversation", hint="Only the bot's messages can be rated.")
        history = list(self.record.message_history)
        history[self._place] = history[self._place].changed(**marks)
        self.record = self.record.changed(message_history=tuple(history))

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
            return [saved.id for saved in islice(conversations_in(path), 2)] == [self.record.id]
        except DataError:
            return False

    def _noted(self, text: str) -> Message:
        """Store the answer to what would have been better, with the guard's verdict; silence is no answer."""
        if not text.strip():
            return Message(id=self._chat.agent_id, text=self.record.message_history[-1].text, episode_done=False)
        self._asked_why = False
        verdicts = {}
        with suppress(RunError):  # if the classifier fails, the answer is kept
            verdicts["safety"] = self._guard.annotation(text)
        self._add(Sender.HUMAN, text, is_dislike_feedback=True, **verdicts)
        self._add(Sender.BOT, THANKS)
        return Message(id=self._chat.agent_id, text=THANKS, episode_done=False)

    def _add(self, sender: Sender, text: str, **fields: object) -> None:
        path = "human_message_id" if sender is Sender.HUMAN else "bot_message_id"
        self._append(ChatMessage.model_validate({"text": text, "sender": sender, path: self._new_id(), **fields}))

    def _append(self, message: ChatMessage) -> None:
        self.record = self.record.changed(message_history=(*self.record.message_history, message))
