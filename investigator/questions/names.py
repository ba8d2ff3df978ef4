"""Compares the names in a question with those in a sentence, and finds other names in their place. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from investigator.language.late_patterns import late
from investigator.language.terms import COMPOUND, POSSESSIVE, folded, stop_words, words
from investigator.questions.answer_types import AnswerType, spans
from investigator.questions.cues import cue_roots, cue_words
from investigator.questions.related import related_roots, root, roots

_WORD = r"[A-ZÀ-ÖØ-Þ][\w'’-]*"
_NAME = late(rf"{_WORD}(?:\s+(?:(?:of|de|von|van|la|di|da)\s+)?{_WORD})*")
_FEWEST, _BETWEEN = 2, 2  # minimum number of words in a name, and maximum number of words between them
_MARKED = late(r"(?:.*?[\s-])?(\S*[^\W\d_])[\s-](\d{1,3}|[A-Z])")
_OF = late(r"\b([a-z][\w-]+) of (?:the |an? |its |their )?([a-z][\w-]+)\b(?! of\b)")
_WHO_IS = late(
    r"\W*who(?:'s| is| was| are| were) (?:the|an?|its|their|his|her|our|your|my) ([a-z][\w'’ -]*?)"
    r"(?: (?:of|in|at|for|on|during|from|behind|to|with|between)\b.*)?\W*$",
    re.IGNORECASE,
)
_JOINS = late(
    r"^\W*$|[:,(=–—]|\b(?:is|was|are|were|be|been|being|as|bec(?:a|o)me|named|called|elected|appointed|acts?|acted|serv\w+)\b"
)
"""Matches text that is allowed between a name and its description."""
_ON_BEHALF = late(r"\bfor (?:the )?$", re.IGNORECASE)
# word endings that denote a country's people; minimum number of letters in a word that may take one
_PEOPLE_ENDS, _LONG_NAME = ("n", "an", "i", "es", "ish"), 5


def as_people(word: str, present: frozenset[str]) -> bool:
    """Return True if the roots contain a country or its people: "South Africans" for "South Africa"."""
    own = root(word)
    short = [own.removesuffix(end) for end in _PEOPLE_ENDS if own.endswith(end)]
    forms = {f"{one}{end}" for one in (own, *short) for end in ("", *_PEOPLE_ENDS)} if len(own) >= _LONG_NAME else set()
    return not forms.isdisjoint(present)


def lacks_number(name: str, *texts: str) -> bool:
    """Return True if a name ends with a number or letter and the texts do not contain it with that mark: "SOLENA"
    alone is not "SOLENA-2".
    """
    mark = _MARKED.fullmatch(name)
    if mark is None:
        return False
    whole = re.compile(rf"(?<!\w){re.escape(mark[1])}[\s-]?{mark[2]}(?!\w)", re.IGNORECASE)
    return not any(whole.search(text) for text in texts)


def gives_name(question: str, sentence: str) -> bool:
    """Return True if a sentence has a name that consists of more than titles, weekdays and words from the question."""
    known = roots(question) | cue_roots("empty", "titles") | cue_roots("empty", "weekdays")
    return any(not roots(name) <= known for name in spans(AnswerType.NAME, sentence, question))


def other_name(name: str, question: str, sentence: str) -> str:
    """Return the name that a sentence has in place of the requested name; "" if it has no such name.

    Such a name shares one word with the requested name and differs in another ("Anna Keller" for "Anna Kellner"), or is
    found next to the same words ("the merger with Brandt" for "the merger with Nordlicht").
    """
    own = _content(name)
    if not own or _stands_whole(own, sentence):
        return ""
    return _like(own, sentence) or _in_its_place(name, own, question, sentence)


def _content(name: str) -> list[str]:
    return [root(word) for word in words(name) if word not in stop_words() and len(word) > 1]


def _stands_whole(own: Sequence[str], text: str) -> bool:
    """Return True if the words of a name are close together in the text, with at most two other words between them."""
    said = [root(word) for word in words(text)]
    reach = len(own) + _BETWEEN
    return any(set(own) <= set(said[at : at + reach]) for at, word in enumerate(said) if word in own)


def _like(own: Sequence[str], sentence: str) -> str:
    mine = frozenset(own) - cue_roots("empty", "titles")
    if len(mine) < _FEWEST:
        return ""
    others = []
    for found in _names(sentence):
        said = frozenset(_content(found)) - cue_roots("empty", "titles")
        shared = {word for word in said if word in mine or as_people(word, mine)}
        if said and shared == said:
            return ""  # the name, or its short form
        if shared and len(said) == len(mine):
            others.append(found)
    return next(iter(others), "")


def _names(sentence: str) -> Iterator[str]:
    for match in _NAME.finditer(sentence):
        parts = match.group().split()
        if match.start() == 0 and folded(parts[0]) in stop_words():
            parts = parts[1:]
        if parts:
            yield POSSESSIVE.sub("", " ".join(parts))


def described(question: str) -> str:
    """Return the word that describes the requested person, such as "landlord" in "who is the landlord"; "" for other
    questions.
    """
    match = _WHO_IS.match(question)
    return match[1].split()[-1] if match else ""


def is_named(description: str, sentence: str, question: str) -> bool:
    """Return True if a sentence names the person to whom a description applies: "Landlord: Harriet Osei", "Ada Moss,
    the chair". A sentence about what the landlord does is not enough, and neither is a name from the question.
    """
    own = root(folded(description))
    same = {own} | related_roots(folded(description))
    places = [match for match in COMPOUND.finditer(sentence) if root(folded(match.group())) in same]
    places = [place for place in places if not _ON_BEHALF.search(sentence, 0, place.start())]
    for name in _NAME.finditer(sentence):
        said = [word for word in words(name.group()) if word not in stop_words()]
        if all(root(word) in same for word in said) or set(said) <= set(words(question)):
            continue
        for place in places:
            first, second = sorted((name, place), key=lambda match: match.start())
            between = sentence[first.end() : second.start()]
            left = [word for word in words(between) if word not in stop_words()]
            if first.end() > second.start() or (len(left) <= _BETWEEN + 1 and _JOINS.search(between)):
                return True
    return False


def other_thing(question: str, sentence: str) -> str:
    """Return the phrase in a sentence that names another thing: "the price of a valve" for "the price of a washer"; ""
    if no such phrase is found, or if the sentence also names the requested thing.
    """
    said = roots(sentence)
    for head, thing in _OF.findall(question):
        if root(folded(thing)) in said or folded(head) in stop_words() or folded(thing) in stop_words():
            continue
        for match in _OF.finditer(sentence):
            is_same = root(folded(match[1])) == root(folded(head))
            if is_same and folded(match[2]) not in stop_words() and related_roots(folded(thing)).isdisjoint(said):
                return match.group()
    return ""


def _in_its_place(name: str, own: Sequence[str], question: str, sentence: str) -> str:
    if set(own) & roots(sentence):
        return ""
    place = re.search(rf"\b([a-z][\w-]+)\s+([a-z]+)\s+(?:the\s+)?{re.escape(name)}", question)
    if place is None or place[2] not in cue_words("order", "before_nouns") or place[1] in stop_words():
        return ""
    noun = re.escape(place[1].rstrip("s"))
    other = re.search(rf"\b{noun}s?\s+{place[2]}\s+(?:the\s+)?({_NAME.pattern})", sentence)
    return other[1] if other else ""
