"""Detects negated text, and the words that are negated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from investigator.language.late_patterns import late
from investigator.language.lists import listed, negations
from investigator.language.normalise import normalise
from investigator.language.terms import content_words, stem, stop_words, words

_SOFT = late(
    r"\b(?:fail(?:s|ed|ure|ing)?|lack(?:s|ed|ing)?|absen(?:t|ce)|unable|impossible|den(?:y|ies|ied)|refus(?:e|es|ed|al)"
    r"|prohibit(?:s|ed)?|forbidden|nil|zero)\b|\b(?:non|un)-",
    re.IGNORECASE,
)
_OPPOSITE = ("un", "in", "im", "ir", "il", "dis", "non")
_FREE_OF = late(r"\b(\w+)-?(?:free|less)\b", re.IGNORECASE)
_IDIOM = late(
    r"\bnot (?:only|just|least|merely)\b|\bno doubt\b|\bno (?:later|earlier|fewer|less|sooner) than\b|\bno\. ?(?=\d)"
    r"|\bnot to mention\b|\bnicht nur\b|\bno s[oó]lo\b",
    re.IGNORECASE,
)
_SENTENCE_END = late(r"(?<=[.;!?])\s+|\n+|[。！？；]")
_CLAUSE_END = late(r"[,;:.!?]|\b(?:and|but|while|whereas|although|though|however|und|aber)\b", re.IGNORECASE)

_REACH = 5
"""Number of words after a negation, excluding stop words, that count as negated."""
_LONGEST_REACH = 200
"""Number of characters after a negation in which negated words are searched for."""
_SAME_WORDS = 0.6
"""Minimum share of a claim's words that a sentence must contain to count as being about the same thing."""
_LONGEST_CLAIM = 15
"""Maximum number of words, excluding stop words, in a claim that is compared with individual sentences."""


def negates(text: str) -> bool:
    """Return True if the text contains "not", "no", "never" or the like; phrases such as "not only" and "No. 5" do not
    count.
    """
    return _negation().search(_plain(text)) is not None


def allows_negation(text: str, claim: str) -> bool:
    """Return True if the text justifies the use of a negation in a claim.

    It does if one of its sentences contains a word from the claim and either a negation or a word like "failed",
    "lacks" or "unable", or if the text contains the opposite of a word in the claim: "unprofitable" or "debt-free" for
    "not profitable" or "no debt".
    """
    plain = _plain(text)
    mine = {stem(word) for word in content_words(claim)}
    for sentence in _SENTENCE_END.split(plain):
        denies = _negation().search(sentence) or _SOFT.search(sentence)
        if denies and (not mine or mine & {stem(word) for word in words(sentence)}):
            return True
    said = {word for word in words(plain) if word.startswith(_OPPOSITE)}
    free = {match[1].lower() for match in _FREE_OF.finditer(plain)}
    return any(f"{prefix}{word}" in said for word in content_words(claim) for prefix in _OPPOSITE) or bool(
        free & set(content_words(claim))
    )


def negated_before(text: str, start: int) -> bool:
    """Return True if the word right before a position is a negation, which reverses the meaning of the text that
    follows.

    If that text begins with a capital letter, it is a new sentence, and a "No" before it does not negate it.
    """
    if text[start : start + 1].isupper():
        return False
    return _negated_end().search(normalise(text[max(0, start - 30) : start]).text) is not None


def contradicts(claim: str, quotes: Sequence[str]) -> bool:
    """Return True if the claim contains no negation and its quotes deny it in words that are otherwise the same. A
    sentence in a quote denies the claim if it contains most of the claim's words and one of them closely follows a
    negation, unless another sentence contains as many of them without a negation.
    """
    mine = {stem(word) for word in content_words(claim)}
    if negates(claim) or not mine or len(mine) > _LONGEST_CLAIM:
        return False
    denying = affirming = 0.0
    for sentence in (part for quote in quotes for part in _SENTENCE_END.split(_plain(quote))):
        share = len(mine & {stem(word) for word in content_words(sentence)}) / len(mine)
        if mine & _denied(sentence):
            denying = max(denying, share)
        else:
            affirming = max(affirming, share)
    return denying >= _SAME_WORDS and denying > affirming


def _denied(sentence: str) -> set[str]:
    """Return the words that closely follow a negation, in the same clause."""
    denied: set[str] = set()
    for negation in _negation().finditer(sentence):
        ahead = sentence[negation.end() : negation.end() + _LONGEST_REACH]
        after = [word for word in content_words(_CLAUSE_END.split(ahead, maxsplit=1)[0]) if word not in stop_words()]
        denied.update(stem(word) for word in after[:_REACH])
    return denied


def _plain(text: str) -> str:
    return _IDIOM.sub(" ", normalise(text).text)


@cache
def _negation() -> re.Pattern[str]:
    unspaced = "|".join(listed("negations")["unspaced"])
    return re.compile(rf"\b(?:{'|'.join(negations())})\b|n't\b|{unspaced}", re.IGNORECASE)


@cache
def _negated_end() -> re.Pattern[str]:
    return re.compile(rf"(?:\b(?:{'|'.join(negations())})|n't)\s+$", re.IGNORECASE)
