"""Parses an answer written as free text, in which each sentence with evidence ids in brackets is a claim. Accepted
deviations:

- ids after the full stop, in lists, in ranges ("E2-E4"), in ( ) or 【】, or inside the text of a JSON claim;
- bullets, numbers and headings before a sentence, and sentences without ids, which are dropped;
- a refusal in words ("cannot be determined"), which is an answer without claims.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from investigator.language.late_patterns import late
from investigator.language.sentences import sentence_spans
from investigator.records import AnswerReply, ProposedClaim

_IDS = r"E\d{1,4}(?:\s*(?:[,;&]|and|und|-|\u2013)\s*E?\d{1,4}){0,30}"
_BRACKETED = late(rf"\s*(?:\[\s*{_IDS}\s*\]|\(\s*{_IDS}\s*\)|\u3010\s*{_IDS}\s*\u3011)")
_LEADING = late(rf"(?:{_BRACKETED.pattern})+[.,;]?")
_RANGE_OR_ID = late(r"E?(\d{1,4})(?:\s*[-\u2013]\s*E?(\d{1,4}))?")
_BULLET = late(r"^\s*(?:[-*\u2022>]+|\d{1,2}[.)]|#{1,6})\s+")
_CANNOT = late(
    r"\b(?:can\s?not|can't|could not|couldn't|unable to|not possible to|impossible to)\b[^.\n]{0,60}"
    r"\b(?:answer|determin|tell|say|establish|find|conclude)"
    r"|\b(?:no|not enough|insufficient|lacks?|without)\s+(?:\w+\s+){0,3}(?:information|evidence|answer|data|mention)"
    r"|\b(?:do(?:es)? not|don't|doesn't|did not)\s+(?:\w+\s+){0,2}(?:contain|hold|say|state|mention|answer|provide"
    r"|include|specify|give)"
    r"|\bnot (?:in|found|mentioned|stated|answered|contained|given|specified|provided|available)\b"
    r"|\b(?:nicht beantwort|keine (?:angaben|informationen|antwort))|わかりません|不明|无法|無法",
    re.IGNORECASE,
)
_LONGEST = 100_000
_LONGEST_REFUSAL = 500
_WIDEST_RANGE = 20


def read_free_answer(text: str) -> AnswerReply | None:
    """Return the claims in free text: no claims if the text declines to answer, and None if it is not an answer."""
    text = text[:_LONGEST]
    claims = tuple(claim for line in text.splitlines() for claim in _claims(_BULLET.sub("", line, count=1)))
    if claims or (len(text) <= _LONGEST_REFUSAL and _CANNOT.search(text)):
        return AnswerReply(claims=claims)
    return None


def with_ids_apart(claim: ProposedClaim) -> ProposedClaim:
    """Move the bracketed ids of a claim from its text to its evidence, and split ids that are in one string."""
    named = [name for part in claim.evidence for name in (_ids(part) or [part.strip()])]
    inside = [name for found in _BRACKETED.finditer(claim.text) for name in _ids(found.group())]
    text = _BRACKETED.sub("", claim.text).strip()
    return ProposedClaim(text=text or claim.text, evidence=tuple(dict.fromkeys([*named, *inside])))


def _claims(line: str) -> Iterator[ProposedClaim]:
    for sentence in _sentences(line):
        claim = with_ids_apart(ProposedClaim(text=sentence))
        if claim.evidence and any(char.isalnum() for char in _BRACKETED.sub("", sentence)):
            yield claim


def _sentences(line: str) -> Iterator[str]:
    """Yield the sentences in a line; ids after the full stop belong to the preceding sentence."""
    previous = ""
    for start, end in sentence_spans(line):
        sentence = line[start:end]
        leading = _LEADING.match(sentence)
        if leading and previous:
            previous += leading.group()
            sentence = sentence[leading.end() :].strip()
            if not sentence:
                continue
        if previous:
            yield previous
        previous = sentence
    if previous:
        yield previous


def _ids(text: str) -> list[str]:
    """Return the evidence ids if the text is nothing but ids: "E1, E3", "E1-E3", "1"."""
    if not re.fullmatch(rf"[\s\[(\u3010]*(?:{_IDS}|\d{{1,4}}(?:\s*[,;]\s*\d{{1,4}})*)[\s\])\u3011]*", text):
        return []
    ids: list[str] = []
    for found in _RANGE_OR_ID.finditer(text):
        first, last = int(found[1]), int(found[2] or found[1])
        ids += [f"E{number}" for number in range(first, min(last, first + _WIDEST_RANGE) + 1)]
    return ids
