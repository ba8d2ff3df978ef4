"""Finds the part of a text nearest to words that are not in it. Pure."""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate

_PIECE = re.compile(r"[^\n.!?]{1,400}[.!?]*|[.!?]+")
_WORD = re.compile(r"\w+")
_LONGEST = 600


def nearest_text(text: str, wanted: str, start: int = 0) -> str:
    """Return the sentences of a text that share most words with the wanted ones; among equals, those nearest to
    `start`.

    At most 600 characters; empty if no word is shared. Takes time linear in the length of the text.
    """
    words = Counter(_WORD.findall(wanted.lower()[: 2 * _LONGEST]))
    length = max(1, sum(1 for _ in _PIECE.finditer(wanted.strip()[: 2 * _LONGEST])))
    spans = [found.span() for found in _PIECE.finditer(text)]
    shared = [_shared(words, text[begin:end]) for begin, end in spans]
    totals = [0.0, *accumulate(shared)]
    best, place = 0.0, (0, 0)
    for index, (begin, _) in enumerate(spans):
        together = round(totals[min(index + length, len(spans))] - totals[index], 6)
        away = abs(begin - start)
        if together > best or (together == best and together and away < abs(place[0] - start)):
            best, place = together, (begin, spans[min(index + length, len(spans)) - 1][1])
    return text[place[0] : min(place[1], place[0] + _LONGEST)].strip()


def _shared(words: Counter[str], piece: str) -> float:
    """Return the number of wanted words in a piece, minus a little for each other word."""
    own = Counter(_WORD.findall(piece.lower()))
    common = (words & own).total()
    return common - 0.1 * (own.total() - common) if common else 0.0
