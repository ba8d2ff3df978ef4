"""Removes personal information from conversations before they are shared (seed: bb3x_data_card, "redacted").

Names, mail addresses, telephone numbers, handles, and the part of a link that names a user become irreversible hashes;
with the same salt, equal values get equal hashes. The digits of other numbers are randomised. No way finds all personal
information: docs/guides/chat.md has the measured recall.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import unicodedata
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from random import Random

from pydantic import JsonValue

from investigator.bb3.bb3x.records import ChatMessage, Conversation
from investigator.errors import DialogueError, SettingsError
from investigator.language.lists import data_file
from investigator.language.terms import folded, stop_words
from investigator.resources.distribution import install_command


class Pii(StrEnum):
    """A kind of personal information. Of some kinds only the digits are randomised; others are replaced as a whole."""

    NAME = "name"
    EMAIL = "email"
    LINK = "link"
    HANDLE = "handle"
    PHONE = "phone"
    ADDRESS_NUMBER = "address number"
    CARD = "card"
    IBAN = "iban"
    NUMBER = "number"

    @property
    def is_numeric(self) -> bool:
        """Return True if only the digits are randomised, and the characters between them are kept."""
        return self in (Pii.ADDRESS_NUMBER, Pii.CARD, Pii.IBAN, Pii.NUMBER)


@dataclass(frozen=True, order=True)
class PiiSpan:
    """A span `[start, end)` of text that contains personal information."""

    start: int
    end: int
    kind: Pii


_ORDINARY = re.compile(
    r"\d{4}-\d\d-\d\d|\d\d?([./-])\d\d?\1\d{4}|\d{4}-\d{4}|\d+[.,]\d+|\d{1,3}(?:[.,]\d{3})+|97[89]-[\d-]{13}"
)
"""Matches a date, a range of years, a decimal number, thousands, and an ISBN."""


@cache
def _patterns() -> Mapping[Pii, Sequence[re.Pattern[str]]]:
    kinds = data_file("pii_patterns", "investigator.bb3")
    return {Pii(kind): tuple(map(re.compile, row["patterns"])) for kind, row in kinds.items()}


def spans_by_rules(text: str) -> Iterator[PiiSpan]:
    """Yield mail addresses, logins and queries in links, handles, telephone, card, account and other long numbers, and
    the numbers in addresses, in any language, the most certain kind first. Names are not found.
    """
    for kind, patterns in _patterns().items():
        for match in (match for pattern in patterns for match in pattern.finditer(text)):
            group = match.lastindex or 0
            if kind not in _CHECKS or _CHECKS[kind](match[group]):
                yield PiiSpan(*match.span(group), kind)


def _passes_luhn(text: str) -> bool:
    """Return True if the last digit is the check digit of the others (ISO/IEC 7812-1)."""
    digits = [int(char) for char in reversed(text) if char.isdecimal()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


def _is_iban(text: str) -> bool:
    """Return True if the check digits of an IBAN are correct (ISO 13616)."""
    plain = text.replace(" ", "")
    return int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4])) % 97 == 1


_CHECKS: Mapping[Pii, Callable[[str], bool]] = {
    Pii.CARD: _passes_luhn,
    Pii.IBAN: _is_iban,
    **dict.fromkeys((Pii.PHONE, Pii.NUMBER), lambda text: _ORDINARY.fullmatch(text) is None),
}
"""What a match must fulfil to be of its kind."""

_ENTITIES = {
    "PERSON": Pii.NAME,
    "PHONE_NUMBER": Pii.PHONE,
    "CREDIT_CARD": Pii.CARD,
    "IBAN_CODE": Pii.IBAN,
    **dict.fromkeys(("IP_ADDRESS", "MEDICAL_LICENSE", "UK_NHS", "US_DRIVER_LICENSE", "US_ITIN", "US_SSN"), Pii.NUMBER),
}
_LEAST_SCORE = 0.35
_LABEL = "en"
"""The language that Presidio's recognizers are asked for; the model may be of another one."""
_ELSE = (
    "Install a spaCy model, e.g. python -m spacy download en_core_web_md; or release without looking for names: "
    "export --keep-names"
)


class NameFinder:
    """Finds names and other personal information with presidio-analyzer and a spaCy model, given by its name or folder.
    Nothing is downloaded. Raises SettingsError if presidio-analyzer or the model is not installed.
    """

    def __init__(self, model: str) -> None:
        try:
            import spacy.util
            from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
            from presidio_analyzer.nlp_engine import SpacyNlpEngine
        except ImportError as error:
            problem = "names cannot be found without the package presidio-analyzer"
            raise SettingsError(problem, hint=f"Install it with: {install_command('share')}. {_ELSE}") from error
        if not (spacy.util.is_package(model) or Path(model).is_dir()):
            raise SettingsError(f"names cannot be found: the spaCy model {model!r} is not installed", hint=_ELSE)
        engine = SpacyNlpEngine(models=[{"lang_code": _LABEL, "model_name": model}])
        registry = RecognizerRegistry(supported_languages=[_LABEL])
        registry.load_predefined_recognizers([_LABEL])
        for name in ("EmailRecognizer", "UrlRecognizer"):  # they fetch a list of domains from the network
            registry.remove_recognizer(name)
        self._analyzer = AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=[_LABEL])

    def __call__(self, text: str) -> Iterator[PiiSpan]:
        """Yield what Presidio finds, the most certain first."""
        results = self._analyzer.analyze(text, language=_LABEL, entities=[*_ENTITIES], score_threshold=_LEAST_SCORE)
        for each in sorted(results, key=lambda each: -each.score):
            yield PiiSpan(each.start, each.end, _ENTITIES[each.entity_type])


