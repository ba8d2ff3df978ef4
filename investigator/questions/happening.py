"""Finds sentences that say that an event has not happened: it is postponed, cancelled, planned, denied or only
required. For English text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import lru_cache

from investigator.language.terms import COMPOUND, content_words, folded, stop_words, words
from investigator.questions.cues import cue_roots, patterns
from investigator.questions.kinds import ASKS_IF
from investigator.questions.order import is_past, verbs
from investigator.questions.related import phrases, related_roots, root, roots

_BREAK = re.compile(
    r"[;:()]|,|\b(?:because|since|after|before|when|while|although|though|which|who|that|as|if)\b"
    r"|\b(?:and|but)\b(?!\s+(?:has|have|had|is|are|was|were|will|been|then|later|put|postpone|delay|cancel))",
    re.IGNORECASE,
)
_DENIALS = frozenset(["not", "never", "no", "nor", "neither", "cannot"])
_DENIED_WITHIN = 3  # maximum number of words between a denial and the verb
_MISSING = re.compile(
    r"\b(?:(?:do|does|did|has|have|had)(?: not|n['’]t) (?:have|hold|held|own|possess|include|contain|get)"
    r"|(?:has|have|had) no|there (?:is|are|was|were) no)\b(?P<what>[^.;:,]{3,60})",
    re.IGNORECASE,
)
_FIRST = 2  # only this many content words after a denial may name what is missing


def undone(question: str, sentence: str) -> str:
    """Return the words that show that an event presupposed by the question did not happen; "" if none are found.

    Questions that ask whether the event happened, or that themselves contain a denial or delay, are answered by such
    words.
    """
    if ASKS_IF.match(question) or not _DENIALS.isdisjoint(words(question)):
        return ""
    put_off, (matter, doing) = patterns("modality")["put_off"], _asked(question)
    clauses = list(_clauses(sentence))
    said = max((len(matter & roots(clause)) for clause in clauses if not put_off.search(clause)), default=0)
    for clause in clauses:
        if (match := put_off.search(clause)) and len(matter & roots(clause)) > (said if said > 1 else 0):
            return match.group()
        if denied := _denied(clause, doing):
            return denied
    return ""


def says_missing(asked: str, question: str, sentence: str) -> str:
    """Return the words in a sentence that deny what a question presupposes, such as "does not hold a lease"; "" if none
    are found.
    """
    if ASKS_IF.match(question) or not _DENIALS.isdisjoint(words(question)):
        return ""
    wanted = roots(asked)
    for match in _MISSING.finditer(sentence):
        if not wanted.isdisjoint(roots(" ".join(content_words(match["what"])[:_FIRST]))):
            return match.group().strip()
    return ""


def is_only_rule(question: str, sentence: str) -> bool:
    """Return True if a question asks about a past event, but a sentence only says that such an event is usual, due or
    allowed.
    """
    known, matter = patterns("modality"), _asked(question)[0]
    matter |= frozenset().union(*(related_roots(word) for word in words(question) if root(word) in matter))
    if not known["asks_past"].match(question.lstrip()):
        told = [clause for clause in _clauses(sentence) if matter & roots(clause)]
        return bool(told and known["asks_when"].match(question.lstrip())) and all(map(_only_allows, told))
    return not any(_is_told(clause) and matter & roots(clause) for clause in _clauses(sentence))


def _only_allows(clause: str) -> bool:
    """Return True if a clause says what may, must or at least does happen, and not what has happened."""
    known = patterns("modality")
    return known["leave"].search(clause) is not None or (
        known["limit"].search(clause) is not None and not _is_told(clause)
    )


def is_done(question: str, clause: str) -> bool:
    """Return True if a clause says that the event in question has happened: "but took place on 5 May"."""
    own = {root(word) for word in verbs(question)} or roots(" ".join(phrase for phrase, _ in phrases(question)))
    known = patterns("modality")
    is_plan = known["planned"].search(clause) or known["put_off"].search(clause)
    return not is_plan and _DENIALS.isdisjoint(words(clause)) and _is_told(clause) and bool(own & roots(clause))


def _is_told(clause: str) -> bool:
    """Return True if a clause has a verb in the past tense and does not speak of a duty."""
    known = patterns("modality")
    if known["duty"].search(clause):
        return False
    tokens = [folded(token) for token in COMPOUND.findall(clause)]
    return any(
        known["past"].fullmatch(token)
        or (
            (is_past(token) or known["unchanged"].fullmatch(token))
            and not (at and known["no_past_after"].fullmatch(tokens[at - 1]))
        )
        for at, token in enumerate(tokens)
    )


@lru_cache(maxsize=512)
def _asked(question: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the roots of the question's content words, and of its verbs."""
    matter = frozenset(root(word) for word in words(question) if word not in stop_words())
    light = cue_roots("empty")  # verbs that do not name the action, such as "take" and "have"
    return matter - light, frozenset(map(root, verbs(question))) - light


def _clauses(sentence: str) -> Iterator[str]:
    yield from (piece for piece in _BREAK.split(sentence) if piece.strip())


def _denied(clause: str, doing: Set[str]) -> str:
    tokens = [folded(token) for token in COMPOUND.findall(clause)]
    for at, token in enumerate(tokens):
        before = tokens[max(0, at - _DENIED_WITHIN) : at]
        denials = [word for word in before if word in _DENIALS or word.endswith(("n't", "n’t"))]
        if root(token) in doing and denials:
            return " ".join((denials[-1], token))
    return ""
