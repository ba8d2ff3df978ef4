"""Recognises questions in many languages: by question marks, initial words, and question words in any position. The
lists are in `asking_forms.json` next to this file; `asking` has the words for each language, separated by spaces.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from investigator.bb3.courtesies import is_polite_elsewhere
from investigator.language.terms import folded_words
from investigator.records import Record

_GREEK = re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]")
_LETTER = re.compile(r"[^\W\d_]")
_ENDS_GREEK = re.compile(r"[;\u037e](?=\W*$|\s)")
_GREETING_ENDS = re.compile(r"[,،，、!！.。]\s*")


class _Forms(Record):
    """The contents of `asking_forms.json`."""

    marks: str
    prepositions: str
    asking: dict[str, str]
    anywhere: tuple[str, ...]


def has_question_mark(text: str) -> bool:
    """Return True if the text contains a question mark in any script; in Greek, that is a semicolon."""
    if any(mark in text for mark in _forms().marks):
        return True
    return _ENDS_GREEK.search(text) is not None and 2 * len(_GREEK.findall(text)) >= len(_LETTER.findall(text))


def asks_anywhere(text: str) -> bool:
    """Return True if the text contains a question word or ending in a language that allows it anywhere in a
    question.
    """
    return _anywhere().search(text) is not None


def asking_words() -> frozenset[str]:
    """Return the folded words that begin a question in the languages that are not in `turn_words.json`."""
    return folded_words(" ".join(_forms().asking.values()))


def is_preposition(word: str) -> bool:
    """Return True if a question word may follow this word at the beginning of a question: "In which year"."""
    return word in folded_words(_forms().prepositions)


def after_greeting(text: str) -> str:
    """Return the text without an initial greeting in a language other than English, German, French and Spanish."""
    end = _GREETING_ENDS.search(text)
    return text[end.end() :] if end and is_polite_elsewhere(text[: end.start()]) and text[end.end() :] else text


@cache
def _anywhere() -> re.Pattern[str]:
    return re.compile("|".join(_forms().anywhere), re.IGNORECASE)


@cache
def _forms() -> _Forms:
    source = files("investigator.bb3.extractive").joinpath("asking_forms.json")
    return _Forms.model_validate_json(source.read_bytes())
