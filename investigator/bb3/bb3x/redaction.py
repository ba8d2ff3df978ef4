"""Removes personal information from conversations before they are shared (seed: bb3x_data_card, "redacted").

Names, e-mail addresses, telephone numbers, streets, and the part of a link that names a user become irreversible
hashes; with the same salt, equal values get equal hashes. The digits of house numbers and of card, account, social
security and other long numbers are randomised. Famous names, and text in the titles of the documents, are kept. The
rules miss some personal information: the tests measure their recall, and each release lists the kinds of information
that they look for.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import unicodedata
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from random import Random

from pydantic import JsonValue

from investigator.bb3.bb3x.conversation_files import conversation_of
from investigator.bb3.bb3x.pii import Pii, PiiSpan, without_overlaps
from investigator.bb3.bb3x.pii_contacts import addresses_in, contacts_in
from investigator.bb3.bb3x.pii_names import famous_names, names_in, occurrences, words_of
from investigator.bb3.bb3x.pii_numbers import numbers_in
from investigator.bb3.bb3x.records import ChatMessage, Conversation
from investigator.errors import DialogueError
from investigator.language.terms import folded

_SHORTEST_SALT = 16
_HASH_LETTERS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")
_IDS = frozenset({"user_pseudo_id", "chat_id", "convo_id", "bot_message_id", "human_message_id"})
_NO_TALK = frozenset(
    {"sender", "dislike_type", "memory_decision", "search_decision", "previous_interaction_failure", "safety"}
    | {"reward", "mturk"}
)
_NAMES_SAID_IN = ("text", "memory_knowledge", "search_query")


class Kept:
    """Text that is not replaced: famous names and anything in a document's title."""

    def __init__(self, titles: Iterable[str] = ()) -> None:
        self._titles = "\n".join(folded(title) for title in titles)

    def holds(self, words: str) -> bool:
        """Return True if these words must not be replaced."""
        plain = folded(words.strip(" .,"))
        return plain in famous_names() or bool(
            plain and self._titles and re.search(rf"(?<!\w){re.escape(plain)}(?!\w)", self._titles)
        )


def findings(text: str, names: Iterable[str] = (), kept: Kept | None = None) -> list[PiiSpan]:
    """Return the personal information in the text, in order; `names` are names of people that are already known."""
    kept = kept or Kept()
    return without_overlaps(
        finding for finding in _all_findings(text, names, kept) if not _is_kept(text, finding, kept)
    )


def _all_findings(text: str, names: Iterable[str], kept: Kept) -> Iterator[PiiSpan]:
    """Return all findings, the most certain first: numbers with a checksum or after a word such as "passport", then
    streets, then any long number.
    """
    yield from contacts_in(text)
    numbers = list(numbers_in(text))
    yield from (number for number in numbers if number.kind is not Pii.LONG_NUMBER)
    for written, parts in addresses_in(text):
        if not kept.holds(written):
            yield from parts
    yield from (number for number in numbers if number.kind is Pii.LONG_NUMBER)
    for name in names_in(text):
        if not _is_kept(text, name, kept):
            yield from words_of(text, name)
    yield from occurrences(text, names)


def _is_kept(text: str, finding: PiiSpan, kept: Kept) -> bool:
    return kept.holds(text[finding.start : finding.end])


