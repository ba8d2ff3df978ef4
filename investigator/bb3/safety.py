"""Handles unsafe messages with a string matcher, an optional classifier, and canned replies (seed: bb3x_data_card). The
human's text is checked before any model sees it, and the bot's text before the human sees it. A canned reply takes the
place of the bot's reply if either text is unsafe or the model failed. The reason for a canned reply is recorded:
`unsafe_Human`, `unsafe_BlenderBot3` or `unsafe_model_crash`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from random import Random
from typing import Protocol

from investigator.bb3.bb3x.records import OK, ChatMessage, InteractionFailure, Safety, Sender
from investigator.errors import RunError, SettingsError
from investigator.language.lists import listed_lines
from investigator.language.undisguised import undisguised
from investigator.records.base import Record

NOT_OK = "__notok__"

_PACKAGE = "investigator.bb3"
_DISGUISES = {"a": "a@4", "b": "b8", "e": "e3", "g": "g9", "i": "i1!|", "l": "l1|", "o": "o0", "s": "s5$", "t": "t7+"}
_MASKS = "*#"
_VOWELS = "aeiou"
_REPEATED = re.compile(r"([^*#])\1{2,}")
_ONE_BY_ONE = re.compile(r"(?<!\w)\w(?:[\s._*-]{1,3}\w(?!\w)){2,40}")


class SafetyClassifier(Protocol):
    """A model that detects unsafe texts that contain no listed word. Raises RunError if the model fails."""

    def is_unsafe(self, text: str) -> bool:
        """Return True if the text is offensive or otherwise unsuitable."""
        ...


class StringMatcher:
    """Finds listed words in text, even if they are disguised. Case, accents, invisible characters, letters from other
    scripts, look-alike digits and signs, repeated letters, masked letters (`sh*t`) and spaced letters (`s h i t`) make
    no difference. A listed word that ends in a star matches all words that begin with it. Words that merely contain a
    listed word (Scunthorpe) do not match.
    """

    def __init__(self, words: Iterable[str] | None = None) -> None:
        every = listed_lines("offensive_words.txt", _PACKAGE) if words is None else words
        listed = tuple(word for word in every if word.strip(" *"))
        either = "|".join(map(_pattern_of, listed))
        self._pattern = re.compile(rf"(?<![\w@$])(?:{either})(?![\w@$])") if listed else None

    def found(self, text: str) -> tuple[str, ...]:
        """Return the words found, without duplicates and in folded form."""
        if self._pattern is None:
            return ()
        plain = undisguised(text).text
        once, twice = _REPEATED.sub(r"\1", plain), _REPEATED.sub(r"\1\1", plain)
        joined = " ".join(re.sub(r"[\W_]", "", run.group()) for run in _ONE_BY_ONE.finditer(plain))
        matches = (match.group() for form in (once, twice, joined) for match in self._pattern.finditer(form))
        return tuple(dict.fromkeys(" ".join(match.split()) for match in matches if _is_word(match)))

    def is_unsafe(self, text: str) -> bool:
        """Return True if the matcher finds anything in the text."""
        return bool(self.found(text))


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
        said = ChatMessage(text=self.text, sender=Sender.BOT, bot_message_id=bot_message_id)
        if self.failure is None:
            return said.changed(safety=self.bot, is_safety_controlled_response=False)
        return said.changed(
            is_safety_controlled_response=True,
            previous_interaction_failure=self.failure,
            from_model_crash=self.failure is InteractionFailure.MODEL_CRASH,
        )


class SafetyGuard:
    """Checks all messages between the human and the bot, with the matcher and, if given, also with the classifier.
    `random` chooses among the canned replies, but never the reply that was used last for the same failure.
    """

    def __init__(
        self,
        random: Random,
        matcher: StringMatcher | None = None,
        classifier: SafetyClassifier | None = None,
    ) -> None:
        self._random = random
        self._matcher = matcher or StringMatcher()
        self._classifier = classifier
        self._last: dict[InteractionFailure, str] = {}

    def annotation(self, text: str) -> Safety:
        """Return the verdicts of the matcher and, if one is used, of the classifier, in the card's format."""
        matched = _said(self._matcher.is_unsafe(text))
        if self._classifier is None:
            return Safety(string_matcher=matched)
        return Safety(duo_safety=_said(self._classifier.is_unsafe(text)), string_matcher=matched)

    def reply(self, human: str, reply_to: Callable[[str], str]) -> GuardedReply:
        """Return the reply from `reply_to`, or a canned reply.

        The reply is canned if the human's text is unsafe (then `reply_to` is not called), if the reply is unsafe, or if
        `reply_to` or the classifier raises RunError.
        """
        said = Safety()
        try:
            said = self.annotation(human)
            if said.is_unsafe:
                return self._canned(InteractionFailure.UNSAFE_HUMAN, said)
            text = reply_to(human)
            about = self.annotation(text)
        except RunError:
            return self._canned(InteractionFailure.MODEL_CRASH, said)
        if about.is_unsafe:
            return self._canned(InteractionFailure.UNSAFE_BOT, said, about)
        return GuardedReply(text=text, human=said, bot=about)

    def _canned(self, failure: InteractionFailure, human: Safety, bot: Safety | None = None) -> GuardedReply:
        last = self._last.get(failure)
        chosen = self._random.choice([text for text in canned_replies()[failure] if text != last])
        self._last[failure] = chosen
        return GuardedReply(text=chosen, failure=failure, human=human, bot=bot)


@cache
def canned_replies() -> dict[InteractionFailure, tuple[str, ...]]:
    """Return the canned replies for each failure; there are several, for variety."""
    replies: dict[InteractionFailure, tuple[str, ...]] = {}
    failure = InteractionFailure.NONE
    for line in listed_lines("canned_replies.txt", _PACKAGE):
        if line.endswith(":"):
            failure = InteractionFailure(line.removesuffix(":"))
        else:
            replies[failure] = (*replies.get(failure, ()), line)
    return replies


def _pattern_of(listed: str) -> str:
    """Return a pattern for a listed word or phrase; only letters inside a word may be masked."""
    if "*" in listed.rstrip("*"):
        raise SettingsError(f"the listed word {listed!r} has a star inside", hint="A star is allowed only at the end.")
    words = undisguised(listed.rstrip("*")).text.split()
    open_end = listed.endswith("*")
    body = r"[\W_]{1,3}".join(_word_pattern(word, open_end) for word in words)
    return body + (r"\w{0,20}" if open_end else "")


def _word_pattern(word: str, open_end: bool) -> str:
    """Return a pattern that accepts the disguises of each letter, and doubled vowels."""
    places = []
    for place, letter in enumerate(word):
        inside = _MASKS if 0 < place < len(word) - 1 + open_end else ""
        forms = re.escape(_DISGUISES.get(letter, letter) + inside)
        repeats = "{1,2}" if letter in _VOWELS else ""
        places.append(f"[{forms}]{repeats}" if letter.isalpha() else "['’]?")
    return "".join(places)


def _is_word(match: str) -> bool:
    """Return True if a match has more letters than digits: `sh1t` is a word, `455` and `A55` are not."""
    return sum(char.isalpha() for char in match) > sum(char.isdecimal() for char in match)


def _said(unsafe: bool) -> str:
    return NOT_OK if unsafe else OK
