"""Handles unsafe messages with a string matcher, an optional classifier, and canned replies (seed: bb3x_data_card). The
human's text is checked before any model sees it, and the bot's text before the human sees it. A canned reply takes the
place of the bot's reply if either text is unsafe or the model failed. The reason for a canned reply is recorded:
`unsafe_Human`, `unsafe_BlenderBot3` or `unsafe_model_crash`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from random import Random
from typing import Protocol

from investigator.bb3.bb3x.records import OK, ChatMessage, InteractionFailure, Safety, Sender
from investigator.errors import RunError
from investigator.language.lists import listed_lines
from investigator.language.undisguised import undisguised
from investigator.records.base import Record

NOT_OK = "__notok__"
CANNED_REPLIES = {
    InteractionFailure.UNSAFE_HUMAN: (
        "I would rather not talk about that. What else is on your mind?",
        "Let's leave that aside. Is there something in the documents that I can look up for you?",
        "I'd like to change the subject, if you don't mind. What would you like to know?",
    ),
    InteractionFailure.UNSAFE_BOT: (
        "I have no good answer to that. Could you ask me something else?",
        "I'd better not say what came to my mind. What else would you like to know?",
    ),
    InteractionFailure.MODEL_CRASH: (
        "Something went wrong while I was thinking. Could you say that again?",
        "I could not come up with a reply just now. Please try once more.",
    ),
}
"""The replies for each failure; several, for variety."""


class SafetyClassifier(Protocol):
    """A model that detects unsafe texts that contain no listed word. Raises RunError if the model fails."""

    def is_unsafe(self, text: str) -> bool:
        """Return True if the text is offensive or otherwise unsuitable."""
        ...


class StringMatcher:
    """Finds listed words and phrases in text, by default those of `offensive_words.txt`. Case, accents, invisible
    characters and letters from other scripts make no difference. A listed word that ends in a star matches all words
    that begin with it. Words that merely contain a listed word (Scunthorpe) do not match.
    """

    def __init__(self, words: Iterable[str] | None = None) -> None:
        listed = listed_lines("offensive_words.txt", "investigator.bb3") if words is None else tuple(words)
        patterns = (re.sub(r"\W+", r"\\W+", undisguised(word.rstrip("*")).text) for word in listed)
        ends = (r"\w*" if word.endswith("*") else "" for word in listed)
        either = "|".join(map("".join, zip(patterns, ends, strict=True)))
        self._pattern = re.compile(rf"(?<!\w)(?:{either})(?!\w)")

    def matches(self, text: str) -> tuple[str, ...]:
        """Return the listed words in the text, without duplicates and in folded form."""
        return tuple(dict.fromkeys(match.group() for match in self._pattern.finditer(undisguised(text).text)))

    def is_unsafe(self, text: str) -> bool:
        """Return True if the text contains a listed word."""
        return bool(self.matches(text))


class GuardedReply(Record):
    """A reply that may be shown; if it is canned, `failure` is the reason. `human` and `bot` are the annotations for
    the human's message and for the reply that the bot was about to send.
    """

    text: str
    failure: InteractionFailure | None = None
    human: Safety
    bot: Safety | None = None

    def message(self, bot_message_id: str) -> ChatMessage:
        """Return the reply as a message for a record; a canned reply has no annotation."""
        reply = ChatMessage(text=self.text, sender=Sender.BOT, bot_message_id=bot_message_id)
        if self.failure is None:
            return reply.changed(safety=self.bot, is_safety_controlled_response=False)
        return reply.changed(
            is_safety_controlled_response=True,
            previous_interaction_failure=self.failure,
            from_model_crash=self.failure is InteractionFailure.MODEL_CRASH,
        )


class SafetyGuard:
    """Checks all messages between the human and the bot, with the matcher and, if given, also with the classifier.
    `random` chooses among the canned replies, but never the reply that was used last for the same failure.
    """

    def __init__(self, random: Random, classifier: SafetyClassifier | None = None) -> None:
        self._random = random
        self._matcher = StringMatcher()
        self._classifier = classifier
        self._last: dict[InteractionFailure, str] = {}

    def annotation(self, text: str) -> Safety:
        """Return the verdicts of the matcher and, if one is used, of the classifier, in the card's format."""
        checks = {"string_matcher": self._matcher, "duo_safety": self._classifier}
        verdicts = {name: NOT_OK if check.is_unsafe(text) else OK for name, check in checks.items() if check}
        return Safety.model_validate(verdicts)

    def reply(self, human: str, reply_to: Callable[[str], str]) -> GuardedReply:
        """Return the reply from `reply_to`, or a canned reply.

        The reply is canned if the human's text is unsafe (then `reply_to` is not called), if the reply is unsafe, or if
        `reply_to` or the classifier raises RunError.
        """
        heard = Safety()
        try:
            heard = self.annotation(human)
            if heard.is_unsafe:
                return self._canned(InteractionFailure.UNSAFE_HUMAN, heard)
            text = reply_to(human)
            spoken = self.annotation(text)
        except RunError:
            return self._canned(InteractionFailure.MODEL_CRASH, heard)
        if spoken.is_unsafe:
            return self._canned(InteractionFailure.UNSAFE_BOT, heard, spoken)
        return GuardedReply(text=text, human=heard, bot=spoken)

    def _canned(self, failure: InteractionFailure, human: Safety, bot: Safety | None = None) -> GuardedReply:
        texts = [text for text in CANNED_REPLIES[failure] if text != self._last.get(failure)]
        self._last[failure] = self._random.choice(texts)
        return GuardedReply(text=self._last[failure], failure=failure, human=human, bot=bot)