class Redactor:
    """Replaces personal information.

    `salt` is secret: anyone who has it can try telephone numbers until a hash matches. Create a new salt for each
    release, with `secrets.token_bytes(32)`, and discard it afterwards. `random` chooses the digits. `titles` are the
    titles of the documents. Raises DialogueError if the salt is shorter than 16 bytes.
    """

    def __init__(self, salt: bytes, random: Random, titles: Iterable[str] = ()) -> None:
        if len(salt) < _SHORTEST_SALT:
            hint = "Create one with: secrets.token_bytes(32)"
            raise DialogueError(f"a salt of {len(salt)} bytes is too short; it needs {_SHORTEST_SALT}", hint=hint)
        self._salt = salt
        self._random = random
        self._kept = Kept(titles)
        self.counts: Counter[Pii] = Counter()
        """Number of replacements of each kind so far."""

    def text(self, text: str, names: Iterable[str] = ()) -> str:
        """Return the text without personal information, in NFC; `names` are names of people that are already known."""
        return self._redacted(text, tuple(names), {})

    def conversation(self, conversation: Conversation) -> Conversation:
        """Return a conversation without personal information in any text, including unknown fields. A name introduced
        anywhere in the conversation is replaced everywhere. Ids that are not UUIDs become UUIDs, because they may
        identify somebody. Equal numbers get equal replacements within one conversation.
        """
        names = {
            said[name.start : name.end]
            for message in conversation.message_history
            for said in (unicodedata.normalize("NFC", talk) for talk in _talk_of(message))
            for name in names_in(said)
            if not _is_kept(said, name, self._kept)
        }
        drawn: dict[str, str] = {}
        wire = self._walked(conversation.wire(), tuple(sorted(names)), drawn)
        return conversation_of(json.dumps(wire), "the redacted conversation")

    def _walked(self, value: JsonValue, names: tuple[str, ...], drawn: dict[str, str]) -> JsonValue:
        if isinstance(value, str):
            return self._redacted(value, names, drawn)
        if isinstance(value, Mapping):
            return {key: self._field(key, inner, names, drawn) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._walked(inner, names, drawn) for inner in value]
        return value

    def _field(self, key: str, value: JsonValue, names: tuple[str, ...], drawn: dict[str, str]) -> JsonValue:
        if key in _NO_TALK:
            return value
        if key in _IDS and isinstance(value, str):
            return self._pseudonym(value)
        return self._walked(value, names, drawn)

    def _pseudonym(self, given: str) -> str:
        """Return an id that identifies nobody: the given id if it is a UUID, otherwise a UUID derived from it."""
        try:
            return given if str(uuid.UUID(given)) == given.lower() else self._made_id(given)
        except ValueError:
            return self._made_id(given)

    def _made_id(self, given: str) -> str:
        return str(uuid.UUID(bytes=self._digest(f"id\0{given}")[:16], version=4)) if given else given

    def _redacted(self, text: str, names: tuple[str, ...], drawn: dict[str, str]) -> str:
        text = unicodedata.normalize("NFC", text)
        written, done = [], 0
        for finding in findings(text, names, self._kept):
            value = text[finding.start : finding.end]
            written += [text[done : finding.start], self._replaced(value, finding.kind, drawn)]
            done = finding.end
            self.counts[finding.kind] += 1
        return "".join([*written, text[done:]])

    def _replaced(self, value: str, kind: Pii, drawn: dict[str, str]) -> str:
        if not kind.is_numeric:
            return f"[{kind} {self._hash(value, kind)}]"
        digits = "".join(filter(str.isdecimal, value))
        if digits not in drawn:
            drawn[digits] = "".join(self._digit(char, place) for place, char in enumerate(digits))
        anew = iter(drawn[digits])
        return "".join(next(anew) if char.isdecimal() else char for char in value)

    def _digit(self, char: str, place: int) -> str:
        """Return a random digit; a first digit other than zero does not become zero."""
        return str(self._random.randrange(1 if place == 0 and char != "0" else 0, 10))

    def _hash(self, value: str, kind: Pii) -> str:
        """Return a hash of sixteen letters; it has no digits, so it cannot be mistaken for a number."""
        plain = re.sub(r"[^\d+]", "", value) if kind is Pii.PHONE else folded(value)
        return self._digest(f"{kind}\0{plain}").hex()[:16].translate(_HASH_LETTERS)

    def _digest(self, value: str) -> bytes:
        return hmac.new(self._salt, value.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()


def _talk_of(message: ChatMessage) -> Iterator[str]:
    """Yield the texts of a message in which people may introduce themselves, excluding documents."""
    yield from (said for name in _NAMES_SAID_IN if (said := getattr(message, name)))
    yield from message.memories or ()
