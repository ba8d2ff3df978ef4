"""Finds in a sentence who leaves a role and who takes it: "Ann resigns as chair, Ben takes over". For English text.
Pure.

No parser is used: the rules choose the nearest name on the expected side of the verb.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from investigator.language.late_patterns import late
from investigator.language.lists import month_numbers
from investigator.language.terms import folded, stop_words
from investigator.questions.cues import patterns
from investigator.questions.order import is_past
from investigator.questions.related import roots
from investigator.questions.spans import Moment, TimeSpan, moments

_WORD = r"[A-ZÀ-ÖØ-Þ][\w'’-]+"
_NAME = late(rf"{_WORD}(?: (?:(?:de|von|van|la|di|da) )?{_WORD})*")
_REACH, _NEAR = 60, 8  # maximum numbers of characters between a name and the words about it
_BEFORE = late(r"\bbefore (?=[A-ZÀ-ÖØ-Þ])")
_SUCCESSOR = late(rf"\bbefore (?P<name>{_WORD})")
_PIECE = late(r"(?<=[.;])\s+")
_STOP = late(r"[.;]")
_ROLE = late(
    r"\W*who(?:'s| is| was| are| were| will be| has been| becomes| became)(?: (?:now|currently|still))?"
    r"(?: (?:the|an?|its|their|his|her|our|your|my))? (?P<role>[a-z][\w'’ -]*?)"
    r"(?: (?:of|in|at|for|on|during|from|to|with|between|since|until|before|after|now|today)\b.*)?\W*$",
    re.IGNORECASE,
)


_IS_HOLDER = late(
    rf"\W*[Ii]s (?P<name>{_NAME.pattern}) (?:(?:still|now|currently) )?(?:(?:the|our|your|an?) )?"
    r"(?P<role>[a-z][^?]*?)\W*$"
)


class Succession(NamedTuple):
    """The names of people who leave a role according to a sentence, and of people who take it."""

    leaving: frozenset[str]
    taking: frozenset[str]


@lru_cache(maxsize=2048)
def succession(sentence: str) -> Succession:
    """Return the names of people who leave a role according to a sentence, and of people who take it."""
    taking = {*_before("takes", sentence), *_behind("by_whom", sentence), *_beside("new", sentence)}
    leaving = {
        *_before("leaves", sentence),
        *_before("held", sentence),
        *_behind("from_whom", sentence),
        *_beside("former", sentence),
    }
    return Succession(frozenset(leaving), frozenset(taking - leaving))


def role_asked(question: str) -> str:
    """Return the role whose holder a question asks for, such as "treasurer" in "who is the current treasurer"; ""
    for other questions.
    """
    match = _ROLE.match(question)
    role = match["role"].split()[-1] if match else ""
    return "" if role.endswith("ing") or is_past(role) else role


def holder_named(question: str) -> tuple[str, str]:
    """If a question asks whether somebody holds a role, return that person's name and a question that asks who holds
    the role: "Ann Cole" and "Who is the chair?" for "Is Ann Cole the chair?"; ("", "") for other questions.
    """
    match = _IS_HOLDER.match(question)
    who = f"Who is the {match['role']}?" if match else ""
    return (match["name"], who) if match and role_asked(who) else ("", "")


def asks_holder(question: str) -> bool:
    """Return True if a question asks who holds a role now, or will hold it."""
    return bool(role_asked(question)) and not (asks_before(question) or asks_past(question))


def asks_past(question: str) -> bool:
    """Return True if a question asks about the past."""
    return patterns("present")["past"].search(question) is not None


def asks_before(question: str) -> bool:
    """Return True if a question asks about an earlier state: "the previous chair"."""
    return patterns("present")["before"].search(question) is not None or bool(_BEFORE.search(question))


def names_holder(question: str, sentence: str) -> bool:
    """Return True unless a sentence names only people who leave the role that a question asks for. Those people can be
    the answer if the question asks for an earlier holder, or about a time before they left.
    """
    found = succession(sentence)
    if asks_before(question):
        successor = _SUCCESSOR.search(question)
        pieces = [piece for piece in _PIECE.split(sentence) if not successor or successor["name"] in piece]
        return any(succession(piece).leaving for piece in pieces)
    others = {name for name in people(sentence) if not roots(name) <= roots(question)}
    if not asks_holder(question) or not found.leaving or not others <= found.leaving:
        return True
    return any(held_at(sentence, asked) for asked in moments(question))


def held_at(sentence: str, asked: Moment) -> bool:
    """Return True if a sentence says that somebody leaves a role after the given moment."""
    named = moments(sentence) if succession(sentence).leaving else ()
    return bool(named) and TimeSpan("", last=named[-1]).holds(asked) is True


@lru_cache(maxsize=2048)
def people(text: str) -> frozenset[str]:
    """Return the names in the text, without words that only begin a sentence or name a month."""
    return frozenset(match.group() for match in _names(text))


def _names(text: str) -> Iterator[re.Match[str]]:
    for match in _NAME.finditer(text):
        first = match.group().split()[0]
        is_first = not text[: match.start()].strip(" -*>|#")
        is_common = " " not in match.group() and (is_first or folded(first) in month_numbers())
        if not is_common and folded(first) not in stop_words():
            yield match


def _before(name: str, sentence: str) -> Iterator[str]:
    for cue in patterns("succession")[name].finditer(sentence):
        found = [match for match in _names(sentence) if match.end() <= cue.start()]
        if found and cue.start() - found[-1].end() <= _REACH:
            yield found[-1].group()


def _behind(name: str, sentence: str) -> Iterator[str]:
    for cue in patterns("succession")[name].finditer(sentence):
        found = next((match for match in _names(sentence) if match.start() >= cue.end()), None)
        if found and found.start() - cue.end() <= _REACH // 4:
            yield found.group()


def _beside(name: str, sentence: str) -> Iterator[str]:
    """Yield the name after a word that describes a person, or else the name before it: "Ann, the former chair"."""
    for cue in patterns("succession")[name].finditer(sentence):
        stop = _STOP.search(sentence, cue.end())
        end = min(cue.end() + _REACH, stop.start() if stop else len(sentence))
        behind = [match.group() for match in _names(sentence) if cue.end() <= match.start() < end]
        before = [match.group() for match in _names(sentence) if 0 <= cue.start() - match.end() <= _NEAR]
        yield from (behind or before[-1:])[:1]
