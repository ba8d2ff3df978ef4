"""Splits an English sentence into separate statements: clauses with their subjects, and things with the bracketed text
that follows them. No parser is used: a statement is recognised by auxiliaries, past forms, colons and brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from investigator.language.terms import BRACKETS, folded, stop_words, words
from investigator.questions.cues import cues
from investigator.questions.order import is_past

_JOINT = re.compile(r"(;|,(?:\s+(?:and|but|or|yet|while|whereas)\b)?|\b(?:and|but|while|whereas)\b)(?=\s)")
_ASIDE = re.compile(
    r"\s*(?:as|if|when|where|because|since|although|though|unless|until|after|before|which|who|whose)\b"
)
_NOT_THIS = re.compile(r"\b(?:instead of|rather than|in place of)\b[^,;:.()]*", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*|:(?=\s)|\(")
_MARKS = ":("
_OF_NAME = re.compile(r"\b(?:of|from|at|in|for|near)\s+(?:the\s+)?[A-Z][\w'’&.-]*(?:\s+[A-Z0-9][\w'’&.-]*)*")


@lru_cache(maxsize=512)
def assertions(sentence: str) -> tuple[str, ...]:
    """Return the clauses of a sentence without any bracketed text and, if that makes a difference, also with it.

    A clause that shares the subject of the previous clause begins with that subject: "the kitchen reopened in April"
    for "the kitchen was closed in March and reopened in April". A thing in a list keeps only the text in its own
    brackets.
    """
    said = _NOT_THIS.sub(" ", sentence)
    return tuple(dict.fromkeys((*_clauses(BRACKETS.sub(" ", said)), *_clauses(said))))


def _clauses(text: str) -> Iterator[str]:
    first, *others = _JOINT.split(text)
    current, thing = first, ""
    for joint, piece in zip(others[::2], others[1::2], strict=True):
        own, at = _TOKEN.findall(current), _verb_at(piece)
        is_shared = joint != ";" and _is_shared(_TOKEN.findall(piece)[:at])
        if joint != ";" and (at is None or _verb_at(current) is None):
            current += joint + piece
            thing = piece if at is None else ""  # as in "and the hall, which was closed, was sold in June"
        elif joint.startswith(",") and _ASIDE.match(piece):
            yield piece
        elif is_shared and not thing and _is_verb(own, len(own) - 1):  # as in "the hall was cleaned and painted in May"
            current += joint + piece
        else:
            yield current
            subject = thing if thing and joint == "," else _subject(current)
            current, thing = f"{subject} {piece}" if is_shared else piece, ""
    yield current


def _is_shared(before: Sequence[str]) -> bool:
    """Return True if the words before a verb contain no subject of their own."""
    return all(word not in _MARKS and (folded(word) in stop_words() or word.endswith("ly")) for word in before)


def _subject(text: str) -> str:
    at = _verb_at(text) or 0
    return text[: list(_TOKEN.finditer(text))[at].start()]


def _verb_at(text: str) -> int | None:
    """Return the position of the first token that marks a statement: a verb, a colon or a bracket."""
    tokens = _TOKEN.findall(text)
    return next((at for at, token in enumerate(tokens) if token in _MARKS or _is_verb(tokens, at)), None)


def _is_verb(tokens: Sequence[str], at: int) -> bool:
    word, order = tokens[at], cues("order")
    if folded("".join(tokens[at - 1 : at])) in order["determiners"].split():
        return False  # as in "the agreed fees"
    if word in order["auxiliaries"].split() or is_past(word):
        return True
    follows = folded("".join(tokens[at + 1 : at + 2]))
    return word.islower() and word.endswith("s") and follows in ("the", "a", "an")  # as in "owns the hall"


def is_of_other_name(first: str, second: str, text: str) -> bool:
    """Return True if exactly one of two words is a name, and the other word is nearer to a different name.

    In "Ann Cole (chair), Ben Dow (treasurer)", Ann Cole is not the treasurer.
    """
    one, other = (
        next((m for m in _TOKEN.finditer(text) if word in words(m.group())), None) for word in (first, second)
    )
    if one is None or other is None or one.group()[0].isupper() == other.group()[0].isupper():
        return False
    between = _TOKEN.findall(_OF_NAME.sub(" ", text[one.end() : other.start()]))
    names = [at for at, token in enumerate(between) if token[0].isupper()]
    return bool(names) and not any(_is_verb(between, at) for at in range(names[-1] + 1, len(between)))
