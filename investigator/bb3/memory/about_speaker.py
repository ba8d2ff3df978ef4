"""Recognises single-valued statements about oneself ("I live in Berlin"), and questions about the speaker. Pure.

The rules are regular expressions over folded text, in English, German, French and Spanish, and for "what do you know
about me" in some more languages; they are in `about_speaker.json` next to this file. Other wordings are not recognised,
so callers must not rely on finding every such statement or question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from investigator.language.terms import folded, folded_words, stem, words
from investigator.records import Record

_LONGEST = 2_000  # maximum number of characters examined in a text
_ONE = frozenset({"1", "a", "an", "one", "ein", "eine", "einen", "un", "une", "una"})
_END = re.compile(r"[\s.!…。！]+$")
_JOINTS = re.compile(
    r"\s*(?:[;:.!?]|,?\s*\b(?:and|but|while|und|aber|et|mais|pero)\b|,)\s+(?=(?:i|my|we|our|i'm|i've|ich|mein\w*|wir|je|j'|mon|ma"
    r"|nous|yo|mi|me)\b)",
    re.IGNORECASE,
)
_BRITISH = re.compile(r"(?<=[a-z])ou(?=r(?:s|ite)?\b)")


class _Rules(Record):
    """The contents of `about_speaker.json`; the `value`, `what` and `number` groups of a rule capture its results."""

    fillers: str
    numbers: str
    alike: dict[str, str]
    told: dict[str, tuple[str, ...]]
    my: tuple[str, ...]
    named: tuple[str, ...]
    left: dict[str, tuple[str, ...]]
    of_one: str
    own_names: str
    count: tuple[str, ...]
    asked: dict[str, tuple[str, ...]]
    answers: dict[str, tuple[str, ...]]
    asked_my: tuple[str, ...]
    asked_named: tuple[str, ...]
    everything: tuple[str, ...]
    more: tuple[str, ...]
    own: tuple[str, ...]
    not_own: tuple[str, ...]


def clauses(sentence: str) -> list[tuple[int, int]]:
    """Return the half-open spans of a sentence's clauses, without conjunctions; each clause after the first names the
    speaker.
    """
    spans, begin = [], 0
    for joint in _JOINTS.finditer(sentence):
        spans.append((begin, joint.start()))
        begin = joint.end()
    return [*spans, (begin, len(sentence))]


def told_topics(statement: str) -> Mapping[str, str]:
    """Return the single-valued facts about the speaker in a clause: `{"home": "berlin"}`.

    Topics are name, home, age, job, employer, marriage, any single-valued thing after `my` ("favorite color"), and the
    number of something.
    """
    text = _statement(statement)
    found = _values("told", text)
    for rules, suffix in (("my", ""), ("named", " name")):
        for pattern in _compiled(rules):
            if (told := pattern.match(text)) is not None:
                found[_topic(told["what"]) + suffix] = told["value"]
    for pattern in _compiled("count"):
        if (told := pattern.match(text)) is not None:
            number = "1" if told["number"] in _ONE else told["number"]
            found["number of " + " ".join(stem(word) for word in words(told["what"]))] = number
    return found


def left_topics(statement: str) -> Mapping[str, str]:
    """Return the facts in a clause that are no longer true: `{"home": "berlin"}` for "I moved out of Berlin"."""
    return _values("left", _statement(statement))


def names_another(topic: str) -> bool:
    """Return True if a topic is the name of somebody or something other than the speaker: "sister name", not "last
    name".
    """
    owner, _, last = topic.rpartition(" ")
    return last == "name" and bool(owner) and folded_words(_rules().own_names).isdisjoint(owner.split())


def has_one_value(topic: str) -> bool:
    """Return True if a topic has only one value at a time; dogs and brothers, for example, can have several names."""
    owner, _, last = topic.rpartition(" ")
    return last != "name" or not owner or not folded_words(_rules().of_one).isdisjoint(owner.split())


def asked_topics(question: str) -> frozenset[str]:
    """Return the topics that a question asks for, named as in `told_topics`."""
    text = _plain(question)
    found = {topic for topic, pattern in _by_topic("asked").items() if pattern.search(text)}
    for pattern in _compiled("asked_my"):
        found |= {_topic(asked["what"]) for asked in pattern.finditer(text)}
    for pattern in _compiled("asked_named"):
        found |= {f"{_topic(asked['what'])} name" for asked in pattern.finditer(text)}
    return frozenset(found)


def answers_topics(statement: str, topics: Iterable[str]) -> bool:
    """Return True if a clause answers a question about one of the topics without stating its value.

    "I work as a nurse in Bergen" states a job, and also answers "Where do I work?".
    """
    text = _plain(statement)
    return any(topic in topics and pattern.search(text) for topic, pattern in _by_topic("answers").items())


def asks_for_everything(text: str) -> bool:
    """Return True if the text asks for everything known about its speaker, such as "What do you remember of me?"."""
    return _matches("everything", _plain(text))


def asks_for_more(text: str) -> bool:
    """Return True if the text asks for more of what was just listed, e.g. "What else?"."""
    return _matches("more", _plain(text))


def asks_about_speaker(question: str) -> bool:
    """Return True if a question asks for something that only its speaker can know: "Do I have a dog?"

    Questions about what one must, may or can do are excluded, because documents may answer them.
    """
    text = _plain(question)
    return bool(asked_topics(question)) or (_matches("own", text) and not _matches("not_own", text))


def _plain(text: str) -> str:
    return folded(text[:_LONGEST]).replace("’", "'").replace("œ", "oe").strip()


def _topic(what: str) -> str:
    """Return the canonical name of a topic, shared by all its spellings and translations."""
    plain = _BRITISH.sub("o", " ".join(what.replace("'s", "").split()))
    return _alike().get(plain, plain)


def _statement(text: str) -> str:
    """Return a clause in lower case, without final punctuation and initial fillers."""
    plain = _END.sub("", _plain(text))
    fillers = _rules().fillers.split()
    while True:
        first, _, rest = plain.partition(" ")
        if not rest or first.rstrip(",") not in fillers:
            return plain
        plain = rest.lstrip()


def _values(rules: str, text: str) -> dict[str, str]:
    found = {topic: pattern.match(text) for topic, pattern in _by_topic(rules).items()}
    return {topic: next(value for value in match.groups() if value) for topic, match in found.items() if match}


def _matches(rules: str, text: str) -> bool:
    return any(pattern.search(text) for pattern in _compiled(rules))


@cache
def _rules() -> _Rules:
    source = files("investigator.bb3.memory").joinpath("about_speaker.json")
    return _Rules.model_validate_json(source.read_bytes())


@cache
def _compiled(name: str) -> tuple[re.Pattern[str], ...]:
    return tuple(_pattern(rule) for rule in getattr(_rules(), name))


@cache
def _by_topic(name: str) -> Mapping[str, re.Pattern[str]]:
    """Return one pattern for each topic in a table of rules; if a rule in `told` or `left` matches, so does one of its
    groups.
    """
    listed: Mapping[str, tuple[str, ...]] = getattr(_rules(), name)
    joined = {topic: "|".join(f"(?:{rule})" for rule in rules) for topic, rules in listed.items()}
    return {topic: _pattern(rule.replace("?P<value>", "")) for topic, rule in joined.items()}


@cache
def _alike() -> Mapping[str, str]:
    return {folded(what): topic for what, topic in _rules().alike.items()}


def _pattern(rule: str) -> re.Pattern[str]:
    """Compile a rule for folded text: its letters are folded, but its escapes are left unchanged."""
    written = rule.replace("NUMBER", _rules().numbers)
    return re.compile("".join(char if char.isascii() else folded(char) for char in written))
