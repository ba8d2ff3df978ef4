"""Matches counted things: patients count as people, but women only in a text about them."""

from __future__ import annotations

import re
from functools import cache

from investigator.language.terms import words
from investigator.questions.cues import cues, patterns
from investigator.questions.measured import given_in, is_unit
from investigator.questions.related import related_roots, root, roots
from investigator.records import MatchState

_REACH_AFTER, _REACH_BEFORE = 3, 5  # words
_ITEM = re.compile(r"\W*\d{1,3}[.)](?=\s)")
"""The number of a list item, which does not count anything."""


def counted_state(things: str, sentence: str, about: str) -> tuple[MatchState, str]:
    """Match a number a few words before the counted thing, or before people who may be the same; return the words. Such
    people are "people", and those that the document is about: participants of a trial in women.
    """
    if is_unit(things) and (given := given_in(things, sentence)):
        return MatchState.MET, given[0]
    wanted = [{root(word)} | related_roots(word) for word in words(things)]
    wanted = [same | _who_may_be(same, sentence, about) for same in wanted]
    further = set(cues("empty")["further"].split()) - set(words(things))
    item = _ITEM.match(sentence)
    for match in patterns("shown")["count"].finditer(sentence, item.end() if item else 0):
        following = sentence[match.end() :].split()[: _REACH_AFTER + len(wanted) - 1]
        if not set(words(" ".join(following[:1]))).isdisjoint(further):
            continue
        said = roots(" ".join(following))
        before = roots(" ".join(sentence[: match.start()].split()[-_REACH_BEFORE:]))
        if all(same & said or (same & _people() and "popul" in before) for same in wanted):
            return MatchState.MET, " ".join((match.group(), *following))
    return MatchState.NOT_MET, ""


def _who_may_be(same: set[str], sentence: str, about: str) -> frozenset[str]:
    """Return the roots of words for people that may refer to the counted people."""
    every = roots(cues("empty")["counted_people"])
    if same & _people():
        return every
    is_of_them = not same.isdisjoint(roots(about)) and same.isdisjoint(roots(sentence))
    return _people() if same & every and is_of_them else frozenset()


@cache
def _people() -> frozenset[str]:
    return roots(cues("empty")["people"])
