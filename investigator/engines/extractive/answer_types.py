"""What kind of thing a question asks for, and whether a sentence holds one.

The rules are English; a question in another language asks for anything.
"""

from __future__ import annotations

import re
from enum import StrEnum

from investigator.text.terms import folded


class AnswerType(StrEnum):
    """The kind of thing that would answer a question."""

    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    ANY = "any"


_ASKS = (
    (AnswerType.DATE, r"\b(when|(what|which) (year|date|day|month|time)|how long ago)\b"),
    (AnswerType.NUMBER, r"\bhow (many|much|old|long|far|tall|big|large|high|often)\b"),
    (AnswerType.NUMBER, r"\b(what (percentage|number|amount|share|price)|total (amount|number))\b"),
    (AnswerType.NAME, r"\b(who|whose|whom|where|(what|which) (country|city|state|person|company|place))\b"),
)
_DATE = re.compile(
    r"\b(1[0-9]{3}|20[0-9]{2}|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|century|\d{1,2}[./-]\d{1,2}[./-]\d{2,4})\b"
)
_NUMBER = re.compile(
    r"\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand"
    r"|million|billion|half|third|quarter|once|twice|none)\b"
)
_CAPITALISED = re.compile(r"\b[A-ZÀ-ÖØ-Þ][\w'’-]+")


def expected_type(question: str) -> AnswerType:
    """The kind of thing that a question asks for."""
    asked = folded(question)
    return next((kind for kind, pattern in _ASKS if re.search(pattern, asked)), AnswerType.ANY)


def holds_type(kind: AnswerType, sentence: str, question: str) -> float:
    """1.0 where the sentence holds a thing of that kind, 0.0 where not; 0.5 where anything would do."""
    match kind:
        case AnswerType.ANY:
            return 0.5
        case AnswerType.DATE:
            return float(bool(_DATE.search(folded(sentence))))
        case AnswerType.NUMBER:
            return float(bool(_NUMBER.search(folded(sentence))))
        case AnswerType.NAME:
            names = {folded(name) for name in _CAPITALISED.findall(sentence[1:])}
            return float(bool(names - {folded(name) for name in _CAPITALISED.findall(question)}))
