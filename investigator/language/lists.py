"""The word lists of this package: TOML files in `data/`, which are read when they are first needed.

Each file maps languages (ISO 639-1) to words separated by blanks, some in sections.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

_TABLE = TypeAdapter(dict[str, str])
_SECTIONS = TypeAdapter(dict[str, dict[str, str]])


@cache
def data_file(name: str) -> dict[str, object]:
    """Return the contents of `data/<name>.toml`."""
    return tomllib.loads(files("investigator.language").joinpath("data", f"{name}.toml").read_text(encoding="utf-8"))


@cache
def listed(name: str) -> dict[str, tuple[str, ...]]:
    """Return the words of `data/<name>.toml` by language, as they are written there and in order."""
    return {language: tuple(words.split()) for language, words in _TABLE.validate_python(data_file(name)).items()}


@cache
def listed_by_section(name: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the words of a file that has sections, by section."""
    sections = _SECTIONS.validate_python(data_file(name)).items()
    return {section: {key: tuple(words.split()) for key, words in table.items()} for section, table in sections}


@cache
def month_numbers() -> dict[str, int]:
    """Return the number of each name of a month, 1 to 12, in lower case; short forms included."""
    years = listed("months").values()
    return {name: number for months in years for number, names in enumerate(months, 1) for name in names.split("|")}


@cache
def full_month_names() -> tuple[str, ...]:
    """Return the full names of the months in all languages, in lower case."""
    return tuple(dict.fromkeys(names.split("|")[0] for months in listed("months").values() for names in months))


@cache
def negations(*languages: str) -> tuple[str, ...]:
    """Return the words that deny in some languages, or in all of them if none is named."""
    every = listed("negations")
    chosen = languages or tuple(language for language in every if language != "unspaced")
    return tuple(word for language in chosen for word in every[language])


def greets(text: str) -> bool:
    """Return True if a folded text begins with a greeting in English, German, French or Spanish."""
    return re.match(rf"\W*(?:{_courtesies('greeting')})\b", text) is not None


def thanks(text: str) -> bool:
    """Return True if a folded text thanks somewhere, in one of the same languages."""
    return re.search(rf"\b(?:{_courtesies('thanks')})\b", text) is not None


def takes_leave(text: str) -> bool:
    """Return True if a folded text says goodbye somewhere, in one of the same languages."""
    return re.search(rf"\b(?:{_courtesies('farewell')})\b", text) is not None


def is_polite_elsewhere(text: str) -> bool:
    """Return True if a text in another language greets, thanks, says goodbye or asks how one is."""
    return re.search(_courtesies("any"), text, re.IGNORECASE) is not None


def ends_with_greeting(text: str) -> bool:
    """Return True if a text ends with a greeting, also with a word or two behind it ("Hello there,")."""
    return re.search(rf"\b(?:{_courtesies('greeting')})[\w ]{{0,12}}[,.!:]*\s*$", text, re.IGNORECASE) is not None


@cache
def _courtesies(section: str) -> str:
    phrases = [phrase for phrases in listed_by_section("courtesies")[section].values() for phrase in phrases]
    return "|".join(phrases).replace("_", " ")
