"""Splits memories and turns into words as ParlAI does, for the options and records of BB3 that count shared words."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from investigator.language.terms import porter_stem

_TELL_NOTHING = frozenset(
    {
        *string.punctuation,
        *("a", "an", "the", "am", "are", "is", "as"),
        *("realli", "actual", "up", "so", "just", "now", "how", "then", "also", "very", "too", "most", "but"),
    }
)
"""The words that ParlAI ignores in a memory; adverbs are listed as stems."""
_WHOLE = {"won't": "will not", "can't": "can not"}
_ENDINGS = {"n't": " not", "'ll": " will", "'ve": " have", "'re": " are", "'m": " am", "'d": " would"}
_PIECE = re.compile(r"\w+?(?=n't)|n't|'\w+|\w+(?:[-.,]\w+)*|[^\w\s]")


def memory_words(
    text: str, *, expanded: bool = True, stemmed: bool = True, without_stop_words: bool = False
) -> list[str]:
    """Return the words of a memory or a turn in lower case, in order. With `expanded`, contractions are expanded
    (`don't` to `do not`); with `stemmed`, all words except common ones are reduced to their Porter stems. Words that
    tell nothing are dropped; `without_stop_words` also drops the other common words of English.
    """
    text = text.lower().replace("’", "'")
    if expanded:
        for short, full in (*_WHOLE.items(), *_ENDINGS.items()):
            text = re.sub(rf"{short}\b", full, text)
    pieces = _PIECE.findall(text)
    if stemmed:
        pieces = [piece if piece in _stop_words() else porter_stem(piece) for piece in pieces]
    dropped = _TELL_NOTHING | _stop_words() if without_stop_words else _TELL_NOTHING
    return [piece for piece in pieces if piece not in dropped]


def says_something_new(text: str, kept: Iterable[str], threshold: int = 1) -> bool:
    """Return True if the text lacks at least `threshold` words of each existing memory, as in ParlAI."""
    new = set(memory_words(text))
    return all(len(set(memory_words(memory)) - new) >= threshold for memory in kept)


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(files("investigator.bb3").joinpath("english_stop_words.txt").read_text(encoding="utf-8").split())
