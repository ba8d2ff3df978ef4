"""Compares the prepositions before a thing in a question and a sentence, such as "after tax" or "against the bypass".

"Before" and "after" give the same words opposite meanings. For English text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from investigator.language.terms import folded, stop_words, words
from investigator.questions.cues import cue_words, cues
from investigator.questions.periods import without_periods
from investigator.questions.related import root, roots
from investigator.records import MatchState

_REACH = 4  # maximum number of words from a preposition to the last word of its object
_LONGEST = 3  # maximum number of words in an object
_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*|[,;:.!?()]")


class Bound(NamedTuple):
    """A preposition in a question and its object. `side` is the preposition's side in a pair of opposites; `thing` is
    the object, as folded words.
    """

    side: str
    thing: tuple[str, ...]


@lru_cache(maxsize=512)
def bounds(question: str) -> tuple[Bound, ...]:
    """Return the prepositions in a question that have an opposite, with their objects."""
    tokens = [folded(token) for token in _TOKEN.findall(without_periods(question))]
    found = []
    for at, token in enumerate(tokens):
        side = _sides().get(token)
        if side is None:
            continue
        thing: list[str] = []
        for word in tokens[at + 1 : at + 1 + _REACH]:
            if word in stop_words() or not word[0].isalnum():
                if thing:
                    break
                if word not in cue_words("order", "determiners"):
                    break
                continue
            thing.append(word)
        if thing and not thing[0][0].isdigit():
            found.append(Bound(side, tuple(thing[:_LONGEST])))
    return tuple(found)


def bound_state(asked: str, question: str, sentence: str, near: str) -> tuple[MatchState, str] | None:
    """Match evidence against the question's prepositions; return None if the prepositions make no difference.

    "after tax" is contradicted by "before tax" and not met by "tax" alone, but "for the bypass" is contradicted only by
    "against the bypass".
    """
    said = set(words(asked))
    for one in bounds(question):
        if said.isdisjoint(one.thing) or _stands(one, question)[1]:  # the question itself may ask about both sides
            continue
        own, other = _stands(one, sentence)
        if other and not own:
            return MatchState.CONTRADICTED, other
        if own or one.side not in cue_words("bounds", "marked"):
            continue
        if root(one.thing[-1]) in roots(sentence) or not _stands(one, near)[0]:
            return MatchState.NOT_MET, ""
    return None


def _stands(one: Bound, text: str) -> tuple[str, str]:
    """Return two phrases from the text that contain the object: one with a preposition on the same side, and one with
    an opposite preposition; each is "" if not found.
    """
    tokens = [folded(token) for token in _TOKEN.findall(text)]
    against, last = cues("bounds")[one.side].split(" | ")[1].split(), root(one.thing[-1])
    own = other = ""
    for at, token in enumerate(tokens):
        if root(token) != last:
            continue
        for back in range(at - 1, max(-1, at - 1 - _REACH - len(one.thing)), -1):
            if not tokens[back][0].isalnum():
                break
            side = _sides().get(tokens[back])
            if side is not None and (side == one.side or side in against):
                phrase = " ".join(tokens[back : at + 1])
                own, other = (phrase, other) if side == one.side else (own, phrase)
                break
    return own, other


@cache
def _sides() -> Mapping[str, str]:
    """Map each preposition to its side."""
    listed = ((name, text.split(" | ")[0].split()) for name, text in cues("bounds").items() if name != "marked")
    return {word: name for name, prepositions in listed for word in prepositions}
