"""Compares the label of a line with a question: "Date of incident" for "when did it happen". For English text. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from investigator.language.labels import SIGNATURE
from investigator.language.negation import negates
from investigator.language.terms import BRACKETS, content_words, stop_words, words
from investigator.questions.answer_types import AnswerType, required_type, says_where, spans
from investigator.questions.cues import cue_words, cues, names_nothing, patterns
from investigator.questions.related import related_roots, root, roots

_FULL_NAME = re.compile(r"\W*[A-ZÀ-ÖØ-Þ][\w.'’-]*(?: (?:(?:of|de|von|van|der|la|di|da|&) )*[A-ZÀ-ÖØ-Þ][\w.'’-]*)+\W*")
_EARLIER = frozenset({"old", "original", "initial"})


@lru_cache(maxsize=4096)
def says_label(question: str, label: str) -> bool:
    """Return True if a question contains each word of a label, except neutral words and words for the kind of answer.

    A label that consists only of the word "Date" does not match: it gives the date of the document.
    """
    kind = required_type(question)
    if negates(label) and not negates(question):
        return False
    kinds = cues("label_kinds").get(kind, "").split()
    said = roots(question).union(*map(related_roots, words(question)))
    telling = [word for word in words(BRACKETS.sub(" ", label)) if word not in stop_words()]
    own = [word for word in telling if word not in kinds]
    known = [word for word in own if root(word) in said]
    if any(word not in known and not (_is_neutral(word) or names_nothing(word)) for word in own):
        return False
    return bool(known) or (len(own) < len(telling) and kind is not AnswerType.DATE)


def names_kind(kind: AnswerType, label: str) -> bool:
    """Return True if a label shows that its value is of the given kind: "Place of the accident"."""
    return not set(words(label)).isdisjoint(cues("label_kinds").get(kind, "").split())


def row_may_give(kind: AnswerType, row: str, question: str) -> bool:
    """Return True unless a name or place is requested and a table row has none: a full name or a value under a header
    for names, a value under a header for places or words that say where something is. "item: Full plot" is no name.
    """
    if kind not in (AnswerType.NAME, AnswerType.PLACE):
        return True
    cells = [cell.partition(": ") for cell in row.split("; ")]
    if any(names_kind(kind, header) for header, _, _ in cells):
        return True
    if kind is AnswerType.NAME:
        return any(_FULL_NAME.fullmatch(value) for _, _, value in cells)
    return says_where(question, row) or bool(spans(kind, row, question))


def names_subject(label: str) -> bool:
    """Return True if the other lines in a label's paragraph are about the thing that the label names: "Equipment: the
    mill".
    """
    return not set(words(label)).isdisjoint(cue_words("label_kinds", "subject"))


def signs_for(question: str, text: str) -> bool:
    """Return True if the text is a signature on behalf of the person that a question asks about. The person who "signed
    for the lessor" is not the lessor.
    """
    signed = SIGNATURE.match(text)
    if not (signed and signed["verb"] and signed["party"]) or "sign" in roots(question):
        return False
    return roots(text[signed.end() :]).isdisjoint(roots(" ".join(content_words(question))))


def _is_neutral(word: str) -> bool:
    """Return True if a word does not distinguish things: "current" and "monthly", but not "old"."""
    if word in _EARLIER:
        return False
    is_rate = any(pattern.fullmatch(word) for pattern in patterns("time_rates").values())
    return is_rate or word in cue_words("changes", "neutral")
