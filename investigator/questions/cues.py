"""The cue words for constraints (`data/cues.toml`), as patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from functools import cache

from investigator.language.late_patterns import late
from investigator.language.lists import texts_by_section
from investigator.language.terms import stem, stop_words
from investigator.questions.related import roots

_NOUN_ENDS = ("ation", "ations")  # endings that turn a verb into a noun


def cues(section: str) -> Mapping[str, str]:
    """Return a section of `data/cues.toml`, unprocessed."""
    return texts_by_section("cues", "investigator.questions")[section]


@cache
def patterns(section: str) -> Mapping[str, re.Pattern[str]]:
    """Return the patterns in a section by name, in the order of the file; they match whole words."""
    return {name: _whole(words) for name, words in cues(section).items()}


@cache
def opposites() -> Mapping[str, tuple[re.Pattern[str], re.Pattern[str]]]:
    """Return the two sides of each pair of opposites."""
    found = {}
    for name, words in cues("opposites").items():
        one, other = words.split(" | ")
        found[name] = (_whole(one), _whole(other))
    return found


def is_direction(word: str) -> bool:
    """Return True if a word, such as "rose", gives a direction and so has opposites."""
    return any(side.fullmatch(word) for both in opposites().values() for side in both)


@cache
def cue_words(section: str, *names: str) -> frozenset[str]:
    """Return the words in the given lists of a section; by default, those of the list `words`."""
    return frozenset(word for name in names or ("words",) for word in cues(section)[name].split())


@cache
def cue_roots(section: str, name: str = "words") -> frozenset[str]:
    """Return the roots of the words in a list."""
    return roots(cues(section)[name])


@cache
def empty_words() -> frozenset[str]:
    """Return the stems of words that are only used for asking and do not name anything."""
    return frozenset(map(stem, cue_words("empty")))


def names_nothing(word: str) -> bool:
    """Return True if a folded word names nothing: a stop word, the beginning of a request, or an empty word."""
    return word in stop_words() or word in request_words() or only_asks(word)


def only_asks(word: str) -> bool:
    """Return True if a folded word is a form of an empty word: "documents", but not "documentation"."""
    return _is_form(word, empty_words(), "words")


def only_requests(word: str) -> bool:
    """Return True if a folded word is a form of one that begins a request: "examined", but not "examination"."""
    return _is_form(word, frozenset(map(stem, request_words())), "requests")


def _is_form(word: str, stems: Set[str], name: str) -> bool:
    return stem(word) in stems and (not word.endswith(_NOUN_ENDS) or word in cues("empty")[name].split())


@cache
def request_words() -> frozenset[str]:
    """Return the folded words that begin a request or a question and do not name anything."""
    return cue_words("empty", "requests")


@cache
def formats() -> Sequence[tuple[re.Pattern[str], re.Pattern[str]]]:
    """Return each file format's names and media types, as patterns; the general words for a file come last."""
    pairs = (line.split(" | ") for line in cues("formats").values())
    return tuple((_whole(names), re.compile(types)) for names, types in pairs)


def _whole(words: str) -> re.Pattern[str]:
    return late(rf"(?<!\w)(?:{words.replace(chr(10), '')})(?!\w)", re.IGNORECASE)
