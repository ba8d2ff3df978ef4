"""Finds the items that a sentence lists for a question: "The kit contains a rope, two lamps and a map". Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from investigator.evidence.listed_items import ASKS_FOR_THINGS, asked_words
from investigator.language.late_patterns import late
from investigator.language.negation import negates
from investigator.language.normalise import one_line
from investigator.questions.cues import cues
from investigator.questions.matching import stands
from investigator.questions.related import is_irregular, root, roots

_IS = late(r"^\W*(?:what|who|which(?: \w+)?) (?:is|are|was|were)\b", re.IGNORECASE)
_INSIDE = late(r"^\W*what (?:is|are|was|were) (?:in|inside)\b", re.IGNORECASE)
_PRONOUN = late(r"\W*(?:it|they|these|this)\b", re.IGNORECASE)
_COPULA = late(r"\b(?:are|were|is|was)\b", re.IGNORECASE)
_WORD = late(r"[^\W_]+")
_FILLER = late(r"^(?:\s|:|\b(?:are|is|were|was|of|the following|as follows|both)\b)+", re.IGNORECASE)
_BRACKETS = late(r"\([^()]*\)")
_COMMA = late(r"[,;]\s+(?:(?:and|or|und|oder)\b)?\s*")
_LAST = late(r"\s(?:and|or|und|oder|&)\s(?!.*\s(?:and|or|und|oder|&)\s)")
_CLAUSE = late(
    r"^(?:which|who|whose|that|because|if|when|where|but|while|as|since|so|then|it|he|she|they|we|to|not|there)\b"
    r"|\b(?:is|are|was|were|has|have|had|will)\b",
    re.IGNORECASE,
)
_LONGEST_ITEM, _FEWEST, _INTRODUCED = 8, 3, 2  # words; items


def enumerated(question: str, sentence: str, before: str = "") -> tuple[str, ...]:
    """Return all items of the list that a sentence gives for a question; () if it gives none.

    The words around the list contain everything that the question asks, and a negation only if the question has one. A
    pronoun refers to the text `before` the sentence.
    """
    asked = asked_words(question)
    if not asked or not ASKS_FOR_THINGS.match(question):
        return ()
    inside = [word for word in asked if root(word) in _containing()]
    needs = [word for word in asked if word not in inside]
    plain = one_line(sentence).rstrip(" .!?")
    for introduction, listed, least in _divisions(question, plain, needs):
        said = roots(introduction) | (roots(before) if _PRONOUN.match(introduction) else frozenset())
        if not all(stands(word, said) for word in needs) or negates(introduction) != negates(question):
            continue
        if (inside or _INSIDE.match(question)) and said.isdisjoint(_containing()):
            continue
        items = _items(listed)
        if len(items) >= least:
            return items
    return ()


def _divisions(question: str, sentence: str, needs: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    """Yield the ways to split a sentence into its list and the words around it, with the fewest items of such a
    list.
    """
    label, colon, listed = sentence.partition(":")
    if colon:
        yield label, listed, _INTRODUCED
        return
    is_done = not _IS.match(question) or any(word.endswith("ed") or is_irregular(word) for word in needs)
    first = _COMMA.search(sentence) or _LAST.search(sentence)
    for word in _WORD.finditer(sentence, 0, first.start() if first else 0):
        is_containing = root(word.group().casefold()) in _containing()
        if is_containing or (is_done and any(stands(own, roots(word.group())) for own in needs)):
            yield sentence[: word.end()], sentence[word.end() :], _INTRODUCED if is_containing else _FEWEST
        elif _COPULA.fullmatch(word.group()):
            yield sentence[: word.start()], sentence[word.end() :], _FEWEST
            break
    if copula := _COPULA.search(sentence, first.end() if first else len(sentence)):
        yield sentence[copula.start() :], sentence[: copula.start()], _FEWEST


def _items(listed: str) -> tuple[str, ...]:
    """Return the items of a list; () if one of them is a clause or a bare figure."""
    hidden = _BRACKETS.sub(lambda found: "x" * len(found.group()), listed)
    ends = [(found.start(), found.end()) for found in _COMMA.finditer(hidden)]
    if last := _LAST.search(hidden, ends[-1][1] if ends else 0):
        ends.append((last.start(), last.end()))
    starts = [0, *(end for _, end in ends)]
    pieces = [listed[start:end] for start, (end, _) in zip(starts, [*ends, (len(listed), 0)], strict=True)]
    items = tuple(_FILLER.sub("", piece).strip() for piece in pieces)
    return items if all(map(_is_thing, items)) else ()


def _is_thing(item: str) -> bool:
    plain = _BRACKETS.sub(" ", item)
    is_word = any(word.isalpha() and len(word) > 1 for word in _WORD.findall(plain))
    return is_word and len(plain.split()) <= _LONGEST_ITEM and not _CLAUSE.search(plain)


@cache
def _containing() -> frozenset[str]:
    return frozenset(map(root, cues("lists")["contains"].split()))
