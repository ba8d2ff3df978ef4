"""The word lists of this package: TOML files in `data/`, read on first use.

Each file maps languages (ISO 639-1) to words separated by spaces, some in sections.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def data_file(name: str) -> dict[str, Any]:
    """Return the contents of `data/<name>.toml`."""
    return tomllib.loads(files("investigator.language").joinpath("data", f"{name}.toml").read_text(encoding="utf-8"))


@cache
def listed(name: str) -> dict[str, tuple[str, ...]]:
    """Return the words of `data/<name>.toml` by language, as written there and in order."""
    return {language: tuple(words.split()) for language, words in data_file(name).items()}


@cache
def listed_by_section(name: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the words of a file with sections, by section."""
    sections = data_file(name).items()
    return {section: {key: tuple(words.split()) for key, words in table.items()} for section, table in sections}


@cache
def month_numbers() -> dict[str, int]:
    """Return the number of each month name, 1 to 12, in lower case; short forms included."""
    years = listed("months").values()
    return {name: number for months in years for number, names in enumerate(months, 1) for name in names.split("|")}


@cache
def full_month_names() -> tuple[str, ...]:
    """Return the full names of the months in all languages, in lower case."""
    return tuple(dict.fromkeys(names.split("|")[0] for months in listed("months").values() for names in months))


@cache
def negations(*languages: str) -> tuple[str, ...]:
    """Return the negating words of some languages, or of all if none is given."""
    every = listed("negations")
    chosen = languages or tuple(language for language in every if language != "unspaced")
    return tuple(word for language in chosen for word in every[language])


def greets(text: str) -> bool:
    """Return True if a folded text begins with a greeting in English, German, French or Spanish."""
    return re.match(rf"\W*(?:{_courtesies('greeting')})\b", text) is not None


def thanks(text: str) -> bool:
    """Return True if a folded text contains thanks, in one of the same languages."""
    return re.search(rf"\b(?:{_courtesies('thanks')})\b", text) is not None


def takes_leave(text: str) -> bool:
    """Return True if a folded text contains a goodbye, in one of the same languages."""
    return re.search(rf"\b(?:{_courtesies('farewell')})\b", text) is not None


def is_polite_elsewhere(text: str) -> bool:
    """Return True if a text in another language is a greeting, thanks, a goodbye or "how are you"."""
    return re.search(_courtesies("any"), text, re.IGNORECASE) is not None


def ends_with_greeting(text: str) -> bool:
    """Return True if a text ends with a greeting, perhaps followed by a word or two ("Hello there,")."""
    return re.search(rf"\b(?:{_courtesies('greeting')})[\w ]{{0,12}}[,.!:]*\s*$", text, re.IGNORECASE) is not None


@cache
def _courtesies(section: str) -> str:
    phrases = [phrase for phrases in listed_by_section("courtesies")[section].values() for phrase in phrases]
    return "|".join(phrases).replace("_", " ")
