"""Finds the figure that a question requests, its unit and kind, and decides if a sentence gives it. English."""

from __future__ import annotations

import re
from functools import lru_cache

from investigator.language.amounts import amounts, prepared
from investigator.language.dates import dates, without_dates
from investigator.language.late_patterns import late
from investigator.language.units import unit_of
from investigator.questions.cues import patterns
from investigator.questions.related import root, roots

_IN_UNIT = late(
    r"\bin ((?:(?:square|cubic|us|swiss) )?[a-z]+)"
    r"(?=\W*$|[?,;)]|\s+(?:per|an?|for|of|on|at|from|by|to|was|were|is|are|did|does|do|has|have)\b)",
    re.IGNORECASE,
)
_WHAT_IS = late(
    r"\W*(?:what|how (?:much|high|large|big)) (?:is|are|was|were) the ((?:[\w-]+ ?){1,4}?)"
    r"(?= (?:of|in|for|on|at|after|before)\b|\?|$)",
    re.IGNORECASE,
)
_YEAR = late(r"(?:19|20)\d\d")
_PART_OF = late(
    r"(?:\b(?:half|thirds?|quarters?|fifths?|tenths?|per ?cent)|%)\s+(?:of\s+)?"
    r"(?:the|its|his|her|their|this|an?)\s+((?:[\w-]+\s?){1,2})",
    re.IGNORECASE,
)
_MONEY = "money"
_NO_MEASURES = frozenset(["%", "pp", "bps", "share"])  # a request for a share is worded differently


def unit_asked(question: str) -> str:
    """Return the words by which a question names the requested unit: "square feet"; "" if it names none."""
    names = (match.group(1) for match in _IN_UNIT.finditer(question))
    return next((name for name in names if is_unit(name)), "")


def is_unit(name: str) -> bool:
    """Return True if words name a unit of measure or a currency."""
    return unit_of(name) != name and unit_of(name) not in _NO_MEASURES


def figure_asked(question: str) -> str:
    """Return the words for the requested figure: "what was the SODIUM of patient 14"; "" if it asks for no figure."""
    match = _WHAT_IS.match(question)
    return match[1] if match else ""


def given_in(unit: str, sentence: str) -> tuple[str, ...]:
    """Return the figures of a sentence in a unit with this name."""
    return tuple(text for text, units in _measured(sentence) if unit_of(unit) in units)


def are_like(sentence: str, other: str) -> bool:
    """Return True if the figures of both sentences share at least one unit, or have none."""
    one, two = ({unit for _, units in _measured(text) for unit in units} for text in (sentence, other))
    return bool(one) and bool(two) and ("" in one | two or not one.isdisjoint(two))


def is_only_part(word: str, sentence: str) -> bool:
    """Return True if a sentence gives a word only with a fraction of it: "one third of the premium"."""
    parts = [match for match in _PART_OF.finditer(sentence) if root(word) in roots(match[1])]
    return bool(parts) and root(word) not in roots(_PART_OF.sub(" ", sentence))


def is_carried(word: str, question: str, sentence: str) -> bool:
    """Return True if a word only names the requested kind of figure, and a sentence gives such a figure: euros for a
    cost. Money that a sentence calls something else, such as takings or an offer, is not a cost.
    """
    asked, shown, apart = patterns("asked"), patterns("shown"), patterns("set_apart")[_MONEY]
    kinds = (kind for kind, words_of in patterns("carried").items() if words_of.fullmatch(word))
    kind = next((one for one in kinds if asked[one].search(question) and shown[one].search(sentence)), "")
    return bool(kind) and not (kind == _MONEY and apart.search(sentence))


def shows_span(kind: str, sentence: str, question: str) -> str:
    """Return the words of a sentence that show how long or how old something is; "" for a notice period or a delay."""
    apart = patterns("set_apart")["span"]
    plain = sentence if apart.search(question) else apart.sub(" ", sentence)
    match = patterns("shown")[kind].search(plain)
    return match.group() if match else ""


@lru_cache(maxsize=2048)
def _measured(sentence: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return the figures of a sentence as written, without dates, each with its possible units."""
    plain = prepared(sentence)
    found = amounts(without_dates(plain, dates(plain)))
    own = (one for one in found if one.readings and not _YEAR.fullmatch(one.text))
    return tuple((one.text, frozenset(unit for _, unit in one.readings)) for one in own)
