"""Recognises greetings, thanks and goodbyes, in the languages of `language/data/courtesies.toml`. Pure."""

from __future__ import annotations

import re
from functools import cache

from investigator.language.lists import listed_by_section


def greets(text: str) -> bool:
    """Return True if the folded text begins with a greeting in English, German, French or Spanish."""
    return re.match(rf"\W*(?:{_courtesies('greeting')})\b", text) is not None


def thanks(text: str) -> bool:
    """Return True if the folded text contains thanks in English, German, French or Spanish."""
    return re.search(rf"\b(?:{_courtesies('thanks')})\b", text) is not None


def takes_leave(text: str) -> bool:
    """Return True if the folded text contains a goodbye in English, German, French or Spanish."""
    return re.search(rf"\b(?:{_courtesies('farewell')})\b", text) is not None


def is_polite_elsewhere(text: str) -> bool:
    """Return True if the text is a greeting, thanks, a goodbye or "how are you" in any other listed language."""
    return re.search(_courtesies("any"), text, re.IGNORECASE) is not None


@cache
def _courtesies(section: str) -> str:
    phrases = [phrase for phrases in listed_by_section("courtesies")[section].values() for phrase in phrases]
    return "|".join(phrases).replace("_", " ")
