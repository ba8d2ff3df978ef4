"""Resolves a pronoun at the beginning of a sentence if the previous sentence names only one thing that it can refer to.

Anything that the previous sentence names is a candidate if it agrees in number and, for "he" and "she", may be a
person. If there are two candidates, neither is chosen, because no rule could decide between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from investigator.evidence.alignment import is_subject, without_connective
from investigator.evidence.statements import StatedKind, StatedSentence, StatedWord, Words
from investigator.language.claim_words import joints, slot_words

_LONGEST_NAME = 6
"""Maximum number of words in a subject."""
_BEGINNING = 80
"""Number of characters from the start of a sentence within which an expletive "it" is recognised."""
_LATEST = 6
"""Number of words from the start of a sentence within which a pronoun is considered."""
_SINGULAR, _PLURAL = frozenset({"is", "was", "has", "does"}), frozenset({"are", "were", "have", "do"})
_PERSONS = frozenset({"he", "she", "his", "her"})
_SEVERAL = frozenset({"they", "their"})
_OWNERS = {"its": "it", "his": "he", "her": "she", "their": "they"}
_SAYS_NOTHING_OF_IT = re.compile(
    r"\bit (?:is|was|has been|had been|would be|may be) (?:\w+ ){1,4}that\b|it (?:rains|rained|snows|snowed)"
)
"""Sentences with an expletive "it", such as "It is false that the plant is safe"."""


@dataclass(frozen=True)
class _Candidate:
    """Something that a pronoun may refer to; `words` contains the words of a subject, and is empty for anything
    else.
    """

    words: Words
    is_plural: bool | None
    is_person: bool

    def agrees(self, pronoun: str) -> bool:
        """Return True unless the pronoun differs from this candidate in number or in kind (person or thing)."""
        if pronoun in _PERSONS and not self.is_person:
            return False
        return self.is_plural is None or self.is_plural == (pronoun in _SEVERAL)


def resolved(sentences: Sequence[StatedSentence]) -> Iterator[StatedSentence]:
    """Yield the sentences in a passage in order; each sentence with a pronoun is followed by a version in which a name
    replaces the pronoun.
    """
    before: StatedSentence | None = None
    for sentence in sentences:
        yield sentence
        readings = list(_named(sentence, before.words)) if before is not None and sentence.is_english else []
        yield from readings
        before = readings[0] if readings else sentence


def hangs_on_pronoun(sentence: StatedSentence) -> bool:
    """Return True if the subject of a sentence is a pronoun that only another sentence can explain."""
    return (
        sentence.is_english
        and _place(sentence.words) is not None
        and not _SAYS_NOTHING_OF_IT.search(sentence.text.lower()[:_BEGINNING])
    )


def says_what_it_means(sentences: Sequence[StatedSentence]) -> bool:
    """Return True if the pronoun in the last sentence can refer to only one thing in the sentences before it."""
    *_, last = resolved(sentences)
    return last is not sentences[-1]


def _named(sentence: StatedSentence, before: Words) -> Iterator[StatedSentence]:
    """Yield a sentence with a name in place of its first pronoun, then with names in place of all unambiguous
    pronouns.
    """
    words, place = sentence.words, _place(sentence.words)
    if place is None:
        return
    pronoun = words[place].text
    found = [one for one in _candidates(before) if one.agrees(pronoun)]
    if len(found) != 1 or not found[0].words:
        return
    yield StatedSentence(sentence.text, tuple(_with_name(words, found[0].words, {place})))
    family = {_OWNERS.get(pronoun, pronoun)}
    places = {at for at, word in enumerate(words) if _OWNERS.get(word.text, word.text) in family}
    if len(places) > 1 and not any(one.agrees(pronoun) for one in _told(words[place + 1 : max(places)])):
        yield StatedSentence(sentence.text, tuple(_with_name(words, found[0].words, places)))


def _place(words: Words) -> int | None:
    """Return the position of the pronoun at the beginning of a sentence; it may follow only figures and function
    words.
    """
    for at, word in enumerate(words[:_LATEST]):
        if word.text in joints("pronouns") or word.text in _OWNERS:
            return at if at == 0 or words[at - 1].text not in _points_on() else None
        small = word.is_function or word.kind is not StatedKind.WORD or (at == 0 and word.text.endswith("ed"))
        if not small or word.is_article:
            return None
    return None


@cache
def _points_on() -> frozenset[str]:
    """Return the words after which a pronoun may refer to a later word: "Before it was sold, the mill ..."."""
    return joints("prepositions") | joints("concessions") | slot_words("condition") | {"because", "that", "so"}


def _with_name(words: Words, name: Words, places: set[int]) -> Iterator[StatedWord]:
    for at, word in enumerate(words):
        if at not in places:
            yield word
            continue
        yield replace(name[0], before=word.before)
        yield from name[1:]
        if word.text in _OWNERS:
            yield StatedWord("'s", frozenset({"'s"}))


def _candidates(before: Words) -> list[_Candidate]:
    """Return the things that a sentence names, the subject first; if the sentence defines the subject, only the
    subject.
    """
    words = without_connective(before)
    start = _after_figures(words)
    end = next((k for k in range(start + 1, len(words)) if words[k].breaks or _is_verb(words[k])), 0)
    verb = next((k for k in range(end, len(words)) if _is_verb(words[k]) and (k == end or words[k].breaks)), 0)
    subject = words[start:end]
    if not verb or not subject or len(subject) > _LONGEST_NAME or not is_subject(subject):
        return []
    return [_subject(subject, words[verb].text), *([] if _defines(words[verb : verb + 2]) else _told(words[end:]))]


def _subject(words: Words, verb: str) -> _Candidate:
    """Return a subject as a candidate; the candidate has no words if the subject is a pronoun."""
    if any(word.text in joints("pronouns") for word in words):
        return _Candidate((), None, is_person=True)
    is_person = any(word.is_name for word in words) or not (words[0].is_article or words[0].is_function)
    return _Candidate(words, _number(words, verb), is_person)


def _defines(words: Words) -> bool:
    """Return True if words begin a definition: "is a", "was one of"."""
    return len(words) > 1 and words[0].text in joints("be") and (words[1].is_article or words[1].text == "one")


def _after_figures(words: Words) -> int:
    """Return the position of the first word after an introductory time such as "In 1999, " or "By 1999 "; 0 if there is
    none.
    """
    for at, word in enumerate(words[:_LATEST]):
        if at and ("," in word.before or words[at - 1].kind is not StatedKind.WORD):
            return at
        if not (word.is_function or word.kind is not StatedKind.WORD) or word.is_article:
            return 0
    return 0


def _is_verb(word: StatedWord) -> bool:
    verbs = joints("verbs") | slot_words("modality") | {"not"}
    return word.text in verbs or (word.text.endswith("ed") and not word.is_name)


def _told(words: Words) -> Iterator[_Candidate]:
    """Yield the things named after the subject: names, nouns with an article, and apparent plurals."""
    for at, word in enumerate(words):
        last = words[at - 1] if at else None
        if word.is_name and (last is None or not last.is_name or word.breaks):
            yield _Candidate((), None, is_person=last is None or last.text != "in")
        elif word.is_article or word.text in joints("determiners"):
            yield _Candidate((), _number_of_noun(words[at:]), is_person=True)
        elif _looks_plural(word):
            yield _Candidate((), is_plural=True, is_person=True)


def _number(subject: Words, verb: str) -> bool | None:
    if any(word.text in ("and", "&") for word in subject):
        return True
    if verb in _PLURAL | _SINGULAR:
        return verb in _PLURAL
    head = next((subject[k - 1] for k in range(1, len(subject)) if subject[k].text == "of"), subject[-1])
    is_name = head.is_name or (head is subject[0])
    return None if is_name else _looks_plural(head)


def _number_of_noun(words: Words) -> bool | None:
    """Return True if the last word of a noun phrase that begins with an article is plural; None if it is unclear."""
    if words[0].text in ("a", "an"):
        return False
    end = next((k for k in range(1, len(words)) if words[k].is_function or words[k].breaks), len(words))
    return _looks_plural(words[end - 1]) if end > 1 else None


def _looks_plural(word: StatedWord) -> bool:
    ends = word.text.endswith("s") and not word.text.endswith(("ss", "us", "is", "'s"))
    return word.kind is StatedKind.WORD and not word.is_function and not word.is_name and ends
