"""Finds the kind of thing that a question asks for, and things of this kind in a sentence.

Question words of a dozen languages are known (`question_words.json`); sentences are analysed using digits, capitals
and English words. In a script without capitals, names cannot be recognised.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cache, lru_cache
from importlib.resources import files

from investigator.language.late_patterns import late
from investigator.language.lists import full_month_names
from investigator.language.terms import folded


class AnswerType(StrEnum):
    """The kind of thing that would answer a question."""

    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    PLACE = "place"
    REASON = "reason"
    COMPARISON = "comparison"
    MEANING = "meaning"
    ANY = "any"


_UNIT = (
    r"%|percent|million|billion|trillion|thousand|km|cm|mm|nm|kg|mg|[µμ]g|ml|dl|kwh|mwh|gwh|kw|mw|gw|hz|khz|mhz|ghz|°c|°f"
    r"|(?:minute|hour|day|week|month|year|euro|dollar|pound|metre|meter|mile|feet|ton)s?"
)
_NUMBER = late(
    rf"(?<![\w.,·])[-−]?[$€£¥]?\s?\d+(?:[.,·]\d+)*(?:\s?(?:{_UNIT})(?!\w))?(?![\d·])"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|dozen|hundred|thousand|million|billion|half|quarter|once|twice|none)\b",
    re.IGNORECASE,
)
_NAME = late(r"\b[A-ZÀ-ÖØ-Þ][\w'’-]+(?:\s+(?:(?:of|de|von|van|the|and|la|di|da)\s+)?[A-ZÀ-ÖØ-Þ][\w'’-]+)*")
_DIGIT = late(r"\d")
_DATE_SIGN = late(r"\d|day\b|century\b", re.IGNORECASE)
"""Matches a part of every date, and takes a fraction of the time."""
# matches only dates with a capitalised month: not "5th", and not the verb in "over 16 may join"
_MONTH_LETTERS = late(r"[A-Z][a-z]{2}")
_FIRST_WINS = frozenset({AnswerType.NUMBER, AnswerType.DATE, AnswerType.NAME, AnswerType.PLACE, AnswerType.REASON})
_FREQUENCY = late(r"\bhow (?:often|frequently|regularly)(?! (?:did|was|were|has|have|had))\b")
_ASKS_IF = late(r"\W*(?:is|are|was|were|do(?! you)|does|did|has|had)\b")
_ARTICLE = late(r"^the\s+", re.IGNORECASE)
_NEUTRAL = 0.5
_MANY_MARKS = 3
_WORD = late(r"[^\W_]+")
_CAPITALS = late(r"[A-Za-zÀ-ÿ]")
_MARKS = {
    AnswerType.REASON: re.compile(
        r"\b(because|due to|as a result|caus\w+|led to|since|therefore|thus|owing to|attribut\w+|so that|reasons?"
        r"|in order to)\b"
    ),
    AnswerType.COMPARISON: re.compile(
        r"\b(than|compared?|versus|vs|higher|lower|greater|fewer|larger|smaller|increas\w+|decreas\w+|reduc\w+|improv\w+"
        r"|declin\w+|grew|rose|fell|differ\w*|similar\w*|significant\w*|unchanged|respectively)\b|\bp\s*[<=>]|%"
    ),
    AnswerType.MEANING: re.compile(r"\b(is|are|was|were|means?|refers?|called|known as|defined|describes?|denotes?)\b"),
}


def expected_type(question: str) -> AnswerType:
    """Return the kind of thing that a question asks for."""
    asked = f"{folded(question)} {question.casefold()}"  # some question words differ only in their accents
    if _FREQUENCY.search(asked):  # an answer such as "twice a year" has no digit
        return AnswerType.ANY
    found = {kind: match.start() for kind, pattern in _asking() if (match := pattern.search(asked))}
    kind = next(iter(found), AnswerType.ANY)
    if kind in _FIRST_WINS:  # as in "how much did it cost when it was new"
        kind = min((one for one in found if one in _FIRST_WINS), key=found.__getitem__)
        if found[kind] and _ASKS_IF.match(asked):  # as in "does it depend on how much is used"
            return AnswerType.ANY
    return kind


def _spans(kind: AnswerType, sentence: str, question: str) -> Iterator[str]:
    for found in _found(kind, sentence):
        span = found.strip(" .,;:")
        if span and _worded(_ARTICLE.sub("", span)) not in _worded(question):
            yield span


def _found(kind: AnswerType, sentence: str) -> Iterator[str]:
    match kind:
        case AnswerType.DATE:
            yield from (m.group() for m in _dates(sentence))
        case AnswerType.NUMBER:
            days: list[tuple[int, int]] | None = None
            for m in _NUMBER.finditer(sentence):
                if days is None:  # most sentences have no number, and need not be searched for dates
                    days = [day.span() for day in _dates(sentence) if _MONTH_LETTERS.search(day.group())]
                is_in_date = any(start <= m.start() and m.end() <= end for start, end in days)
                if not is_in_date and not _date().fullmatch(m.group().strip(" .,")):
                    yield m.group()
        case AnswerType.NAME:
            names = (m.group() for m in _NAME.finditer(sentence) if m.start() > 0 or " " in m.group())
            yield from (name for name in names if not _months().issuperset(_WORD.findall(folded(name))))


@lru_cache(maxsize=4096)  # called for every figure and name of every sentence, even if the question is long
def _worded(text: str) -> str:
    return f" {' '.join(_WORD.findall(folded(text)))} "


def holds_type(kind: AnswerType, sentence: str, question: str) -> float:
    """Return 1.0 if the sentence contains a thing of that kind, 0.0 if not; 0.5 if that cannot be determined."""
    if kind is AnswerType.ANY or (kind in (AnswerType.NAME, AnswerType.PLACE) and not _CAPITALS.search(sentence)):
        return _NEUTRAL
    if kind in _MARKS:
        return float(bool(_MARKS[kind].search(folded(sentence))))
    if kind is AnswerType.PLACE:
        kind = AnswerType.NAME
    return float(any(_spans(kind, sentence, question)))


def finding(kind: AnswerType, sentence: str) -> float:
    """Return how clearly (0..1) a sentence states a comparison; 0.5 unless the question asks for a comparison, effect
    or change.
    """
    if kind is not AnswerType.COMPARISON:
        return _NEUTRAL
    marks = {match.group() for match in _MARKS[kind].finditer(folded(sentence))}
    return min(len(marks), _MANY_MARKS) / _MANY_MARKS


def figures(kind: AnswerType, sentence: str) -> float:
    """Return 1.0 if a sentence has a figure and 0.0 if not; 0.5 unless the question is about a comparison or change."""
    return float(bool(_DIGIT.search(sentence))) if kind is AnswerType.COMPARISON else _NEUTRAL


@cache
def _months() -> frozenset[str]:
    return frozenset(folded(name) for name in full_month_names())


def _dates(sentence: str) -> Iterator[re.Match[str]]:
    return _date().finditer(sentence) if _DATE_SIGN.search(sentence) else iter(())


@cache
def _date() -> re.Pattern[str]:
    month = "|".join(full_month_names())
    return re.compile(
        rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?\.?\s+(?:of\s+)?(?:{month})\b|(?:{month})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b)"
        rf"(?:,?\s+\d{{4}}\b)?|\b(?:{month})\.?,?\s+\d{{4}}\b"
        r"|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|\b\d{4}-\d{2}-\d{2}\b|(?<![\d.,])(?:1\d{3}|20\d{2})s?(?![\d,%]|\.\d|[-/]\d{3}\b)"
        r"|\b(?:\d{1,2}(?:st|nd|rd|th)|first|second|third|fourth|fifth|\w+teenth) century\b"
        r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
        re.IGNORECASE,
    )


@cache
def _asking() -> tuple[tuple[AnswerType, re.Pattern[str]], ...]:
    listed = files("investigator.questions").joinpath("data", "question_words.json").read_text(encoding="utf-8")
    asking: dict[str, dict[str, list[str]]] = json.loads(listed)
    return tuple(
        (AnswerType(kind), re.compile("|".join((rf"\b(?:{'|'.join(spaced['words'])})\b", *spaced.get("parts", ())))))
        for kind, spaced in asking.items()
    )
