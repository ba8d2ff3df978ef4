"""Compares "anybody" with "nobody" and "two visitors" in yes-or-no questions. For English text. Pure."""

from __future__ import annotations

import re
from functools import cache

from investigator.language.late_patterns import late
from investigator.questions.cues import cues

_ASKED = late(
    r"\b(?:any(?:body|one| one| persons?| people)|some(?:body|one))\b|(?<=^were )(?:people|persons)\b", re.IGNORECASE
)
_NOBODY = late(
    r"\b(?:nobody|no[ -]one|no (?:persons?|people)|none)\b"
    r"(?P<verb>\s+(?:(?:has|have|had) been|(?:was|were|is|are|has|have|had|did|will)\b))?",
    re.IGNORECASE,
)
_COUNT = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|several|some|many|both)"


def with_anybody(question: str) -> str:
    """Return a question with "anybody" as its indefinite subject; "" if it has no such subject."""
    changed = _ASKED.sub("anybody", question.strip())
    return changed if _ASKED.search(question.strip()) else ""


def about_anybody(sentence: str) -> str:
    """Replace "nobody", "somebody" or a number of people in a sentence with "anybody", as in "anybody was not hurt"."""
    denied = _NOBODY.sub(lambda found: f"anybody{found['verb'] or ''} not", sentence)
    return _somebody().sub("anybody", denied)


@cache
def _somebody() -> re.Pattern[str]:
    people = "|".join(cues("empty")["counted_people"].split())
    return re.compile(rf"\b(?:some(?:body|one)|{_COUNT} (?:[a-z]+ )?(?:{people}))\b", re.IGNORECASE)