def without_overlaps(spans: Iterable[PiiSpan]) -> list[PiiSpan]:
    """Return spans in text order, without those that overlap an earlier item of `spans`."""
    kept: list[PiiSpan] = []
    taken: set[int] = set()
    for span in spans:
        places = range(span.start, span.end)
        if taken.isdisjoint(places):
            taken.update(places)
            kept.append(span)
    return sorted(kept)


_SHORTEST_SALT = 16
_HASH_LETTERS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")
_IDS = frozenset({"user_pseudo_id", "chat_id", "convo_id", "bot_message_id", "human_message_id"})
_NO_TALK = frozenset(
    {"sender", "dislike_type", "memory_decision", "search_decision", "previous_interaction_failure", "safety"}
    | {"reward", "mturk"}
)
_NAME_WORD = re.compile(r"[^\W\d_]{3,}")


class Redactor:
    """Replaces personal information that rules find, and `names`: see `NameFinder`. `salt` is secret: with it,
    anyone can try telephone numbers until a hash matches, so create it for each release with `secrets.token_bytes(32)`,
    and discard it. `random` chooses the digits. Raises DialogueError if the salt is shorter than 16 bytes.
    """

    def __init__(self, salt: bytes, random: Random, names: Callable[[str], Iterable[PiiSpan]] | None = None) -> None:
        if len(salt) < _SHORTEST_SALT:
            hint = "Create one with: secrets.token_bytes(32)"
            raise DialogueError(f"a salt of {len(salt)} bytes is too short; it needs {_SHORTEST_SALT}", hint=hint)
        self._salt = salt
        self._random = random
        self._find_names = names or (lambda _: ())
        self._names: tuple[str, ...] = ()
        self.finds_names = names is not None
        """True if the names of people are replaced."""
        self._drawn: dict[str, str] = {}
        self.counts: Counter[Pii] = Counter()
        """Number of replacements of each kind so far."""

    def text(self, text: str) -> str:
        """Return the text without personal information, in NFC."""
        text = unicodedata.normalize("NFC", text)
        written, end = [], 0
        for span in without_overlaps((*spans_by_rules(text), *self._find_names(text), *self._occurrences(text))):
            value = text[span.start : span.end]
            written += [text[end : span.start], self._replaced(value, span.kind)]
            end = span.end
            self.counts[span.kind] += 1
        return "".join([*written, text[end:]])

    def conversation(self, conversation: Conversation) -> Conversation:
        """Return a conversation without personal information in any text, including unknown fields. A name found
        anywhere in the conversation is replaced everywhere. Ids that are not UUIDs become UUIDs, because they may
        identify somebody. Equal numbers get equal replacements within one conversation.
        """
        talk = (unicodedata.normalize("NFC", text) for each in conversation.message_history for text in _talk_of(each))
        spans = ((text, span) for text in talk for span in self._find_names(text) if span.kind is Pii.NAME)
        words = {word for text, span in spans for word in _NAME_WORD.findall(text, span.start, span.end)}
        words = {word for word in words if folded(word) not in stop_words()}
        self._names, self._drawn = tuple(sorted(words, key=lambda word: (-len(word), word))), {}
        wire = self._walked(conversation.wire())
        self._names, self._drawn = (), {}
        return Conversation.model_validate_json(json.dumps(wire))

    def _occurrences(self, text: str) -> Iterator[PiiSpan]:
        """Yield the words that belong to a name found in the conversation, ignoring case."""
        if self._names:
            either = "|".join(map(re.escape, self._names))
            for match in re.finditer(rf"(?<!\w)(?:{either})(?!\w)", text, re.IGNORECASE):
                yield PiiSpan(*match.span(), Pii.NAME)

    def _walked(self, value: JsonValue, key: str = "") -> JsonValue:
        if key in _NO_TALK:
            return value
        if isinstance(value, str):
            return self._pseudonym(value) if key in _IDS else self.text(value)
        if isinstance(value, Mapping):
            return {name: self._walked(inner, name) for name, inner in value.items()}
        return [self._walked(inner) for inner in value] if isinstance(value, list) else value

    def _pseudonym(self, given: str) -> str:
        """Return an id that identifies nobody: the given id if it is a UUID, otherwise a UUID derived from it."""
        try:
            is_uuid = str(uuid.UUID(given)) == given.lower()
        except ValueError:
            is_uuid = False
        return given if is_uuid or not given else str(uuid.UUID(bytes=self._digest(f"id\0{given}")[:16], version=4))

    def _replaced(self, value: str, kind: Pii) -> str:
        if not kind.is_numeric:
            return f"[{kind} {self._hash(value, kind)}]"
        digits = "".join(filter(str.isdecimal, value))
        if digits not in self._drawn:
            self._drawn[digits] = "".join(self._digit(char, place) for place, char in enumerate(digits))
        anew = iter(self._drawn[digits])
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


def _talk_of(message: ChatMessage) -> Iterable[str]:
    """Return the texts of a message in which people may be named, excluding documents."""
    return (message.text, message.memory_knowledge or "", message.search_query or "", *(message.memories or ()))
