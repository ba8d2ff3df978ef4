"""The unit in which a question wants a figure, and whether a sentence gives one in it: "in dollars". English."""

from __future__ import annotations

import re
from functools import lru_cache

from investigator.language.amounts import amounts, prepared
from investigator.language.dates import dates, without_dates
from investigator.language.units import unit_of

_IN_UNIT = re.compile(
    r"\bin ((?:(?:square|cubic|us|swiss) )?[a-z]+)"
    r"(?=\W*$|[?,;)]|\s+(?:per|an?|for|of|on|at|from|by|to|was|were|is|are|did|does|do|has|have)\b)",
    re.IGNORECASE,
)
_WHAT_IS = re.compile(
    r"\W*what (?:is|are|was|were) the ((?:[\w-]+ ?){1,4}?)(?= (?:of|in|for|on|at|after|before)\b|\?|$)", re.I
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_NO_MEASURES = frozenset(["%", "pp", "bps", "share"])  # a share is asked for in other ways


def unit_asked(question: str) -> str:
    """Return the words by which a question names the unit that it wants: "square feet"; "" if it wants none."""
    names = (match.group(1) for match in _IN_UNIT.finditer(question))
    return next((name for name in names if is_unit(name)), "")


def is_unit(name: str) -> bool:
    """Return True if words name a unit of measure or a currency."""
    return unit_of(name) != name and unit_of(name) not in _NO_MEASURES


def figure_asked(question: str) -> str:
    """Return the words for the figure that is asked for: "what was the SODIUM of patient 14"; "" if none are."""
    match = _WHAT_IS.match(question)
    return match[1] if match else ""


def given_in(unit: str, sentence: str) -> tuple[str, ...]:
    """Return the figures of a sentence in a unit that is called by its words."""
    return tuple(text for text, units in _measured(sentence) if unit_of(unit) in units)


def are_like(sentence: str, other: str) -> bool:
    """Return True if both sentences give figures, and some of them in the same unit or some without any."""
    one, two = ({unit for _, units in _measured(text) for unit in units} for text in (sentence, other))
    return bool(one) and bool(two) and ("" in one | two or not one.isdisjoint(two))


@lru_cache(maxsize=2048)
def _measured(sentence: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """The figures of a sentence as written, without those of dates, each with the units that it may have."""
    plain = prepared(sentence)
    found = amounts(without_dates(plain, dates(plain)))
    own = (one for one in found if one.readings and not _YEAR.fullmatch(one.text))
    return tuple((one.text, frozenset(unit for _, unit in one.readings)) for one in own)
