"""Decides which memories are still valid: if two contradict each other, only the later one counts.

The store does not record which memories are valid. Validity is computed from the memories' texts whenever memories are
used, so that an older memory becomes valid again if the newer one is deleted, and new rules also apply to old memories.

Measured on 54 held-out pairs (`tests/bb3/held_back_contradictions.tsv`): recall 28 of 30, precision 28 of 28. Without
some of the rules, recall falls: to 12 of 30 without negations, 16 without topics, 26 without deaths, and 27 without
rewriting or synonyms. Without the rule about lists, 10 of the 35 true memories in the tests are lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from investigator.bb3.memory.about_speaker import clauses, has_one_value, left_topics, told_topics
from investigator.bb3.memory.words import english_stop_words, every_word, negation_stems
from investigator.language.sentences import sentence_spans
from investigator.language.terms import folded, words
from investigator.records import Record

NEGATED = "¬"
"""The search key for memories that deny something."""
_REWRITTEN = (
    (re.compile(r"\bcan(?:no|')?t (?:stand|bear)\b|\bcan not (?:stand|bear)\b"), "hate"),
    (re.compile(r"\b(?:gave|given|give) up\b|\bno longer\b|\bused to\b|\bstopped\b"), "quit"),
    (re.compile(r"\bkeine?[nmrs]?\b"), "kein"),
    (re.compile(r"\bweder\b(.+?)\bnoch\b"), r"kein\1 oder"),
    (re.compile(r"\b([jnldmst])'"), r"\1 "),
    (re.compile(r"\bj (?=\w)"), "je "),
)
_WHEN = (
    r"(?=\W*$|,? (?:today|yesterday|recently|last|this|of|on|\d+|an?|two|three|some|gestern|heute|letzte\w*|vor|an|hier"
    r"|aujourd'hui|recemment|il y a|ayer|hoy|hace|de)\b)"
)
_DIED = tuple(
    (re.compile(rf"\W*(?:(?:sadly|unfortunately|leider|malheureusement|lamentablemente),? )?{died}"), lacks)
    for died, lacks in (
        (
            r"(?:my|our) (?!(?:\w+ )?(?:phone|smartphone|battery|car|laptop|computer|tablet|watch|camera|pc)\b)"
            r"(?P<who>[\w-]+(?: [\w-]+)?) (?:(?:(?:has |have )?(?:just |recently |sadly )?(?:died|passed away))"
            rf"|(?:is|are) (?:now )?dead){_WHEN}",
            "i do not have",
        ),
        (
            r"(?:mein|unser)e? (?!handy|auto|akku)(?P<who>[\w-]+)"
            rf" (?:(?:ist|sind) (?:[\w ]+ )?(?:tot|gestorben|verstorben)|starb(?:en)?){_WHEN}",
            "ich habe kein",
        ),
        (rf"(?:mon|ma|mes) (?P<who>[\w-]+) (?:est|sont) (?:\w+ )?(?:morte?s?|decedee?s?){_WHEN}", "je n'ai pas de"),
        (
            rf"mis? (?P<who>[\w-]+) (?:(?:se )?(?:ha |han )?(?:murio|murieron|muerto)|esta\w? muert[oa]s?){_WHEN}",
            "no tengo",
        ),
    )
)
"""Patterns for "my X died", each with the beginning of the statement that replaces it: "i do not have" X.
"""
_JOINT = re.compile(r"\s(?:and|or|but|und|oder|aber|sowie|et|ou|mais|y|e|o|u|pero)\s+(?P<next>\w)", re.IGNORECASE)
_PROPER = frozenset({"name", "home", "employer"})
"""The topics whose values are names, which may contain words such as "and"."""
_ASKS = re.compile(
    r"\W*(?:(?:do|does|did|am|is|are|was|were|have|has|had|can|could|will|would|should|may|must)\s+(?:i|my|we|you)\b"
    r"|(?:who|whom|whose|what|which|when|where|why|how|if|whether)\b)",
    re.IGNORECASE,
)
_MARKS = "?？؟;"


class _Words(Record):
    """The contents of `contradiction_words.json`: stems, separated by spaces. Negations in `onward` deny what comes
    after them, as English negations do; negations in `throughout` deny the whole statement, as German, French and
    Spanish negations do. `joints` join the items of a list, and `either` joins items that are all denied; `numbers` are
    number words. Words in `same` are synonyms of their key, and words in `opposite` are its antonyms.
    """

    speaker: str
    onward: str
    throughout: str
    either: str
    joints: str
    numbers: str
    tell_nothing: str
    same: dict[str, str]
    opposite: dict[str, str]


@dataclass(frozen=True)
class MemoryPart:
    """A self-contained part of a memory, with its span in the memory. `topics` maps the part's single-valued topics to
    their values, `left` maps topics to values that are no longer true, and `lone` contains the topics if the part says
    nothing else. `said` contains the part's content words, `denied` those that it denies, and `listed` the meaningful
    ones if the part lists several things. `written` contains all of the part's words, and `dead` those that name
    somebody who died.
    """

    span: tuple[int, int]
    topics: Mapping[str, str]
    left: Mapping[str, str]
    lone: frozenset[str]
    said: frozenset[str]
    denied: frozenset[str]
    listed: frozenset[str]
    written: frozenset[str]
    dead: frozenset[str]


@lru_cache(maxsize=4_096)
def statements(text: str) -> tuple[MemoryPart, ...]:
    """Return the statements of the text: its sentences, split wherever a clause names the speaker again."""
    return tuple(
        _statement(text, start + begin, start + end)
        for start, end in sentence_spans(text)
        for begin, end in clauses(text[start:end])
    )


def topics_of(text: str) -> frozenset[str]:
    """Return the single-valued topics in a memory."""
    return frozenset(topic for statement in statements(text) for topic in (*statement.topics, *statement.left))


def marks_of(topics: Iterable[str]) -> frozenset[str]:
    """Return the search keys for memories about these topics."""
    return frozenset(f"{NEGATED}{topic}" for topic in topics)


def settled_topics(text: str) -> frozenset[str]:
    """Return the search keys of a memory: its topics, and NEGATED if it denies something. Memories that contradict each
    other share a key, or one of them has NEGATED.
    """
    denies = any(statement.denied for statement in statements(text))
    return marks_of(topics_of(text)) | ({NEGATED} if denies else frozenset())


def contradicts(new: MemoryPart, old: MemoryPart) -> bool:
    """Return True if the newer of two statements makes the older one untrue. A statement becomes untrue if the newer
    statement gives a different value for a single-valued topic, unless the older value was only more detailed, or if
    one statement denies what the other says in the same or fewer words. Denying something more specific ("no dog called
    Rex") does not deny the general statement. An older list of several things is kept if only some of them are denied.
    """
    return _leaves_topic(new, old) or (_denies(new, old) and old.listed <= new.said)


def _leaves_topic(new: MemoryPart, old: MemoryPart) -> bool:
    """Return True if a single-valued topic of the old statement has a different value in the new one, or no longer has
    one.
    """
    shared = filter(has_one_value, new.topics.keys() & old.lone)
    if any(not set(words(new.topics[topic])) <= set(words(old.topics[topic])) for topic in shared):
        return True
    return any(set(words(new.left[topic])) <= set(words(old.topics[topic])) for topic in new.left.keys() & old.lone)


def _denies(new: MemoryPart, old: MemoryPart) -> bool:
    """Return True if one statement denies part of the other."""
    if not (new.denied or old.denied) or not new.dead <= old.written:
        return False
    small, large = (new, old) if new.said <= old.said else (old, new)
    if not small.said <= large.said:
        return False
    differing = {word for word in small.said if (word in small.denied) is not (word in large.denied)}
    if not (differing - english_stop_words()):
        return False
    return small.said == large.said or bool(small.denied & differing) or bool(large.said & _listed("either"))


def what_holds(texts: Sequence[str], newer: Iterable[str] = ()) -> list[str]:
    """Return the texts, oldest first, without the statements that a later statement contradicts. The texts in `newer`
    are later than all of these texts; their questions are ignored. Text without a valid statement becomes empty.
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
        left.append(text if len(kept) == len(own) else _joined(text, own, kept))
    return left[::-1]


def is_overturned(texts: Iterable[str], new: str) -> bool:
    """Return True if the new text contradicts something in one of the texts."""
    told = statements(new)
    return any(contradicts(one, old) for text in texts for old in statements(text) for one in told)


class _Later:
    """Indexes later statements by what they may contradict."""

    def __init__(self) -> None:
        self._every: list[MemoryPart] = []
        self._denying: list[MemoryPart] = []
        self._of_topic: dict[str, list[MemoryPart]] = {}

    def add(self, told: Iterable[MemoryPart]) -> None:
        for statement in told:
            self._every.append(statement)
            if statement.denied:
                self._denying.append(statement)
            for topic in {**statement.topics, **statement.left}:
                self._of_topic.setdefault(topic, []).append(statement)

    def contradict(self, old: MemoryPart) -> bool:
        near = [new for topic in old.topics for new in self._of_topic.get(topic, ())]
        rivals = (*near, *(self._every if old.denied else self._denying))
        if any(contradicts(new, old) for new in rivals):
            return True
        parts = [new.said for new in rivals if _denies(new, old)] if old.listed else []
        return bool(parts) and old.listed <= frozenset().union(*parts)


def _joined(text: str, own: Sequence[MemoryPart], kept: Sequence[MemoryPart]) -> str:
    """Join the kept statements verbatim; adjacent statements keep the text between them."""
    runs: list[tuple[int, int]] = []
    goes_on = False
    for statement in own:
        start, end = statement.span
        if statement not in kept:
            goes_on = False
            continue
        runs.append((runs.pop()[0] if goes_on else start, end))
        goes_on = True
    return " ".join(text[slice(*run)].strip() for run in runs)


def _telling(text: str) -> list[MemoryPart]:
    return [one for one in statements(text) if not _asks(text[slice(*one.span)])]


def _asks(sentence: str) -> bool:
    return sentence.rstrip().endswith(tuple(_MARKS)) or _ASKS.match(sentence) is not None


def _statement(text: str, start: int, end: int) -> MemoryPart:
    told = text[start:end]
    plain = folded(told).replace("’", "'")
    plain, dead = _without_the_dead(plain)
    said, denied = _said(plain)
    topics = told_topics(told)
    return MemoryPart(
        span=(start, end),
        topics=topics,
        left=left_topics(told),
        lone=frozenset(topic for topic in topics if not _tells_more(told, topic)),
        said=said,
        denied=denied,
        listed=_of_a_list(plain, said, denied),
        written=frozenset(words(told)),
        dead=dead,
    )


def _tells_more(told: str, topic: str) -> bool:
    """Return True if a statement says more than its topic: "I live in Berlin and have a dog", but not "in Trinidad and
    Tobago".
    """
    return any(topic not in _PROPER or not joint["next"].isupper() for joint in _JOINT.finditer(told))


def _without_the_dead(plain: str) -> tuple[str, frozenset[str]]:
    """Return "I do not have X" for "X died", together with the words of X; other statements are returned unchanged."""
    for pattern, lacks in _DIED:
        if (died := pattern.match(plain)) is not None:
            return f"{lacks} {died['who']}", frozenset(words(died["who"]))
    return plain, frozenset()


def _of_a_list(plain: str, said: frozenset[str], denied: frozenset[str]) -> frozenset[str]:
    """Return the content words in a statement that lists several things; empty if it lists none or denies all."""
    idle = english_stop_words() | _listed("numbers") | _listed("speaker") | _listed("joints") | _listed("either")
    if (meaning := said - idle) <= denied:
        return frozenset()
    parts: list[bool] = [False]
    for word in every_word(plain):
        if word in _listed("joints") or word in _listed("either"):
            parts.append(False)
        elif word not in idle and word not in _listed("tell_nothing") and any(char.isalnum() for char in word):
            parts[-1] = True
    return meaning if sum(parts) > 1 else frozenset()


def _said(plain: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the content words in a statement, and the content words that it denies."""
    for pattern, written in _REWRITTEN:
        plain = pattern.sub(written, plain)
    said: set[str] = set()
    denied: set[str] = set()
    onward = throughout = False
    for word in every_word(plain):
        if word in _listed("either") and word not in _listed("tell_nothing"):
            said.add("or")
        if word in _listed("onward") or word in negation_stems("en"):
            onward = True
        elif word in _listed("throughout") or word in negation_stems("de", "fr", "es"):
            throughout = True
        elif word == "but" or not any(char.isalnum() for char in word):
            onward = onward and word != "but" and word not in ".,;:!"
        elif word not in _idle():
            onward = onward is not (word in _meanings("opposite"))
            meaning = _meanings("opposite").get(word) or _meanings("same").get(word, word)
            said.add(meaning)
            if onward:
                denied.add(meaning)
    if throughout:
        denied = said - denied
    return frozenset(said), frozenset(denied - _listed("speaker"))


@cache
def _idle() -> frozenset[str]:
    return _listed("tell_nothing") | _listed("joints") | _listed("either")


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
