"""The cue words of constraints (`data/cues.toml`), as patterns."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

from investigator.language.late_patterns import late
from investigator.language.terms import folded, stem

_SECTIONS = TypeAdapter(dict[str, dict[str, str]])


def cues(section: str) -> Mapping[str, str]:
    """Return a section of the file as it is."""
    return _all_cues()[section]


@cache
def _all_cues() -> Mapping[str, Mapping[str, str]]:
    text = files("investigator.questions").joinpath("data", "cues.toml").read_text(encoding="utf-8")
    return _SECTIONS.validate_python(tomllib.loads(text))


@cache
def patterns(section: str) -> Mapping[str, re.Pattern[str]]:
    """Return the patterns of a section by name, in the order of the file; they match whole words."""
    return {name: _whole(words) for name, words in cues(section).items()}


@cache
def opposites() -> Mapping[str, tuple[re.Pattern[str], re.Pattern[str]]]:
    """Return the two sides of each pair of opposites."""
    found = {}
    for name, words in cues("opposites").items():
        one, other = words.split(" | ")
        found[name] = (_whole(one), _whole(other))
    return found


@cache
def empty_words() -> frozenset[str]:
    """Return the stems of words that only ask and do not name anything."""
    return frozenset(stem(folded(word)) for word in cues("empty")["words"].split())


@cache
def request_words() -> frozenset[str]:
    """Return the folded words that begin a request or a question and do not name anything."""
    return frozenset(cues("empty")["requests"].split())


@cache
def formats() -> Sequence[tuple[re.Pattern[str], re.Pattern[str]]]:
    """Return the names of file formats with their media types; the general name for a file comes last."""
    pairs = (line.split(" | ") for line in cues("formats").values())
    return tuple((_whole(names), re.compile(types)) for names, types in pairs)


def _whole(words: str) -> re.Pattern[str]:
    return late(rf"(?<!\w)(?:{words.replace(chr(10), '')})(?!\w)", re.IGNORECASE)
