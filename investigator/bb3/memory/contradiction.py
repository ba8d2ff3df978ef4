"""Which memories still hold: of two that contradict each other the one that was told later does.

Nothing is marked in the store. What still holds is worked out from the texts whenever memories are drawn on, so that an
older memory counts again once the newer one is deleted, and a contradiction is seen in what was kept before there were
these rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from investigator.bb3.memory.words import english_stop_words, every_word
from investigator.records import Record
from investigator.text.of_oneself import clauses, has_one_value, told_topics
from investigator.text.sentences import sentence_spans
from investigator.text.terms import folded, words

NEGATED = "¬"
"""Stands among the marks of a memory that denies something."""
_REWRITTEN = (
    (re.compile(r"\bcan(?:no|')?t (?:stand|bear)\b|\bcan not (?:stand|bear)\b"), "hate"),
    (re.compile(r"\b(?:gave|given|give) up\b|\bno longer\b|\bused to\b|\bstopped\b"), "quit"),
    (re.compile(r"\bkeine?[nmrs]?\b"), "kein"),
    (re.compile(r"\b([jnldmst])'"), r"\1 "),
    (re.compile(r"\bj (?=\w)"), "je "),
)
_ASKS = re.compile(
    r"\W*(?:(?:do|does|did|am|is|are|was|were|have|has|had|can|could|will|would|should|may|must)\s+(?:i|my|we|you)\b"
    r"|(?:who|whom|whose|what|which|when|where|why|how|if|whether)\b)",
    re.IGNORECASE,
)
_MARKS = "?？؟;"


class _Words(Record):
    """The file of words, as it is written: stems, separated by blanks.

    Those of `onward` deny what comes after them, those of `throughout` the whole statement, wherever they stand in it.
    `either` joins things that are all denied. Words of `same` mean what they stand under, those of `opposite` deny it.
    """

    speaker: str
    onward: str
    throughout: str
    either: str
    tell_nothing: str
    same: dict[str, str]
    opposite: dict[str, str]


@dataclass(frozen=True)
class Statement:
    """A part of a memory that stands for itself, and where it begins and ends there.

    `topics` are what it tells that has one value at a time, with the values; `said` its words, without those that tell
    nothing; `denied` those of them that it denies.
    """

    span: tuple[int, int]
    topics: Mapping[str, str]
    said: frozenset[str]
    denied: frozenset[str]


def statements(text: str) -> tuple[Statement, ...]:
    """The statements of a text: its sentences, and the clauses of a sentence in which the speaker is named anew."""
    return _statements(text)


def topics_of(text: str) -> frozenset[str]:
    """What a memory tells that has one value at a time."""
    return frozenset(topic for statement in statements(text) for topic in statement.topics)


def marks_of(topics: Iterable[str]) -> frozenset[str]:
    """What memories of these topics can be found by."""
    return frozenset(f"{NEGATED}{topic}" for topic in topics)


def settled_topics(text: str) -> frozenset[str]:
    """What a memory can be found by where another one may contradict it, NEGATED among them where it denies."""
    denies = any(statement.denied for statement in statements(text))
    return marks_of(topics_of(text)) | ({NEGATED} if denies else frozenset())


def contradicts(new: Statement, old: Statement) -> bool:
    """Whether the newer of two statements leaves the older one untrue.

    It does where it has another value for something that has one at a time, unless the older one only said more of it,
    and where one denies what the other says in the same words, or in fewer. What is denied of something nearer
    described ("no dog called Rex") is not denied of the rest.
    """
    shared = filter(has_one_value, new.topics.keys() & old.topics.keys())
    if any(not set(words(new.topics[topic])) <= set(words(old.topics[topic])) for topic in shared):
        return True
    if not (new.denied or old.denied):
        return False
    small, large = (new, old) if new.said <= old.said else (old, new)
    if not small.said <= large.said:
        return False
    differing = {word for word in small.said if (word in small.denied) is not (word in large.denied)}
    if not (differing - english_stop_words()):
        return False
    return small.said == large.said or bool(small.denied & differing) or bool(large.said & _listed("either"))


def what_holds(texts: Sequence[str], newer: Iterable[str] = ()) -> list[str]:
    """Each text, in the order in which they were told, without the statements that a later one contradicts.

    `newer` were told after all of them; questions among their sentences tell nothing. A text of which nothing holds
    becomes empty.
    """
    later = _Later()
    for text in newer:
        later.add(_telling(text))
    left: list[str] = []
    for text in reversed(texts):
        kept = []
        for statement in reversed(own := statements(text)):
            if not later.contradict(statement):
                kept.append(statement)
            later.add([statement])
        left.append(text if len(kept) == len(own) else _joined(text, kept[::-1]))
    return left[::-1]


def is_overturned(texts: Iterable[str], new: str) -> bool:
    """Whether a new text contradicts something that one of the texts says."""
    told = statements(new)
    return any(contradicts(one, old) for text in texts for old in statements(text) for one in told)


class _Later:
    """The statements that were told later than the one that is looked at, by what they may contradict."""

    def __init__(self) -> None:
        self._every: list[Statement] = []
        self._denying: list[Statement] = []
        self._of_topic: dict[str, list[Statement]] = {}

    def add(self, told: Iterable[Statement]) -> None:
        for statement in told:
            self._every.append(statement)
            if statement.denied:
                self._denying.append(statement)
            for topic in statement.topics:
                self._of_topic.setdefault(topic, []).append(statement)

    def contradict(self, old: Statement) -> bool:
        near = [new for topic in old.topics for new in self._of_topic.get(topic, ())]
        return any(contradicts(new, old) for new in (*near, *(self._every if old.denied else self._denying)))


def _joined(text: str, kept: Sequence[Statement]) -> str:
    return " ".join(text[slice(*statement.span)].strip() for statement in kept)


def _telling(text: str) -> list[Statement]:
    return [one for one in statements(text) if not _asks(text[slice(*one.span)])]


def _asks(sentence: str) -> bool:
    return sentence.rstrip().endswith(tuple(_MARKS)) or _ASKS.match(sentence) is not None


@lru_cache(maxsize=4_096)
def _statements(text: str) -> tuple[Statement, ...]:
    return tuple(
        _statement(text, start + begin, start + end)
        for start, end in sentence_spans(text)
        for begin, end in clauses(text[start:end])
    )


def _statement(text: str, start: int, end: int) -> Statement:
    told = text[start:end]
    said, denied = _said(told)
    return Statement((start, end), told_topics(told), said, denied)


def _said(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a statement that tell something, and those that it denies."""
    plain = folded(text).replace("’", "'")
    for pattern, written in _REWRITTEN:
        plain = pattern.sub(written, plain)
    said: set[str] = set()
    denied: set[str] = set()
    onward = throughout = False
    for word in every_word(plain):
        if word in _listed("onward"):
            onward = True
        elif word in _listed("throughout"):
            throughout = True
        elif word == "but" or not any(char.isalnum() for char in word):
            onward = onward and word != "but" and word not in ".,;:!"
        elif word not in _listed("tell_nothing"):
            onward = onward is not (word in _meanings("opposite"))
            meaning = _meanings("opposite").get(word) or _meanings("same").get(word, word)
            said.add(meaning)
            if onward:
                denied.add(meaning)
    if throughout:
        denied = said - denied
    return frozenset(said), frozenset(denied - _listed("speaker"))


@cache
def _listed(kind: str) -> frozenset[str]:
    return frozenset(getattr(_words(), kind).split())


@cache
def _meanings(kind: str) -> Mapping[str, str]:
    listed: Mapping[str, str] = getattr(_words(), kind)
    return {word: meaning for meaning, of_it in listed.items() for word in of_it.split()}


@cache
def _words() -> _Words:
    source = files("investigator.bb3.memory").joinpath("contradiction_words.json")
    return _Words.model_validate_json(source.read_bytes())
