"""Looks up the function words of conversations in English, German, Spanish and French. `turn_words.json`, next to this
file, lists the words, folded and separated by spaces.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

from investigator.language.terms import folded


class WordKind(StrEnum):
    """The purpose of a function word: to ask, to refer to a speaker or an earlier thing, or to keep a conversation
    going.
    """

    ASKING = "asking"
    FIRST_PERSON = "first_person"
    SECOND_PERSON = "second_person"
    POINTS_BACK = "points_back"
    TALK = "talk"


_FILE = TypeAdapter(dict[WordKind, str])


def is_kind(token: str, kind: WordKind) -> bool:
    """Return True if a word belongs to this kind; case is ignored."""
    return bare(token) in _listed()[kind]


def bare(token: str) -> str:
    """Return the word as the lists spell it: folded, with a straight apostrophe."""
    return folded(token).replace("’", "'")


@cache
def _listed() -> Mapping[WordKind, frozenset[str]]:
    source = files("investigator.bb3.extractive").joinpath("turn_words.json")
    return {kind: frozenset(words.split()) for kind, words in _FILE.validate_json(source.read_bytes()).items()}
