"""Finds the noun that a question asks for with "which" or "what", or the group in "who is on the committee", and
statements that leave them open. Pure. For English text.
"""

from __future__ import annotations

import re
from functools import lru_cache

from investigator.language.late_patterns import late
from investigator.language.terms import folded, stop_words
from investigator.questions.answer_types import AnswerType, required_type
from investigator.questions.cues import cue_roots, cue_words, only_asks
from investigator.questions.order import is_past
from investigator.questions.related import is_verb, root, roots, stands

_ASKED = late(r"\b(?:which|what)\b", re.IGNORECASE)
_WHICH = late(r"\W*which ([^\W\d_]+s)\b", re.IGNORECASE)
_ALL_BEFORE = late(r"\b(?:the|these|those|all|other|our|your|their|its) $", re.IGNORECASE)
_SOME_BEHIND = late(r" (?:\(|\d|[A-ZÀ-ÖØ-Þ]|(?:that|which|who|with|without|in|on|at|near|by|of|for|under|called)\b)")
_TOKEN = re.compile(r"[^\W_][\w'’/-]*|[,;:?!.]")
_WORD = re.compile(r"[^\W\d_]+")
_WHO_IS_ON = late(
    r"\W*who(?:['’]s| is| are| was| were)(?: all| also| currently| now)? (on|in|at|with|behind) "
    r"(?:the|our|your|its|their) "
    r"(?:[\w-]+ ){0,3}?([\w-]+)\W*$",
    re.IGNORECASE,
)
_LONGEST = 4  # maximum number of words in "which ground floor meeting room"


@lru_cache(maxsize=512)
def asked_noun(question: str) -> str:
    """Return the noun of a question such as "which studio was it recorded in" or "what kind of camera do they use"; ""
    if it only asks in general.
    """
    found = _ASKED.search(question)
    run: list[str] = []
    for token in map(folded, _TOKEN.findall(question[found.end() :])) if found else ():
        if token == "of" and (not run or run[-1] in cue_words("asked_nouns", "kinds")):
            run = []
        elif run and (token in cue_words("order", "auxiliaries") or is_past(token)):
            break
        elif not run and token in cue_words("order", "determiners"):
            continue
        elif token in stop_words() or not token[0].isalpha() or len(run) == _LONGEST:
            run = run[: next((at for at, word in enumerate(run) if at and is_verb(word)), len(run))]
            break
        else:
            run.append(token)
    return run[-1] if len(run) > 1 or (run and not only_asks(run[-1])) else ""  # a pool cover is a thing


def lacks_asked_noun(question: str, sentence: str) -> bool:
    """Return True if a sentence does not contain the noun that a question asks for, such as "studio". Kinds whose
    members are called by their names alone, such as a song or a firm, need not be mentioned.
    """
    noun = asked_noun(question)
    if not noun or required_type(question) is not AnswerType.ANY:
        return False
    known = cue_roots("asked_nouns", "named") | cue_roots("asked_nouns", "measured")
    return root(noun) not in known and not stands(noun, roots(sentence))


def lacks_member(question: str, sentence: str) -> bool:
    """Return True if a question asks who is on or in something, such as a committee, but a sentence says neither that
    somebody is on it nor who its members are: "the committee chose Hallam Roofing".
    """
    asked = _WHO_IS_ON.match(question)
    if asked is None or not roots(sentence).isdisjoint(cue_roots("asked_nouns", "members")):
        return False
    among = re.compile(rf"\b{asked[1]} (?:the|our|your|its|their|this) (?:[\w-]+ ){{0,3}}?([\w-]+)", re.IGNORECASE)
    return all(root(folded(found[1])) != root(folded(asked[2])) for found in among.finditer(sentence))


def leaves_which_open(question: str, text: str) -> bool:
    """Return True if a question asks which ones of several things, but a text only mentions them all: "the pods"."""
    asked = _WHICH.match(question)
    thing = root(folded(asked[1])) if asked else ""
    spans = [match.span() for match in _WORD.finditer(text) if thing and root(folded(match.group())) == thing]
    return bool(spans) and all(
        _ALL_BEFORE.search(text[:start]) and not _SOME_BEHIND.match(text[end:]) for start, end in spans
    )
